import Compositing
import Geometry
import LinuxSystem
import RenderTree
import TestLength
import Typesetting
import XCTest

@testable import Layers
@testable import Raster

/// A paragraph layer sets its text when it changes, and gives the render tree glyphs and lines.
@preconcurrency @MainActor final class ParagraphLayerTests: XCTestCase {
  private let underlined = AttributedText.Attributes { $0.underline = LineDecoration() }

  /// A layer whose library has faces of its own, which count what is shaped here alone.
  private func paragraph(
    _ text: AttributedText, width: Double = 90, height: Double = 80, _ layer: ParagraphLayer = ParagraphLayer()
  )
    throws -> ParagraphLayer
  {
    layer.fonts = try FontLibrary(files: [SystemFonts.path(of: "DejaVuSans.ttf")])
    (layer.baseFont, layer.attributedText) = (FontRequest(["DejaVu Sans"], size: 10), text)
    layer.frame = Rect(x: 5, y: 5, width: width, height: height)
    return layer
  }

  private func face(_ layer: ParagraphLayer) throws -> FontFace { try layer.fonts.font(layer.baseFont).face }

  private func text(_ stage: Stage) -> TextContent? { stage.tree().sides.last?.content as? TextContent }

  private func runs(_ content: TextContent?) -> [TextRun] {
    content?.parts.compactMap { if case .glyphs(let run) = $0 { run } else { nil } } ?? []
  }

  private static let words = [
    "fluffy", "office", "a", "well-known", "supercalifragilistic", "123", "  ", "x", "e\u{301}te\u{301}",
  ]

  private func randomText(_ random: inout SplitMix64) -> AttributedText {
    (0..<Int.random(in: 0...14, using: &random)).reduce(into: "") { text, _ in
      let word = Self.words.randomElement(using: &random) ?? ""
      text.append(AttributedText(word + (random.chance(0.1) ? "\n" : " "), random.chance(0.3) ? underlined : .init()))
    }
  }

  /// While a layer grows, its lines keep their size at the side and the edge to which they are aligned.
  func testLinesAreNotStretched() throws {
    let note = try paragraph("one two")
    let (stage, _) = Stage.showing(note)
    let cases: [(TextLayout.Alignment, ParagraphLayer.VerticalAlignment, AttributedText, Point)] = [
      (.natural, .top, "one two", Point(0, 0)), (.natural, .center, "שלום", Point(-60, -35)),
      (.center, .bottom, "one two", Point(-30, -70)), (.justified, .bottom, "one two", Point(0, -70)),
      (.right, .top, "one two", Point(-60, 0)),
    ]
    for (alignment, edge, text, place) in cases {
      (note.paragraphStyle.alignment, note.verticalAlignment, note.attributedText) = (alignment, edge, text)
      stage.turn()
      XCTAssertEqual(
        stage.tree().sides.last?.effects.contentRect(in: Rect(x: 0, y: 0, width: 30, height: 10)),
        Rect(x: place.x, y: place.y, width: 90, height: 80))
    }
  }

  // MARK: Layout

  /// Text is shaped when it changes, and in no other frame.
  func testNothingElseShapes() throws {
    let layer = try paragraph("words of several lines that are broken at blanks alone", height: 200)
    let (stage, _) = Stage.showing(layer)
    let face = try face(layer)
    let shaped = face.shapedCount
    XCTAssertEqual(shaped, 1)
    let changes: [(ParagraphLayer) -> Void] = [
      { $0.position.x += 3.5 }, { $0.baseColor = .white }, { $0.opacity = 0.5 }, { $0.transform = .rotation(1) },
      { $0.paragraphStyle.alignment = .right }, { $0.bounds.size.height = 190 }, { $0.setNeedsDisplay() },
      { $0.contentsScale = 3 }, { $0.verticalAlignment = .bottom }, { $0.bounds.size.width = 70 },
      { _ = $0.size(fitting: SizeProposal(width: 40)) }, { _ = $0.preferredSize }, { _ = $0.rects(in: 0..<30) },
      { $0.insets = Insets(all: 4) }, { $0.paragraphStyle.lineHeight = .multiple(1.5) },
    ]
    for change in changes {
      change(layer)
      stage.turn()
      XCTAssertNotNil(text(stage))
      XCTAssertEqual(face.shapedCount, shaped)
    }
    layer.attributedText = "short"
    stage.turn()
    XCTAssertEqual(face.shapedCount, shaped + 1)
  }

