import Geometry

/// Where pixels go: rows of the output, or of a group's picture, reached by absolute coordinates.
struct PixelTarget {
  /// The pixel at the top left of `pixels`.
  var base: UnsafeMutableRawPointer
  var bytesPerRow: Int
  /// What may be written.
  var pixels: IntRect

  @inline(__always)
  func pointer(x: Int32, y: Int32) -> UnsafeMutablePointer<UInt32> {
    (base + Int(y - pixels.minY) * bytesPerRow + Int(x - pixels.minX) * 4).assumingMemoryBound(to: UInt32.self)
  }
}
