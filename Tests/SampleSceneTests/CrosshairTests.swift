import Framepace
import FramepaceTesting
import SampleScenes
import XCTest

/// The crosses of `framepace input --display`.
@preconcurrency @MainActor final class CrosshairTests: XCTestCase {
  private static let goldens = String(#filePath.dropLast("CrosshairTests.swift".count)) + "Goldens/"

  private func stage(
    _ width: Int, _ height: Int, _ rotation: DisplayRotation = .none
  ) throws -> (ManualStage<VirtualDisplay>, (String, Nanoseconds) throws -> Void) {
    var view: CrosshairView?
    let stage = try ManualStage(width: width, height: height, rate: .hertz60)
    stage.display.rotation = rotation
    stage.run(for: .milliseconds(100))
    let made = CrosshairView(fonts: try SceneFonts()) { [weak engine = stage.engine] in
      engine?.inputRouter.screens.first?.screen
    }
    made.frame = stage.root.bounds
    stage.root.addSublayer(made)
    view = made
    return (
      stage,
      { text, duration in
        let player = InputPlayer(try InputScript("framepace input 1\n" + text), clock: stage.loop.clock) { event in
          view?.take(event)
          stage.engine.inputRouter.receive(event)
        }
        player.add(to: stage.loop, mode: .common)
        player.start(at: stage.clock.now)
        stage.run(for: duration)
        player.stop()
      }
    )
  }

  private static let hands = """
    0 1 added "Goodix Capacitive TouchScreen" touch fingers 10 size 152 91
    0 2 added "Logitech USB Optical Mouse" pointer
    0 3 added "Wacom Intuos Pro M Pen" pen
    0.1 1 touch 0 down 0.1 0.1
    0.1 1 touch 1 down 0.9 0.85
    0.2 1 touch 2 down 0.5 0.4
    0.3 1 touch 2 up
    0.4 3 pen pen near 0.3 0.7 pressure 0
    0.5 3 pen pen down 0.35 0.7 pressure 0.5
    """

  func testEachHandHasACross() throws {
    for (name, width, height, rotation) in [
      ("crosshair", 800, 480, DisplayRotation.none), ("crosshair-right", 800, 480, .right),
    ] {
      let (stage, play) = try stage(width, height, rotation)
      defer { stage.engine.invalidate() }
      try play(Self.hands, .seconds(1))
      try GoldenImage.check(stage.display.capture(), against: Self.goldens + name + ".png")
    }
  }

  /// The pixels of a cross lie on those that the place has on the panel, whichever way the picture is turned, and nowhere else in their row.
  func testTheCrossIsBelowTheFinger() throws {
    for rotation in DisplayRotation.allCases {
      for (x, y) in [(0.25, 0.75), (0.02, 0.02), (0.98, 0.5)] {
        let (stage, play) = try stage(300, 200, rotation)
        defer { stage.engine.invalidate() }
        try play("0 1 added \"\" touch\n0.1 1 touch 0 down \(x) \(y)", .seconds(1))
        let picture = try stage.display.capture()
        let line = lines(picture)
        // A cross is a pixel wide; its point is the left upper one of the upright picture.
        XCTAssertLessThanOrEqual(abs(line.x - Int(x * 300)), 1, "\(rotation) \(x) \(y)")
        XCTAssertLessThanOrEqual(abs(line.y - Int(y * 200)), 1, "\(rotation) \(x) \(y)")
      }
    }
  }

  /// The column and the row that differ most from the night.
  private func lines(_ picture: Image) -> (x: Int, y: Int) {
    func pixel(_ x: Int, _ y: Int) -> UInt32 { picture.row(y).assumingMemoryBound(to: UInt32.self)[x] }
    let (columns, rows) = (0..<picture.width, 0..<picture.height)
    let night: UInt32 = 0xFF0B_1016
    return (
      columns.max { a, b in rows.count { pixel(a, $0) != night } < rows.count { pixel(b, $0) != night } } ?? -1,
      rows.max { a, b in columns.count { pixel($0, a) != night } < columns.count { pixel($0, b) != night } } ?? -1
    )
  }

  /// A device whose matrix is wrong tells places far from its panel: the text says so. Those that are infinite on the display
  /// leave the mark where it was.
  func testFarPlacesAreShown() throws {
    let stage = try ManualStage(width: 400, height: 300, rate: .hertz60)
    defer { stage.engine.invalidate() }
    let view = CrosshairView(fonts: try SceneFonts()) { [weak engine = stage.engine] in
      engine?.inputRouter.screens.first?.screen
    }
    stage.run(for: .milliseconds(100))
    view.frame = stage.root.bounds
    stage.root.addSublayer(view)
    let id = InputDevice.ID(rawValue: 1)
    var labels: [Layer] { view.sublayers.last?.sublayers ?? [] }
    var texts: [String] {
      labels.map { ($0.sublayers.last as? TextLayer)?.string.split(separator: "  ·").first.map(String.init) ?? "" }
    }
    func receive(_ action: InputEvent.Action) {
      let event = InputEvent(time: stage.clock.now, device: id, action: action)
      view.take(event)
      stage.engine.inputRouter.receive(event)
      stage.run(for: .milliseconds(100))
    }
    receive(.added(InputDevice(id: id, name: "panel", abilities: .touch)))
    let far = Double.greatestFiniteMagnitude
    for (place, text) in [
      (Point(-1e6, 0.5), "-400000000, 150"), (Point(1e30, 0.5), "4e+32, 150"), (Point(1e300, 0.5), "4e+302, 150"),
      (Point(far, -far), "200, 150"),
    ] {
      receive(.touch(finger: 0, .down(Point(0.5, 0.5))))
      receive(.touch(finger: 0, .moved(place)))
      XCTAssertEqual(texts, [text])
      XCTAssertTrue(labels.allSatisfy { view.bounds.intersection($0.frame) == $0.frame })
      _ = try stage.display.capture()
      receive(.touch(finger: 0, .up))
    }
  }

  /// Lifted fingers leave a dim cross until the device is touched again, so does a pointer that a finger hides, and a device that goes takes its crosses
  /// with it.
  func testCrossesGo() throws {
    let (stage, play) = try stage(400, 300)
    defer { stage.engine.invalidate() }
    let view = try XCTUnwrap(stage.root.sublayers.first)
    var opacities: [Float] { (view.sublayers.dropLast().last?.sublayers ?? []).map { Float($0.opacity) } }
    try play(
      """
      0 1 added "panel" touch
      0 1 touch 0 down 0.5 0.5
      0 1 touch 1 down 0.2 0.5
      0.1 1 touch 0 up
      """, .seconds(1))
    XCTAssertEqual(opacities, [0.4, 1])
    try play(
      """
      0 1 added "panel" touch
      0 2 added "mouse" pointer
      0.1 1 touch 1 up
      0.2 2 position 0.5 0.5
      0.3 1 touch 0 down 0.5 0.5
      0.4 1 touch 0 up
      """, .seconds(1))
    XCTAssertEqual(opacities, [0.4, 0.4])
    try play("0 2 added \"mouse\" pointer\n0.1 2 position 0.6 0.5\n0.2 2 button BTN_LEFT down", .seconds(1))
    XCTAssertEqual(opacities, [1, 0.4])
    let frames = stage.frames.count
    stage.run(for: .seconds(1))
    XCTAssertEqual(stage.frames.count, frames, "nothing moves")
    try play("0 1 added \"panel\" touch\n0.1 1 removed", .seconds(1))
    XCTAssertEqual(opacities, [1])
  }
}