  /// A change that moves no line leaves the layout as it is; widths that a stack tries do not drive it out.
  func testTheLayoutIsKept() throws {
    let layer = try paragraph("words of several lines that are broken at blanks")
    let (stage, _) = Stage.showing(layer)
    let layout = try XCTUnwrap(layer.layout)
    let kept: [(String, (ParagraphLayer) -> Void)] = [
      ("height", { $0.bounds.size.height = 55 }), ("origin", { $0.bounds.origin.x += 7 }), ("place", { $0.position.y += 2 }),
      ("vertical alignment", { $0.verticalAlignment = .center }), ("display", { $0.setNeedsDisplay() }),
      ("upper inset", { $0.insets.top = 3 }), ("no less height than the lines have", { $0.bounds.size.height = 200 }),
      ("the same text", { $0.attributedText = $0.attributedText }),
      (
        "a stack",
        { layer in
          for width in [0.0, 1000, 90] { _ = layer.size(fitting: SizeProposal(width: width)) }
        }
      ),
    ]
    for (name, change) in kept {
      change(layer)
      stage.turn()
      XCTAssertTrue(layer.layout === layout, name)
    }
    var last = layout
    let others: [(String, (ParagraphLayer) -> Void)] = [
      ("too little height", { $0.bounds.size.height = 20 }), ("enough again", { $0.bounds.size.height = 200 }),
      ("width", { $0.bounds.size.width = 60 }), ("left inset", { $0.insets.left = 3 }),
      ("text", { $0.attributedText.append("!") }), ("colour", { $0.baseColor = .white }),
      ("font", { $0.baseFont.size = 12 }), ("style", { $0.paragraphStyle.maximumLines = 2 }),
      ("equal letters of other bytes", { $0.attributedText = "e\u{301}" }), ("and back", { $0.attributedText = "\u{E9}" }),
      ("marks", { $0.attributedText = "a\u{323}\u{307}" }),
      ("as many bytes in another order", { $0.attributedText = "a\u{307}\u{323}" }),
    ]
    for (name, change) in others {
      change(layer)
      stage.turn()
      let layout = try XCTUnwrap(layer.layout)
      XCTAssertFalse(layout === last, name)
      XCTAssertEqual(layout.text.count, layer.attributedText.count, name)
      last = layout
    }
  }

  /// The paragraph of a changed word is set anew, and the glyphs of the others are the same ones.
  func testAChangedWordSetsItsParagraphAlone() throws {
    var string = ""
    for index in 0..<20 { string += "paragraph \(index) of some words in two lines\n" }
    let layer = try paragraph(AttributedText(string), width: 150, height: 600)
    let (stage, _) = Stage.showing(layer)
    let face = try face(layer)
    let old = runs(text(stage))
    let shaped = face.shapedCount
    let place = try XCTUnwrap(string.range(of: "9 of"))
    let start = string.utf8.distance(from: string.startIndex, to: place.lowerBound)
    layer.attributedText.replace(start..<start + 1, with: "nine")
    stage.turn()
    XCTAssertEqual(face.shapedCount, shaped + 1)
    let new = runs(text(stage))
    XCTAssertEqual(new.count, old.count)
    let same = zip(old, new).map { $0.glyphs.isIdentical(to: $1.glyphs) }
    XCTAssertEqual(same.count { !$0 }, 2, "its two lines")
  }

