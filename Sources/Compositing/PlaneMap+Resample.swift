import CKernels
import Geometry
import RenderTree

extension PlaneMap {
  /// The pixels of the output from a picture that has their `source(of:)`: each a function of its own coordinates.
  func sampler(of source: PixelTarget) -> ckernels_plane {
    let (map, from) = (fromOutput, source.pixels)
    return ckernels_plane(
      base: UnsafeRawPointer(source.base).assumingMemoryBound(to: UInt8.self), bytes_per_row: Int64(source.bytesPerRow),
      min_x: from.minX, min_y: from.minY, max_x: from.maxX, max_y: from.maxY, left: Double(extent.minX),
      top: Double(extent.minY), right: Double(extent.maxX), bottom: Double(extent.maxY), a: map.a, b: map.b, px: map.px,
      c: map.c, d: map.d, py: map.py, tx: map.tx, ty: map.ty, pw: map.pw, nearest: Homography.nearest,
      farthest: 1 / Homography.nearest)
  }
}
