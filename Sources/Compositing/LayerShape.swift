import CKernels
import Geometry
import RenderTree

/// A rounded rectangle of a layer on the output: which pixels it touches and how much of each it covers.
///
/// Depends on record and transform alone, so that diff and compositor, a whole frame and a part of one, see the same.
struct LayerShape {
  /// All pixels of which it may cover more than nothing; empty when the transform flattens it.
  var pixels: IntRect
  /// Whether it covers all of `pixels` wholly: upright, edges between pixels, corners square.
  var isWhole: Bool
  /// The arithmetic of one pixel; meaningless when `isWhole` or when there are no pixels.
  var kernel: ckernels_shape

  static let empty = LayerShape(pixels: .zero, isWhole: true, kernel: ckernels_shape())

  /// How far, in pixels, an edge may lie from where it is taken to lie: it changes no coverage by ½ of 255.
  static let tolerance = 1.0 / 512

  init(pixels: IntRect, isWhole: Bool, kernel: ckernels_shape) {
    self.pixels = pixels
    self.isWhole = isWhole
    self.kernel = kernel
  }

  /// - Parameters:
  ///   - rect: in the layer's coordinates.
  ///   - radius: of its corners, in the layer's units.
  ///   - transform: from the layer's coordinates to the output's pixels.
  init(_ rect: Rect, radius: Double, transform: Affine) {
    self = .empty
    guard !rect.isEmpty else { return }
    if radius <= 0, let whole = Self.wholePixels(rect, transform) {
      pixels = whole
      return
    }
    guard let inverse = transform.inverted else { return }
    // Distances across the edges, in the rectangle's units for one pixel.
    let unitU = (inverse.a * inverse.a + inverse.c * inverse.c).squareRoot()
    let unitV = (inverse.b * inverse.b + inverse.d * inverse.d).squareRoot()
    guard unitU > 0, unitV > 0, unitU.isFinite, unitV.isFinite else { return }
    let center = rect.center
    kernel.ua = inverse.a / unitU
    kernel.ub = inverse.c / unitU
    kernel.uc = (inverse.tx - center.x) / unitU
    kernel.va = inverse.b / unitV
    kernel.vb = inverse.d / unitV
    kernel.vc = (inverse.ty - center.y) / unitV
    kernel.half_u = rect.width / 2 / unitU
    kernel.half_v = rect.height / 2 / unitV
    kernel.radius = min(max(radius, 0), min(rect.width, rect.height) / 2)
    kernel.unit_u = unitU
    kernel.unit_v = unitV
    kernel.cosine = kernel.ua * kernel.va + kernel.ub * kernel.vb
    kernel.inverse_ua = abs(kernel.ua) < 1e-12 ? 0 : 1 / kernel.ua
    kernel.inverse_va = abs(kernel.va) < 1e-12 ? 0 : 1 / kernel.va
    guard kernel.uc.isFinite, kernel.vc.isFinite, kernel.half_u.isFinite, kernel.half_v.isFinite else { return }
    isWhole = false
    pixels = Self.pixels(rect, transform)
  }

  /// The pixels of which a rectangle may cover more than nothing, whatever its corners.
  static func pixels(_ rect: Rect, _ transform: Affine) -> IntRect {
    guard !rect.isEmpty else { return .zero }
    if transform.isScaleAndTranslation {
      guard transform.a != 0, transform.d != 0 else { return .zero }
      return pixelsWithCenters(in: transform.boundingBox(of: rect).insetBy(dx: -0.5, dy: -0.5))
    }
    guard let inverse = transform.inverted else { return .zero }
    let unitU = (inverse.a * inverse.a + inverse.c * inverse.c).squareRoot()
    let unitV = (inverse.b * inverse.b + inverse.d * inverse.d).squareRoot()
    return pixelsWithCenters(in: transform.boundingBox(of: rect.insetBy(dx: -0.5 * unitU, dy: -0.5 * unitV)))
  }