  /// The size that fits a width has room for the same lines, whatever the scale of the output.
  func testSizesThatFitKeepTheLines() throws {
    // Broken words whose letters are wider or narrower by themselves.
    let seeds = [5059, 8305, 9838, 9988] + (runSeed..<runSeed + (isLongRun ? 2000 : 100))
    for seed in seeds.map({ UInt64($0) }) {
      var random = SplitMix64(seed: seed)
      let scale = ([1, 1.25, 1.5, 2] as [Double]).randomElement(using: &random) ?? 1
      let stage = Stage(scale: scale)
      let layer = try paragraph(randomText(&random), height: 9999)
      stage.root.addSublayer(layer)
      stage.turn()
      layer.insets = Insets(
        top: .random(in: 0...9, using: &random), left: .random(in: 0...9, using: &random),
        bottom: .random(in: 0...9, using: &random), right: .random(in: 0...9, using: &random))
      layer.paragraphStyle.wrapping = random.chance(0.5) ? .word : .wordThenCharacter
      let widths: [Double?] = [nil, 0] + (0..<8).map { _ in .random(in: 20...300, using: &random) }
      let proposed = widths[Int.random(in: widths.indices, using: &random)]
      let size = layer.size(fitting: SizeProposal(width: proposed))
      let note = "seed \(seed): \(layer.attributedText.string.debugDescription) in \(proposed ?? -1) at \(scale)"
      if size.width != proposed { XCTAssertEqual(size.width * scale, (size.width * scale).rounded(), accuracy: 1e-6, note) }
      layer.bounds.size.width = proposed ?? size.width
      let wide = layer.layout?.lines.map(\.range)
      layer.bounds.size = size
      let layout = try XCTUnwrap(layer.layout)
      // A word that is too wide makes the layer wider, and others may follow each other then.
      if size.width <= proposed ?? .infinity { XCTAssertEqual(layout.lines.map(\.range), wide, note) }
      XCTAssertLessThanOrEqual(layout.size.height + layer.insets.top + layer.insets.bottom, size.height + 1e-6, note)
      XCTAssertLessThan(layout.size.width + layer.insets.left + layer.insets.right, size.width + 1 / scale, note)
      if let proposed, proposed > 30, layer.paragraphStyle.wrapping == .wordThenCharacter {
        XCTAssertLessThanOrEqual(size.width, proposed, note)
      }
    }
  }

  func testSizes() throws {
    let layer = try paragraph("Over the hills")
    let whole = layer.preferredSize
    XCTAssertEqual(layer.size(fitting: SizeProposal()), whole)
    XCTAssertEqual(layer.size(fitting: SizeProposal(width: 500, height: 3)), whole)
    let narrow = layer.size(fitting: SizeProposal(width: 50))
    XCTAssertEqual(narrow.height, 2 * whole.height, accuracy: 1)
    let least = layer.size(fitting: SizeProposal(width: 0))
    XCTAssertEqual(layer.layout?.lines.count, 1, "asking changes nothing")
    layer.attributedText = "Over"
    XCTAssertEqual(least.width, layer.preferredSize.width, accuracy: 1, "the longest word")
    layer.insets = Insets(top: 1, left: 2, bottom: 3, right: 4)
    XCTAssertEqual(layer.preferredSize, Size(layer.size(fitting: SizeProposal(width: 900)).width, whole.height + 4))
    // Insets leave no room for a letter: the height is that of the lines that are shown.
    layer.insets = Insets(all: 8)
    layer.bounds.size.width = 16
    XCTAssertEqual(layer.layout?.lines.count, 4)
    XCTAssertEqual(layer.size(fitting: SizeProposal(width: 16)).height, 4 * whole.height + 16, accuracy: 4)
    layer.insets = Insets(all: .nan)
    XCTAssertEqual(layer.preferredSize.height, whole.height)
    layer.attributedText = ""
    XCTAssertEqual(layer.preferredSize, Size(0, whole.height))
  }

  /// Each property asks for what depends on it, and for no more.
  func testChangesInvalidateWhatTheyMust() throws {
    let column = Column()
    let root = Layer(frame: Rect(x: 0, y: 0, width: 100, height: 200))
    root.layoutManager = column
    let layer = try paragraph("words of two lines")
    root.addSublayer(layer)
    let stage = Stage()
    stage.root.addSublayer(root)
    stage.turn()
    let other = try FontLibrary(files: [SystemFonts.path(of: "DejaVuSans-Bold.ttf")])
    let changes: [(name: String, isDisplayed: Bool, isLaidOut: Bool, change: (ParagraphLayer) -> Void)] = [
      ("text", true, true, { $0.attributedText.append(" more") }), ("font", true, true, { $0.baseFont.weight = 700 }),
      ("library", true, true, { $0.fonts = other }), ("colour", true, false, { $0.baseColor = .white }),
      ("line height", true, true, { $0.paragraphStyle.lineHeight = .fixed(18) }),
      ("alignment", true, false, { $0.paragraphStyle.alignment = .center }),
      ("insets", true, true, { $0.insets = Insets(all: 3) }), ("place", true, false, { $0.verticalAlignment = .center }),
      ("the same text", false, false, { $0.attributedText = $0.attributedText }),
      ("the same insets", false, false, { $0.insets = Insets(all: 3) }),
      ("the same style", false, false, { $0.paragraphStyle.alignment = .center }),
      ("the same library", false, false, { $0.fonts = other }), ("opacity", false, false, { $0.opacity = 0.5 }),
    ]
    for (name, isDisplayed, isLaidOut, change) in changes {
      let (layouts, content) = (column.layouts, text(stage))
      change(layer)
      XCTAssertEqual(layer.needsDisplay, isDisplayed, name)
      stage.turn()
      XCTAssertEqual(text(stage) !== content, isDisplayed, name)
      XCTAssertEqual(column.layouts, layouts + (isLaidOut ? 1 : 0), name)
    }
  }

