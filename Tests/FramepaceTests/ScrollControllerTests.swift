import Framepace
import FramepaceTesting
import Interaction
import TestLength
import XCTest

/// Scrolling by fingers and wheels, frame by frame on manual time.
@preconcurrency @MainActor final class ScrollControllerTests: XCTestCase {
  /// A layer of 320 by 480 points with content of 320 by 10,000, and a touch screen.
  @MainActor
  private final class Stage {
    let manual: ManualStage<VirtualDisplay>
    let view = ScrollLayer(frame: Rect(x: 0, y: 0, width: 320, height: 480))
    let controller: ScrollController
    private let device = InputDevice(id: InputDevice.ID(rawValue: 1), name: "", abilities: [.touch, .pointer])

    init(content: Size = Size(320, 10_000)) throws {
      manual = try ManualStage(width: 320, height: 480, rate: .hertz60)
      view.masksToBounds = true
      manual.root.addSublayer(view)
      controller = ScrollController(view, content: content, axes: .vertical)
      send(.added(device))
      manual.run(for: .milliseconds(100))
    }

    var now: MonotonicTime { manual.clock.now }

    func send(_ action: InputEvent.Action) {
      manual.engine.inputRouter.receive(InputEvent(time: now, device: device.id, action: action))
    }

    func touch(_ y: Double, _ make: (Point) -> InputEvent.Touch) { send(.touch(finger: 0, make(Point(0.5, y / 480)))) }

    /// Drags with one finger, a movement every 5 ms, and lifts it.
    func drag(from: Double, to: Double, in steps: Int, lifts: Bool = true) {
      touch(from) { .down($0) }
      for step in 1...steps {
        manual.run(for: .milliseconds(5))
        touch(from + (to - from) * Double(step) / Double(steps)) { .moved($0) }
      }
      manual.run(for: .milliseconds(5))
      if lifts { send(.touch(finger: 0, .up)) }
    }

    func end() { manual.engine.invalidate() }
  }

  func testTheContentStaysUnderTheFinger() throws {
    let stage = try Stage()
    defer { stage.end() }
    stage.drag(from: 400, to: 300, in: 20, lifts: false)
    stage.manual.turn()
    // The way is that behind the slop of a pan.
    XCTAssertEqual(stage.view.bounds.minY, 90, accuracy: 0.5)
    XCTAssertTrue(stage.controller.isDragging)
    stage.touch(200) { .moved($0) }
    stage.manual.turn()
    XCTAssertEqual(stage.view.bounds.minY, 190, accuracy: 0.5)
  }

  /// Each frame shows the content where the closed form has it at the time at which the frame is seen, whatever the frames before were.
  func testAFlingIsWhereItBelongsInEachFrame() throws {
    let stage = try Stage()
    defer { stage.end() }
    stage.drag(from: 400, to: 200, in: 20)
    stage.manual.turn()
    let velocity = stage.controller.velocity.y
    XCTAssertEqual(velocity, 2000, accuracy: 50)
    let (start, from) = (stage.now, stage.controller.position.y)
    var decay = ScrollDecayTable(from: from, velocity: velocity, start: start)
    let link = stage.manual.engine.makeDisplayLink { link in
      decay.add(link.targetTimestamp, stage.view.bounds.minY)
    }
    stage.manual.run(for: .seconds(4))
    link.invalidate()
    XCTAssertGreaterThan(decay.count, 60)
    XCTAssertLessThanOrEqual(decay.greatestError, 0.51, "half a pixel is rounding")
    XCTAssertEqual(stage.view.bounds.minY, from + velocity / (-1000 * log(0.998)), accuracy: 3)
  }

  /// Positions by the definition of the deceleration rate: each millisecond, 0.998 of the velocity is left.
  private struct ScrollDecayTable {
    let from, velocity: Double
    let start: MonotonicTime
    var (count, greatestError) = (0, 0.0)

    init(from: Double, velocity: Double, start: MonotonicTime) {
      (self.from, self.velocity, self.start) = (from, velocity, start)
    }

    mutating func add(_ time: MonotonicTime, _ position: Double) {
      let rate = -1000 * log(0.998)
      let seconds = (time - start).seconds
      guard seconds > 0, velocity * exp(-rate * seconds) > 6 else { return }
      count += 1
      greatestError = max(greatestError, abs(from + velocity / rate * (1 - exp(-rate * seconds)) - position))
    }
  }

