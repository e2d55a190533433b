import Framepace
import FramepaceTesting
import XCTest

/// Content that scrolls while its display goes.
@preconcurrency @MainActor final class ScrollScreenTests: XCTestCase {
  @MainActor
  private struct Stage {
    let manual: ManualStage<VirtualDisplay>
    let view: ScrollLayer
    let controller: ScrollController
    let second: VirtualDisplay
    private let device = InputDevice(id: InputDevice.ID(rawValue: 1), name: "", abilities: .touch, outputName: "list")

    /// - Parameter isMirrored: true to show the list on both displays, false for the second one alone.
    init(isMirrored: Bool) throws {
      manual = try ManualStage(width: 320, height: 480, rate: .hertz60)
      second = try VirtualDisplay(
        width: 320, height: 480, refreshRate: .hertz60, reason: "a test", clock: .manual(manual.clock))
      let root = isMirrored ? manual.root : Layer()
      let engine = manual.engine
      if isMirrored { engine.mirror(on: second) } else { engine.addOutput(display: second, root: root) }
      view = ScrollLayer(frame: Rect(x: 0, y: 0, width: 320, height: 480))
      root.addSublayer(view)
      controller = ScrollController(view, content: Size(320, 100_000), axes: .vertical)
      let router = engine.inputRouter
      if let index = router.screens.lastIndex(where: { $0.root === root }) { router.screens[index].screen.name = "list" }
      send(.added(device))
    }

    func send(_ action: InputEvent.Action) {
      manual.engine.inputRouter.receive(InputEvent(time: manual.clock.now, device: device.id, action: action))
      manual.run(for: .milliseconds(5))
    }

    /// Drags fast, and lifts the finger or not.
    func drag(lifts: Bool) {
      send(.touch(finger: 0, .down(Point(0.5, 0.9))))
      for step in 1...20 { send(.touch(finger: 0, .moved(Point(0.5, 0.9 - 0.03 * Double(step))))) }
      if lifts { send(.touch(finger: 0, .up)) }
      manual.run(for: .milliseconds(50))
    }
  }

  /// The only display that shows the list goes: nothing moves there any more, and timers of the default mode fire again.
  func testTrackingEndsWithTheDisplay() throws {
    for lifts in [true, false] {
      let stage = try Stage(isMirrored: false)
      let engine = stage.manual.engine
      stage.drag(lifts: lifts)
      XCTAssertEqual(engine.modes.top, .tracking)
      engine.remove(try XCTUnwrap(engine.outputs.last))
      stage.manual.run(for: .milliseconds(50))
      XCTAssertEqual(engine.modes.top, .default, "lifted \(lifts)")
      engine.invalidate()
    }
  }

  /// The display that the list was laid out for goes, and a mirror shows it: the fling goes on there, to where it would have ended.
  func testAFlingGoesOnOnAMirror() throws {
    var ends: [Double] = []
    for isRemoved in [false, true] {
      let stage = try Stage(isMirrored: true)
      let engine = stage.manual.engine
      stage.drag(lifts: true)
      if isRemoved { engine.remove(try XCTUnwrap(engine.outputs.first)) }
      let before = stage.controller.position.y
      stage.manual.run(for: .milliseconds(200))
      XCTAssertEqual(engine.modes.top, .tracking)
      XCTAssertGreaterThan(stage.controller.position.y, before + 20, "removed \(isRemoved)")
      stage.manual.run(for: .seconds(6))
      XCTAssertEqual(engine.modes.top, .default)
      ends.append(stage.controller.position.y)
      engine.invalidate()
    }
    XCTAssertEqual(ends[0], ends[1], accuracy: 0.01)
  }

  /// An engine that ends in a fling leaves no mode behind.
  func testTrackingEndsWithTheEngine() throws {
    let stage = try Stage(isMirrored: false)
    stage.drag(lifts: true)
    XCTAssertEqual(stage.manual.engine.modes.top, .tracking)
    stage.manual.engine.invalidate()
    XCTAssertEqual(stage.manual.engine.modes.top, .default)
  }
}
