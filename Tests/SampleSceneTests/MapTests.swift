import Framepace
import FramepaceTesting
import Glibc
import SampleScenes
import XCTest

/// The map of the sample `Map`, which its event script moves.
@preconcurrency @MainActor final class MapTests: XCTestCase {
  private static let folder = String(#filePath.dropLast("Tests/SampleSceneTests/MapTests.swift".count))

  /// A mouse with its right button, and a finger on the compass.
  private static let turn = """
    framepace input 1
    0 2 added "other mouse" pointer
    0.1 2 position 0.2 0.5
    0.2 2 button BTN_RIGHT down
    0.3 2 position 0.5 0.5
    0.4 2 button BTN_RIGHT up
    """
  private static let back = """
    framepace input 1
    0 3 added "finger" touch
    0.1 3 touch 0 down \(440.0 / 480) 0.05
    0.2 3 touch 0 up
    """

  @MainActor
  private struct Stage {
    let stage: ManualStage<VirtualDisplay>
    let map: MapView

    /// - Parameter scale: pixels a point: where no picture is looked at, few are drawn, and none is waited for.
    init(scale: Double = 0.1) throws {
      stage = try ManualStage(width: Int(480 * scale), height: Int(800 * scale), rate: .hertz60, scale: scale)
      stage.engine.waitsForDrawings = scale == 1
      map = MapView(frame: stage.root.bounds, fonts: try SceneFonts())
      stage.root.addSublayer(map)
      stage.run(for: .seconds(1))
    }

    /// Plays a script from its beginning, for so long.
    func play(_ script: InputScript, for duration: Nanoseconds) {
      let player = InputPlayer(script, clock: stage.loop.clock) { stage.engine.inputRouter.receive($0) }
      player.add(to: stage.loop, mode: .common)
      player.start(at: stage.clock.now)
      stage.run(for: duration)
      player.stop()
    }

    func check(_ name: String) throws {
      let goldens = "\(MapTests.folder)Tests/SampleSceneTests/Goldens"
      try GoldenImage.check(stage.display.capture(), against: "\(goldens)/\(name).png")
    }

    /// The point of the map that is seen at one of the view.
    func seen(at point: Point) throws -> Point { try XCTUnwrap(map.mapToView.inverted).apply(point) }
  }

  func testFingersMoveTheMap() throws {
    let stage = try Stage(scale: 1)
    defer { stage.stage.engine.invalidate() }
    try stage.check("map")
    // On the way tiles come when they are there.
    stage.stage.engine.waitsForDrawings = false
    stage.play(try InputScript(contentsOf: "\(Self.folder)Samples/Map/journey.input"), for: .seconds(5))
    stage.stage.engine.waitsForDrawings = true
    stage.stage.run(for: .seconds(1))
    XCTAssertGreaterThan(stage.map.scale, 1.5)
    XCTAssertGreaterThan(stage.map.turn, 0.2)
    try stage.check("map-near")
    // Nothing moves any more.
    let frames = stage.stage.frames.count
    stage.stage.run(for: .seconds(5))
    XCTAssertEqual(stage.stage.frames.count, frames)
  }

  /// Two fingers keep the places of the map on which they lie.
  func testThePlacesBelowTwoFingersStayThere() throws {
    let stage = try Stage()
    defer { stage.stage.engine.invalidate() }
    let (from, to) = ([Point(200, 400), Point(280, 400)], [Point(160, 330), Point(260, 520)])
    func part(_ point: Point) -> String { "\(point.x / 480) \(point.y / 800)" }
    var lines = ["framepace input 1", "0 1 added \"fingers\" touch"]
    for finger in 0..<2 { lines.append("0.1 1 touch \(finger) down \(part(from[finger]))") }
    for step in 1...100 {
      for finger in 0..<2 {
        let place = from[finger] + (to[finger] - from[finger]) * (Double(step) / 100)
        lines.append("\(0.1 + 0.005 * Double(step)) 1 touch \(finger) moved \(part(place))")
      }
    }
    let script = try InputScript(lines.joined(separator: "\n"))
    let player = InputPlayer(script, clock: stage.stage.loop.clock) { stage.stage.engine.inputRouter.receive($0) }
    player.add(to: stage.stage.loop, mode: .common)
    player.start(at: stage.stage.clock.now)
    // The slop of the gestures is behind the fingers after two fifths of their way.
    stage.stage.run(for: .milliseconds(304))
    let held = try (0..<2).map { try stage.seen(at: from[$0] + (to[$0] - from[$0]) * 0.4) }
    stage.stage.run(for: .seconds(1))
    player.stop()
    for finger in 0..<2 {
      let place = try stage.seen(at: to[finger])
      XCTAssertEqual(place.x, held[finger].x, accuracy: 2)
      XCTAssertEqual(place.y, held[finger].y, accuracy: 2)
    }
  }

  /// A wheel keeps the place below the pointer; the right button turns, and the compass turns back.
  func testAMouseMovesTheMap() throws {
    let stage = try Stage()
    defer { stage.stage.engine.invalidate() }
    let before = try stage.seen(at: Point(120, 200))
    let near = """
      framepace input 1
      0 1 added "mouse" pointer
      0.1 1 position 0.25 0.25
      0.2 1 scroll wheel 0 -1
      0.6 1 scroll wheel 0 -1
      1 1 scroll wheel 0 -1
      """
    let old = stage.map.scale
    stage.play(try InputScript(near), for: .seconds(2))
    XCTAssertEqual(stage.map.scale / old, 1.3 * 1.3 * 1.3, accuracy: 1e-9)
    let after = try stage.seen(at: Point(120, 200))
    XCTAssertEqual(after.x, before.x, accuracy: 1e-6)
    XCTAssertEqual(after.y, before.y, accuracy: 1e-6)
    stage.play(try InputScript(Self.turn), for: .seconds(1))
    XCTAssertGreaterThan(abs(stage.map.turn), 0.5)
    stage.play(try InputScript(Self.back), for: .seconds(1))
    XCTAssertEqual(stage.map.turn, 0, accuracy: 1e-9)
  }

  /// Names stand upright in their size, while the map is turned, magnified, and on its way back to the north.
  func testNamesStayUpright() throws {
    let stage = try Stage()
    defer { stage.stage.engine.invalidate() }
    let tiles = try XCTUnwrap(stage.map.sublayers.first)
    func check(_ moment: String) {
      XCTAssertGreaterThan(tiles.sublayers.count, 3, moment)
      for name in tiles.sublayers {
        let seen = name.presentation.affineTransform.concatenating(tiles.presentation.affineTransform)
        XCTAssertEqual(seen.b, 0, accuracy: 1e-6, moment)
        XCTAssertEqual(seen.a, 1, accuracy: 1e-6, moment)
      }
    }
    check("at first")
    stage.play(try InputScript(Self.turn), for: .seconds(1))
    XCTAssertGreaterThan(abs(stage.map.turn), 0.5)
    check("turned")
    stage.play(try InputScript("framepace input 1\n0 4 added \"m\" pointer\n0 4 scroll wheel 0 1"), for: .seconds(1))
    check("farther")
    let turn = stage.map.turn
    stage.play(try InputScript(Self.back), for: .milliseconds(350))
    let onItsWay = tiles.presentation.affineTransform
    XCTAssertTrue((0.05...0.95).contains(atan2(onItsWay.b, onItsWay.a) / turn), "it is not on its way")
    check("on its way")
    stage.stage.run(for: .seconds(1))
    check("back")
  }

  /// It neither leaves the view nor comes too near, whatever fingers do.
  func testTheMapStaysInView() throws {
    let stage = try Stage()
    defer { stage.stage.engine.invalidate() }
    var lines = ["framepace input 1", "0 1 added \"finger\" touch", "0.1 1 touch 0 down 0.9 0.9"]
    for step in 1...20 { lines.append("\(0.1 + 0.01 * Double(step)) 1 touch 0 moved \(0.9 - 0.04 * Double(step)) 0.1") }
    lines.append("0.31 1 touch 0 up")
    for _ in 0..<6 { stage.play(try InputScript(lines.joined(separator: "\n")), for: .milliseconds(400)) }
    let middle = try stage.seen(at: Point(240, 400))
    XCTAssertTrue((-0.001...4096.001).contains(middle.x) && (-0.001...4096.001).contains(middle.y), "\(middle)")
    let wheel = (0..<40).map { "\(0.1 + 0.3 * Double($0)) 2 scroll wheel 0 -1" }.joined(separator: "\n")
    stage.play(
      try InputScript("framepace input 1\n0 2 added \"m\" pointer\n0 2 position 0.5 0.5\n\(wheel)"), for: .seconds(13))
    XCTAssertEqual(stage.map.scale, MapView.scales.upperBound, accuracy: 1e-9)
  }
}
