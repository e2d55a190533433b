package import LinuxSystem

/// The tick that the next vblank makes if it comes as expected: a pure value, worked out while nobody waits.
///
/// Links have such a tick first, and the model looks at its stamp afterwards. Expected is the successor of the last tick's
/// vblank by its sequence, on a grid that is known, a sixteenth of an interval off it at most, and on time: whatever the model
/// then makes of its stamp, the tick has this stamp and this number. Its target is the one that was predicted before the stamp.
package struct ExpectedTick: Sendable {
  package let frameNumber: UInt64
  /// The vblank after it.
  package let target: MonotonicTime
  /// One interval at the nominal rate.
  let duration: Nanoseconds
  fileprivate let sequence: UInt64
  fileprivate let stamps: ClosedRange<MonotonicTime>
  /// When it may come. Later the loop was too busy for it: another vblank may have been.
  fileprivate let arrivals: ClosedRange<MonotonicTime>

  /// Whether a vblank that is delivered at `now` is this tick's.
  @inline(__always)
  package func isMade(by vblank: VBlank, at now: MonotonicTime) -> Bool {
    vblank.sequence == sequence && stamps.contains(vblank.timestamp) && arrivals.contains(now)
  }
}

extension TickSequencer {
  /// What the next vblank is expected to be; nil while it has to be looked at first, whatever it is.
  package var expectedTick: ExpectedTick? {
    guard let last, last.sequence != 0, model.interval == lastInterval, let next = model.nextOnGrid else { return nil }
    let interval = model.refreshRate.interval
    let tolerance = interval / 16
    return ExpectedTick(
      frameNumber: frameNumber &+ 1, target: next.second, duration: interval, sequence: last.sequence &+ 1,
      stamps: next.first - tolerance...next.first + tolerance,
      // Not an interval after the stamp, nor an interval and a half after the last: a pause in which the machine can sleep.
      arrivals: next.first - interval / 8...next.first + interval * 3 / 8)
  }
}

extension VBlankModel {
  /// The places of the next vblank and of the one after it; nil while they are not known to a fortieth of an interval.
  fileprivate var nextOnGrid: (first: MonotonicTime, second: MonotonicTime)? {
    guard !isVariable, expectedRate == nil, unproven == 0, let filter else { return nil }
    var next = filter
    next.advance(by: 1)
    guard (next.phaseVariance + noise.variance).squareRoot() < period / 40 else { return nil }
    return (next.phase(after: 0), next.phase(after: 1))
  }
}
