import LinuxSystem

/// The coverage of the glyphs drawn lately, shared by all threads and bounded in bytes.
final class GlyphCache: Sendable {
  struct Key: Hashable {
    var face: UInt32
    /// Pixels × 64.
    var size64: UInt32
    /// The glyph × 4 + quarters of a pixel to the right.
    var glyphAndQuarter: UInt32
  }

  static let shared = GlyphCache(limit: 4 << 20)

  private let entries: Lock<GenerationCache<Key, GlyphBitmap>>

  init(limit: Int) {
    entries = Lock(GenerationCache(limit: limit))
  }

  /// Bytes in use.
  var cost: Int { entries.withLock { $0.cost } }

  /// Fills in the bitmaps of `placed`; one lock for a line of text, and none while a missing one is made.
  func resolve(_ placed: inout [PlacedGlyph], face: FontFace, size64: Int) {
    var missing = 0
    entries.withLock { cache in
      for index in placed.indices {
        placed[index].bitmap = cache.value(for: Self.key(placed[index], face, size64))
        if placed[index].bitmap == nil { missing += 1 }
      }
    }
    guard missing > 0 else { return }
    for index in placed.indices where placed[index].bitmap == nil {
      let bitmap = face.bitmap(of: placed[index].glyph, size64: size64, quarter: placed[index].quarter)
      placed[index].bitmap = bitmap
      let key = Self.key(placed[index], face, size64)
      entries.withLock { $0.insert(bitmap, for: key, cost: bitmap.coverage.count + 128) }
    }
  }

  private static func key(_ placed: PlacedGlyph, _ face: FontFace, _ size64: Int) -> Key {
    Key(face: face.id, size64: UInt32(size64), glyphAndQuarter: placed.glyph << 2 | UInt32(placed.quarter))
  }
}

/// A glyph on the pixel grid.
struct PlacedGlyph {
  var glyph: UInt32
  /// Of its origin.
  var x: Int
  var y: Int
  /// Quarters of a pixel that the origin lies right of `x`: 0…3.
  var quarter: Int
  var bitmap: GlyphBitmap?
}

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