  /// While a finger scrolls and the content moves, timers of the default mode wait, and go on in phase; those of the common modes miss nothing.
  func testTimersOfTheDefaultModeWaitWhileTracking() throws {
    let stage = try Stage()
    defer { stage.end() }
    var (quiet, common): ([Int64], Int) = ([], 0)
    let start = stage.now
    let interval = Nanoseconds.milliseconds(50)
    let waiting = FrameLoop.Timer(
      fireTime: start + interval, interval: interval, .onMain { _, _ in quiet.append((stage.now - start).count / 1_000_000) }
    )
    let going = FrameLoop.Timer(fireTime: start + interval, interval: interval, .onMain { _, _ in common += 1 })
    stage.manual.loop.add(waiting, to: .default)
    stage.manual.loop.add(going, to: .common)
    stage.manual.run(for: .milliseconds(110))
    XCTAssertEqual(quiet, [50, 100])
    stage.drag(from: 400, to: 200, in: 20)
    XCTAssertEqual(stage.manual.engine.modes.top, .tracking)
    stage.manual.run(for: .milliseconds(500))
    XCTAssertEqual(quiet.filter { $0 > 150 }, [])
    XCTAssertGreaterThan(common, 10)
    stage.manual.run(for: .seconds(4))
    XCTAssertEqual(stage.manual.engine.modes.top, .default)
    let late = quiet.filter { $0 > 1000 }
    XCTAssertGreaterThan(late.count, 10)
    // The call that waited comes at the end of the tracking; the others are in phase.
    XCTAssertTrue(late.dropFirst().allSatisfy { $0 % 50 == 0 }, "\(late)")
    XCTAssertEqual(common, Int((stage.now - start).count / interval.count), accuracy: 1)
    waiting.invalidate()
    going.invalidate()
  }

  /// A touch stops content that moves and taps nothing; where the content rests, the touch is the layer's.
  func testATouchCatchesMovingContent() throws {
    let stage = try Stage()
    defer { stage.end() }
    let row = Layer(frame: Rect(x: 0, y: 0, width: 320, height: 10_000))
    stage.view.addSublayer(row)
    var taps = 0
    row.addGestureRecognizer(TapGestureRecognizer(TapMachine()) { _ in taps += 1 })
    func tap() {
      stage.touch(100) { .down($0) }
      stage.manual.run(for: .milliseconds(40))
      stage.send(.touch(finger: 0, .up))
      stage.manual.run(for: .milliseconds(40))
    }
    tap()
    XCTAssertEqual(taps, 1)
    stage.drag(from: 400, to: 200, in: 20)
    stage.manual.run(for: .milliseconds(100))
    let before = stage.view.bounds.minY
    tap()
    XCTAssertEqual(taps, 1)
    XCTAssertEqual(stage.view.bounds.minY, before, accuracy: 40)
    let held = stage.view.bounds.minY
    stage.manual.run(for: .seconds(1))
    XCTAssertEqual(stage.view.bounds.minY, held)
    XCTAssertEqual(stage.manual.engine.modes.top, .default)
    tap()
    XCTAssertEqual(taps, 2)
  }

  /// A finger that catches the content drags it on from there, and throws it again.
  func testAFingerDragsWhatItCaught() throws {
    let stage = try Stage()
    defer { stage.end() }
    stage.drag(from: 400, to: 200, in: 20)
    stage.manual.run(for: .milliseconds(200))
    stage.touch(400) { .down($0) }
    stage.manual.turn()
    let caught = stage.view.bounds.minY
    for y in stride(from: 395.0, through: 300, by: -5) {
      stage.touch(y) { .moved($0) }
      stage.manual.run(for: .milliseconds(5))
    }
    XCTAssertEqual(stage.view.bounds.minY, caught + 90, accuracy: 1)
    stage.send(.touch(finger: 0, .up))
    stage.manual.turn()
    XCTAssertEqual(stage.controller.velocity.y, 1000, accuracy: 50)
    stage.manual.run(for: .seconds(1))
    XCTAssertGreaterThan(stage.view.bounds.minY, caught + 300)
  }

  /// The mode and the frames of a movement end with the layer, whether it is gone for good or only from the screen.
  func testALayerThatGoesEndsItsTracking() throws {
    for isDragging in [false, true] {
      let stage = try Stage()
      defer { stage.end() }
      stage.drag(from: 400, to: 200, in: 20, lifts: !isDragging)
      stage.manual.run(for: .milliseconds(50))
      XCTAssertEqual(stage.manual.engine.modes.top, .tracking)
      stage.view.removeFromSuperlayer()
      stage.manual.run(for: .milliseconds(50))
      XCTAssertEqual(stage.manual.engine.modes.top, .default, "dragging \(isDragging)")
    }
    let manual = try ManualStage(width: 320, height: 480, rate: .hertz60)
    defer { manual.engine.invalidate() }
    var view: ScrollLayer? = ScrollLayer(frame: manual.root.bounds)
    if let view {
      ScrollController(view, content: Size(320, 9999)).scroll(to: .zero)
      manual.root.addSublayer(view)
      let router = manual.engine.inputRouter
      let device = InputDevice(id: InputDevice.ID(rawValue: 1), name: "", abilities: .touch)
      func send(_ action: InputEvent.Action) {
        router.receive(InputEvent(time: manual.clock.now, device: device.id, action: action))
        manual.run(for: .milliseconds(5))
      }
      send(.added(device))
      send(.touch(finger: 0, .down(Point(0.5, 0.9))))
      for step in 1...20 { send(.touch(finger: 0, .moved(Point(0.5, 0.9 - 0.02 * Double(step))))) }
      send(.touch(finger: 0, .up))
      XCTAssertEqual(manual.engine.modes.top, .tracking)
      view.removeFromSuperlayer()
    }
    view = nil
    manual.run(for: .milliseconds(50))
    XCTAssertEqual(manual.engine.modes.top, .default)
  }

