public import Geometry
public import Raster

extension TextLayout {
  /// A line of a layout, in points from its upper left corner.
  public struct Line: Sendable {
    /// The bytes of the text that it shows, blanks at its end and what an ellipsis stands for among them. A line break that ends it
    /// is none of it.
    public private(set) var range: Range<Int>
    /// The left end of what is seen of it; blanks at its end hang out.
    public private(set) var baseline: Point
    public private(set) var top: Double
    /// The byte of the text at which the paragraph begins.
    private(set) var start = 0
    private let contents: Contents

    /// All that is the same wherever the line stands. A layout that takes it over from the one before copies a reference to it.
    private final class Contents: Sendable {
      let width: Double
      let height: Double
      let indent: Double
      let runs: [Run]
      let pieces: [LinePiece]
      let paragraph: ShapedParagraph

      init(
        _ width: Double, _ height: Double, _ indent: Double, _ runs: [Run], _ pieces: [LinePiece],
        _ paragraph: ShapedParagraph
      ) {
        (self.width, self.height, self.indent) = (width, height, indent)
        (self.runs, self.pieces, self.paragraph) = (runs, pieces, paragraph)
      }
    }

    init(
      range: Range<Int>, baseline: Point, width: Double, top: Double, height: Double, runs: [Run], pieces: [LinePiece],
      indent: Double, paragraph: ShapedParagraph
    ) {
      (self.range, self.baseline, self.top) = (range, baseline, top)
      contents = Contents(width, height, indent, runs, pieces, paragraph)
    }

    /// The width of what is seen of it.
    public var width: Double { contents.width }
    public var height: Double { contents.height }
    /// From left to right.
    public var runs: [Run] { contents.runs }
    /// From left to right.
    var pieces: [LinePiece] { contents.pieces }
    /// The points between the side where it begins and its letters.
    var indent: Double { contents.indent }
    var paragraph: ShapedParagraph { contents.paragraph }

    /// True for a line of a paragraph whose direction is from right to left.
    public var isRightToLeft: Bool { paragraph.level == 1 }

    /// The same line of a paragraph that begins at this byte and at this height, in a layout of this width.
    func placed(_ offset: Int, _ y: Double, _ width: Double, _ alignment: Alignment) -> Line {
      var line = self
      line.start = offset
      line.range = range.lowerBound + offset..<range.upperBound + offset
      line.top += y
      line.baseline = Point(x(width, alignment), baseline.y + y)
      return line
    }

    /// The left end in a layout. A line that is too wide reaches out of the side at which it ends.
    private func x(_ layoutWidth: Double, _ alignment: Alignment) -> Double {
      let left = isRightToLeft ? 0 : indent
      let room = layoutWidth - indent - width
      if room < 0 { return isRightToLeft ? left + room : left }
      return switch alignment {
      case .left: left
      case .center: left + room / 2
      case .right: left + room
      case .natural, .justified: isRightToLeft ? left + room : left
      }
    }
  }

  /// A part of a line in one font, direction and look.
  public struct Run: Sendable {
    public let glyphs: GlyphRun
    /// The distance of its left end from that of the line's baseline.
    public let x: Double
    /// The height of its own baseline above the line's.
    public let rise: Double
    public let color: Color
    let attributes: AttributedText.Attributes
    /// True for blanks that hang out of the line.
    let isHanging: Bool
  }
}

extension TextLayout.Line {
  /// The backgrounds of its parts, which are behind all glyphs.
  public var backgrounds: [TextFill] {
    fills { run in
      let font = run.glyphs.font
      return run.attributes.background.map { ($0, font.ascent, font.ascent + font.descent) }
    }
  }

  /// The lines below letters and through them, which are in front of all glyphs.
  public var decorations: [TextFill] {
    func fills(
      _ decoration: KeyPath<AttributedText.Attributes, LineDecoration?>, _ stroke: KeyPath<Font, FontStroke>
    ) -> [TextFill] {
      self.fills { run in
        let stroke = run.glyphs.font[keyPath: stroke]
        return run.attributes[keyPath: decoration].map { ($0.color ?? run.color, stroke.top, stroke.thickness) }
      }
    }
    return fills(\.underline, \.underline) + fills(\.strikethrough, \.strikethrough)
  }

  /// Rectangles as wide as runs, with their top above the baseline and their height. Those that go on in the next run are one: two would
  /// have a seam between them. Where letters of one look are in several fonts, the widest run decides for all of them;
  /// a font of pictures, whose measures are those of no letters, only where there is no other.
  private func fills(_ stroke: (TextLayout.Run) -> (color: Color, top: Double, height: Double)?) -> [TextFill] {
    var fills: [TextFill] = []
    var rest = runs.filter { !$0.isHanging }[...]
    while let first = rest.popFirst() {
      let look = [first] + rest.prefix { $0.attributes == first.attributes }
      rest = rest.dropFirst(look.count - 1)
      let letters = look.filter { !$0.glyphs.font.face.hasPictures }
      let widest = (letters.isEmpty ? look : letters).max { $0.glyphs.width < $1.glyphs.width }
      guard let widest, let last = look.last, let stroke = stroke(widest) else { continue }
      var rect = Rect(
        x: baseline.x + first.x, y: baseline.y - first.rise - stroke.top,
        width: last.x + last.glyphs.width - first.x, height: stroke.height)
      if let before = fills.last, before.color == stroke.color, before.rect.minY == rect.minY,
        before.rect.height == rect.height, abs(before.rect.maxX - rect.minX) < 1e-6
      {
        rect = Rect(x: before.rect.minX, y: rect.minY, width: rect.maxX - before.rect.minX, height: rect.height)
        fills.removeLast()
      }
      fills.append(TextFill(rect, color: stroke.color))
    }
    return fills
  }
}

extension TextLayout {
  /// Draws the text with its upper left corner at a point.
  public func draw(in context: DrawingContext, at origin: Point = .zero) {
    forEachPart(at: origin) {
      context.draw($0)
    } glyphs: {
      context.draw($0.glyphs, at: $1, color: $0.color)
    }
  }

  /// Calls `fill` or `glyphs` for all that is painted, from back to front, where the upper left corner lies at a point.
  package func forEachPart(at origin: Point, fill: (TextFill) -> Void, glyphs: (Run, _ baseline: Point) -> Void) {
    func visit(_ fills: [TextFill]) {
      for part in fills { fill(part.offsetBy(dx: origin.x, dy: origin.y)) }
    }
    for line in lines { visit(line.backgrounds) }
    for line in lines {
      for run in line.runs where !run.isHanging {
        glyphs(run, Point(origin.x + line.baseline.x + run.x, origin.y + line.baseline.y - run.rise))
      }
    }
    for line in lines { visit(line.decorations) }
  }
}
