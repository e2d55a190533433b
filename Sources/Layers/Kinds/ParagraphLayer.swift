public import Geometry
import LinuxSystem
public import Raster
import RenderTree
public import Typesetting

/// A layer that shows paragraphs of text: in lines of its width, in every script, and in several fonts and colours.
///
/// ```swift
/// let note = ParagraphLayer()
/// note.baseFont = FontRequest(["Inter", "sans-serif"], size: 16)
/// note.attributedText = "Departs in \("4 minutes", AttributedText.Attributes { $0.underline = LineDecoration() })"
/// note.insets = Insets(all: 8)
/// note.bounds.size = note.size(fitting: SizeProposal(width: 320))
/// ```
///
/// A plain paragraph layer draws no bitmap: the compositor paints its glyphs and lines where they stand on the output. A changed word
/// sets its paragraph anew and no other, and damages the lines that changed. A subclass and an opaque layer draw a bitmap with
/// `draw(in:)`.
///
/// Lines for which the layer is not high enough are left out, whether or not it masks to its bounds, and the last one that is shown ends
/// as `paragraphStyle.truncation` says. The first line is always shown; where it is higher than the layer it is cut off at the bounds, as
/// is a word that is wider. Ink that leans out of lines which fit is seen beyond them unless the layer masks to its bounds, and also while
/// its contents fade. While the layer's size is animated, lines are not stretched: with the gravity `resize` they keep the size in which
/// they were set, at the side and the edge to which they are aligned.
open class ParagraphLayer: Layer {
  /// The vertical place of lines that are less high than the layer.
  public enum VerticalAlignment: String, CaseIterable, Hashable, Sendable {
    case top
    case center
    case bottom
  }

  public var attributedText: AttributedText = "" {
    didSet {
      if !attributedText.hasSameBytes(as: oldValue) { textChanged() }
    }
  }
  /// The font of parts that name none; the height of every line is at least its own. `sans-serif` of 16 points at first.
  public var baseFont = FontRequest(["sans-serif"], size: 16) {
    didSet { if baseFont != oldValue { textChanged() } }
  }
  /// The colour of parts that name none. Black at first.
  public var baseColor = Color.black {
    didSet {
      guard baseColor != oldValue else { return }
      layouts.makeOld()
      setNeedsDisplay()
    }
  }
  /// How paragraphs are set: alignment, line height and the like.
  public var paragraphStyle = TextLayout.Style() {
    didSet {
      guard paragraphStyle != oldValue else { return }
      setNeedsDisplay()
      var aligned = oldValue
      aligned.alignment = paragraphStyle.alignment
      if paragraphStyle != aligned { preferredSizeChanged() }
    }
  }
  /// The space between the edges of the layer and the text; what is not finite counts as 0.
  public var insets = Insets() {
    didSet {
      guard insets != oldValue else { return }
      setNeedsDisplay()
      preferredSizeChanged()
    }
  }
  public var verticalAlignment = VerticalAlignment.top {
    didSet { if verticalAlignment != oldValue { setNeedsDisplay() } }
  }
  /// The fonts that may be used; those of the system at first.
  public var fonts = FontLibrary.system {
    didSet { if fonts !== oldValue { textChanged() } }
  }
  /// Why there is no layout: its font cannot be opened, or there is none. Nil while nothing has failed.
  public private(set) var failure: FontError?

  /// Called when a text is displayed with characters that no font has.
  public var onMissingCharacters: (@MainActor (ParagraphLayer, MissingCharacters) -> Void)?

  private var layouts = ParagraphLayouts()
  /// The insets, without those that are no numbers.
  private var usableInsets: Insets {
    func usable(_ inset: Double) -> Double { inset.isFinite ? inset : 0 }
    return Insets(
      top: usable(insets.top), left: usable(insets.left), bottom: usable(insets.bottom), right: usable(insets.right))
  }

  public override init() {
    super.init()
    needsDisplayOnBoundsChange = true
  }

  private func textChanged() {
    layouts.makeOld()
    setNeedsDisplay()
    preferredSizeChanged()
  }

  // MARK: Layout

