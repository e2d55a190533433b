import Foundation
import Framepace
import FramepaceTesting
import Layers
import Raster
import SceneText
import XCTest

/// The pages about the kinds of layers: their scenes are read, and their pictures are those of their scenes.
final class PageTests: XCTestCase {
  private static let root = String(#filePath.dropLast("Tests/SceneTextTests/PageTests.swift".count))
  private static let folder = root + "Sources/Layers/Layers.docc"

  private struct Page {
    var name: String
    var text: String
    /// The blocks that are no programs.
    var scenes: [String]
    /// The words of each command that made a picture, from `render` on.
    var commands: [[String]]
  }

  private static func pages() throws -> [Page] {
    try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".md") }.sorted().map { name in
      let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
      let commands = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
      return Page(
        name: name, text: text, scenes: GrammarTests.plainBlocks(of: text),
        commands: commands.filter { $0.starts(with: ["framepace", "render"]) }.map { Array($0.dropFirst()) })
    }
  }

  func testScenesAreRead() throws {
    let pages = try Self.pages()
    onMain {
      for page in pages {
        for scene in page.scenes {
          do { _ = try Scene(text: scene, folder: Self.folder) } catch { XCTFail("\(page.name): \(error)\n\(scene)") }
        }
      }
    }
  }

  func testEveryKindHasAPageWithAScene() throws {
    let pages = try Self.pages().filter { !$0.commands.isEmpty }
    let scenes = try pages.map { try Self.scene(of: $0, $0.commands[0]) }.joined()
    onMain { XCTAssertEqual(GrammarTests.kindsWithoutLayer(in: scenes), [], "without a page") }
  }

  /// A picture is the scene of its page, or the file that the command names.
  func testPicturesAreThoseOfTheScenes() throws {
    let pages = try Self.pages()
    XCTAssertGreaterThan(pages.count { !$0.commands.isEmpty }, 8)
    let pictures = try FileManager.default.contentsOfDirectory(atPath: Self.folder).filter { $0.hasSuffix(".png") }
    XCTAssertEqual(pages.flatMap(\.commands).compactMap(\.last).sorted(), pictures.sorted(), "pictures, and commands")
    try onMain {
      for page in pages {
        for command in page.commands {
          let picture = try XCTUnwrap(command.last)
          XCTAssertTrue(page.text.contains("](\(picture))"), "\(page.name) does not show \(picture)")
          let image = try Self.rendered(
            Self.scene(of: page, command), in: Self.folder(of: command), at: Self.time(in: command),
            showing: command.contains("borders") ? [.borders] : [])
          XCTAssertNoThrow(try GoldenImage.check(image, against: "\(Self.folder)/\(picture)"))
        }
      }
    }
  }

  private static func scene(of page: Page, _ command: [String]) throws -> String {
    try command[1].contains("/")
      ? String(contentsOfFile: root + command[1], encoding: .utf8) : XCTUnwrap(page.scenes.first)
  }

  /// The folder that the paths in the command's scene start from.
  private static func folder(of command: [String]) -> String {
    command[1].lastIndex(of: "/").map { root + command[1][..<$0] } ?? folder
  }

  private static func time(in command: [String]) throws -> Nanoseconds {
    guard let place = command.firstIndex(of: "--time") else { return .milliseconds(500) }
    return .seconds(try XCTUnwrap(Double(command[place + 1])))
  }

  @MainActor
  private static func rendered(_ text: String, in folder: String, at time: Nanoseconds, showing overlays: Set<FrameOverlay>)
    throws -> Image
  {
    let scene = try Scene(text: text, folder: folder)
    let stage = SceneStage(scene)
    let renderer = try OfflineRenderer(
      root: stage.root, width: Int(scene.size.width), height: Int(scene.size.height), frames: 1, from: time)
    try renderer.engine.show(overlays)
    stage.play(on: renderer.engine.loop, from: renderer.start)
    defer {
      stage.invalidate()
      renderer.invalidate()
    }
    return try XCTUnwrap(try renderer.nextFrame()).image
  }
}
