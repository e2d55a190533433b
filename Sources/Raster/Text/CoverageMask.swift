package import Geometry

/// Memory for the coverage of some pixels of the output, in which that of glyphs is added up: one byte for each pixel, rows from top
/// to bottom. Each row has eight bytes before it and behind it, into which the rest of eight pixels is added.
///
/// Unchecked but safe to send: the memory belongs to the thread that paints, and only calls that it waits for write to it.
package struct CoverageMask: @unchecked Sendable {
  package let pixels: IntRect
  private let base: UnsafeMutablePointer<UInt8>
  /// A multiple of 4, as Cairo requires.
  let bytesPerRow: Int

  private static let margin = 8

  /// - Parameter memory: `byteCount(of: pixels)` bytes, which are set to 0.
  package init(_ memory: UnsafeMutablePointer<UInt8>, pixels: IntRect) {
    memory.update(repeating: 0, count: Self.byteCount(of: pixels))
    bytesPerRow = Self.bytesPerRow(pixels.width)
    (base, self.pixels) = (memory + Self.margin, pixels)
  }

  private static func bytesPerRow(_ width: Int) -> Int { (width + 3) & ~3 + 2 * margin }

  package static func byteCount(of pixels: IntRect) -> Int { bytesPerRow(pixels.width) * pixels.height }

  package func row(_ y: Int32) -> UnsafeMutablePointer<UInt8> { base + Int(y - pixels.minY) * bytesPerRow }

  /// Adds the parts of bitmaps that lie in the mask.
  package func add(_ glyphs: ContiguousArray<PlacedGlyph>) {
    glyphs.withUnsafeBufferPointer { glyphs in
      for index in glyphs.indices {
        if let coverage = glyphs[index].coverage { add(coverage, glyphs[index].box) }
      }
    }
  }

  private func add(_ coverage: UnsafePointer<UInt8>, _ box: IntRect) {
    let seen = box.intersection(pixels)
    if seen.isEmpty { return }
    let (start, end) = (Int(seen.minX - box.minX) & ~7, Int(seen.maxX - box.minX))
    let step = GlyphBitmap.bytesPerRow(box.width)
    var source = UnsafeRawPointer(coverage) + Int(seen.minY - box.minY) * step
    var target = UnsafeMutableRawPointer(row(seen.minY)) + Int(box.minX - pixels.minX)
    for _ in 0..<seen.height {
      var x = start
      while x < end {
        Self.add(source + x, to: target + x)
        x &+= 8
      }
      source += step
      target += bytesPerRow
    }
  }

  /// Adds eight bytes to eight others, each up to 255: one instruction of most processors, which the compiler finds in this.
  @inline(__always)
  private static func add(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
    let a = source.loadUnaligned(as: SIMD8<UInt8>.self)
    let sum = a &+ target.loadUnaligned(as: SIMD8<UInt8>.self)
    target.storeBytes(of: sum.replacing(with: 255, where: sum .< a), as: SIMD8<UInt8>.self)
  }

  /// Adds coverage to a part of a row that is counted from the last one upwards.
  func add(_ coverage: UInt8, upwards row: Int, from x: Int, count: Int) {
    guard row >= 0, row < pixels.height, x >= 0, x < pixels.width else { return }
    let start = base + (pixels.height - 1 - row) * bytesPerRow + x
    for column in 0..<min(count, pixels.width - x) {
      let (sum, overflows) = start[column].addingReportingOverflow(coverage)
      start[column] = overflows ? 255 : sum
    }
  }
}

extension ContiguousArray<PlacedGlyph> {
  /// The pixels of all bitmaps.
  package var inkBox: IntRect {
    withUnsafeBufferPointer { glyphs in
      var box = IntRect.zero
      for index in glyphs.indices { box = box.union(glyphs[index].box) }
      return box
    }
  }
}