  /// The text in lines of the layer's width, as many as its height has room for; nil where its font cannot be had, see `failure`. It is
  /// set when it is first asked for after a change.
  public var layout: TextLayout? {
    let insets = usableInsets
    // A line that is cut by less than a pixel stays: layouts round to pixels.
    let height = bounds.height - insets.top - insets.bottom + 1 / outputScale
    return layout(width: bounds.width - insets.left - insets.right, height: height)
  }

  /// The place of the layout's upper left corner in the layer's coordinates.
  public var layoutOrigin: Point { origin(of: layout) }

  private func origin(of layout: TextLayout?) -> Point {
    let top = bounds.minY + usableInsets.top
    // A text that is cut off shows its beginning.
    let room = max(bounds.maxY - usableInsets.bottom - top - (layout?.size.height ?? 0), 0)
    let distance =
      switch verticalAlignment {
      case .top: 0.0
      case .center: room / 2
      case .bottom: room
      }
    return Point(bounds.minX + usableInsets.left, top + distance)
  }

  /// The layout in a width and a height; nil for lines as long as the text has them, and for as many.
  private func layout(
    width: Double?, height: Double? = nil, _ change: (inout TextLayout.Style) -> Void = { _ in }
  ) -> TextLayout? {
    var style = paragraphStyle.usable
    change(&style)
    do throws(FontError) {
      let layout = try layouts.layout(width.map { $0 > 0 ? $0 : 0 }, height.map { $0 > 0 ? $0 : 0 }, style) {
        last throws(FontError) in
        try TextLayout(
          attributedText, font: baseFont, color: baseColor, style: style, width: width, height: height, fonts: fonts,
          after: last)
      }
      failure = nil
      return layout
    } catch {
      failure = error
      return nil
    }
  }

  /// The size of the text in lines as long as it has them, with the insets, rounded up to whole pixels.
  open override var preferredSize: Size { size(of: layout(width: nil)) }

  /// The size of the text in lines of the proposed width, with the insets, rounded up to whole pixels within that width. Of a width of 0
  /// the longest word is the least.
  open override func size(fitting proposal: SizeProposal) -> Size {
    guard let width = proposal.width else { return preferredSize }
    let room = width - usableInsets.left - usableInsets.right
    if width <= 0, paragraphStyle.wrapping == .wordThenCharacter {
      return size(of: layout(width: 0) { $0.wrapping = .word })
    }
    guard let layout = layout(width: room) else { return .zero }
    var size = size(of: layout)
    // Letters of a word that is broken may be wider by themselves, by parts of a pixel.
    if size.width <= width + 1 / outputScale { size.width = min(size.width, width) }
    guard size.width < width else { return size }
    let narrow = self.layout(width: size.width - usableInsets.left - usableInsets.right)
    let isSame = narrow.map { $0.lines.elementsEqual(layout.lines) { $0.range == $1.range } } ?? true
    return isSame ? size : Size(width, size.height)
  }

  private func size(of layout: TextLayout?) -> Size {
    guard let layout else { return .zero }
    let scale = outputScale
    // A layout that rounds edges to pixels takes nothing off a size of whole pixels.
    func whole(_ length: Double) -> Double { (length * scale - 1e-6).rounded(.up) / scale }
    return Size(
      whole(max(layout.size.width + usableInsets.left + usableInsets.right, 0)),
      whole(max(layout.size.height + usableInsets.top + usableInsets.bottom, 0)))
  }

  // MARK: Places of letters

  /// The letter at a point of the layer, or the nearest one: see `TextLayout.offset(at:)`. Nil without a layout.
  public func offset(at point: Point) -> (offset: Int, isTrailing: Bool)? {
    guard let layout else { return nil }
    return layout.offset(at: point - origin(of: layout))
  }

  /// The rectangles, in the layer's coordinates, that cover a part of the text: see `TextLayout.rects(in:)`.
  public func rects(in range: Range<Int>) -> [Rect] {
    guard let layout else { return [] }
    let origin = origin(of: layout)
    return layout.rects(in: range).map { $0.offsetBy(dx: origin.x, dy: origin.y) }
  }

  // MARK: Display

  open override func draw(in context: DrawingContext) {
    guard let layout else { return }
    layout.draw(in: context, at: origin(of: layout))
  }

