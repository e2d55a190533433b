import Raster

/// A part of a line in one run.
struct LinePiece: Sendable {
  /// The number of the paragraph's run.
  var run: Int
  /// The bytes of the paragraph that it shows; none for a hyphen or an ellipsis.
  var range: Range<Int>
  var level: UInt8
  /// True for blanks at the end of a line.
  var isHanging = false
  /// From left to right.
  var glyphs: [LineGlyph]
  /// The distance from the left end of the line's baseline.
  var x = 0.0

  var isRightToLeft: Bool { level & 1 != 0 }
  var width: Double { glyphs.width }
}

extension ShapedParagraph {
  /// The pieces that show a range of bytes, in the order of the text. Where a line begins or ends between letters that look otherwise then, the
  /// run's part is shaped anew.
  func pieces(of range: Range<Int>) -> [LinePiece] {
    guard let first = run(at: range.lowerBound), !range.isEmpty else { return [] }
    return runs[first...].prefix { $0.range.lowerBound < range.upperBound }.enumerated().map { index, run in
      let part = run.range.clamped(to: range)
      let glyphs =
        part == run.range
        ? run.glyphs
        : isSafe(part.lowerBound) && isSafe(part.upperBound)
          ? run.glyphs.part(part, isRightToLeft: run.isRightToLeft) : run.shape(part, of: source.text)
      return LinePiece(run: first + index, range: part, level: run.level, glyphs: glyphs)
    }
  }

  private func isSafe(_ offset: Int) -> Bool {
    let stop = stops[stop(at: offset)]
    return stop.isSafe && Int(stop.offset) == offset
  }

  /// Blanks at the end of a line, in the order of the text: rule L1 of UAX 9 gives them the paragraph's level.
  func hangingPieces(of range: Range<Int>) -> [LinePiece] {
    pieces(of: range).map { piece in
      var piece = piece
      if (piece.level ^ level) & 1 != 0 { piece.glyphs.reverse() }
      (piece.level, piece.isHanging) = (level, true)
      return piece
    }
  }

  /// A hyphen behind the letters before an offset; the pieces of a line have none of their own.
  func hyphen(before offset: Int) -> LinePiece? {
    mark("\u{2010}", otherwise: "-", like: max(offset - 1, 0), level: nil)
  }

  /// An ellipsis that looks like the letter at an offset, at the paragraph's level. Fonts of emoji have none: then it looks like the nearest
  /// letter whose font has one, before or else behind, or is in a font of its own; where no font has one, it is empty.
  func ellipsis(like offset: Int) -> LinePiece? {
    guard let number = run(at: offset) else { return nil }
    let nearest = Array((0...number).reversed()) + Array(runs.indices.dropFirst(number + 1))
    guard let found = nearest.first(where: { runs[$0].hasEllipsis }) else {
      return LinePiece(run: number, range: offset..<offset, level: level, glyphs: [])
    }
    return mark("…", otherwise: "...", in: found, at: offset, level: level)
  }

  private func mark(_ wanted: Unicode.Scalar, otherwise: String, like offset: Int, level: UInt8?) -> LinePiece? {
    run(at: offset).map { mark(wanted, otherwise: otherwise, in: $0, at: offset, level: level) }
  }

  private func mark(_ wanted: Unicode.Scalar, otherwise: String, in number: Int, at offset: Int, level: UInt8?) -> LinePiece
  {
    let run = runs[number]
    let text = Array((run.font.hasGlyph(for: wanted) ? String(wanted) : otherwise).utf8)
    var glyphs = run.shape(0..<text.count, of: text)
    for index in glyphs.indices { glyphs[index].cluster = Int32(offset) }
    return LinePiece(run: number, range: offset..<offset, level: level ?? run.level, glyphs: glyphs)
  }
}
