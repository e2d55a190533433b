package import Geometry

/// The coverage of each pixel around a glyph's origin.
///
/// Unchecked but safe to share: nothing writes after `init`.
package final class GlyphBitmap: @unchecked Sendable {
  /// The pixels from the glyph's origin on, y downwards.
  package let box: IntRect
  /// One byte for each pixel, rows from top to bottom; 0 in what is left of a row.
  let base: UnsafePointer<UInt8>
  /// The bytes from one row to the next are this: a multiple of eight, so that eight pixels are added at a time.
  let bytesPerRow: Int
  private let memory: UnsafeMutablePointer<UInt8>

  /// Glyphs with a longer side are drawn as outlines; they have no bitmap.
  static let longestSide = 512
  /// The bitmap of a glyph without ink, such as a space.
  static let empty = GlyphBitmap(box: .zero) { _ in }

  /// - Parameter fill: writes coverage to memory that is 0.
  init(box: IntRect, _ fill: (UnsafeMutablePointer<UInt8>) -> Void) {
    self.box = box
    bytesPerRow = Self.bytesPerRow(box.width)
    memory = .allocate(capacity: max(bytesPerRow * box.height, 1))
    memory.initialize(repeating: 0, count: max(bytesPerRow * box.height, 1))
    fill(memory)
    base = UnsafePointer(memory)
  }

  deinit { memory.deallocate() }

  static func bytesPerRow(_ width: Int) -> Int { (width + 7) & ~7 }

  var byteCount: Int { bytesPerRow * box.height }

  /// The bitmap turned clockwise around the glyph's origin.
  func turned(by turns: Int) -> GlyphBitmap {
    if turns == 0 || box.isEmpty { return self }
    let (width, height) = (box.width, box.height)
    let turned =
      switch turns {
      case 1: IntRect(minX: -box.maxY, minY: box.minX, maxX: -box.minY, maxY: box.maxX)
      case 2: IntRect(minX: -box.maxX, minY: -box.maxY, maxX: -box.minX, maxY: -box.minY)
      default: IntRect(minX: box.minY, minY: -box.maxX, maxX: box.maxY, maxY: -box.minX)
      }
    let stride = Self.bytesPerRow(turned.width)
    return GlyphBitmap(box: turned) { memory in
      for y in 0..<height {
        for x in 0..<width {
          let (column, row) =
            switch turns {
            case 1: (height - 1 - y, x)
            case 2: (width - 1 - x, height - 1 - y)
            default: (y, width - 1 - x)
            }
          memory[row * stride + column] = base[y * bytesPerRow + x]
        }
      }
    }
  }
}
