import Geometry
import LinuxSystem
import RenderTree
import XCTest

@testable import Layers
@testable import Raster

/// A text layer gives its text to the render tree, where other layers give a picture.
@preconcurrency @MainActor final class TextLayerTests: XCTestCase {
  private func label(_ string: String, _ layer: TextLayer = TextLayer()) throws -> TextLayer {
    // A face of its own counts what is shaped here alone.
    layer.font = Font(try FontFace(path: try SystemFonts.path(of: "DejaVuSans.ttf")), size: 14)
    (layer.string, layer.frame) = (string, Rect(x: 5, y: 5, width: 60, height: 20))
    return layer
  }

  private func text(_ stage: Stage) -> TextContent? { stage.tree().sides.last?.content as? TextContent }

  /// Text is shaped when it changes, or no longer fits, and in no other frame.
  func testNothingElseShapes() throws {
    let label = try label("a line that does not fit in")
    let (stage, _) = Stage.showing(label)
    stage.turn()
    let face = try XCTUnwrap(label.font?.face)
    let shaped = face.shapedCount
    XCTAssertGreaterThan(shaped, 1, "it is cut off")
    let changes: [(TextLayer) -> Void] = [
      { $0.position.x += 3.5 }, { $0.color = .white }, { $0.opacity = 0.5 }, { $0.transform = .rotation(1) },
      { $0.alignment = .right }, { $0.bounds.size.height = 30 }, { $0.setNeedsDisplay() }, { $0.contentsScale = 3 },
    ]
    for change in changes {
      change(label)
      stage.turn()
      XCTAssertNotNil(text(stage))
      XCTAssertEqual(face.shapedCount, shaped)
    }
    label.string = "short"
    stage.turn()
    XCTAssertEqual(face.shapedCount, shaped + 1)
  }

  /// A changed text is another content; no bitmap is made unless somebody asks for one.
  func testTextIsNoBitmap() throws {
    let label = try label("12:00")
    let (stage, _) = Stage.showing(label)
    stage.turn()
    let first = try XCTUnwrap(text(stage))
    label.string = "12:01"
    stage.turn()
    let second = try XCTUnwrap(text(stage))
    XCTAssertFalse(first === second)
    XCTAssertEqual(second.string, "12:01")
    XCTAssertNil(label.values.image)
    XCTAssertTrue(label.contents === second.image, "drawn now")
    XCTAssertEqual(label.contents?.width, 60)
  }

  /// While a layer grows, its line keeps its size at the side to which it is aligned.
  func testALineIsNotStretched() throws {
    let label = try label("12:00")
    let (stage, _) = Stage.showing(label)
    stage.turn()
    XCTAssertEqual(label.alignment, .natural)
    let cases: [(TextLayer.Alignment, String, Double)] = [
      (.left, "12:00", 0), (.center, "12:00", -15), (.right, "12:00", -30), (.natural, "12:00", 0),
      (.natural, "\u{5E9}\u{5D3}", -30), (.left, "\u{5E9}\u{5D3}", 0),
    ]
    for (alignment, string, x) in cases {
      (label.alignment, label.string) = (alignment, string)
      let small = Rect(x: 0, y: 0, width: 30, height: 10)
      label.add(BasicAnimation(.bounds, from: small, to: label.bounds, duration: .seconds(1)))
      stage.turn()
      let tree = stage.tree()
      let (bounds, sides) = (try XCTUnwrap(tree.records.last?.bounds), try XCTUnwrap(tree.sides.last))
      XCTAssertEqual(bounds.size, Size(30, 10))
      XCTAssertEqual(sides.effects.contentRect(in: bounds), Rect(x: x, y: -5, width: 60, height: 20))
    }
    // Somebody may want it stretched to the shape of something else.
    label.contentsGravity = .resizeAspect
    stage.turn()
    let tree = stage.tree()
    XCTAssertEqual(
      tree.sides.last?.effects.contentRect(in: Rect(x: 0, y: 0, width: 30, height: 10)).size, Size(30, 10))
  }

