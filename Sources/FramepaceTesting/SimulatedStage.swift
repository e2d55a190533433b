public import Framepace
public import Simulation

/// A simulated application on a simulated screen: the whole way of its frames, in simulated time.
///
/// Like a `ManualStage` it sleeps nowhere, and belongs to the process's main thread. Its display, its machine and its
/// application may be as bad as a test wants.
@MainActor
public final class SimulatedStage {
  public let clock: ManualClock
  public let loop: FrameLoop
  public let screen: SimulatedScreen
  public let engine: Engine
  /// Decides how long the frames take, and how late the loop wakes.
  public let application: SimulatedApplication
  /// Called with every frame that was shown.
  public var onFrame: (@MainActor (FrameRecord) -> Void)?

  /// - Parameters:
  ///   - profile: the display's; the application's work may be another than its.
  ///   - takeOverTime: how long before a vblank the screen needs a frame; by default what Mutter leaves for it.
  public init(
    _ policy: FramePolicy, _ profile: DisplayProfile, work: SimulatedWork,
    takeOverTime: Nanoseconds = .microseconds(800), seed: UInt64 = 0
  ) throws {
    clock = ManualClock(start: MonotonicTime(nanoseconds: 1_000_000_000_000))
    loop = FrameLoop(clock: .manual(clock))
    screen = try SimulatedScreen(
      width: 16, height: 16, vblanks: SimulatedVBlankSource(profile, clock: .manual(clock), seed: seed),
      takeOverTime: takeOverTime, clock: .manual(clock))
    let root = Layer()
    engine = Engine(display: screen, root: root, loop: loop)
    engine.output.policy = policy
    application = SimulatedApplication(work, in: root, output: engine.output, loop: loop, clock: clock)
    engine.output.observe { [weak self] in if case .presented(let frame) = $0 { self?.onFrame?(frame) } }.keep()
  }

  /// Lets the time run for `duration`.
  public func run(for duration: Nanoseconds) {
    let end = clock.now + duration
    while clock.now < end { loop.run(mode: .default, until: end) }
  }

  /// Lets the time run until so many frames were shown.
  public func run(frames count: Int, _ body: @escaping @MainActor (FrameRecord) -> Void) {
    var left = count
    onFrame = { frame in
      guard left > 0 else { return }
      left -= 1
      body(frame)
    }
    while left > 0 { run(for: .milliseconds(100)) }
    onFrame = nil
  }

  public func invalidate() {
    application.invalidate()
    engine.invalidate()
  }
}
