import CKernels
import Geometry
import RenderTree

/// The way from the picture that a rasterized layer becomes to the output.
struct RasterMap {
  /// Maps the layer's coordinates to the picture's pixels: the corner of the bounds lies between pixels.
  let toRaster: Affine
  /// Maps the output's pixels to the picture's.
  private let fromOutput: Affine

  /// Nil for a layer that is so flat or so large on the output that a picture of it would have no measure: it is painted without.
  init?(_ bounds: Rect, scale: Double, transform: Affine) {
    var (x, y) = (scale, scale)
    // More pixels than the output shows are not made: the picture is halved until they are near its own.
    while x > 0x1p-20, Self.isTooClose(transform.a / x, transform.b / x) { x /= 2 }
    while y > 0x1p-20, Self.isTooClose(transform.c / y, transform.d / y) { y /= 2 }
    // The picture is mirrored as the output shows it, so that layers in it show the same side.
    if transform.determinant < 0 { x = -x }
    toRaster = Affine.translation(x: -bounds.minX, y: -bounds.minY).concatenating(.scale(x: x, y: y))
    guard let back = toRaster.inverted, let map = back.concatenating(transform).inverted else { return nil }
    guard max(abs(map.a), abs(map.b), abs(map.c), abs(map.d)) <= 4, abs(map.tx) < 0x1p28, abs(map.ty) < 0x1p28 else {
      return nil
    }
    fromOutput = map
  }

  /// True if twice the step from one of the picture's pixels to the next is nearer to one pixel of the output than the step is.
  private static func isTooClose(_ x: Double, _ y: Double) -> Bool { x * x + y * y < 0.5 }

  /// The whole pixels from the picture to the output, where that is all that there is between them.
  var offset: (dx: Int32, dy: Int32)? {
    guard fromOutput.isTranslation, fromOutput.tx == fromOutput.tx.rounded(), fromOutput.ty == fromOutput.ty.rounded()
    else { return nil }
    return (-Int32(fromOutput.tx), -Int32(fromOutput.ty))
  }

  /// The picture's pixels that those of the output need, one beyond `extent` at most: outside of it all are clear.
  func source(of pixels: IntRect, extent: IntRect) -> IntRect {
    guard !extent.isEmpty else { return .zero }
    let needed = IntRect(covering: fromOutput.boundingBox(of: Rect(pixels)).insetBy(dx: -2, dy: -2))
    return needed.intersection(extent.framed)
  }

  /// The pixels of the output from a picture that has their `source(of:)`.
  func sampler(of source: PixelTarget) -> ckernels_sampler {
    func fixed(_ value: Double) -> Int64 { Int64((value * 0x1p32).rounded()) }
    let from = source.pixels
    let start = fromOutput.apply(Point(0.5, 0.5))
    // The place of the picture's part is taken off in whole pixels, so that it changes no result.
    return ckernels_sampler(
      base: UnsafeRawPointer(source.base).assumingMemoryBound(to: UInt8.self), bytes_per_row: Int64(source.bytesPerRow),
      width: Int32(from.width), height: Int32(from.height),
      u: fixed(start.x - 0.5) &- Int64(from.minX) << 32, ux: fixed(fromOutput.a), uy: fixed(fromOutput.c),
      v: fixed(start.y - 0.5) &- Int64(from.minY) << 32, vx: fixed(fromOutput.b), vy: fixed(fromOutput.d))
  }
}
