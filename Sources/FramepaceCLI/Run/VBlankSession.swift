import Framepace
import KMS

/// A measurement of vblanks: a source, the stamps that it gives, and the end.
@MainActor
final class VBlankSession {
  private let target: VBlankTarget
  private let requested: Int
  private let loop: FrameLoop
  private let signals: EndSignals
  private var samples: [VBlankReport.Sample] = []
  private var silence: VBlankSilence
  private var failure: (any Error)?

  /// - Parameter loop: bound to the main thread.
  init(options: DisplayOptions, count: Int, loop: FrameLoop = .main) throws {
    signals = try EndSignals()
    target = try VBlankTarget(options, clock: loop.clock)
    requested = count
    self.loop = loop
    silence = VBlankSilence(rate: target.source.refreshRate)
    // None of it shall cost a stamp its time.
    samples.reserveCapacity(count)
  }

  /// What is measured.
  var heading: String {
    let time = target.source.refreshRate.offset(ofInterval: Int64(requested))
    return VBlankText.heading(
      display: target.display, clock: target.source.name, isRateUnused: target.isRateUnused, count: requested, time: time,
      width: Terminal.output.textWidth)
  }

  /// All stamps as they came.
  var recording: VBlankRecording {
    VBlankRecording(
      displayName: target.display ?? target.source.name, refreshRate: target.source.refreshRate,
      vblanks: samples.map(\.vblank))
  }

  /// Runs until all vblanks have come, a signal ends it, or nothing comes any more; then gives the screen back as it was.
  func run() -> VBlankMeasurement {
    signals.add(to: loop) { [loop] in loop.stop() }
    target.onLost { [weak self] in self?.fail($0) }
    let source = target.source
    source.onVBlank = { [weak self] in self?.add($0) }
    source.add(to: loop, mode: .default)
    let watch = FrameLoop.Timer(
      fireTime: loop.clock.now + VBlankSilence.period, interval: VBlankSilence.period,
      onMain: { [weak self] _ in self?.look() })
    loop.add(watch, to: .default)
    if failure == nil {
      source.requestVBlank()
      loop.run(mode: .default)
    }
    watch.invalidate()
    target.invalidate()
    signals.invalidate()
    Terminal.error.show(progress: "")
    return VBlankMeasurement(
      display: target.display, clock: source.name, isFallback: target.isFallback, requested: requested,
      report: VBlankReport(samples, nominalRate: source.refreshRate))
  }

  /// Throws what ended the measurement, if it was not the user.
  func requireSuccess() throws {
    if let failure { throw failure }
  }

  private func add(_ vblank: VBlank) {
    samples.append(VBlankReport.Sample(vblank: vblank, arrival: loop.clock.now))
    if samples.count < requested { target.source.requestVBlank() } else { loop.stop() }
  }

  /// Says how far it is, and gives up on a source that is silent.
  private func look() {
    if silence.isTooLong(count: samples.count) { return fail(VBlankSilence.Failure(source: target.source.name)) }
    let left = target.source.refreshRate.offset(ofInterval: Int64(requested - samples.count))
    Terminal.error.show(
      progress: "\(samples.count) of \(requested) vblanks, \(Text.decimal(left.seconds, 0)) s to go")
  }

  private func fail(_ error: any Error) {
    if failure == nil { failure = error }
    loop.stop()
  }
}

/// What `framepace vblank` has measured, and on what.
struct VBlankMeasurement {
  /// Connector, mode and driver; nil where no display was measured.
  var display: String?
  /// What ticked, and why.
  var clock: String
  /// Whether a clock stood in for a display's vblanks. Its stamps are computed: the figures are about the machine.
  var isFallback: Bool
  /// How many vblanks were asked for.
  var requested: Int
  var report: VBlankReport

  /// What the figures are not.
  static let fallbackNote = """
    The stamps are a clock's, computed from its rate: these figures say how this machine wakes a program, and nothing about \
    a display.
    """

  /// Rows of the table of durations.
  var rows: [(name: String, key: String, statistics: FrameStatistics)] {
    [
      ("jitter of stamps", "jitter", report.jitter), ("arrival", "arrival", report.arrival),
      ("prediction error", "prediction", report.predictionError),
    ]
  }

  /// Whether there is anything to see in how the stamps are distributed.
  var hasJitter: Bool { (report.jitter.maximum ?? .zero) >= .microseconds(1) }
}

/// Decides when a source from which no vblank comes is given up.
struct VBlankSilence {
  /// How often is to be looked.
  static let period = Nanoseconds.milliseconds(500)

  struct Failure: Error, CustomStringConvertible {
    let source: String
    var description: String { "\(source): no vblank comes; the screen has been switched off, or its driver hangs" }
  }

  private let limit: Int
  private var looks = 0
  private var lastCount = 0

  /// Three seconds or ten intervals. Looks are counted, not time: a process that was stopped has missed nothing.
  init(rate: RefreshRate) {
    limit = max(6, Int(rate.interval.count * 10 / Self.period.count))
  }

  /// - Parameter count: of the vblanks that have come by now.
  mutating func isTooLong(count: Int) -> Bool {
    looks = count == lastCount ? looks + 1 : 0
    lastCount = count
    return looks >= limit
  }
}
