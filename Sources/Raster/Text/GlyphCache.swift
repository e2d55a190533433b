package import Geometry
import LinuxSystem

/// The coverage of recently drawn glyphs, shared by all threads and bounded in bytes.
///
/// A glyph costs its bytes of coverage and 208 more, which its place in the cache takes. Glyphs age in two generations, as in a `GenerationCache`: when those used
/// lately cost half the limit, all that were not used since the last time are dropped.
package final class GlyphCache: Sendable {
  /// Face, size, glyph and the place between pixels: no two bitmaps have all of them in common.
  struct Key: Hashable {
    let bits: UInt64

    init(face: FontFace, size: GlyphSize, glyph: UInt16, quarter: UInt8) {
      // A size needs 14 bits. No process opens 2³⁰ faces, so that two bits of the face's number are free.
      bits =
        UInt64(face.id) << 32 ^ UInt64(size.turns) << 62 | UInt64(size.size64) << 18 | UInt64(glyph) << 2
        | UInt64(quarter)
    }
  }

  struct Generations {
    /// A glyph takes this beside its coverage: 64 bytes for the object; 12 for the head and the rounding of the coverage's memory, which
    /// are 8 or 16; 12 for its place in an array that doubles, 8 to 16; and three slots, of which the table has 2 to 4 for each.
    static let overhead = 64 + 12 + 12 + 3 * MemoryLayout<GlyphTable.Slot>.stride

    let limit: Int
    var young = GlyphTable()
    var old = GlyphTable()

    /// The bitmap of a glyph, which counts as used.
    mutating func bitmap(for key: Key) -> GlyphBitmap? {
      if let bitmap = young.bitmap(for: key) { return bitmap }
      guard let bitmap = old.bitmap(for: key) else { return nil }
      add(bitmap, for: key)
      return bitmap
    }

    /// Adds a bitmap, unless there is a young one with this key.
    mutating func add(_ bitmap: GlyphBitmap, for key: Key) {
      // A new generation for a glyph that is there would drop others for nothing.
      guard young.slot(for: key) == nil else { return }
      let cost = bitmap.byteCount + Self.overhead
      guard cost <= limit / 2 else { return }
      if young.cost + cost > limit / 2 { (old, young) = (young, GlyphTable()) }
      young.add(bitmap, for: key, cost: cost)
    }
  }

  package static let shared = GlyphCache(limit: 4 << 20)

  package let limit: Int
  private let generations: Lock<Generations>

  package init(limit: Int) {
    self.limit = limit
    generations = Lock(Generations(limit: limit))
  }

  /// The bytes in use.
  package var cost: Int { generations.withLock { $0.young.cost + $0.old.cost } }

  /// Sets the bitmaps of `placed`, which live as long as the result. It locks once for a line of text; no lock is held while a missing
  /// bitmap is made.
  package func resolve(_ placed: inout ContiguousArray<PlacedGlyph>, face: FontFace, size: GlyphSize) -> ResolvedGlyphs {
    var isComplete = true
    var resolved = placed.withUnsafeMutableBufferPointer { placed in
      generations.withLock { generations in
        var resolved = ResolvedGlyphs(table: generations.young)
        for index in placed.indices {
          let key = Key(face: face, size: size, glyph: placed[index].glyph, quarter: placed[index].quarter)
          if let slot = generations.young.slot(for: key) {
            placed[index].take(slot.coverage, slot.box)
          } else if let bitmap = generations.bitmap(for: key) {
            placed[index].take(bitmap.base, bitmap.box)
            resolved.others.append(bitmap)
          } else {
            isComplete = false
          }
        }
        return resolved
      }
    }
    if isComplete { return resolved }
    for index in placed.indices where placed[index].coverage == nil {
      let (glyph, quarter) = (placed[index].glyph, placed[index].quarter)
      let key = Key(face: face, size: size, glyph: glyph, quarter: quarter)
      // It may be there by now: the line has the same glyph before, or another thread made it.
      let bitmap =
        generations.withLock { $0.bitmap(for: key) } ?? added(face.bitmap(of: glyph, size, quarter: quarter), for: key)
      placed[index].take(bitmap.base, bitmap.box)
      resolved.others.append(bitmap)
    }
    return resolved
  }

  private func added(_ bitmap: GlyphBitmap, for key: Key) -> GlyphBitmap {
    generations.withLock { $0.add(bitmap, for: key) }
    return bitmap
  }
}

/// Keeps the bitmaps of placed glyphs, which other threads may drop from the cache: the table in which most were found, and those that
/// were in none or moved to a younger one. Who goes through many glyphs then counts no references.
package struct ResolvedGlyphs {
  fileprivate let table: GlyphTable
  fileprivate var others: [GlyphBitmap] = []
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
package struct PlacedGlyph: BitwiseCopyable {
  package let glyph: UInt16
  /// The distance of the origin from (`x`, `y`) along the line, in quarters of a pixel: 0…3.
  package let quarter: UInt8
  /// The pixel of the glyph's origin.
  package let x: Int32
  package let y: Int32
  /// The pixels and the memory of the bitmap, which `ResolvedGlyphs` keeps; nil before it was resolved.
  package private(set) var box = IntRect.zero
  package private(set) var coverage: UnsafePointer<UInt8>?

  init(glyph: UInt16, quarter: UInt8, x: Int32, y: Int32) {
    (self.glyph, self.quarter, self.x, self.y) = (glyph, quarter, x, y)
  }

  @inline(__always)
  mutating func take(_ coverage: UnsafePointer<UInt8>, _ box: IntRect) {
    self.box = box.offsetBy(dx: x, dy: y)
    self.coverage = coverage
  }
}
