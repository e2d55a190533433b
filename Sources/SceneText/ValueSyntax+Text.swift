import Geometry
import Raster
import RenderTree

extension TextPart {
  /// The words that begin a part.
  static let words = ["line", "glyphs", "fill"]
}

extension ValueSyntax where Value == TextPart {
  /// A line that is shaped again; glyphs by their numbers and places, each after the width of all; a rectangle.
  static var textPart: Self {
    Self("a part of a text: line, glyphs or fill") { reader throws(SceneError) in
      switch try reader.takeWord("line, glyphs or fill") {
      case "line":
        let string = try reader.string()
        let font = try reader.fontOfText()
        let (baseline, color) = try reader.place()
        return .glyphs(TextRun(TextLine(string, font: font), at: baseline, color: color))
      case "glyphs":
        let font = try reader.fontOfText()
        let (baseline, color) = try reader.place()
        let width = try reader.number("the width of the glyphs")
        var glyphs = try reader.list(while: { reader.isAtNumber }) { () throws(SceneError) in
          let id = try reader.wholeNumber("the number of a glyph", upTo: 0xFFFF)
          return GlyphRun.Glyph(id: UInt32(id), x: try reader.number("x of a glyph"), y: try reader.number("y of a glyph"))
        }
        return .glyphs(TextRun(GlyphRun(font: font, glyphs: &glyphs, width: width), at: baseline, color: color))
      default:
        let rect = try ValueSyntax<Rect>.rect.read(reader)
        return .fill(TextFill(rect, color: try ValueSyntax<Color>.color.read(reader)))
      }
    } text: { part, writer in
      switch part {
      case .glyphs(let run):
        let font = "font \(ValueSyntax<Font>.font.text(run.glyphs.font, writer))"
        let place = ValueSyntax<Point>.point.text(run.baseline, writer)
        let rest = "\(font) \(place) \(ValueSyntax<Color>.color.text(run.color, writer))"
        if let string = run.string { return "line \(SceneWriter.quoted(string)) \(rest)" }
        let glyphs = run.glyphs.glyphs.map { " \($0.id) \(sceneNumbers($0.x, $0.y))" }
        return "glyphs \(rest) \(SceneNumber.text(run.glyphs.width))\(glyphs.joined())"
      case .fill(let fill):
        let rect = ValueSyntax<Rect>.rect.text(fill.rect, writer)
        return "fill \(rect) \(ValueSyntax<Color>.color.text(fill.color, writer))"
      }
    }
  }
}

extension SceneReader {
  fileprivate func fontOfText() throws(SceneError) -> Font {
    guard take("font") else { throw expected("font") }
    return try ValueSyntax<Font>.font.read(self)
  }

  fileprivate func place() throws(SceneError) -> (baseline: Point, Color) {
    (try ValueSyntax<Point>.point.read(self), try ValueSyntax<Color>.color.read(self))
  }
}
