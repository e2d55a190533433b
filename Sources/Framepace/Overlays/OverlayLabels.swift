import Geometry
import Raster

/// Texts beside rectangles, none of which hides another.
struct OverlayLabels {
  /// The most lines of a label; more are counted.
  private static let mostLines = 3

  private let font: Font
  private let view: OverlayView
  private(set) var labels: [(box: Rect, lines: [TextLine])] = []
  private(set) var leftOut = 0

  init(font: Font, view: OverlayView) {
    (self.font, self.view) = (font, view)
  }

  private var margin: Double { 4 * view.scale }

  /// Adds a label with these lines at a free place near `rect`.
  mutating func add(_ lines: [String], at rect: Rect) {
    guard !lines.isEmpty else { return }
    var shown = Array(lines.prefix(Self.mostLines))
    if lines.count > shown.count { shown.append("and \(lines.count - shown.count) more") }
    let widest = view.size.width - 4 * margin
    let texts = shown.map { TextLine($0, font: font).truncated(to: widest) }
    let size = Size(
      (texts.map(\.width).max() ?? 0) + 2 * margin, Double(texts.count) * font.lineHeight + margin)
    guard let box = place(size, near: rect) else { return leftOut += 1 }
    labels.append((box, texts))
  }

  /// A free place above, below, or inside of the rectangle, or farther down; nil if the picture is full there.
  private func place(_ size: Size, near rect: Rect) -> Rect? {
    let x = max(0, min(rect.minX, view.size.width - size.width))
    let starts = [rect.minY - size.height - 1, rect.maxY + 1, rect.minY + 1]
    let below = (1...20).map { rect.maxY + 1 + Double($0) * (size.height + 1) }
    return (starts + below).lazy.map { Rect(x: x, y: $0.rounded(), width: size.width, height: size.height) }
      .first { box in
        box.minY >= 0 && box.maxY <= view.size.height && labels.allSatisfy { $0.box.intersection(box).isEmpty }
      }
  }

  func draw(_ context: DrawingContext) {
    for (box, lines) in labels { draw(box, lines, context) }
    guard leftOut > 0 else { return }
    let line = TextLine("\(leftOut) more without room", font: font)
    let size = Size(line.width + 2 * margin, font.lineHeight + margin)
    draw(
      Rect(x: view.size.width - size.width, y: view.size.height - size.height, width: size.width, height: size.height),
      [line],
      context)
  }

  private func draw(_ box: Rect, _ lines: [TextLine], _ context: DrawingContext) {
    context.fill(box, cornerRadius: 3 * view.scale, color: Color(hex: 0x101418).withAlpha(0.85))
    for (index, line) in lines.enumerated() {
      let baseline = box.minY + margin / 2 + Double(index) * font.lineHeight + font.ascent
      context.draw(line, at: Point(box.minX + margin, baseline), color: Color(hex: 0xFFE0EC))
    }
  }
}
