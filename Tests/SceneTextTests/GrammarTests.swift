import Foundation
import Framepace
import FramepaceTesting
import Layers
import SceneText
import XCTest

/// Every example of the grammar's article is parsed, and every kind and property has one.
final class GrammarTests: XCTestCase {
  /// The texts between the article's fences.
  static func examples() throws -> [String] {
    let article =
      String(#filePath.dropLast("Tests/SceneTextTests/GrammarTests.swift".count))
      + "Sources/SceneText/SceneText.docc/Grammar.md"
    return plainBlocks(of: try String(contentsOfFile: article, encoding: .utf8))
  }

  /// The texts between an article's fences that name no language: those are scenes.
  static func plainBlocks(of article: String) -> [String] {
    let parts = article.components(separatedBy: "```").enumerated()
    return parts.filter { $0.offset % 2 == 1 && $0.element.hasPrefix("\n") }.map(\.element)
  }

  /// The folder of the pictures that examples show.
  private static let folder =
    String(#filePath.dropLast("SceneTextTests/GrammarTests.swift".count)) + "ImageFilesTests/Pictures"

  func testExamplesAreScenes() throws {
    let examples = try Self.examples()
    XCTAssertGreaterThan(examples.count, 6)
    try onMain {
      for example in examples {
        let scene = try Scene(text: example, folder: Self.folder)
        scene.start(at: .zero + .seconds(1))
        // Printed and read again it is the same.
        let text = try Scene.text(
          of: scene.root, origin: .zero + .seconds(1), blending: scene.blending, events: scene.events)
        let again = try Scene(text: text)
        again.start(at: .zero + .seconds(1))
        XCTAssertEqual(
          try Scene.text(of: again.root, origin: .zero + .seconds(1), blending: again.blending, events: again.events), text)
      }
    }
  }

  func testEveryKindAndPropertyHasAnExample() throws {
    let text = try Self.examples().joined()
    let words = Set(text.split { !$0.isLetter && $0 != "." }.map(String.init))
    onMain {
      XCTAssertEqual(Self.kindsWithoutLayer(in: text), [], "without an example")
      XCTAssertEqual(Scene.propertyNames.filter { !words.contains($0) }, [], "without an example")
    }
  }

  /// The kinds of which scenes have no layer.
  @MainActor
  static func kindsWithoutLayer(in scenes: String) -> [String] {
    Scene.kindNames.filter { scenes.range(of: "\\s\($0)( \\w+)? \\{", options: .regularExpression) == nil }
  }
}