  private final class Column: LayoutManager {
    var layouts = 0

    func layoutSublayers(of layer: Layer) { layouts += 1 }
  }

  // MARK: Places

  /// Insets, the bounds' origin and the vertical place move letters and rectangles alike.
  func testPlacesAreTheLayers() throws {
    let layer = try paragraph("ab cd\nefg", width: 100, height: 100)
    (layer.bounds.origin, layer.insets) = (Point(40, 20), Insets(top: 10, left: 7, bottom: 6, right: 5))
    let height = try XCTUnwrap(layer.layout?.size.height)
    for (place, top) in [
      (ParagraphLayer.VerticalAlignment.top, 30), (.center, 30 + (100 - 16 - height) / 2), (.bottom, 120 - 6 - height),
    ] {
      layer.verticalAlignment = place
      XCTAssertEqual(layer.layoutOrigin.x, 47)
      XCTAssertEqual(layer.layoutOrigin.y, top, accuracy: 1e-9)
      for offset in [0, 1, 3, 4, 6, 7, 8] {
        let rect = try XCTUnwrap(layer.rects(in: offset..<offset + 1).first)
        XCTAssertEqual(rect.minY, top + (offset < 6 ? 0 : height / 2), accuracy: 1e-9)
        XCTAssertEqual(layer.offset(at: Point(rect.midX - 0.1, rect.midY))?.offset, offset)
        XCTAssertEqual(layer.offset(at: Point(rect.midX - 0.1, rect.midY))?.isTrailing, false)
        XCTAssertEqual(layer.offset(at: Point(rect.midX + 0.1, rect.midY))?.isTrailing, true)
      }
      let content = TextContent(
        try XCTUnwrap(layer.text(for: XCTUnwrap(DrawingTarget(bounds: layer.bounds, scale: 1)))).parts, area: layer.bounds,
        width: 100, height: 100, scale: 1)
      let first = try XCTUnwrap(runs(content).first)
      XCTAssertEqual(first.baseline.x, 47)
      XCTAssertEqual(first.baseline.y, top + first.glyphs.font.ascent, accuracy: 1e-9)
    }
    layer.bounds.size.height = 5
    XCTAssertEqual(layer.layoutOrigin.y, 30, "what is cut off shows its beginning")
  }

  // MARK: Display

  /// No bitmap is made unless somebody asks for one, or a layer may draw more than its text or hides what is behind it.
  func testTextIsNoBitmap() throws {
    let stage = Stage()
    let layer = try paragraph("plain \("text", underlined)")
    stage.root.addSublayer(layer)
    stage.turn()
    XCTAssertNil(layer.values.image)
    let content = try XCTUnwrap(text(stage))
    XCTAssertEqual(content.parts.count, 3, "two runs and a line")
    XCTAssertTrue(layer.contents === content.image)
    let (own, opaque) = (try paragraph("own", Framed()), try paragraph("opaque"))
    opaque.isOpaque = true
    for layer in [own, opaque] { stage.root.addSublayer(layer) }
    stage.turn()
    for layer in [own, opaque] {
      XCTAssertNotNil(layer.values.image)
      XCTAssertNil(layer.values.content)
    }
  }

  private final class Framed: ParagraphLayer {
    override func draw(in context: DrawingContext) {
      super.draw(in: context)
      context.fill(Rect(x: 0, y: 0, width: bounds.width, height: 1), color: baseColor)
    }
  }

