import Geometry

/// The coverage of one line of text, added up from its glyphs. It keeps its memory from line to line.
struct TextMask {
  /// The glyphs of the line.
  var placed: [PlacedGlyph] = []
  /// The pixels that `coverage` describes.
  private(set) var area = IntRect.zero
  /// The bytes from one row to the next, a multiple of 4 as Cairo requires.
  private(set) var stride = 0
  /// One byte for each pixel.
  var coverage: [UInt8] = []

  /// Places the glyphs of a line on the pixel grid.
  mutating func place(_ line: TextLine, origin: Point, pixelsPerPoint: Double) {
    placed.removeAll(keepingCapacity: true)
    for glyph in line.glyphs {
      let quarters = Int((DrawingContext.clamp(origin.x + glyph.x * pixelsPerPoint) * 4 + 0.5).rounded(.down))
      let y = Int((DrawingContext.clamp(origin.y + glyph.y * pixelsPerPoint) + 0.5).rounded(.down))
      placed.append(PlacedGlyph(glyph: glyph.id, x: quarters >> 2, y: y, quarter: quarters & 3))
    }
  }

  /// Adds up the coverage of the placed glyphs inside `clip`.
  ///
  /// - Returns: false if a glyph is too large for the cache; the line must be drawn from outlines then.
  mutating func accumulate(within clip: IntRect) -> Bool {
    var ink = IntRect.zero
    for glyph in placed {
      guard let bitmap = glyph.bitmap, bitmap !== GlyphBitmap.oversized else { return false }
      ink = ink.union(Self.box(of: bitmap, at: glyph))
    }
    area = ink.intersection(clip)
    guard !area.isEmpty else { return true }
    stride = (area.width + 3) & ~3
    let count = stride * area.height
    if coverage.count < count {
      coverage = [UInt8](repeating: 0, count: count)
    } else {
      coverage.withUnsafeMutableBufferPointer { $0.prefix(count).update(repeating: 0) }
    }
    for glyph in placed {
      guard let bitmap = glyph.bitmap else { continue }
      add(bitmap, box: Self.box(of: bitmap, at: glyph))
    }
    return true
  }

  private static func box(of bitmap: GlyphBitmap, at glyph: PlacedGlyph) -> IntRect {
    IntRect(x: glyph.x + bitmap.left, y: glyph.y + bitmap.top, width: bitmap.width, height: bitmap.height)
  }

  private mutating func add(_ bitmap: GlyphBitmap, box: IntRect) {
    let visible = box.intersection(area)
    guard !visible.isEmpty else { return }
    let area = area
    let stride = stride
    coverage.withUnsafeMutableBufferPointer { target in
      bitmap.coverage.withUnsafeBufferPointer { source in
        for y in Int(visible.minY)..<Int(visible.maxY) {
          let from = (y - Int(box.minY)) * bitmap.width + Int(visible.minX - box.minX)
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