  /// A line that is cut off shows its beginning, which is at the right of one from right to left.
  func testALineThatIsCutOffShowsItsBeginning() throws {
    let label = try label("")
    label.truncation = .none
    let (stage, _) = Stage.showing(label)
    for alignment in TextLayer.Alignment.allCases {
      for (string, isRightToLeft) in [("Boulevard \u{5E9}\u{5D3}", false), ("\u{5E9}\u{5D3}\u{5E8} Boulevard", true)] {
        (label.string, label.alignment) = (string, alignment)
        stage.turn()
        guard case .glyphs(let run)? = text(stage)?.parts.first else { return XCTFail("no glyphs") }
        XCTAssertGreaterThan(run.glyphs.width, 60)
        XCTAssertEqual(run.baseline.x, isRightToLeft ? 60 - run.glyphs.width : 0, accuracy: 1e-9, "\(alignment)")
      }
    }
  }

  /// A line begins at the side from which its first letter that has a direction is read, unless it is told otherwise.
  func testNaturalLinesBeginAtTheirSide() throws {
    let label = try label("")
    let (stage, _) = Stage.showing(label)
    let cases: [(String, isRightToLeft: Bool)] = [
      ("ab", false), ("12", false), ("12 \u{5E9}", true), ("\u{5E9} ab", true), ("ab \u{5E9}", false), ("(\u{627})", true),
      ("\u{2067}\u{5E9}\u{2069}a", false), ("\u{200F}12", true),
    ]
    for (string, isRightToLeft) in cases {
      label.string = string
      for alignment in TextLayer.Alignment.allCases {
        label.alignment = alignment
        stage.turn()
        guard case .glyphs(let run)? = text(stage)?.parts.first else { return XCTFail("no glyphs") }
        let room = 60 - run.glyphs.width
        let x =
          switch alignment {
          case .natural: isRightToLeft ? room : 0
          case .left: 0.0
          case .center: room / 2
          case .right: room
          }
        XCTAssertEqual(run.baseline.x, x, accuracy: 1e-9, "\(string) \(alignment)")
      }
    }
  }

  /// A picture that is set takes the place of the text, until the text is displayed again.
  func testContentsTakeThePlaceOfText() throws {
    let label = try label("under")
    let (stage, _) = Stage.showing(label)
    stage.turn()
    label.contents = nil
    stage.turn()
    XCTAssertNil(stage.tree().sides.last?.content)
    let picture = try Bitmap(width: 3, height: 3).freeze()
    label.contents = picture
    stage.turn()
    XCTAssertTrue(stage.tree().sides.last?.content === picture)
    label.contents = nil
    stage.turn()
    XCTAssertNil(stage.tree().sides.last?.content)
    label.color = .white
    stage.turn()
    XCTAssertNotNil(text(stage))
  }

  /// A layer that may draw more than its text, that hides what is behind it, or that is drawn by workers still has a bitmap.
  func testSomeTextIsDrawn() throws {
    let stage = Stage()
    let (own, opaque, elsewhere) = (try label("own", Underlined()), try label("opaque"), try label("elsewhere"))
    opaque.isOpaque = true
    elsewhere.drawsAsynchronously = true
    for label in [own, opaque, elsewhere] { stage.root.addSublayer(label) }
    stage.turn()
    stage.context.waitForDrawings()
    stage.turn()
    for label in [own, opaque, elsewhere] {
      XCTAssertNotNil(label.values.image, label.string)
      XCTAssertNil(label.values.content)
    }
  }

  /// A fade goes from the old text's picture to the new one's, and ends in the new text.
  func testTextsFade() throws {
    let label = try label("old")
    label.actions = [.contents: .implicit]
    let (stage, _) = Stage.showing(label)
    stage.turn()
    let old = try XCTUnwrap(text(stage))
    label.string = "new"
    stage.turn()
    let mixture = try XCTUnwrap(stage.tree(after: 100).sides.last?.content as? ImageMixture)
    XCTAssertTrue(mixture.parts.contains { $0.image === old.image })
    XCTAssertTrue(mixture.parts.contains { $0.image === label.contents })
    stage.turn(after: 2000)
    XCTAssertEqual(text(stage)?.string, "new")
  }
}

extension TextContent {
  fileprivate var string: String? {
    if case .glyphs(let run)? = parts.first { run.string } else { nil }
  }
}

private final class Underlined: TextLayer {
  override func draw(in context: DrawingContext) {
    super.draw(in: context)
    context.fill(Rect(x: 0, y: bounds.maxY - 1, width: bounds.width, height: 1), color: color)
  }
}
