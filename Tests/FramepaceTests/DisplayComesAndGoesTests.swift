import Framepace
import FramepaceTesting
import XCTest

@testable import Presentation

/// A display whose screen goes and comes back: layers stay, what is seen afterwards is all of them, at the size that there is.
final class DisplayComesAndGoesTests: XCTestCase {
  @MainActor
  private final class Stage {
    let clock = ManualClock()
    let loop: FrameLoop
    let display: GuestDisplay
    let root = Layer()
    let engine: Engine
    private(set) var shown: [FrameRecord] = []
    private(set) var ticks = 0
    var ended: MonotonicTime?

    init() throws {
      loop = FrameLoop(clock: .manual(clock))
      display = try GuestDisplay(clock: clock)
      root.backgroundColor = .white
      engine = Engine(display: display, root: root, loop: loop)
      engine.output.observe { [unowned self] in if case .presented(let frame) = $0 { shown.append(frame) } }.keep()
      engine.output.observe { [unowned self] in if case .tick = $0 { ticks += 1 } }.keep()
    }

    func run(_ time: Nanoseconds) { loop.run(mode: .default, until: clock.now + time) }
    /// Displays come and go in a turn.
    func turn(_ body: @escaping @MainActor () -> Void) {
      loop.add(FrameLoop.Timer(fireTime: clock.now, .onMain { _ in body() }), to: .default)
      run(.milliseconds(1))
    }

    func pixel(_ x: Int, _ y: Int) throws -> UInt32 {
      try display.memory.map { try XCTUnwrap($0.shownBitmap) }.map { $0.row(y).load(fromByteOffset: 4 * x, as: UInt32.self) }
        ?? 0
    }
  }

  func testWhatChangedMeanwhileIsSeenAfterwardsAtTheNewSize() throws {
    try onMain {
      let stage = try Stage()
      stage.run(.milliseconds(100))
      XCTAssertEqual(stage.shown.count, 1)
      let ticks = stage.ticks
      stage.turn { stage.display.unplug() }
      stage.turn { Transaction.withoutActions { stage.root.backgroundColor = .black } }
      stage.run(.seconds(5))
      XCTAssertEqual(stage.shown.count, 1, "a frame was seen without a screen")
      XCTAssertLessThanOrEqual(stage.ticks, ticks + 3, "a still scene ticks without a screen")

      stage.turn { stage.display.plug(width: 24, height: 40) }
      stage.run(.milliseconds(100))
      XCTAssertEqual(stage.shown.count, 2)
      XCTAssertEqual(stage.shown.last?.paintedPixels, 24 * 40)
      XCTAssertEqual(stage.root.bounds, Rect(x: 0, y: 0, width: 24, height: 40))
      XCTAssertEqual(try stage.pixel(23, 39), 0xFF00_0000)

      // Another screen of the same size is painted whole too.
      stage.turn { stage.display.plug(width: 24, height: 40) }
      stage.run(.milliseconds(100))
      XCTAssertEqual(stage.shown.last?.paintedPixels, 24 * 40)
      XCTAssertEqual(stage.shown.count, 3)
      stage.engine.invalidate()
    }
  }

  /// An animation that ends while there is no screen ends in time, tells so, and then nothing ticks.
  func testAnAnimationEndsInTimeWithoutAScreen() throws {
    try onMain {
      let stage = try Stage()
      stage.run(.milliseconds(100))
      var animation = BasicAnimation(.opacity, from: 1, to: 0)
      animation.duration = .seconds(1)
      stage.turn {
        Transaction.setCompletion { stage.ended = stage.clock.now }
        stage.root.add(animation, forKey: "fade")
      }
      let start = stage.clock.now
      stage.run(.milliseconds(200))
      let before = stage.shown.count
      XCTAssertGreaterThan(before, 5)
      stage.turn { stage.display.unplug() }
      stage.run(.seconds(2))
      XCTAssertEqual(stage.shown.count, before)
      let end = try XCTUnwrap(stage.ended, "the animation did not end")
      XCTAssertEqual((end - start).milliseconds, 1000, accuracy: 40)
      let ticks = stage.ticks
      stage.run(.seconds(5))
      XCTAssertEqual(stage.ticks, ticks, "a scene at rest ticks")
      stage.engine.invalidate()
    }
  }

  /// A frame whose flip was pending is never reported, and its interval does not keep the next one back.
  func testAFrameThatWasOnItsWayIsForgotten() throws {
    try onMain {
      let stage = try Stage()
      stage.turn {}
      XCTAssertEqual(stage.shown.count, 0, "the first frame is still on its way")
      stage.turn { stage.display.unplug() }
      stage.run(.milliseconds(500))
      stage.turn { stage.display.plug(width: 16, height: 16) }
      stage.run(.milliseconds(100))
      XCTAssertEqual(stage.shown.count, 1)
      stage.engine.invalidate()
    }
  }
}
