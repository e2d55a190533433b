import CKernels
package import Geometry
import Raster
package import RenderTree

/// How much a shadow that a shape throws covers of each pixel, whatever its colour: the same for all layers of one shape, and wherever
/// whole pixels move them.
struct ShadowMask: Hashable {
  private let rect: Rect
  private let radius: Double
  private let corners: Corners
  /// Takes the place of the rectangle.
  private let path: Path?
  private let offset: Size
  /// Twice the standard deviation of the blur.
  private let blurRadius: Double
  /// From the layer's coordinates to the mask's pixels.
  private let transform: Affine
  /// True for the shadow that the edges throw into the shape.
  private let isInner: Bool

  init(_ shadow: Shadow, of record: RenderRecord, _ corners: Corners, _ transform: Affine, isInner: Bool) {
    path = shadow.path
    rect = path == nil ? record.bounds : .zero
    radius = path == nil ? Double(record.cornerRadius) : 0
    self.corners = path == nil ? corners : .all
    (offset, blurRadius, self.isInner) = (shadow.offset, shadow.radius, isInner)
    self.transform = transform.withoutWholePixels.rest
  }

  /// The whole pixels from the mask to the output, on which the layer has this transform.
  func place(_ transform: Affine) -> (dx: Int32, dy: Int32) {
    let (_, dx, dy) = transform.withoutWholePixels
    return (dx, dy)
  }

  private var blur: PictureBlur { PictureBlur(deviation: blurRadius / 2, offset: offset, transform) }

  /// All pixels that the shadow may cover.
  var extent: IntRect {
    let shape = transform.touchedPixels(of: path?.boundingBox ?? rect)
    return isInner ? shape : blur.reached(from: shape).intersection(TreeLayers.everywhere)
  }

  /// The coverage of these pixels.
  func coverage(of pixels: IntRect, _ kernels: UnsafePointer<ckernels_table>) -> ChannelPicture {
    if pixels.isEmpty { return ChannelPicture(.zero) }
    let source = ChannelPicture(blur.source(of: pixels))
    fill(source, kernels)
    if isInner { source.invert() }
    let result = source.blurred(by: blur, to: pixels, kernels)
    if isInner {
      let shape = ChannelPicture(pixels)
      fill(shape, kernels)
      for y in pixels.minY..<pixels.maxY { ckernels_multiply_coverage(result.row(y), shape.row(y), Int64(pixels.width)) }
    }
    return result
  }

  /// Writes how much of each pixel the shape covers.
  private func fill(_ picture: ChannelPicture, _ kernels: UnsafePointer<ckernels_table>) {
    if let path { return picture.fill(path, transform) }
    let shape = LayerShape(rect, radius: radius, corners: corners, transform: transform)
    let pixels = shape.pixels.intersection(picture.pixels)
    if pixels.isEmpty { return }
    for y in pixels.minY..<pixels.maxY {
      shape.coverage(
        y, pixels.minX..<pixels.maxX, kernels, picture.row(y) + Int(pixels.minX - picture.pixels.minX))
    }
  }
}

extension ChannelPicture {
  fileprivate func invert() {
    for y in pixels.minY..<max(pixels.maxY, pixels.minY) {
      let row = row(y)
      for x in 0..<pixels.width { row[x] = 255 - row[x] }
    }
  }
}

extension TreeLayers {
  /// True if an isolated layer needs a picture: it is not painted straight into the target, with its shadow below it or cut by its mask.
  package func needsPicture(_ index: Int, end: Int, _ transform: Affine, depth: Int) -> Bool {
    records[index].isIsolated && depth < Self.maximumPictureDepth
      && !throwsShadowOfShape(index, end: end, transform, depth: depth)
      && ShapeMask(self, of: index, end: end, transform) == nil
  }

  /// True if the shadow of a layer is that of its shape, so that no picture of the layer is needed for it, nor for any other effect: the
  /// shadow has a path, or the layer has an opaque background and nothing in it reaches out of the bounds with their round corners.
  /// Layers that look behind them see only what is in the picture, which is made for them.
  func throwsShadowOfShape(_ index: Int, end: Int, _ transform: Affine, depth: Int) -> Bool {
    let record = records[index]
    guard let parts = effects(at: index)?.parts, let shadow = parts.shadow, !parts.isolateBesideShadow,
      !record.flags.contains(.masked), !looksBehind(index + 1..<end)
    else { return false }
    if shadow.path != nil { return true }
    guard record.backgroundColor >> 24 == 255 else { return false }
    if record.flags.contains(.masksToBounds) { return true }
    let shape = LayerShape(record.bounds, radius: Double(record.cornerRadius), corners: parts.corners, transform: transform)
    let covered = shape.coveredRect(record.bounds, transform)
    if let content = content(at: index) {
      let pixels = transform.touchedPixels(of: record, content.drawnBounds(in: record.bounds, effects(at: index)))
      if !covered.contains(pixels) { return false }
    }
    if let path = parts.innerShadow?.path, !covered.contains(transform.touchedPixels(of: path.boundingBox)) { return false }
    let inner = Placement(transform: transform, clip: Self.everywhere)
    return covered.contains(paintedPixels(from: index + 1, to: end, in: inner, depth: depth + 1))
  }
}