  /// In a layer that is turned and scaled the content stays under the finger too.
  func testTheContentOfATurnedLayerStaysUnderTheFinger() throws {
    let stage = try Stage()
    defer { stage.end() }
    Transaction.withoutActions { stage.manual.root.sublayers[0].transform = Transform3D(Affine.scale(-2)) }
    stage.manual.run(for: .milliseconds(50))
    // A finger that goes down moves a layer that stands on its head by half of that upwards.
    stage.drag(from: 200, to: 300, in: 20, lifts: false)
    stage.manual.turn()
    XCTAssertEqual(stage.view.bounds.minY, 45, accuracy: 0.5)
  }

  func testAWheelLeavesWhatIsAtItsEnd() throws {
    let stage = try Stage()
    defer { stage.end() }
    let inner = ScrollLayer(frame: Rect(x: 0, y: 0, width: 320, height: 300))
    let controller = ScrollController(inner, content: Size(320, 300))
    stage.view.addSublayer(inner)
    stage.send(.motion(Point(1, -100)))
    stage.send(.scroll(.wheel(Point(0, 1))))
    stage.manual.run(for: .milliseconds(500))
    XCTAssertEqual(inner.bounds.minY, 0)
    XCTAssertGreaterThan(stage.view.bounds.minY, 50)
    withExtendedLifetime(controller) {}
  }

  /// Pulled beyond its beginning the content follows less and less, and comes back; then nothing more is presented.
  func testTheRubberBandPullsBack() throws {
    let stage = try Stage()
    defer { stage.end() }
    stage.drag(from: 100, to: 350, in: 20, lifts: false)
    stage.manual.turn()
    // (1 − 1 / (240 · 0.55 / 480 + 1)) · 480
    XCTAssertEqual(stage.view.bounds.minY, -103.5, accuracy: 1)
    stage.send(.touch(finger: 0, .up))
    stage.manual.run(for: .seconds(3))
    XCTAssertEqual(stage.view.bounds.minY, 0)
    let frames = stage.manual.frames.count
    stage.manual.run(for: .seconds(3))
    XCTAssertEqual(stage.manual.frames.count, frames)
  }

  /// The inner of two scrolled layers takes a drag up to its end, and the outer one the next.
  func testAnInnerLayerScrollsFirst() throws {
    let stage = try Stage()
    defer { stage.end() }
    let inner = ScrollLayer(frame: Rect(x: 0, y: 0, width: 320, height: 300))
    let innerController = ScrollController(inner, content: Size(320, 350), axes: .vertical)
    stage.view.addSublayer(inner)
    stage.drag(from: 250, to: 150, in: 20)
    stage.manual.run(for: .seconds(3))
    XCTAssertEqual(inner.bounds.minY, 50)
    XCTAssertEqual(stage.view.bounds.minY, 0)
    stage.drag(from: 250, to: 150, in: 20)
    stage.manual.run(for: .seconds(3))
    XCTAssertEqual(inner.bounds.minY, 50)
    XCTAssertGreaterThan(stage.view.bounds.minY, 90)
    withExtendedLifetime(innerController) {}
  }

  func testAWheelScrollsByClicks() throws {
    let stage = try Stage()
    defer { stage.end() }
    stage.send(.motion(Point(1, 1)))
    stage.send(.scroll(.wheel(Point(0, 2))))
    stage.manual.run(for: .milliseconds(500))
    XCTAssertEqual(stage.view.bounds.minY, 2 * pow(480, 2.0 / 3), accuracy: 0.51)
    XCTAssertEqual(stage.manual.engine.modes.top, .default)
    stage.send(.scroll(.wheel(Point(0, -20))))
    stage.manual.run(for: .milliseconds(500))
    XCTAssertEqual(stage.view.bounds.minY, 0)
  }

  func testTheProgramScrolls() throws {
    let stage = try Stage()
    defer { stage.end() }
    stage.controller.scroll(to: Point(0, 99_999))
    XCTAssertEqual(stage.view.bounds.minY, 10_000 - 480)
    stage.controller.scroll(toShow: Rect(x: 0, y: 300, width: 10, height: 100), animated: true)
    stage.manual.run(for: .milliseconds(100))
    XCTAssertGreaterThan(stage.view.bounds.minY, 300)
    stage.manual.run(for: .milliseconds(500))
    XCTAssertEqual(stage.view.bounds.minY, 300)
    stage.controller.setContentSize(Size(320, 10_500), shiftingBy: Point(0, 500))
    XCTAssertEqual(stage.view.bounds.minY, 800)
  }
}
