import Compositing
import FrameTiming
import Geometry
import LinuxSystem
import Presentation
import RenderTree
import RunLoops
import Simulation
import XCTest

/// The times for which an output asks for its tree.
@preconcurrency @MainActor final class OutputTimeTests: XCTestCase {
  @MainActor
  private final class Stage {
    let clock = ManualClock(start: .zero + .seconds(10))
    let loop: FrameLoop
    let display: VirtualDisplay
    private(set) var output: Output?
    private(set) var times: [MonotonicTime] = []
    private(set) var ticks: [DisplayLink.Tick] = []
    var isAnimating = true
    var stall = Nanoseconds.zero
    /// How long the evaluation of the tree takes; where it takes time, each tree differs from the one before.
    var evaluation = Nanoseconds.zero
    private(set) var frames: [FrameRecord] = []
    private var observer: FrameLoop.Observer?

    init(source: (SystemClock) -> any VBlankSource, policy: AnimationTime.Policy) throws {
      loop = FrameLoop(clock: .manual(clock))
      display = try VirtualDisplay(width: 8, height: 8, source: source(loop.clock), reason: "a test", clock: loop.clock)
      let content = Output.Content(
        tree: { [unowned self] time in
          times.append(time)
          guard evaluation > .zero else { return TreeSnapshot() }
          clock.advance(by: evaluation)
          let bounds = Rect(x: 0, y: 0, width: Double(1 + times.count % 8), height: 8)
          var record = RenderRecord(id: 1, subtreeEnd: 1, bounds: bounds, backgroundColor: 0xFF12_3456)
          record.settle(SideValues())
          return TreeSnapshot(records: [record])
        }, isAnimating: { [unowned self] in isAnimating })
      let output = Output(display: display, content: content, renderer: Compositor(), clock: loop.clock)
      output.animationTime = AnimationTime(policy)
      output.observe { [unowned self] event in
        if case .committed(let frame) = event { frames.append(frame) }
        guard case .tick(let tick) = event else { return }
        ticks.append(tick)
        clock.advance(by: stall)
        stall = .zero
      }.keep()
      self.output = output
      display.add(to: loop, mode: .default)
      output.add(to: loop, mode: .default)
      let observer = FrameLoop.Observer(
        [.beforeWaiting, .exit],
        .onMain { [unowned self] _, _ in self.output?.renderIfNeeded(turn: TurnWork()) })
      loop.add(observer, to: .default)
      self.observer = observer
    }

    func run(_ duration: Nanoseconds) {
      let end = clock.now + duration
      while clock.now < end {
        if loop.run(mode: .default, until: end) == .finished { clock.advance(to: end) }
      }
    }

    func invalidate() {
      observer?.invalidate()
      output?.invalidate()
      display.invalidate()
    }
  }

  /// A tree that does not change: one frame, and then ticks at every vblank without any, for as long as something animates.
  func testFramesWithoutDamageTickAndAreNotShown() throws {
    let sources: [(SystemClock) -> any VBlankSource] = [
      { SimulatedVBlankSource(refreshRate: .hertz60, clock: $0) },
      { FallbackClock(refreshRate: .hertz60, reason: "a test", clock: $0) },
    ]
    for source in sources {
      let stage = try Stage(source: source, policy: .presentation)
      stage.run(.seconds(1))
      let ticks = stage.ticks.count
      XCTAssertEqual(stage.display.shownFrames, 1)
      stage.run(.seconds(2))
      XCTAssertEqual(stage.ticks.count - ticks, 120, stage.display.ticker.name)
      XCTAssertEqual(stage.display.shownFrames, 1)
      // The tree is asked for once an interval, for the next vblank.
      for (first, second) in zip(stage.times.dropFirst(3), stage.times.dropFirst(4)) {
        XCTAssertEqual((second - first).count, 16_666_667, accuracy: 2)
      }
      stage.isAnimating = false
      stage.run(.milliseconds(100))
      let rest = (stage.ticks.count, stage.times.count)
      stage.run(.seconds(5))
      XCTAssertEqual(stage.ticks.count, rest.0, "a scene at rest ticks")
      XCTAssertEqual(stage.times.count, rest.1)
      stage.invalidate()
    }
  }

  /// The evaluation's 3 ms are the phase animate, and no other phase has any.
  func testTheEvaluationIsAPhaseOfItsOwn() throws {
    let stage = try Stage(
      source: { SimulatedVBlankSource(refreshRate: .hertz60, clock: $0) }, policy: .presentation)
    stage.evaluation = .milliseconds(3)
    stage.run(.milliseconds(500))
    XCTAssertGreaterThan(stage.frames.count, 25)
    for frame in stage.frames {
      XCTAssertEqual(frame.phases[.animate], .milliseconds(3))
      XCTAssertEqual(frame.work, .milliseconds(3), "\(frame)")
    }
    stage.invalidate()
  }

  /// Frames that come as slowly as a display with a variable rate likes: no step of time is as short as its shortest interval,
  /// and none makes up for several.
  func testSmoothTimeGoesWithAVariableRate() throws {
    let times = try [AnimationTime.Policy.presentation, .smooth].map { policy in
      let stage = try Stage(source: { SimulatedVBlankSource(.vrr, clock: $0, seed: 5) }, policy: policy)
      stage.run(.seconds(4))
      stage.invalidate()
      return stage.times
    }
    XCTAssertGreaterThan(times[0].count, 200)
    XCTAssertEqual(times[0], times[1])
  }

  /// After a pause a variable display shows a frame when it is ready, and not on a grid of the vblanks before.
  func testAFrameOutOfIdleDoesNotSnapAtAVariableRate() throws {
    let stage = try Stage(source: { SimulatedVBlankSource(.vrr, clock: $0, seed: 5) }, policy: .presentation)
    stage.run(.seconds(1))
    stage.isAnimating = false
    for milliseconds: Int64 in [311, 402, 505, 797] {
      stage.run(.milliseconds(milliseconds))
      let count = stage.times.count
      stage.output?.setNeedsFrame()
      let now = stage.clock.now
      stage.output?.renderIfNeeded(turn: TurnWork())
      XCTAssertEqual(stage.times.count, count + 1)
      // Nothing is known of how long frames take.
      XCTAssertEqual(stage.times.last, now + stage.display.ticker.refreshRate.interval)
    }
    stage.invalidate()
  }

  /// A callback that takes two and a half intervals. Nothing changed meanwhile, so that no frame is seen late: under both policies
  /// the times are the vblanks'.
  func testAfterMissedTicksTimeJumps() throws {
    for policy in AnimationTime.Policy.allCases {
      let stage = try Stage(source: { SimulatedVBlankSource(refreshRate: .hertz60, clock: $0) }, policy: policy)
      stage.run(.seconds(1))
      let before = stage.times.count
      stage.stall = .microseconds(41_667)
      stage.run(.seconds(2))
      let steps = zip(stage.times.dropFirst(before - 1), stage.times.dropFirst(before)).map { ($1 - $0).milliseconds }
      XCTAssertGreaterThan(steps.count, 110)
      XCTAssertEqual(steps.filter { $0 > 17 }.count, 1)
      XCTAssertEqual(steps.max() ?? 0, 50, accuracy: 0.1)
      XCTAssertEqual(steps.min() ?? 0, 16.667, accuracy: 0.01)
      let target = try XCTUnwrap(stage.ticks.last?.targetTimestamp)
      XCTAssertEqual((try XCTUnwrap(stage.times.last) - target).milliseconds, 0, accuracy: 0.001)
      stage.invalidate()
    }
  }
}
