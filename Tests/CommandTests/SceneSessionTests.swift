import ArgumentParser
import Framepace
import FramepaceTesting
import Presentation
import Simulation
import XCTest

@testable import FramepaceCLI

/// A scene's session on a simulated screen, in this process.
final class SceneSessionTests: XCTestCase {
  /// On a display with two pixels a point a scene is laid out in points and drawn in pixels: as it is rendered at that scale.
  func testASceneIsDrawnAtTheScaleOfItsDisplay() throws {
    let folder = try TemporaryFolder()
    let file = "\(folder.path)/card.scene"
    try "size 40 30\nlayer { bounds 0 0 9 9; position 11 12; cornerRadius 3; backgroundColor #F80 }\n"
      .write(toFile: file, atomically: true, encoding: .utf8)
    for name in ["still", file] {
      let scene = try SceneChoice.parse(name)
      let picture = "\(folder.path)/\(scene.name).png"
      // A file's scene is fitted into the pixels, whatever the scale.
      let scale = name == file ? [] : ["--scale", "2"]
      let render = try framepace(["render", name, "--size", "320x180", "--output", picture] + scale)
      XCTAssertEqual(render.status, 0, render.error)
      try onMain {
        let simulation = try SimulatedRun(
          .named(.steady), seed: 1, size: PixelSize(width: 320, height: 180), scale: 2, isPaced: false)
        let session = try SceneSession(scene, options: try SceneOptions.parse([]), simulation: simulation)
        let end = simulation.loop.clock.now + .milliseconds(200)
        while simulation.loop.clock.now < end { simulation.loop.run(mode: .default, until: end) }
        let shown = Result { try session.display.capture() }
        session.engine.finish()
        session.run()
        try GoldenImage.check(try shown.get(), against: picture)
      }
    }
  }
}
