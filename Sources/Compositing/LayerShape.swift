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
  private static func pixelsWithCenters(in rect: Rect) -> IntRect {
    guard rect.minX.isFinite, rect.minY.isFinite, rect.maxX.isFinite, rect.maxY.isFinite else { return .zero }
    let limit = Double(1 << 30)
    func pixel(_ value: Double) -> Int32 { Int32(min(max(value, -limit), limit)) }
    let slack = 1.0 / 1024
    let result = IntRect(
      minX: pixel((rect.minX - 0.5 + slack).rounded(.up)), minY: pixel((rect.minY - 0.5 + slack).rounded(.up)),
      maxX: pixel((rect.maxX - 0.5 - slack).rounded(.down) + 1), maxY: pixel((rect.maxY - 0.5 - slack).rounded(.down) + 1))
    return result.isEmpty ? .zero : result
  }

  /// The pixels of an upright rectangle whose edges lie between pixels, nil when it is not one.
  static func wholePixels(_ rect: Rect, _ transform: Affine) -> IntRect? {
    let isUpright =
      max(abs(transform.b) * rect.width, abs(transform.c) * rect.height) < tolerance
      || max(abs(transform.a) * rect.width, abs(transform.d) * rect.height) < tolerance
    guard isUpright else { return nil }
    let box = transform.boundingBox(of: rect)
    let left = box.minX.rounded()
    let top = box.minY.rounded()
    let right = box.maxX.rounded()
    let bottom = box.maxY.rounded()
    guard abs(box.minX - left) < tolerance, abs(box.minY - top) < tolerance, abs(box.maxX - right) < tolerance,
      abs(box.maxY - bottom) < tolerance
    else { return nil }
    return IntRect(covering: Rect(x: left, y: top, width: right - left, height: bottom - top))
  }

  // MARK: Rows

  /// The pixels of row `y`, within `from..<to`, of which the shape may cover something.
  func touched(row y: Int32, from: Int32, to: Int32) -> Range<Int32> {
    span(row: y, halfU: kernel.half_u + 0.5, halfV: kernel.half_v + 0.5, from: from, to: to, outwards: true)
  }

  /// Pixels of row `y`, within `from..<to`, that the shape covers wholly: often all of those, never one too many.
  ///
  /// The arc of a corner stays clear of three rectangles inside the shape: of one as wide as the shape and without the
  /// rows of the corners, of one turned by a right angle against that, and of one whose corners touch the arcs.
  func covered(row y: Int32, from: Int32, to: Int32) -> Range<Int32> {
    let margin = 0.51
    let radius = kernel.radius
    if radius <= 0 {
      return span(row: y, halfU: kernel.half_u - margin, halfV: kernel.half_v - margin, from: from, to: to, outwards: false)
    }
    let radiusU = radius / kernel.unit_u
    let radiusV = radius / kernel.unit_v
    var result = to..<to
    for part in 0..<3 {
      let (partU, partV) = part == 0 ? (0.0, 1.0) : part == 1 ? (1.0, 0.0) : (0.2929, 0.2929)
      let candidate = span(
        row: y, halfU: kernel.half_u - max(partU * radiusU + (part == 2 ? 1 : 0), margin),
        halfV: kernel.half_v - max(partV * radiusV + (part == 2 ? 1 : 0), margin), from: from, to: to, outwards: false)
      if candidate.count > result.count { result = candidate }
    }
    return result
  }

  /// The pixels of a row whose centres are within the given distances of the middle lines. `outwards` decides about those
  /// that are too close to tell.
  private func span(row y: Int32, halfU: Double, halfV: Double, from: Int32, to: Int32, outwards: Bool) -> Range<Int32> {
    let none = from..<from
    guard halfU >= 0, halfV >= 0 else { return none }
    var low = -Double.infinity
    var high = Double.infinity
    let center = Double(y) + 0.5
    // |slope·X + offset| ≤ half
    func limit(_ slope: Double, _ offset: Double, _ half: Double) {
      if abs(slope) < 1e-12 {
        if abs(offset) > half { high = -.infinity }
        return
      }
      let first = (-half - offset) / slope
      let second = (half - offset) / slope
      low = max(low, min(first, second))
      high = min(high, max(first, second))
    }
    limit(kernel.ua, kernel.ub * center + kernel.uc, halfU)
    limit(kernel.va, kernel.vb * center + kernel.vc, halfV)
    guard low <= high else { return none }
    let slack = outwards ? -0.01 : 0.01
    let first = min(max((low - 0.5 + slack).rounded(.up), Double(from)), Double(to))
    let last = min(max((high - 0.5 - slack).rounded(.down) + 1, Double(from)), Double(to))
    guard first < last else { return none }
    return Int32(first)..<Int32(last)
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
