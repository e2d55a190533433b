import Framepace

/// A screen, a machine and an application that are simulated: what a frame takes is what the profile says, and not what it
/// takes here. The frames are real ones all the same: committed, composited and handed over.
@MainActor
final class Simulation {
  let loop: FrameLoop
  let screen: SimulatedScreen

  private let clock: ManualClock
  private let work: SimulatedWork
  private let pace: RealTimePace?
  private var link: DisplayLink?
  private var wakeUp: FrameLoop.Observer?
  private let heartbeat: FrameLoop.Timer

  /// So often the loop turns at least, and listens to signals; also when it is fast, so that a run is the same when it is
  /// watched.
  private static let longestSleep = Nanoseconds.milliseconds(50)

  /// - Parameter isPaced: whether simulated time passes no faster than real time.
  init(_ profile: SimulatedDisplay.Profile, seed: UInt64, size: PixelSize, isPaced: Bool) throws {
    clock = ManualClock(start: MonotonicTime(nanoseconds: 1_000_000_000_000))
    let time = SystemClock.manual(clock)
    loop = FrameLoop(clock: time)
    work = {
      var work = profile.work
      work.seed = seed
      return work
    }()
    screen = try SimulatedScreen(
      width: size.width, height: size.height, vblanks: SimulatedDisplay(profile, clock: time, seed: seed), clock: time)
    pace = isPaced ? RealTimePace(loop: loop) : nil
    heartbeat = FrameLoop.Timer(
      fireTime: clock.now + Self.longestSleep, interval: Self.longestSleep, onMain: { _ in })
    loop.add(heartbeat, to: .common)
    addWakeUps()
  }

  /// The machine wakes as late as the profile says.
  private func addWakeUps() {
    var count: UInt64 = 0
    let observer = FrameLoop.Observer(
      [.afterWaiting], order: .min,
      onMain: { [clock, work] _, _ in
        clock.advance(by: work.latency(ofFrame: count))
        count += 1
      })
    loop.add(observer, to: .common)
    wakeUp = observer
  }

  /// Whether it runs as fast as it can, so that whoever reads its output is waited for.
  var isFast: Bool { pace == nil }

  /// For people.
  var note: String { isFast ? "in simulated time, as fast as it goes" : "in simulated time" }

  /// Lets every frame of the engine take the profile's time.
  func occupy(_ engine: Engine) {
    let start = clock.now
    let layer = BusyLayer(clock: clock)
    engine.context.root.addSublayer(layer)
    let link = DisplayLink(ticker: screen.ticker) { [clock, work] link in
      let phases = work.phases(ofFrame: link.frameNumber, at: clock.now - start)
      clock.advance(by: phases[.callbacks])
      layer.keepBusy(phases)
    }
    link.add(to: loop, mode: .common)
    self.link = link
  }

  func invalidate() {
    link?.invalidate()
    link = nil
    heartbeat.invalidate()
    wakeUp?.invalidate()
    pace?.invalidate()
  }
}

/// Spends a frame's simulated time in layout and in drawing.
private final class BusyLayer: Layer {
  private let clock: ManualClock
  private var phases = FrameRecord.PhaseDurations()

  init(clock: ManualClock) {
    self.clock = clock
    super.init()
    // As little as is drawn at all.
    bounds = Rect(x: 0, y: 0, width: 1, height: 1)
  }

  func keepBusy(_ phases: FrameRecord.PhaseDurations) {
    self.phases = phases
    setNeedsLayout()
    setNeedsDisplay()
  }

  override func layoutSublayers() {
    clock.advance(by: phases[.layout])
    phases[.layout] = .zero
  }

  override func draw(in context: DrawingContext) {
    clock.advance(by: phases[.display])
    phases[.display] = .zero
  }
}
