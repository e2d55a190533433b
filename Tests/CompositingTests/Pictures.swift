import Compositing
import Geometry
import Raster
import RenderTree

extension Bitmap {
  /// A bitmap of these pixels.
  convenience init(width: Int, height: Int, pixel: (_ x: Int, _ y: Int) -> UInt32) throws {
    try self.init(width: width, height: height)
    for y in 0..<height {
      for x in 0..<width { self[x, y] = pixel(x, y) }
    }
  }

  subscript(_ x: Int, _ y: Int) -> UInt32 {
    get { row(y).assumingMemoryBound(to: UInt32.self)[x] }
    set { row(y).assumingMemoryBound(to: UInt32.self)[x] = newValue }
  }
}

extension TreeSnapshot {
  /// The picture of the tree on an output of this size.
  func picture(width: Int, height: Int, blending: Blending = .sRGB) throws -> Bitmap {
    let bitmap = try Bitmap(width: width, height: height)
    Compositor(blending: blending).render(
      self, damage: DamageRegion(IntRect(x: 0, y: 0, width: width, height: height)), into: bitmap)
    return bitmap
  }
}

extension UInt32 {
  /// True if no channel of two pixels differs by more than so many steps.
  func isNear(_ other: UInt32, tolerance: UInt32) -> Bool {
    if self == other { return true }
    return stride(from: UInt32(0), to: 32, by: 8).allSatisfy { shift in
      let (one, two) = (self >> shift & 255, other >> shift & 255)
      return (one > two ? one - two : two - one) <= tolerance
    }
  }
}
