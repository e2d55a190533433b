import Framepace
import FramepaceTesting
import SampleScenes
import XCTest

/// The crosses of the sample `Calibrate`.
@preconcurrency @MainActor final class CalibrationTests: XCTestCase {
  /// Whatever lies between the panel and its touches, five touches of the crosses that are seen find it, also below a turned picture.
  func testFiveTouchesCalibrate() throws {
    // A part of the picture as one sees it, and the same on the panel as it is scanned.
    let turns: [(DisplayRotation, (Point) -> Point)] = [
      (.none, { $0 }), (.right, { Point(1 - $0.y, $0.x) }), (.half, { Point(1 - $0.x, 1 - $0.y) }),
      (.left, { Point($0.y, 1 - $0.x) }),
    ]
    let matrix = Affine(a: -0.9, b: 0.05, c: 0, d: 0.8, tx: 0.95, ty: 0.1)
    let back = try XCTUnwrap(matrix.inverted)
    for (rotation, panel) in turns {
      let stage = try ManualStage(width: 120, height: 80, rate: .hertz60)
      defer { stage.engine.invalidate() }
      stage.display.rotation = rotation
      stage.run(for: .milliseconds(100))
      var isDone = false
      let view = CalibrationView(
        frame: stage.root.bounds, fonts: try SceneFonts(), screen: { stage.engine.inputRouter.screens.first?.screen },
        onDone: { isDone = true })
      stage.root.addSublayer(view)
      let finger = InputDevice(id: InputDevice.ID(rawValue: 3), name: "panel", abilities: .touch)
      let other = InputDevice(id: InputDevice.ID(rawValue: 4), name: "another", abilities: .touch)
      func send(_ device: InputDevice, _ action: InputEvent.Action) {
        stage.engine.inputRouter.receive(InputEvent(time: stage.clock.now, device: device.id, action: action))
        stage.run(for: .milliseconds(20))
      }
      for device in [finger, other] { send(device, .added(device)) }
      for place in CalibrationView.places {
        XCTAssertFalse(view.isDone)
        send(finger, .touch(finger: 0, .down(Point(0.5, 0.5))))
        // A cancelled touch does not count, nor what rests on the panel beside the finger.
        send(finger, .touch(finger: 0, .cancelled))
        send(finger, .touch(finger: 0, .down(Point(0.5, 0.5))))
        for palm in [1, 2] { send(finger, .touch(finger: palm, .down(Point(0.4, 0.6)))) }
        send(finger, .touch(finger: 1, .up))
        send(finger, .touch(finger: 0, .moved(back.apply(panel(place)))))
        send(finger, .touch(finger: 0, .up))
        send(finger, .touch(finger: 2, .up))
        // Another screen's touches do not count.
        send(other, .touch(finger: 0, .down(Point(0.3, 0.3))))
        send(other, .touch(finger: 0, .up))
      }
      XCTAssertTrue(view.isDone && isDone)
      XCTAssertEqual(view.device, finger.id)
      XCTAssertLessThan(try XCTUnwrap(view.calibration.error), 1e-9, "\(rotation)")
      let found = try XCTUnwrap(view.calibration.matrix)
      for point in [Point(0, 0), Point(1, 0), Point(0, 1)] {
        XCTAssertEqual(found.apply(point).x, matrix.apply(point).x, accuracy: 1e-9, "\(rotation)")
        XCTAssertEqual(found.apply(point).y, matrix.apply(point).y, accuracy: 1e-9, "\(rotation)")
      }
    }
  }
}
