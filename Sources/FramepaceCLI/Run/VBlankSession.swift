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
