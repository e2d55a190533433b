public import Geometry
public import Raster
import RenderTree

/// A layer that shows one line of text, vertically centred.
///
/// ```swift
/// let label = TextLayer()
/// label.font = try SystemFonts.font(.regular, size: 24)
/// label.string = "42.0 ms"
/// label.bounds.size = label.preferredSize
/// ```
///
/// A plain text layer draws no bitmap: the compositor paints its glyphs where they stand on the output, so that they are sharp in
/// every size, and a change of the string damages the glyphs that changed. One that draws on worker threads has a bitmap of its line; a
/// subclass and an opaque layer draw a bitmap with `draw(in:)`.
///
/// The line is placed by the font's ascent and descent and not by its ink, so that it does not move when the text changes. Ink that
/// leans out of the line, as the end of an italic f, is seen beyond the layer's bounds unless the layer masks to them, and also while
/// its contents fade; the bitmaps of subclasses and of opaque layers end at the bounds. A line that is longer or higher than the layer
/// is cut off at the edges beyond which it goes on. While the layer's size is animated, a line is not stretched, as a picture would be:
/// with the gravity `resize` it keeps its size, at the side to which it is aligned.
///
/// Letters from left to right and from right to left are ordered by Unicode's bidirectional algorithm, as a ``ParagraphLayer`` orders
/// them; the direction of the first letter that has one is that of the line, which begins at that side of the layer. All are in one
/// font. A text that may need a second one is for a paragraph: ``onMissingCharacters`` tells of it, and without that a debug build says so.
open class TextLayer: Layer {
  /// The horizontal place of a line that is narrower than the layer.
  public enum Alignment: String, CaseIterable, Hashable, Sendable {
    /// The side where the line begins: the right one if the first letter that has a direction is from right to left, otherwise the
    /// left one (rules P2 and P3 of UAX 9).
    case natural
    case left
    case center
    case right
  }

  /// The treatment of a line that is wider than the layer.
  public enum Truncation: String, CaseIterable, Hashable, Sendable {
    /// The line is cut off at the layer's edge.
    case none
    /// The longest beginning that fits is shown, with an ellipsis.
    case end
  }

  /// The text. A line break in it is drawn as a blank: a layer shows one line, and does not wrap it as CATextLayer can.
  public var string = "" {
    // Equal strings may have other bytes, and other glyphs.
    didSet { if string != oldValue || !string.utf8.elementsEqual(oldValue.utf8) { lineChanged() } }
  }
  /// The font of the text; nothing is drawn without one.
  public var font: Font? {
    didSet { if font != oldValue { lineChanged() } }
  }
  public var color = Color.black {
    didSet { if color != oldValue { setNeedsDisplay() } }
  }
  /// `natural` at first.
  public var alignment = Alignment.natural {
    didSet { if alignment != oldValue { setNeedsDisplay() } }
  }
  public var truncation = Truncation.end {
    didSet {
      guard truncation != oldValue else { return }
      setNeedsDisplay()
      preferredSizeChanged()
    }
  }
  /// True to draw the text on worker threads while the old one stays visible. False at first.
  public var drawsAsynchronously = false

  /// Called when a text is displayed of which the font lacks characters.
  public var onMissingCharacters: (@MainActor (TextLayer, MissingCharacters) -> Void)?

  private var shapedLine: TextLine?
  /// The shaped line as it was last cut to a width.
  private var fittedLine: (line: TextLine, width: Double)?

  public override init() {
    super.init()
    needsDisplayOnBoundsChange = true
  }

  /// The size that shows the whole line: its width rounded up to whole points, and the sum of the font's ascent and descent.
  /// Zero without a font.
  open override var preferredSize: Size {
    guard let line else { return .zero }
    return Size(line.width.rounded(.up), line.height.rounded(.up))
  }

  /// As `preferredSize`, but not wider than the proposed width where the text is truncated.
  open override func size(fitting proposal: SizeProposal) -> Size {
    let size = preferredSize
    guard truncation == .end, let width = proposal.width else { return size }
    return Size(min(size.width, width), size.height)
  }

