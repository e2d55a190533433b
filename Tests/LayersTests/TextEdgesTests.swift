import Geometry
import Raster
import RenderTree
import Typesetting
import XCTest

@testable import Layers

/// Text is cut off at the edges of its layer beyond which its lines go on. Over the others its ink may lean.
@preconcurrency @MainActor final class TextEdgesTests: XCTestCase {
  private func text(_ stage: Stage) -> TextContent? { stage.tree().sides.last?.content as? TextContent }

  /// A line is cut off at the edges beyond which it goes on, and at no others.
  func testALineThatDoesNotFitIsCut() throws {
    let label = TextLayer()
    label.font = try SystemFonts.font(.sans, size: 14)
    label.string = "a long, long line"
    let (stage, _) = Stage.showing(label)
    let (short, low) = (Size(60, 20), Size(300, 12))
    let cases: [(TextLayer.Truncation, TextLayer.Alignment, Size, Edges)] = [
      (.end, .left, short, []), (.none, .left, short, .maxX), (.none, .center, short, .maxX),
      (.none, .right, short, .maxX), (.none, .right, Size(300, 20), []), (.end, .left, low, [.minY, .maxY]),
      // A layout rounds to pixels.
      (.end, .left, Size(300, 16), []),
    ]
    for (truncation, alignment, size, edges) in cases {
      (label.truncation, label.alignment, label.bounds.size) = (truncation, alignment, size)
      stage.turn()
      XCTAssertEqual(text(stage)?.cutEdges, edges, "\(truncation) \(alignment) \(size)")
    }
    (label.bounds.size, label.string) = (short, "j")
    stage.turn()
    XCTAssertLessThan(try XCTUnwrap(stage.tree(after: 2000).records.last).drawnBounds.minX, 0, "its ink leans out")
    label.masksToBounds = true
    stage.turn()
    XCTAssertEqual(stage.tree(after: 2000).records.last?.drawnBounds, label.bounds)
  }

  /// Ink that leans out stays while texts fade, in a layer of which workers draw the picture, and where another layer shows that picture.
  func testPicturesOfTextLean() throws {
    let (label, other, drawn) = (TextLayer(), Layer(), OwnText())
    for layer in [label, drawn] {
      layer.font = try SystemFonts.font(.sans, size: 20)
      (layer.string, layer.bounds.size) = ("j", Size(40, 30))
    }
    let (stage, _) = Stage.showing(label)
    stage.root.addSublayer(other)
    stage.root.addSublayer(drawn)
    stage.turn()
    @MainActor func left(_ layer: Layer, after milliseconds: Int64 = 0) -> Double? {
      let tree = stage.tree(after: milliseconds)
      return tree.records.first { $0.id == layer.id }?.drawnBounds.minX
    }
    let leaning = try XCTUnwrap(left(label))
    XCTAssertLessThan(leaning, -1)
    XCTAssertEqual(left(drawn), 0, "a subclass draws within its bounds")
    label.actions = [.contents: .implicit]
    label.string = "jj"
    stage.turn()
    XCTAssertTrue(stage.tree(after: 100).sides.contains { $0.content is ImageMixture })
    for time in [0, 100, 200] as [Int64] { XCTAssertEqual(try XCTUnwrap(left(label, after: time)), leaning, accuracy: 1) }
    Transaction.withoutActions { other.bounds.size = label.bounds.size }
    other.contents = label.contents
    label.actions = nil
    stage.turn(after: 2000)
    label.drawsAsynchronously = true
    label.setNeedsDisplay()
    stage.turn()
    stage.context.waitForDrawings()
    stage.turn()
    XCTAssertNil(label.values.content, "a picture")
    XCTAssertEqual(try XCTUnwrap(left(label)), leaning, accuracy: 1)
    XCTAssertEqual(try XCTUnwrap(left(other)), leaning, accuracy: 1)
    other.masksToBounds = true
    stage.turn()
    XCTAssertEqual(left(other), 0)
  }

  /// Lines are cut off at the edges beyond which they go on, and at no others.
  func testLinesThatDoNotFitAreCut() throws {
    let layer = ParagraphLayer()
    layer.fonts = try FontLibrary(files: [SystemFonts.path(of: "DejaVuSans.ttf")])
    layer.baseFont = FontRequest(["DejaVu Sans"], size: 10)
    let (stage, _) = Stage.showing(layer)
    let cases: [(AttributedText, TextLayout.Alignment, Insets, Size, Edges)] = [
      ("one two three", .left, Insets(), Size(90, 80), []), ("one two three", .right, Insets(), Size(90, 8), .maxY),
      ("incomprehensibilities", .left, Insets(), Size(50, 30), .maxX),
      ("\u{5E9}\u{5DC}\u{5D5}\u{5DD}\u{5E9}\u{5DC}\u{5D5}\u{5DD}", .natural, Insets(), Size(30, 30), .minX),
      ("one", .left, Insets(top: -5, left: -4, bottom: 0, right: 0), Size(90, 80), [.minX, .minY]),
      ("", .left, Insets(), Size(90, 80), []),
    ]
    for (words, alignment, insets, size, edges) in cases {
      (layer.attributedText, layer.insets, layer.bounds.size) = (words, insets, size)
      layer.paragraphStyle = TextLayout.Style { ($0.alignment, $0.wrapping) = (alignment, .word) }
      stage.turn()
      XCTAssertEqual(text(stage)?.cutEdges, edges, "\(words.string)")
    }
  }
}

private final class OwnText: TextLayer {}
