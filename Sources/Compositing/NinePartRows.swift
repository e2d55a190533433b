import CKernels
import Geometry
import Raster
import RenderTree

/// An image that is stretched in nine parts: the pixel under each of the output's is looked for by itself, so that the parts meet
/// without a seam.
struct NinePartRows: ContentRows {
  private let image: Image
  private let fromOutput: Affine
  private let columns: ThreeParts
  private let rows: ThreeParts
  private let isNearest: Bool
  let shape: LayerShape
  var isOpaque: Bool { image.isOpaque }

  /// Nil when no pixel is seen.
  init?(_ image: Image, _ layer: PaintedLayer, _ cut: ContentCut) {
    let place = layer.node.effects.contentRect(in: layer.record.bounds)
    guard let shape = ImageRows.shape(of: place, layer), let inverse = layer.node.transform.inverted else { return nil }
    (self.image, self.shape, fromOutput) = (image, shape, inverse)
    columns = ThreeParts(
      from: place.minX, to: place.maxX, pixels: Double(image.width), part: (cut.rect.minX, cut.rect.width),
      center: (cut.center.minX, cut.center.width), scale: cut.scale)
    rows = ThreeParts(
      from: place.minY, to: place.maxY, pixels: Double(image.height), part: (cut.rect.minY, cut.rect.height),
      center: (cut.center.minY, cut.center.height), scale: cut.scale)
    isNearest = cut.magnification == .nearest
  }

  func row(
    _ y: Int32, from x: Int32, count: Int32, in room: UnsafeMutablePointer<UInt32>, with painter: BandPainter
  ) -> UnsafePointer<UInt32> {
    for column in 0..<count {
      let point = fromOutput.apply(Point(Double(x + column) + 0.5, Double(y) + 0.5))
      var sampler = ckernels_sampler(
        base: image.base.assumingMemoryBound(to: UInt8.self), bytes_per_row: Int64(image.bytesPerRow),
        width: Int32(image.width), height: Int32(image.height), u: ImageRows.fixed(columns.pixel(at: point.x) - 0.5), ux: 0,
        uy: 0, v: ImageRows.fixed(rows.pixel(at: point.y) - 0.5), vx: 0, vy: 0)
      let sample = room + Int(column)
      if isNearest {
        ckernels_sample_nearest(sample, 1, 0, 0, &sampler)
      } else {
        painter.kernels.pointee.sample(sample, 1, 0, 0, &sampler)
      }
    }
    return UnsafePointer(room)
  }
}