  /// What lies less than a thousandth of a pixel inside covers nothing that 255 steps show.
  @inline(__always)
  private static func pixelsWithCenters(in rect: Rect) -> IntRect {
    let slack = 1.0 / 1024
    let result = IntRect(
      minX: wholeNumber(notBelow: rect.minX - 0.5 + slack), minY: wholeNumber(notBelow: rect.minY - 0.5 + slack),
      maxX: wholeNumber(notAbove: rect.maxX - 0.5 - slack) + 1, maxY: wholeNumber(notAbove: rect.maxY - 0.5 - slack) + 1)
    return result.isEmpty ? .zero : result
  }

  /// The pixels of an upright rectangle whose edges lie between pixels, nil when it is not one.
  static func wholePixels(_ rect: Rect, _ transform: Affine) -> IntRect? {
    guard !rect.isEmpty else { return .zero }
    let isUpright =
      max(abs(transform.b) * rect.width, abs(transform.c) * rect.height) < tolerance
      || max(abs(transform.a) * rect.width, abs(transform.d) * rect.height) < tolerance
    guard isUpright else { return nil }
    let box = transform.boundingBox(of: rect)
    let pixels = IntRect(
      minX: wholeNumber(notAbove: box.minX + 0.5), minY: wholeNumber(notAbove: box.minY + 0.5),
      maxX: wholeNumber(notAbove: box.maxX + 0.5), maxY: wholeNumber(notAbove: box.maxY + 0.5))
    guard abs(box.minX - Double(pixels.minX)) < tolerance, abs(box.minY - Double(pixels.minY)) < tolerance,
      abs(box.maxX - Double(pixels.maxX)) < tolerance, abs(box.maxY - Double(pixels.maxY)) < tolerance
    else { return nil }
    return pixels
  }

  /// The largest whole number that is not above `value`, within ±2³⁰; 0 for what is no number. (Rounding by the
  /// standard library calls a function of libm on processors without SSE 4.1.)
  @inline(__always)
  private static func wholeNumber(notAbove value: Double) -> Int32 {
    guard value > -0x1p30 else { return value.isNaN ? 0 : -1 << 30 }
    guard value < 0x1p30 else { return 1 << 30 }
    let truncated = Int32(value)
    return Double(truncated) > value ? truncated - 1 : truncated
  }

  /// The smallest whole number that is not below `value`.
  @inline(__always)
  private static func wholeNumber(notBelow value: Double) -> Int32 { -wholeNumber(notAbove: -value) }

  /// What it covers of the pixels of row `y` within `from..<to`.
  @inline(__always)
  func spans(row y: Int32, from: Int32, to: Int32) -> ckernels_spans {
    if isWhole { return ckernels_spans(touched_start: from, covered_start: from, covered_end: to, touched_end: to) }
    return withUnsafePointer(to: kernel) { ckernels_row_spans(y, from, to, $0) }
  }

  /// Pixels that the shape covers wholly, as one rectangle: the largest of the three that its corners leave.
  func coveredRect(_ rect: Rect, _ transform: Affine) -> IntRect {
    if isWhole { return pixels }
    let isUpright = kernel.ub == 0 && kernel.va == 0
    guard isUpright else { return .zero }
    let radiusX = kernel.radius / kernel.unit_u
    let radiusY = kernel.radius / kernel.unit_v
    let box = transform.boundingBox(of: rect)
    var largest = IntRect.zero
    for part in 0..<(kernel.radius > 0 ? 3 : 1) {
      let dx = part == 0 ? 0 : part == 1 ? radiusX + 0.51 : 0.2929 * radiusX + 1
      let dy = part == 1 ? 0 : part == 0 ? (kernel.radius > 0 ? radiusY + 0.51 : 0) : 0.2929 * radiusY + 1
      let inner = box.insetBy(dx: dx + 0.01, dy: dy + 0.01)
      let pixels = IntRect(
        covering: Rect(
          x: inner.minX.rounded(.up), y: inner.minY.rounded(.up),
          width: inner.maxX.rounded(.down) - inner.minX.rounded(.up),
          height: inner.maxY.rounded(.down) - inner.minY.rounded(.up)))
      if pixels.area > largest.area { largest = pixels }
    }
    return largest
  }
}
