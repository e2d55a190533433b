/// How much of each pixel a glyph covers, around its origin.
final class GlyphBitmap: Sendable {
  /// From the glyph's origin to the first column and, y down, to the first row; in pixels.
  let left: Int
  let top: Int
  let width: Int
  let height: Int
  /// A byte a pixel, rows from top to bottom, without gaps.
  let coverage: [UInt8]

  /// Larger ones are drawn as outlines.
  static let longestSide = 512
  /// Of a space.
  static let empty = GlyphBitmap(left: 0, top: 0, width: 0, height: 0, coverage: [])
  /// Stands for a glyph too large to keep.
  static let oversized = GlyphBitmap(left: 0, top: 0, width: 0, height: 0, coverage: [])

  init(left: Int, top: Int, width: Int, height: Int, coverage: [UInt8]) {
    self.left = left
    self.top = top
    self.width = width
    self.height = height
    self.coverage = coverage
  }
}
