import CKernels
import Geometry
import RenderTree

/// A rounded rectangle of a layer on the output: the pixels that it touches, and how much of each it covers.
///
/// It is a function of rectangle and transform alone, so that a whole frame and a part of one get the same pixels.
struct LayerShape {
  /// The pixels of which the shape may cover any part; empty when the transform flattens it.
  var pixels: IntRect
  /// True while the shape covers all of `pixels` wholly: it is upright, its edges lie between pixels, its corners are square.
  var isWhole: Bool
  /// The arithmetic of one pixel; meaningless when `isWhole` or when there are no pixels.
  var kernel: ckernels_shape

  static let empty = LayerShape(pixels: .zero, isWhole: true, kernel: ckernels_shape())

  init(pixels: IntRect, isWhole: Bool, kernel: ckernels_shape) {
    self.pixels = pixels
    self.isWhole = isWhole
    self.kernel = kernel
  }

  /// The bounds of a layer with its round corners.
  init(_ node: CompositeNode, _ record: RenderRecord) {
    self.init(record, node.effects, node.transform)
  }

  init(_ record: RenderRecord, _ effects: RenderEffects?, _ transform: Affine) {
    self.init(
      record.bounds, radius: Double(record.cornerRadius), corners: effects?.parts.corners ?? .all,
      smoothEdges: effects.smoothEdges, transform: transform)
  }

  /// - Parameters:
  ///   - rect: in the layer's coordinates.
  ///   - radius: of its corners, in the layer's units.
  ///   - corners: those that are round; the others are square.
  ///   - smoothEdges: those that are antialiased.
  ///   - transform: from the layer's coordinates to the output's pixels.
  init(_ rect: Rect, radius: Double, corners: Corners = .all, smoothEdges: Edges = .all, transform: Affine) {
    self = .empty
    guard !rect.isEmpty else { return }
    let radius = corners.isEmpty ? 0 : radius
    if radius <= 0, let whole = transform.wholePixels(of: rect) {
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
    kernel.square = UInt32(Corners.all.subtracting(corners).rawValue)
    kernel.sharp = UInt32(Edges.all.subtracting(smoothEdges).rawValue)
    kernel.unit_u = unitU
    kernel.unit_v = unitV
    kernel.cosine = kernel.ua * kernel.va + kernel.ub * kernel.vb
    kernel.inverse_ua = abs(kernel.ua) < 1e-12 ? 0 : 1 / kernel.ua
    kernel.inverse_va = abs(kernel.va) < 1e-12 ? 0 : 1 / kernel.va
    guard kernel.uc.isFinite, kernel.vc.isFinite, kernel.half_u.isFinite, kernel.half_v.isFinite else { return }
    isWhole = false
    pixels = transform.touchedPixels(of: rect)
  }

  /// The pixels of row `y` within `from..<to` that the shape covers, wholly and in part.
  @inline(__always)
  func spans(row y: Int32, from: Int32, to: Int32) -> ckernels_spans {
    if isWhole { return ckernels_spans(touched_start: from, covered_start: from, covered_end: to, touched_end: to) }
    return withUnsafePointer(to: kernel) { ckernels_row_spans(y, from, to, $0) }
  }

  /// A rectangle of pixels that the shape covers wholly: the largest of the three that its corners leave.
  func coveredRect(_ rect: Rect, _ transform: Affine) -> IntRect {
    var largest = IntRect.zero
    forEachCoveredRect(rect, transform) { if $0.area > largest.area { largest = $0 } }
    return largest
  }

  /// Rows in which the shape covers all columns of `pixels` wholly; not all of them where the shape is turned.
  func coveredRows(of pixels: IntRect, _ rect: Rect, _ transform: Affine) -> Range<Int32> {
    let all = pixels.minY..<max(pixels.minY, pixels.maxY)
    if isWhole { return all }
    var rows = pixels.minY..<pixels.minY
    // If the left and the right edge lie between pixels, the shape covers the columns beside them as well.
    let corner = kernel.radius / min(kernel.unit_u, kernel.unit_v) + 0.51
    if corner < 0x1p20, let whole = transform.wholePixels(of: rect), whole.minX <= pixels.minX, whole.maxX >= pixels.maxX {
      let (start, end) = (whole.minY + Int32(corner.rounded(.up)), whole.maxY - Int32(corner.rounded(.up)))
      return (start..<max(start, end)).clamped(to: all)
    }
    forEachCoveredRect(rect, transform) { covered in
      guard covered.minX <= pixels.minX, covered.maxX >= pixels.maxX, !covered.isEmpty else { return }
      let inside = (covered.minY..<covered.maxY).clamped(to: all)
      if inside.count > rows.count { rows = inside }
    }
    return rows
  }

  /// Rows in which neither corners nor the upper and the lower edge matter: they all look like the first of them.
  func straightRows(_ rect: Rect, _ transform: Affine) -> Range<Int32> {
    guard !isWhole, kernel.ub == 0, kernel.va == 0 else { return 0..<0 }
    let radius = kernel.radius > 0 ? kernel.radius / kernel.unit_v + 0.51 : 0
    let inner = transform.boundingBox(of: rect).insetBy(dx: 0, dy: radius + 0.01)
    guard inner.height >= 2, abs(inner.minY) < 0x1p30, abs(inner.maxY) < 0x1p30 else { return 0..<0 }
    let (start, end) = (Int32(inner.minY.rounded(.up)), Int32(inner.maxY.rounded(.down)))
    return start..<max(start, end)
  }

  private func forEachCoveredRect(_ rect: Rect, _ transform: Affine, _ body: (IntRect) -> Void) {
    if isWhole { return body(pixels) }
    let isUpright = kernel.ub == 0 && kernel.va == 0
    guard isUpright else { return }
    let radiusX = kernel.radius / kernel.unit_u
    let radiusY = kernel.radius / kernel.unit_v
    // An edge between pixels covers those beside it wholly.
    let whole = transform.wholePixels(of: rect).map { Rect($0) }
    let (box, edge) = (whole ?? transform.boundingBox(of: rect), whole == nil ? 0.01 : 0)
    for part in 0..<(kernel.radius > 0 ? 3 : 1) {
      let dx = part == 0 ? edge : part == 1 ? radiusX + 0.52 : 0.2929 * radiusX + 1.01
      let dy = part == 1 ? edge : part == 0 ? (kernel.radius > 0 ? radiusY + 0.52 : edge) : 0.2929 * radiusY + 1.01
      let inner = box.insetBy(dx: dx, dy: dy)
      body(
        IntRect(
          covering: Rect(
            x: inner.minX.rounded(.up), y: inner.minY.rounded(.up),
            width: inner.maxX.rounded(.down) - inner.minX.rounded(.up),
            height: inner.maxY.rounded(.down) - inner.minY.rounded(.up))))
    }
  }
}

extension RenderEffects? {
  /// The edges of a layer that are antialiased.
  var smoothEdges: Edges { self?.parts.smoothEdges ?? .all }
}
