import CKernels
import Geometry
import RenderTree

extension BandPainter {
  /// The layer with its descendants and its border, blurred and with its colours mapped.
  func filtered(
    _ index: Int, _ end: Int, _ transform: Affine, _ pixels: IntRect, _ parts: RenderEffects.Parts?
  ) -> Picture {
    guard let blur = parts?.blur(transform) else {
      let picture = body(of: index, end, transform, pixels, parts)
      parts?.colorMatrix?.apply(to: picture)
      return picture
    }
    var inside = self
    inside.frame = frame.map { $0.union(blur.source(of: $0)) }
    let needed = layers.bodyPixels(of: index, end: end, transform, depth: pictureDepth)
      .intersection(blur.source(of: pixels))
    let picture = inside.body(of: index, end, transform, needed, parts).blurred(by: blur, to: pixels, kernels)
    parts?.colorMatrix?.apply(to: picture)
    return picture
  }
}

extension Picture {
  /// The blur of this picture on `result`.
  ///
  /// - Parameter isExtended: true if its edge pixels go on outside of it; otherwise it is clear there.
  func blurred(
    by blur: PictureBlur, to result: IntRect, isExtended: Bool = false, _ kernels: UnsafePointer<ckernels_table>
  ) -> Picture {
    let picture = Picture(result)
    if result.isEmpty || pixels.isEmpty { return picture }
    for channel in 0..<4 {
      let values = ChannelPicture(blur.source(of: result))
      if isExtended { values.copy(extended: self, channel: channel) } else { values.copy(self, channel: channel) }
      let blurred = values.blurred(by: blur, to: result, kernels)
      for y in result.minY..<result.maxY {
        let (row, values) = (picture.target.pointer(x: result.minX, y: y), blurred.row(y))
        for x in 0..<result.width { row[x] |= UInt32(values[x]) << (8 * UInt32(channel)) }
      }
    }
    return picture
  }
}

extension ColorMatrix {
  /// Maps the colours of all pixels that are not clear.
  func apply(to picture: Picture) {
    let pixels = picture.pixels
    if pixels.isEmpty { return }
    var map = ckernels_color_map(
      red: red.floats, green: green.floats, blue: blue.floats, alpha: alpha.floats, constant: constant.floats)
    for y in pixels.minY..<pixels.maxY {
      ckernels_map_colors(picture.target.pointer(x: pixels.minX, y: y), Int64(pixels.width), &map)
    }
  }
}

extension SIMD4<Double> {
  /// As C has them.
  fileprivate var floats: (Float, Float, Float, Float) { (Float(x), Float(y), Float(z), Float(w)) }
}
