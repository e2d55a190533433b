import LinuxSystem

/// The arithmetic of a display ticker: which vblanks become ticks, and how many intervals lie between two of them.
///
/// A pure value. T is the nominal refresh interval. The rules:
/// - Stamps strictly increase, and no interval is ticked twice: a vblank counts only if its stamp is later than the last
///   tick's by more than T/2. Others (the same event again, a stamp that goes back) are swallowed.
/// - A stamp more than T after now is no vblank that happened, and is swallowed too: believing it would swallow all
///   that come until then. (Drivers do stamp up to a blanking time ahead: the start of scan-out, not of the interrupt.)
/// - A vblank that is delivered T or more after its stamp stands for the latest grid point that is not after now; the
///   intervals before it are missed. So a stall gives one tick and no burst, and the tick's target is not in the past.
/// - Frame numbers count intervals: by the source's sequence where it agrees with the stamps, else by the stamps alone.
struct TickSequencer {
  /// What became of a vblank.
  enum Outcome: Equatable {
    /// A tick, with the stamp and frame number that it carries.
    case tick(VBlank, frameNumber: UInt64)
    /// The interval has had its tick, or the stamp went back.
    case duplicate
    /// The stamp lies more than an interval in the future.
    case future
  }

  /// The vblank of the last tick; its sequence is the source's.
  private(set) var last: VBlank?
  /// The frame number of the last tick. The first tick is number 1: 0 is the interval before it, in which a frame may have
  /// been made without one.
  private(set) var frameNumber: UInt64 = 0

  mutating func advance(to vblank: VBlank, now: MonotonicTime, rate: RefreshRate) -> Outcome {
    let interval = rate.interval
    guard vblank.timestamp - now <= interval else { return .future }
    // An unsteady stamp that falls half an interval after the last tick or before is not a new interval.
    if let last, vblank.timestamp - last.timestamp <= interval / 2 { return .duplicate }

    var current = vblank
    let lateness = now - vblank.timestamp
    if lateness >= interval {
      let skipped = rate.intervals(in: lateness)
      current.timestamp += rate.offset(ofInterval: skipped)
      current.sequence &+= UInt64(skipped)
    }
    frameNumber += last.map { Self.intervals(from: $0, to: current, rate: rate) } ?? 1
    last = current
    return .tick(current, frameNumber: frameNumber)
  }

  /// How many intervals lie between two vblanks that are more than T/2 apart; at least 1.
  ///
  /// The difference of the sequences, if it agrees with the stamps to T/2, and to 1/32 over long gaps, where the nominal
  /// rate of a display is off by up to a few per cent. A sequence that stands still or jumps does not agree.
  static func intervals(from last: VBlank, to current: VBlank, rate: RefreshRate) -> UInt64 {
    let elapsed = current.timestamp - last.timestamp
    let counted = Int64(bitPattern: current.sequence &- last.sequence)
    if counted > 0, counted < 1 << 40 {
      let error = elapsed - rate.offset(ofInterval: counted)
      let tolerance = rate.interval / 2 + elapsed / 32
      if error <= tolerance, -error <= tolerance { return UInt64(counted) }
    }
    return UInt64(max(1, rate.intervals(in: elapsed + rate.interval / 2)))
  }
}
