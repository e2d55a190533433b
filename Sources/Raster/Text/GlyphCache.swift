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
          placed[index].bitmap = cache.value(for: key)
          if placed[index].bitmap == nil { isComplete = false }
        }
      }
    }
    if isComplete { return }
    for index in placed.indices where placed[index].bitmap == nil {
      let (glyph, quarter) = (placed[index].glyph, placed[index].quarter)
      let bitmap = face.bitmap(of: glyph, size, quarter: quarter)
      placed[index].bitmap = bitmap
      entries.withLock {
        $0.insert(
          bitmap, for: Key(face: face, size: size, glyph: glyph, quarter: quarter), cost: bitmap.coverage.count + 128)
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
  package var glyph: UInt16
  /// The distance of the origin from (`x`, `y`) along the line, in quarters of a pixel: 0…3.
  package var quarter: UInt8
  /// The pixel of the glyph's origin.
  package var x: Int32
  package var y: Int32
  package var bitmap: GlyphBitmap?

  /// The pixels of the bitmap.
  package var box: IntRect {
    guard let bitmap else { return .zero }
    return IntRect(
      x: Int(x) + bitmap.left, y: Int(y) + bitmap.top, width: bitmap.width, height: bitmap.height)
  }
}

/// The coverage of each pixel around a glyph's origin.
package final class GlyphBitmap: Sendable {
  /// The distances in pixels from the glyph's origin to the first column and, y downwards, to the first row.
  package let left: Int
  package let top: Int
  package let width: Int
  package let height: Int
  /// The bytes from one row to the next: eight, or a multiple of them, so that eight pixels are added at a time.
  package let bytesPerRow: Int
  /// One byte for each pixel, rows from top to bottom; 0 in what is left of a row.
  package let coverage: [UInt8]

  /// Glyphs with a longer side are drawn as outlines; they have no bitmap.
  static let longestSide = 512
  /// The bitmap of a glyph without ink, such as a space.
  static let empty = GlyphBitmap(left: 0, top: 0, width: 0, height: 0, coverage: [])

  init(left: Int, top: Int, width: Int, height: Int, coverage: [UInt8]) {
    self.left = left
    self.top = top
    self.width = width
    self.height = height
    bytesPerRow = Self.bytesPerRow(width)
    self.coverage = coverage
  }

  static func bytesPerRow(_ width: Int) -> Int { (width + 7) & ~7 }

  /// The bitmap turned clockwise around the glyph's origin.
  func turned(by turns: Int) -> GlyphBitmap {
    if turns == 0 || width == 0 { return self }
    let (newWidth, newHeight) = turns == 2 ? (width, height) : (height, width)
    let stride = Self.bytesPerRow(newWidth)
    var turned = [UInt8](repeating: 0, count: stride * newHeight)
    for y in 0..<height {
      for x in 0..<width {
        let (column, row) =
          switch turns {
          case 1: (height - 1 - y, x)
          case 2: (width - 1 - x, height - 1 - y)
          default: (y, width - 1 - x)
          }
        turned[row * stride + column] = coverage[y * bytesPerRow + x]
      }
    }
    let (newLeft, newTop) =
      switch turns {
      case 1: (-(top + height), left)
      case 2: (-(left + width), -(top + height))
      default: (top, -(left + width))
      }
    return GlyphBitmap(left: newLeft, top: newTop, width: newWidth, height: newHeight, coverage: turned)
  }
}
