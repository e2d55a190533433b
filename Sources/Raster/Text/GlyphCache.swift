import LinuxSystem

/// The coverage of recently drawn glyphs, shared by all threads and bounded in bytes.
final class GlyphCache: Sendable {
  struct Key: Hashable {
    var face: UInt32
    /// The size in pixels × 64.
    var size64: UInt32
    /// The glyph's number × 4 + the quarters of a pixel to the right.
    var glyphAndQuarter: UInt32
  }

  static let shared = GlyphCache(limit: 4 << 20)

  private let entries: Lock<GenerationCache<Key, GlyphBitmap>>

  init(limit: Int) {
    entries = Lock(GenerationCache(limit: limit))
  }

  /// The bytes in use.
  var cost: Int { entries.withLock { $0.cost } }

  /// Sets the bitmaps of `placed`. It locks once for a line of text; no lock is held while a missing bitmap is made.
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
  /// The pixel of the glyph's origin.
  var x: Int
  var y: Int
  /// The distance of the origin to the right of `x` in quarters of a pixel: 0…3.
  var quarter: Int
  var bitmap: GlyphBitmap?
}

/// The coverage of each pixel around a glyph's origin.
final class GlyphBitmap: Sendable {
  /// The distances in pixels from the glyph's origin to the first column and, y downwards, to the first row.
  let left: Int
  let top: Int
  let width: Int
  let height: Int
  /// One byte for each pixel, rows from top to bottom without gaps.
  let coverage: [UInt8]

  /// Glyphs with a longer side are drawn as outlines.
  static let longestSide = 512
  /// The bitmap of a glyph without ink, such as a space.
  static let empty = GlyphBitmap(left: 0, top: 0, width: 0, height: 0, coverage: [])
  /// A marker for a glyph that is too large to keep.
  static let oversized = GlyphBitmap(left: 0, top: 0, width: 0, height: 0, coverage: [])

  init(left: Int, top: Int, width: Int, height: Int, coverage: [UInt8]) {
    self.left = left
    self.top = top
    self.width = width
    self.height = height
    self.coverage = coverage
  }
}
