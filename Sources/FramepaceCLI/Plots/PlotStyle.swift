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
  func begin(_ heading: String, lines: [String]) throws(BitmapError) -> (Bitmap, DrawingContext) {
    let bitmap = try Bitmap(width: Self.size.width, height: Self.size.height)
    let context = DrawingContext(bitmap: bitmap)
    context.fill(color: Self.paper)
    let room = Double(Self.size.width) - 80
    context.draw(TextLine(heading, font: title).truncated(to: room), at: Point(40, 44), color: Self.ink)
    for (number, line) in lines.enumerated() {
      context.draw(
        TextLine(line, font: text).truncated(to: room), at: Point(40, 72 + 24 * Double(number)), color: Self.faint)
    }
    return (bitmap, context)
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
