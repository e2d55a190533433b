import Framepace
import FramepaceTesting
import SampleScenes
import TestLength
import XCTest

/// Compares the decoded pixels of every scene with a stored picture.
///
/// Each scene is compared twice. Without its text it must be equal, since shapes are the same on every machine. With its
/// text there is a tolerance, since another version of FreeType may round the edge of a glyph differently.
@preconcurrency @MainActor final class SceneGoldenTests: XCTestCase {
  private static let folder = String(#filePath.dropLast("SceneGoldenTests.swift".count)) + "Goldens"

  func testShapesAreExact() throws {
    for scene in SceneName.allCases {
      let image = try Self.picture(of: scene, withText: false)
      Self.check(image, name: "\(scene.rawValue)-shapes", tolerance: .exact)
    }
  }

  func testTextIsWithinTolerance() throws {
    for scene in SceneName.allCases {
      let image = try Self.picture(of: scene, withText: true)
      // One in two hundred pixels may differ by a quarter of the range: that is the edge of glyphs, but never a whole
      // glyph.
      Self.check(image, name: scene.rawValue, tolerance: .init(channel: 64, pixels: image.width * image.height / 200))
    }
  }

  func testTheSameTimeGivesTheSamePixels() throws {
    for scene in some(2, of: SceneName.allCases) {
      let first = try Self.picture(of: scene, withText: true)
      let second = try Self.picture(of: scene, withText: true)
      for y in 0..<first.height where memcmp(first.row(y), second.row(y), first.width * 4) != 0 {
        XCTFail("\(scene.rawValue): row \(y) differs between two runs")
        break
      }
    }
  }

  /// A page that takes the place of another: the same in a picture of that time alone as after all pictures before it.
  func testAPageTurnsTheSameWayWhereverItBegins() throws {
    @MainActor
    func picture(from time: Double, frames: Int) throws -> Image {
      let settings = SceneSettings(size: Size(960, 540), fonts: try SceneFonts())
      let scene = try SceneName.onboarding.makeScene(settings: settings)
      let renderer = try OfflineRenderer(
        root: scene.root, width: 960, height: 540, frames: frames, from: .seconds(time))
      let player = ScenePlayer(scene: scene, engine: renderer.engine, start: renderer.start)
      defer {
        player.invalidate()
        renderer.invalidate()
      }
      var image: Image?
      while let frame = try renderer.nextFrame() { image = frame.image }
      return try XCTUnwrap(image)
    }
    let (played, alone) = (try picture(from: 3.9, frames: 25), try picture(from: 4.3, frames: 1))
    XCTAssertTrue((0..<540).allSatisfy { memcmp(played.row($0), alone.row($0), 960 * 4) == 0 })
    Self.check(alone, name: "onboarding-turn", tolerance: .init(channel: 64, pixels: 960 * 540 / 200))
  }

  /// Several works take turns of two seconds. The bar shows the work on a scale of 40 ms, which is 864 points wide.
  func testWorksTakeTurns() throws {
    let settings = SceneSettings(
      size: Size(960, 540), work: [.milliseconds(2), .milliseconds(10)], fonts: try SceneFonts())
    let scene = try SceneName.stress.makeScene(settings: settings)
    for (time, width) in [(0, 43.2), (1.9, 43.2), (2.1, 216), (3.9, 216), (4.1, 43.2), (602.1, 216), (.infinity, 43.2)] {
      scene.update(at: time)
      let widths = scene.root.sublayers.flatMap { $0.sublayers }.map(\.frame.width)
      XCTAssertTrue(widths.contains { abs($0 - width) < 0.1 }, "\(time) s: \(widths)")
    }
  }

  private static func check(_ image: Image, name: String, tolerance: GoldenImage.Tolerance) {
    do {
      try GoldenImage.check(image, against: "\(folder)/\(name).png", tolerance: tolerance)
    } catch {
      XCTFail("\(error)")
    }
  }

  /// The scene half a second after its start.
  private static func picture(of name: SceneName, withText: Bool) throws -> Image {
    let settings = SceneSettings(size: Size(960, 540), work: [.milliseconds(1)], fonts: try SceneFonts())
    let scene = try name.makeScene(settings: settings)
    if !withText { hideText(in: scene.root) }
    let stage = try ManualStage(width: 960, height: 540, root: scene.root, rate: .hertz60)
    stage.engine.waitsForDrawings = true
    let player = ScenePlayer(scene: scene, engine: stage.engine, start: stage.clock.now)
    stage.run(for: .milliseconds(500))
    let image = try stage.display.capture()
    player.invalidate()
    stage.engine.invalidate()
    return image
  }

  private static func hideText(in layer: Layer) {
    for sublayer in layer.sublayers {
      if sublayer is TextLayer || sublayer is ParagraphLayer { sublayer.isHidden = true }
      hideText(in: sublayer)
    }
  }
}
