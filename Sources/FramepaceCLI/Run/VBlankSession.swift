import FrameTiming
import Framepace
import KMS
import Metering
import Simulation

/// A measurement of vblanks: it requests them from a source, collects the stamps and ends.
@MainActor
final class VBlankSession {
  private let target: VBlankTarget
  private let requested: Int
  private let loop: FrameLoop
  private let signals: EndSignals
  private var samples: [VBlankReport.Sample] = []
  private var silence: VBlankSilence
  private var failure: (any Error)?

  /// - Parameter loop: a loop of the main thread.
  init(options: DisplayOptions, count: Int, loop: FrameLoop = .main) throws {
    signals = try EndSignals()
    target = try VBlankTarget(options, clock: loop.clock)
    requested = count
    self.loop = loop
    silence = VBlankSilence(rate: target.source.refreshRate)
    // The recording, its replay and the report make several arrays of this length.
    guard Memory.hasRoom(for: count * MemoryLayout<VBlankReport.Sample>.stride * 8) else {
      throw Refusal("no memory for \(count) vblanks: use a smaller --count")
    }
    // Growing the array during the measurement would delay an arrival.
    samples.reserveCapacity(count)
  }

  /// The first lines for people: the display, the clock and the number of vblanks.
  var heading: String {
    let time = target.source.refreshRate.offset(ofInterval: Int64(requested))
    return VBlankText.heading(
      display: target.display, clock: target.source.name, isRateUnused: target.isRateUnused, count: requested, time: time,
      width: Terminal.output.textWidth)
  }

  /// All stamps in the order of their arrival, for `--record`.
  var recording: VBlankRecording {
    VBlankRecording(
      displayName: target.display ?? target.source.name, isFallback: target.isFallback,
      refreshRate: target.source.refreshRate, vblanks: samples.map(\.vblank), arrivals: samples.map(\.arrival))
  }

  /// Runs until all vblanks have arrived, a signal arrives, or the source stays silent. Then it restores the screen.
  func run() {
    signals.add(to: loop) { [loop] in loop.stop() }
    target.onLost { [weak self] in self?.fail($0) }
    let source = target.source
    source.onVBlank = { [weak self] in self?.add($0) }
    source.add(to: loop, mode: .default)
    let watch = FrameLoop.Timer(
      fireTime: loop.clock.now + VBlankSilence.period, interval: VBlankSilence.period,
      .onMain { [weak self] _ in self?.look() })
    loop.add(watch, to: .default)
    if failure == nil {
      source.requestVBlank()
      loop.run(mode: .default)
    }
    watch.invalidate()
    target.invalidate()
    signals.invalidate()
    Terminal.error.show(progress: "")
  }

  /// The figures of the stamps, after the run.
  func measurement(_ recording: VBlankRecording) -> VBlankMeasurement {
    VBlankMeasurement(
      recording, display: target.display, clock: target.source.name, isFallback: target.isFallback, requested: requested)
  }

  /// Throws the error that ended the measurement; does nothing if the user ended it.
  func requireSuccess() throws {
    if let failure { throw failure }
  }

  private func add(_ vblank: VBlank) {
    samples.append(VBlankReport.Sample(vblank: vblank, arrival: loop.clock.now))
    if samples.count < requested { target.source.requestVBlank() } else { loop.stop() }
  }

  /// Shows the progress, and gives up on a silent source.
  private func look() {
    if silence.isTooLong(count: samples.count) { return fail(VBlankSilence.Failure(source: target.source.name)) }
    let left = target.source.refreshRate.offset(ofInterval: Int64(requested - samples.count))
    Terminal.error.show(progress: "\(samples.count) of \(requested) vblanks, \(Text.rest(left.seconds))")
  }

  private func fail(_ error: any Error) {
    if failure == nil { failure = error }
    loop.stop()
  }
}

/// The result of `framepace vblank`.
struct VBlankMeasurement {
  /// The connector, mode and driver; nil if no display was measured.
  var display: String?
  /// The source of the vblanks and the reason for it.
  var clock: String
  /// True if a clock replaced a display's vblanks. Its stamps are computed, so the figures describe the machine only.
  var isFallback: Bool
  /// The number of vblanks that were requested.
  var requested: Int
  var report: VBlankReport
  /// The ticks of a display link on these vblanks.
  var ticks = TickFigures()

  /// A warning about the figures of the fallback clock.
  static let fallbackNote = """
    The stamps are a clock's, computed from its rate: these figures say how this machine wakes a program, and nothing about \
    a display.
    """

  /// The rows of the table of durations.
  var rows: [(name: String, key: String, statistics: FrameStatistics)] {
    [
      ("jitter of stamps", "jitter", report.jitter), ("arrival", "arrival", report.arrival),
      ("prediction error", "prediction", report.predictionError), ("target error", "target", ticks.targetError),
    ]
  }

  /// True if the stamps differ enough to draw their distribution.
  var hasJitter: Bool { (report.jitter.maximum ?? .zero) >= .microseconds(1) }
}

/// Decides when to give up on a source that delivers no vblanks.
struct VBlankSilence {
  /// The time between two checks.
  static let period = Nanoseconds.milliseconds(500)

  struct Failure: Error, CustomStringConvertible {
    let source: String
    var description: String { "\(source): no vblank comes; the screen has been switched off, or its driver hangs" }
  }

  private let limit: Int
  private var looks = 0
  private var lastCount = 0

  /// The limit is three seconds or ten intervals. It counts checks instead of time, because a stopped process misses
  /// nothing.
  init(rate: RefreshRate) {
    limit = max(6, Int(rate.interval.count * 10 / Self.period.count))
  }

  /// - Parameter count: the number of vblanks so far.
  mutating func isTooLong(count: Int) -> Bool {
    looks = count == lastCount ? looks + 1 : 0
    lastCount = count
    return looks >= limit
  }
}
