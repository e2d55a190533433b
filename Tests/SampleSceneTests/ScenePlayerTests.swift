import Framepace
import FramepaceTesting
import SampleScenes
import XCTest

/// Scenes on a display whose size changes.
final class ScenePlayerTests: XCTestCase {
  private final class Corners: SampleScene {
    let root = Layer()
    let isMoving = false

    /// Squares in the corners and in the middle.
    init(settings: SceneSettings) {
      let size = settings.size
      for (x, y) in [(0.0, 0.0), (1, 0), (0, 1), (1, 1), (0.5, 0.5)] {
        let side = 10.0
        root.addSublayer(
          Layer(frame: Rect(x: x * (size.width - side), y: y * (size.height - side), width: side, height: side)))
      }
    }

    func update(at time: Double) {}

    /// The places of the squares on the display.
    var frames: [Rect] { root.sublayers.compactMap { $0.convert($0.bounds, to: root) } }
  }

  func testASceneIsScaledWithItsDisplay() throws {
    try MainActor.assumeIsolated {
      let scene = Corners(settings: SceneSettings(size: Size(160, 80), fonts: try SceneFonts()))
      let stage = try ManualStage(width: 160, height: 80, root: scene.root, rate: .hertz60)
      let player = ScenePlayer(scene: scene, engine: stage.engine, start: stage.clock.now)
      stage.run(for: .milliseconds(100))
      let before = scene.frames
      stage.display.rotation = .right
      stage.turn()
      stage.run(for: .milliseconds(100))
      XCTAssertEqual(scene.root.bounds.size, Size(80, 160))
      // Half as large, 40 points high, in the middle.
      XCTAssertEqual(
        scene.frames,
        [
          Rect(x: 0, y: 60, width: 5, height: 5), Rect(x: 75, y: 60, width: 5, height: 5),
          Rect(x: 0, y: 95, width: 5, height: 5),
          Rect(x: 75, y: 95, width: 5, height: 5), Rect(x: 37.5, y: 77.5, width: 5, height: 5),
        ])
      stage.display.rotation = .none
      stage.turn()
      stage.run(for: .milliseconds(100))
      XCTAssertEqual(scene.frames, before)
      player.invalidate()
      stage.engine.invalidate()
    }
  }
}
