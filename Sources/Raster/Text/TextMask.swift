import Geometry

/// The coverage of one line of text, added up from its glyphs. It keeps its memory from line to line.
struct TextMask {
  /// The glyphs of the line.
  var placed: ContiguousArray<PlacedGlyph> = []
  /// The pixels that `coverage` describes.
  private(set) var area = IntRect.zero
  /// The bytes from one row to the next, a multiple of 4 as Cairo requires.
  private(set) var stride = 0
  /// One byte for each pixel.
  var coverage: [UInt8] = []

  /// Adds up the coverage of the placed glyphs inside `clip`.
  mutating func accumulate(within clip: IntRect) {
    var ink = IntRect.zero
    for glyph in placed { ink = ink.union(glyph.box) }
    area = ink.intersection(clip)
    guard !area.isEmpty else { return }
    stride = (area.width + 3) & ~3
    let count = stride * area.height
    if coverage.count < count {
      coverage = [UInt8](repeating: 0, count: count)
    } else {
      coverage.withUnsafeMutableBufferPointer { $0.prefix(count).update(repeating: 0) }
    }
    for glyph in placed {
      guard let bitmap = glyph.bitmap else { continue }
      add(bitmap, box: glyph.box)
    }
  }

  private mutating func add(_ bitmap: GlyphBitmap, box: IntRect) {
    let visible = box.intersection(area)
    guard !visible.isEmpty else { return }
    let area = area
    let stride = stride
    coverage.withUnsafeMutableBufferPointer { target in
      bitmap.coverage.withUnsafeBufferPointer { source in
        for y in Int(visible.minY)..<Int(visible.maxY) {
          let from = (y - Int(box.minY)) * bitmap.bytesPerRow + Int(visible.minX - box.minX)
          let to = (y - Int(area.minY)) * stride + Int(visible.minX - area.minX)
          for x in 0..<visible.width {
            // Neighbouring glyphs share the pixels of their border: their coverage adds up.
            let sum = UInt16(target[to + x]) + UInt16(source[from + x])
            target[to + x] = UInt8(truncatingIfNeeded: min(sum, 255))
          }
        }
      }
    }
  }
}