  override var placingGravity: ContentsGravity {
    guard contentsGravity == .resize else { return contentsGravity }
    return switch (verticalAlignment, side) {
    case (.top, .left): .topLeft
    case (.top, .center): .top
    case (.top, .right): .topRight
    case (.center, .left): .left
    case (.center, .center): .center
    case (.center, .right): .right
    case (.bottom, .left): .bottomLeft
    case (.bottom, .center): .bottom
    case (.bottom, .right): .bottomRight
    }
  }

  private enum Side {
    case left
    case center
    case right
  }

  /// The side of the layer at which its lines lie.
  private var side: Side {
    switch paragraphStyle.alignment {
    case .left, .justified: .left
    case .center: .center
    case .right: .right
    case .natural:
      layout?.lines.first?.isRightToLeft == true ? .right : .left
    }
  }

  override func text(for target: DrawingTarget) -> TextContent? {
    // A subclass may draw more than the text.
    guard type(of: self) == ParagraphLayer.self, !target.isOpaque else { return nil }
    let layout = layout
    guard let layout else { return TextContent([], for: target) }
    let origin = origin(of: layout)
    return TextContent(
      TextParts(layout.parts(at: origin)), for: target, lines: layout.box.offsetBy(dx: origin.x, dy: origin.y))
  }

  override func willDisplay() {
    func missing() -> MissingCharacters? {
      guard !bounds.isEmpty, let layout, !layout.missing.isEmpty else { return nil }
      return MissingCharacters(characters: layout.missing, text: layout.text.string)
    }
    if let onMissingCharacters {
      missing().map { onMissingCharacters(self, $0) }
    } else {
      #if DEBUG
        missing().map { missing in DebugHint.give("\(missing)", kind: "glyphs of a paragraph") }
      #endif
    }
  }
}

extension TextLayout {
  /// The rectangle around its lines.
  fileprivate var box: Rect {
    let left = lines.reduce(Double.infinity) { min($0, $1.baseline.x) }
    let right = lines.reduce(-Double.infinity) { max($0, $1.baseline.x + $1.width) }
    return Rect(x: left, y: 0, width: right - left, height: size.height)
  }

  /// All that is painted, from back to front, where the upper left corner lies at a point.
  fileprivate func parts(at origin: Point) -> [TextPart] {
    var parts: [TextPart] = []
    forEachPart(at: origin) {
      parts.append(.fill($0))
    } glyphs: {
      parts.append(.glyphs(TextRun($0.glyphs, at: $1, color: $0.color)))
    }
    return parts
  }
}

/// The layouts of one text in the widths and heights that were asked for last: the layer's own, and those that a stack tries. After a change
/// each is made from an old one of its width.
private struct ParagraphLayouts {
  private struct Entry {
    let width: Double?
    let height: Double?
    let style: TextLayout.Style
    var layout: TextLayout
    var isOld = false

    /// True if the layout is as it would be in another height.
    func isSame(in other: Double?) -> Bool {
      height == other || !isOld && !layout.isCutShort && layout.size.height <= other ?? .infinity
    }
  }

  /// The one that was used last is the last. A stack asks for the least width, the natural one and the one that it gives.
  private var entries: [Entry] = []
  private static let limit = 4

  /// Called when something has changed on which all layouts depend.
  mutating func makeOld() {
    for index in entries.indices { entries[index].isOld = true }
  }

  mutating func layout(
    _ width: Double?, _ height: Double?, _ style: TextLayout.Style,
    _ make: (_ last: TextLayout?) throws(FontError) -> TextLayout
  ) throws(FontError) -> TextLayout {
    let index = entries.lastIndex { $0.width == width && $0.style == style && $0.isSame(in: height) }
    if let index, !entries[index].isOld {
      if index < entries.count - 1 { entries.append(entries.remove(at: index)) }
      return entries[entries.count - 1].layout
    }
    // One of another height has the lines of most paragraphs, one of another width at least these shaped.
    let like = index ?? entries.lastIndex { $0.width == width && $0.style == style } ?? entries.indices.last
    let layout = try make(like.map { entries[$0].layout })
    if let index { entries.remove(at: index) } else if entries.count == Self.limit { entries.removeFirst() }
    entries.append(Entry(width: width, height: height, style: style, layout: layout))
    return layout
  }
}