  /// The content paints what the layer draws.
  func testTheContentIsTheDrawing() throws {
    for seed in UInt64(runSeed)..<UInt64(runSeed + 20) {
      var random = SplitMix64(seed: seed)
      let layer = try paragraph(randomText(&random), height: .random(in: 10...90, using: &random))
      layer.insets = Insets(all: .random(in: -3...9, using: &random))
      let (stage, _) = Stage.showing(layer)
      let image = try XCTUnwrap(text(stage)?.image)
      let drawn = try XCTUnwrap(DrawingTarget(bounds: layer.bounds, scale: 1)).image(drawnBy: layer.draw(in:))
      for y in 0..<image.height {
        XCTAssertEqual(memcmp(image.row(y), drawn.row(y), image.width * 4), 0, "seed \(seed), row \(y)")
      }
    }
  }

  /// A fade goes from the old text's picture to the new one's, and ends in the new text.
  func testTextsFade() throws {
    let layer = try paragraph("old\ntext")
    layer.actions = [.contents: .implicit]
    let (stage, _) = Stage.showing(layer)
    let old = try XCTUnwrap(text(stage))
    layer.attributedText.replace(0..<3, with: AttributedText("new", underlined))
    stage.turn()
    let mixture = try XCTUnwrap(stage.tree(after: 100).sides.last?.content as? ImageMixture)
    XCTAssertTrue(mixture.parts.contains { $0.image === old.image })
    XCTAssertTrue(mixture.parts.contains { $0.image === layer.contents })
    stage.turn(after: 2000)
    XCTAssertEqual(text(stage)?.parts.count, 3)
  }

  /// Words that change damage their lines and no others, also where other lines have lines below letters.
  func testDamageIsLimitedToTheLines() throws {
    var text: AttributedText = ""
    for index in 0..<12 { text.append("line \(index) with a \("word", underlined)\n") }
    let layer = try paragraph(text, width: 100, height: 190)
    let stage = Stage(root: Layer(frame: Rect(x: 0, y: 0, width: 120, height: 200)))
    stage.root.addSublayer(layer)
    stage.turn()
    let line = try XCTUnwrap(layer.layout?.lines[5])
    let top = Int32(5 + line.top)
    let bottom = top + Int32(line.height.rounded(.up)) + 1
    var old = stage.tree()
    var diff = SceneDiff()
    let edits: [(String, AttributedText)] = [
      ("letters", "lime"), ("an underlined word", AttributedText("lame", underlined)), ("a plain word", "some"),
      ("two words", AttributedText("o \("k", underlined)")),
    ]
    var length = 4
    for (name, word) in edits {
      let start = line.range.lowerBound
      layer.attributedText.replace(start..<start + length, with: word)
      length = word.count
      stage.turn()
      let new = stage.tree()
      let damage = diff.change(from: old, to: new, width: 120, height: 200).damage
      XCTAssertFalse(damage.isEmpty, name)
      for rect in damage.rects { XCTAssertTrue(rect.minY >= top && rect.maxY <= bottom, "\(name): \(rect)") }
      old = new
    }
  }

  /// A text far longer than its layer leaves what cannot be seen out of the tree.
  func testWhatIsCutOffIsNotKept() throws {
    var text: AttributedText = ""
    for _ in 0..<500 { text.append("\("one", underlined) line\n") }
    let layer = try paragraph(text, height: 60)
    let (stage, _) = Stage.showing(layer)
    XCTAssertLessThan(try XCTUnwrap(self.text(stage)).parts.count, 60)
    XCTAssertEqual(layer.layout?.lines.count, 5)
  }

  #if DEBUG
    func testMissingGlyphsAreTold() throws {
      let layer = try paragraph("a \u{65E5}\u{672C}")
      let hints = DebugHint.collect {
        for _ in 0..<2 {
          _ = Stage.showing(layer)
          layer.setNeedsDisplay()
        }
      }
      XCTAssertEqual(hints.map { $0.contains("no font has a glyph for “\u{65E5}\u{672C}”") }, [true], "\(hints)")
      let empty = try paragraph("text", width: 0)
      XCTAssertEqual(DebugHint.collect { _ = Stage.showing(empty) }.map { $0.contains("no room") }, [true])
    }
  #endif
}
