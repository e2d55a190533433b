public import Framepace

/// A whole engine on manual time: loop, layers, a display and its clock, all in one hand. The display is one of memory, or any
/// other that runs on the stage's clock, such as a `SimulatedScreen`.
///
/// Nothing in it sleeps: where a loop would, time jumps to the next deadline. A second of frames takes as long as drawing
/// them.
///
/// It belongs to the process's main thread: on Linux that is where XCTest runs synchronous tests. (Swift Testing runs none of its
/// tests there, `@MainActor` or not.) Without `@preconcurrency` on a `@MainActor` test class, the list of tests that SwiftPM makes
/// ends the process.
///
/// ```swift
/// @preconcurrency @MainActor final class CardTests: XCTestCase {
///   func testTheCardFadesIn() throws {
///     let stage = try ManualStage(width: 320, height: 240, root: Card(), rate: .hertz60)
///     stage.run(for: .milliseconds(500))
///     try GoldenImage.check(stage.display.capture(), against: "Goldens/card.png")
///   }
/// }
/// ```
@MainActor
public final class ManualStage<Screen: Display> {
  public let clock: ManualClock
  public let loop: FrameLoop
  public let display: Screen
  public let root: Layer
  public let engine: Engine
  /// Every frame that was shown while `recordsFrames`, in order.
  public private(set) var frames: [FrameRecord] = []
  /// False for a run that must allocate nothing.
  public var recordsFrames = true

  /// - Parameters:
  ///   - root: the layer that fills the display.
  ///   - scale: pixels a point.
  ///   - start: the time at which the clock begins.
  ///   - blending: the light in which colours mix.
  ///   - makeDisplay: makes the display, on the stage's clock.
  public init(
    root: Layer = Layer(), scale: Double = 1, start: MonotonicTime = MonotonicTime(nanoseconds: 1_000_000_000_000),
    workers: WorkerPool = WorkerPool(), blending: Blending = .sRGB, makeDisplay: (ManualClock) throws -> Screen
  ) throws {
    let clock = ManualClock(start: start)
    self.clock = clock
    self.root = root
    loop = FrameLoop(clock: .manual(clock))
    display = try makeDisplay(clock)
    engine = Engine(
      display: display, root: root, scale: scale, loop: loop, workers: workers, blending: blending)
    engine.output.observe { [weak self] event in
      guard case .presented(let frame) = event, let self, recordsFrames else { return }
      frames.append(frame)
    }.keep()
  }

  /// Lets the time run to `time` and handles all that falls due until then, that moment included.
  public func run(until time: MonotonicTime) {
    while clock.now < time {
      if loop.run(mode: engine.modes.top, until: time) == .finished { clock.advance(to: time) }
    }
  }

  /// Lets the time run for `duration`.
  public func run(for duration: Nanoseconds) {
    run(until: clock.now + duration)
  }

  /// One turn without waiting: what is ready is handled, what is dirty is committed.
  public func turn() {
    loop.run(mode: engine.modes.top, until: clock.now)
  }
}

extension ManualStage where Screen == VirtualDisplay {
  /// A stage with a display of memory.
  ///
  /// - Parameters:
  ///   - width: of the display, in pixels.
  ///   - height: of the display, in pixels.
  ///   - rate: how often the display refreshes; its first vblank is one interval after the start.
  ///   - blending: the light in which colours mix.
  public convenience init(
    width: Int, height: Int, root: Layer = Layer(), rate: RefreshRate, scale: Double = 1,
    start: MonotonicTime = MonotonicTime(nanoseconds: 1_000_000_000_000), workers: WorkerPool = WorkerPool(),
    blending: Blending = .sRGB
  ) throws {
    try self.init(root: root, scale: scale, start: start, workers: workers, blending: blending) { clock in
      try VirtualDisplay(width: width, height: height, refreshRate: rate, reason: "manual time", clock: .manual(clock))
    }
  }
}

/// Runs `body` on the main actor, from a test on the process's main thread.
///
/// XCTest runs synchronous tests on that thread, and on Linux asynchronous ones on others.
public func onMain<Result: Sendable>(_ body: @MainActor () throws -> Result) rethrows -> Result {
  try MainActor.assumeIsolated(body)
}