  open override func draw(in context: DrawingContext) {
    drawing?.draw(in: context)
  }

  open override func makeDrawing() -> (any Drawing)? {
    drawsAsynchronously ? drawing : nil
  }

  override func pictureMaker() -> (any PictureMaker)? {
    guard drawsAsynchronously, showsTextAlone, !isOpaque, let drawing else { return super.pictureMaker() }
    return TextPicture(drawing: drawing)
  }

  override var placingGravity: ContentsGravity {
    guard contentsGravity == .resize else { return contentsGravity }
    return switch alignment {
    case .natural: line?.isRightToLeft == true ? .right : .left
    case .left: .left
    case .center: .center
    case .right: .right
    }
  }

  private var line: TextLine? {
    if shapedLine == nil { shapedLine = font.map { TextLine(string, font: $0) } }
    return shapedLine
  }

  override func willDisplay() {
    guard !bounds.isEmpty, let line = drawing?.line else { return }
    guard line.lacksGlyphs else { return }
    if let onMissingCharacters {
      onMissingCharacters(
        self, MissingCharacters(characters: Set(line.missingCharacters), text: string, fontPath: line.font.face.path))
    } else {
      line.hintAtMissingGlyphs()
    }
  }

  override func text(for target: DrawingTarget) -> TextContent? {
    guard showsTextAlone, !target.isOpaque else { return nil }
    return drawing?.text(for: target) ?? TextContent([], for: target)
  }

  /// False for a subclass, which may draw more than the text.
  private var showsTextAlone: Bool { type(of: self) == TextLayer.self }

  private var drawing: LineDrawing? {
    guard let line else { return nil }
    // A layout rounds to pixels: what less than one of them cuts off is worth no ellipsis.
    if truncation == .none || line.width < bounds.width + 1 / outputScale { return drawing(line) }
    if let fittedLine, fittedLine.width == bounds.width { return drawing(fittedLine.line) }
    let fitted = line.truncated(to: bounds.width)
    fittedLine = (fitted, bounds.width)
    return drawing(fitted)
  }

  private func drawing(_ line: TextLine) -> LineDrawing {
    let room = bounds.width - line.width
    let indent: Double =
      switch alignment {
      // A line that is cut off shows its beginning.
      case _ where room < 0: line.isRightToLeft ? room : 0
      case .natural: line.isRightToLeft ? room : 0
      case .left: 0
      case .center: room / 2
      case .right: room
      }
    let baseline = Point(bounds.minX + indent, bounds.midY + (line.ascent - line.descent) / 2)
    return LineDrawing(line: line, baseline: baseline, color: color)
  }

  private func lineChanged() {
    (shapedLine, fittedLine) = (nil, nil)
    setNeedsDisplay()
    preferredSizeChanged()
  }
}

private struct LineDrawing: Drawing {
  var line: TextLine
  var baseline: Point
  var color: Color

  /// The rectangle of the line, by its font.
  var box: Rect { Rect(x: baseline.x, y: baseline.y - line.ascent, width: line.width, height: line.height) }

  func draw(in context: DrawingContext) { context.draw(line, at: baseline, color: color) }

  func text(for target: DrawingTarget) -> TextContent {
    TextContent(TextParts(TextRun(line, at: baseline, color: color)), for: target, lines: box)
  }
}

/// A picture of a line with the ink that leans out of it.
private struct TextPicture: PictureMaker {
  let drawing: LineDrawing

  func makePicture(
    for target: DrawingTarget, isCancelled: @escaping () -> Bool, showCoarse: ((MadePicture) -> Void)?
  ) throws -> MadePicture {
    guard let image = drawing.text(for: target).image else {
      throw BitmapError.outOfMemory(bytes: target.width * target.height * 4)
    }
    return MadePicture(image: image, measures: target.measures, rect: target.bounds)
  }
}
