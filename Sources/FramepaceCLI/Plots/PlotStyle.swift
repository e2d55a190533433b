import Framepace

/// The shared look of the command's plots: colours, fonts and the steps of axes.
struct PlotStyle {
  static let size = PixelSize(width: 1280, height: 640)

  static let paper = Color(hex: 0xFFFFFF)
  static let ink = Color(hex: 0x24292F)
  static let faint = Color(hex: 0x6E7781)
  static let rule = Color(hex: 0xE4E8EC)
  static let blue = Color(hex: 0x2F81F7)
  static let green = Color(hex: 0x2DA44E)
  static let orange = Color(hex: 0xD4731A)

  let title: Font
  let text: Font
  let small: Font

  /// - Throws: an error if the fonts are missing.
  init() throws(FontError) {
    title = try SystemFonts.font(.medium, size: 24)
    text = try SystemFonts.font(.regular, size: 17)
    small = try SystemFonts.font(.regular, size: 15, tabularFigures: true)
  }

  /// Makes an empty plot with a title and at most two lines of figures below it.
  func begin(
    _ heading: String, lines: [String], size: PixelSize = Self.size
  ) throws(BitmapError) -> (Bitmap, DrawingContext) {
    let bitmap = try Bitmap(width: size.width, height: size.height)
    let context = DrawingContext(bitmap: bitmap)
    context.fill(color: Self.paper)
    let room = Double(size.width) - 80
    context.draw(TextLine(heading, font: title).truncated(to: room), at: Point(40, 44), color: Self.ink)
    for (number, line) in lines.enumerated() {
      context.draw(
        TextLine(line, font: text).truncated(to: room), at: Point(40, 72 + 24 * Double(number)), color: Self.faint)
    }
    return (bitmap, context)
  }

  /// Draws a label.
  ///
  /// - Parameter anchor: the part of the label that lies before `point`: 0 begins it there, 0.5 centres it, 1 ends it.
  /// - Returns: the label's width.
  @discardableResult
  func draw(
    _ label: String, at point: Point, anchor: Double, color: Color = Self.faint, _ context: DrawingContext
  ) -> Double {
    let line = TextLine(label, font: small)
    context.draw(line, at: Point(point.x - line.width * anchor, point.y), color: color)
    return line.width
  }

  /// Draws a line of a plot's grid with its label on the left.
  func drawRow(_ label: String, y: Double, isAxis: Bool, in plot: Rect, _ context: DrawingContext) {
    let y = y.rounded()
    context.fill(Rect(x: plot.minX, y: y, width: plot.width, height: 1), color: isAxis ? Self.faint : Self.rule)
    draw(label, at: Point(plot.minX - 10, y + small.capHeight / 2), anchor: 1, context)
  }

  /// Draws a mark of a plot's horizontal axis with its label below.
  func drawMark(_ label: String, x: Double, below plot: Rect, _ context: DrawingContext) {
    let x = x.rounded()
    context.fill(Rect(x: x, y: plot.maxY, width: 1, height: 5), color: Self.faint)
    draw(label, at: Point(x, plot.maxY + 22), anchor: 0.5, context)
  }

  /// The smallest 1, 2 or 5 times a power of ten that is at least `least`.
  static func step(atLeast least: Double) -> Int {
    var power = 1
    while power < 1_000_000_000 {
      for factor in [1, 2, 5] where Double(factor * power) >= least { return factor * power }
      power *= 10
    }
    return power
  }
}
