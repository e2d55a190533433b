public import Geometry
public import Raster

/// A layer that shows one line of text, vertically centred.
///
/// ```swift
/// let label = TextLayer()
/// label.font = try SystemFonts.font(.regular, size: 24)
/// label.string = "42.0 ms"
/// label.bounds.size = label.preferredSize
/// ```
///
/// The line is placed by the font's ascent and descent and not by its ink, so that it does not move when the text changes.
open class TextLayer: Layer {
  /// The horizontal place of a line that is narrower than the layer.
  public enum Alignment: String, CaseIterable, Hashable, Sendable {
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

  public var string = "" {
    didSet { if string != oldValue { lineChanged() } }
  }
  /// The font of the text; nothing is drawn without one.
  public var font: Font? {
    didSet { if font != oldValue { lineChanged() } }
  }
  public var color = Color.black {
    didSet { if color != oldValue { setNeedsDisplay() } }
  }
  public var alignment = Alignment.left {
    didSet { if alignment != oldValue { setNeedsDisplay() } }
  }
  public var truncation = Truncation.end {
    didSet { if truncation != oldValue { setNeedsDisplay() } }
  }
  /// True to draw the text on worker threads while the old one stays visible. False at first.
  public var drawsAsynchronously = false

  private var shapedLine: TextLine?

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

  open override func draw(in context: DrawingContext) {
    drawing?.draw(in: context)
  }

  open override func makeDrawing() -> (any Drawing)? {
    drawsAsynchronously ? drawing : nil
  }

  private var line: TextLine? {
    if shapedLine == nil { shapedLine = font.map { TextLine(string, font: $0) } }
    return shapedLine
  }

  private var drawing: LineDrawing? {
    line.map {
      LineDrawing(line: $0, bounds: bounds, color: color, alignment: alignment, truncation: truncation)
    }
  }

  private func lineChanged() {
    shapedLine = nil
    setNeedsDisplay()
  }
}

private struct LineDrawing: Drawing {
  var line: TextLine
  var bounds: Rect
  var color: Color
  var alignment: TextLayer.Alignment
  var truncation: TextLayer.Truncation

  func draw(in context: DrawingContext) {
    let line = truncation == .end ? line.truncated(to: bounds.width) : line
    let room = bounds.width - line.width
    let x =
      switch alignment {
      case .left: bounds.minX
      // A line that is cut off shows its beginning.
      case .center: bounds.minX + max(room / 2, 0)
      case .right: bounds.minX + max(room, 0)
      }
    let y = bounds.midY + (line.ascent - line.descent) / 2
    context.draw(line, at: Point(x, y), color: color)
  }
}
