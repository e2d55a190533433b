package import Geometry
import LinuxSystem

/// The coverage of recently drawn glyphs, shared by all threads and bounded in bytes.
///
/// A glyph costs its bytes of coverage and 128 more. Glyphs age in two generations, see `GenerationCache`: when those used
/// lately cost half the limit, all that were not used since the last time are dropped.
package final class GlyphCache: Sendable {
  /// Face, size, glyph and the place between pixels: no two bitmaps have all of them in common.
  struct Key: Hashable {
    private let bits: UInt64

    init(face: FontFace, size: GlyphSize, glyph: UInt16, quarter: UInt8) {
      // A size needs 14 bits. No process opens 2³⁰ faces, so that two bits of the face's number are free.
      bits =
        UInt64(face.id) << 32 ^ UInt64(size.turns) << 62 | UInt64(size.size64) << 18 | UInt64(glyph) << 2
        | UInt64(quarter)
    }
  }

  package static let shared = GlyphCache(limit: 4 << 20)

  package let limit: Int
  private let entries: Lock<GenerationCache<Key, GlyphBitmap>>

  package init(limit: Int) {
    self.limit = limit
    entries = Lock(GenerationCache(limit: limit))
  }

  /// The bytes in use.
  package var cost: Int { entries.withLock { $0.cost } }

  /// Sets the bitmaps of `placed`. It locks once for a line of text; no lock is held while a missing bitmap is made.
  package func resolve(_ placed: inout ContiguousArray<PlacedGlyph>, face: FontFace, size: GlyphSize) {
    var isComplete = true
    placed.withUnsafeMutableBufferPointer { placed in
      entries.withLock { cache in
        for index in placed.indices {
          let key = Key(face: face, size: size, glyph: placed[index].glyph, quarter: placed[index].quarter)
          if let bitmap = cache.value(for: key) { placed[index].take(bitmap) } else { isComplete = false }
        }
      }
    }
    if isComplete { return }
    for index in placed.indices where placed[index].bitmap == nil {
      let (glyph, quarter) = (placed[index].glyph, placed[index].quarter)
      let bitmap = face.bitmap(of: glyph, size, quarter: quarter)
      placed[index].take(bitmap)
      entries.withLock {
        $0.insert(
          bitmap, for: Key(face: face, size: size, glyph: glyph, quarter: quarter), cost: bitmap.byteCount + 128)
      }
    }
  }
}

/// The size of a font on the output, and the direction of its lines.
package struct GlyphSize: Hashable, BitwiseCopyable, Sendable {
  /// In 1/64 pixel, 1…8192: glyphs of larger fonts are drawn from their outlines.
  package let size64: Int
  /// The quarter turns, clockwise, by which lines are turned from the left to the right: 0…3.
  package let turns: Int

  static let largest64 = 128 * 64
}

/// A glyph on the pixel grid.
package struct PlacedGlyph {
  package let glyph: UInt16
  /// The distance of the origin from (`x`, `y`) along the line, in quarters of a pixel: 0…3.
  package let quarter: UInt8
  /// The pixel of the glyph's origin.
  package let x: Int32
  package let y: Int32
  package private(set) var bitmap: GlyphBitmap?
  /// The pixels and the memory of the bitmap: who goes through many glyphs then counts no references.
  package private(set) var box = IntRect.zero
  private(set) var coverage: UnsafePointer<UInt8>?

  init(glyph: UInt16, quarter: UInt8, x: Int32, y: Int32) {
    (self.glyph, self.quarter, self.x, self.y) = (glyph, quarter, x, y)
  }

  @inline(__always)
  mutating func take(_ bitmap: GlyphBitmap) {
    box = bitmap.box.offsetBy(dx: x, dy: y)
    coverage = bitmap.base
    self.bitmap = bitmap
  }
}
