import FrameTiming
import Framepace
import FramepaceTesting
import Simulation
import XCTest

/// How often a source is asked for its newest vblank, which is a system call where it is a driver.
@preconcurrency @MainActor final class NewestVBlankTests: XCTestCase {
  /// A display that knows by its ticks alone when a frame was seen.
  @MainActor
  private final class Stage {
    let clock = ManualClock(start: .zero + .seconds(1))
    let source: AskedSource
    let engine: Engine
    /// The records of the frames that were seen, and when that was told.
    private(set) var seen: [(frame: FrameRecord, told: MonotonicTime)] = []
    private let layer: BusyLayer
    private var items: [any FrameLoop.Item] = []
    private var link: DisplayLink?

    init(_ policy: FramePolicy, _ buffering: Buffering) throws {
      let loop = FrameLoop(clock: .manual(clock))
      source = AskedSource(SimulatedVBlankSource(refreshRate: .hertz60, clock: loop.clock))
      let display = try VirtualDisplay(
        width: 8, height: 8, source: source, reason: "a test", buffering: buffering, clock: loop.clock)
      let root = Layer()
      engine = Engine(display: display, root: root, loop: loop)
      engine.output.policy = policy
      layer = BusyLayer(clock: clock)
      root.addSublayer(layer)
      layer.setNeedsDisplay()
      link = DisplayLink(ticker: display.ticker) { [unowned self] _ in layer.setNeedsDisplay() }
      link?.add(to: loop, mode: .common)
      engine.output.observe { [unowned self] event in
        if case .presented(let frame) = event { seen.append((frame, clock.now)) }
      }.keep()
    }

    /// The loop turns many times in an interval, as one that serves an application does.
    func turnOften() {
      let timer = FrameLoop.Timer(fireTime: clock.now, interval: .microseconds(700), .onMain { _ in })
      engine.loop.add(timer, to: .common)
      items.append(timer)
    }

    func run(_ duration: Nanoseconds, drawing work: Nanoseconds) {
      layer.work[.display] = work
      seen = []
      source.questions = 0
      engine.loop.run(mode: .default, until: clock.now + duration)
    }

    func end() {
      for item in items { item.invalidate() }
      link?.invalidate()
      engine.invalidate()
    }
  }

  /// While frames are in time the ticks say all: a frame is known to be seen as soon as its vblank has come, also if the tick itself
  /// waits for its deadline.
  func testNothingIsAskedWhileFramesAreInTime() throws {
    for policy in FramePolicy.allCases {
      for buffering in [Buffering.double, .triple] {
        let stage = try Stage(policy, buffering)
        stage.turnOften()
        stage.run(.seconds(1), drawing: .milliseconds(3))
        stage.run(.seconds(2), drawing: .milliseconds(3))
        XCTAssertEqual(stage.source.questions, 0, "\(policy), \(buffering)")
        XCTAssertEqual(stage.seen.count, 120, "\(policy), \(buffering)")
        let late = stage.seen.map { $0.told - $0.frame.presented }.max() ?? .seconds(1)
        XCTAssertLessThan(late, .milliseconds(1), "\(policy), \(buffering)")
        stage.end()
      }
    }
  }

  /// A vblank that passes in a turn, after a frame that waits for it, is never delivered. It is asked for at the turn's end, once: frames
  /// that are long from the first one on do not queue up.
  func testAVBlankInALongTurnIsAskedForOnce() throws {
    for policy in FramePolicy.allCases {
      let stage = try Stage(policy, .triple)
      stage.turnOften()
      stage.run(.seconds(1), drawing: .milliseconds(25))
      XCTAssertEqual(stage.source.questions, 1, "\(policy)")
      stage.run(.seconds(2), drawing: .milliseconds(25))
      XCTAssertEqual(stage.source.questions, 0, "\(policy)")
      XCTAssertEqual(stage.seen.count, 60, "\(policy)")
      let longest = stage.seen.map { $0.frame.presented - $0.frame.tickTimestamp }.max() ?? .seconds(1)
      XCTAssertLessThan(longest, .milliseconds(34), "\(policy)")
      stage.end()
    }
  }

  /// A source that cannot tell is asked once a request. (An output asks too, while the next vblank is a guess.)
  func testASourceThatCannotTellIsNotAskedAgain() throws {
    for policy in FramePolicy.allCases {
      let stage = try Stage(policy, .triple)
      stage.source.answers = false
      stage.turnOften()
      stage.run(.seconds(1), drawing: .milliseconds(25))
      XCTAssertLessThanOrEqual(stage.source.questions, 3, "\(policy)")
      XCTAssertGreaterThan(stage.seen.count, 25, "\(policy)")
      stage.end()
    }
  }
}

/// A simulated source that counts the questions for its newest vblank.
@MainActor
private final class AskedSource: VBlankSource {
  private let source: SimulatedVBlankSource
  var questions = 0
  /// False for one that cannot tell.
  var answers = true

  init(_ source: SimulatedVBlankSource) { self.source = source }

  var name: String { source.name }
  var refreshRate: RefreshRate { source.refreshRate }
  var onVBlank: (@MainActor (VBlank) -> Void)? {
    get { source.onVBlank }
    set { source.onVBlank = newValue }
  }
  var loopItem: any FrameLoop.Item { source.loopItem }

  func requestVBlank() { source.requestVBlank() }

  func newestVBlank() -> VBlank? {
    questions += 1
    return answers ? source.newestVBlank() : nil
  }

  func invalidate() { source.invalidate() }
}
