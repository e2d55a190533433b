import CKernels
import Geometry
import RenderTree

extension GradientContent: PaintableContent {
  func opaquePixels(of record: RenderRecord, _ effects: RenderEffects?, _ transform: Affine) -> IntRect {
    guard isOpaque, GradientPlace(self, record, transform) != nil else { return .zero }
    // Corners cut nothing off beyond their radius.
    let radius = Double(record.cornerRadius)
    guard 2 * radius < min(record.bounds.width, record.bounds.height) else { return .zero }
    let rect = record.bounds.insetBy(dx: radius, dy: radius)
    return LayerShape(rect, radius: 0, transform: transform).coveredRect(rect, transform)
  }

  func isSame(in layer: MovedLayer) -> Bool {
    guard layer.boundsAreSame, layer.edgesAreSame(of: layer.record.bounds, in: layer.record.bounds),
      let old = GradientPlace(self, layer.record, layer.old), let new = GradientPlace(self, layer.record, layer.new)
    else { return false }
    return new.isSame(as: old, dx: layer.dx, dy: layer.dy)
  }

  func paint(_ layer: PaintedLayer, with painter: BandPainter) {
    if let rows = GradientRows(self, layer) { painter.paint(rows, of: layer) }
  }
}

/// The numbers of a gradient over the pixels of the output. See `ckernels_gradient`.
struct GradientPlace {
  /// The pixel from which others are counted: near the layer, since the kernel has the precision of floats.
  let x: Int32
  let y: Int32
  /// From the distance to that pixel's middle to u and v.
  let map: Affine

  /// The place of a gradient over the bounds of a layer; nil when nothing is painted.
  init?(_ gradient: GradientContent, _ record: RenderRecord, _ transform: Affine) {
    self.init(gradient.map(in: record.bounds), record.bounds.center, transform)
  }

  /// The place of a gradient in a shape; nil when nothing is painted.
  init?(_ gradient: GradientContent, of shape: ShapeContent, _ transform: Affine) {
    self.init(gradient.mapInLayer, shape.drawnBounds(in: .zero, nil).center, transform)
  }

  private init?(_ own: Affine?, _ center: Point, _ transform: Affine) {
    guard let own, let inverse = transform.inverted else { return nil }
    let center = transform.apply(center)
    func whole(_ value: Double) -> Double { min(max(value.rounded(), -0x1p16), 0x1p16) }
    guard center.x.isFinite, center.y.isFinite else { return nil }
    let (x, y) = (whole(center.x), whole(center.y))
    map = Affine.translation(x: x + 0.5, y: y + 0.5).concatenating(inverse).concatenating(own)
    guard (map.a + map.b + map.c + map.d + map.tx + map.ty).isFinite else { return nil }
    (self.x, self.y) = (Int32(x), Int32(y))
  }

  /// True if the pixels that lie so far from those of another place are the same. The fractions that are added repeat themselves after
  /// eight pixels.
  func isSame(as old: GradientPlace, dx: Int32, dy: Int32) -> Bool {
    dx % 8 == 0 && dy % 8 == 0 && x == old.x + dx && y == old.y + dy && map == old.map
  }
}

/// A gradient on the output.
private struct GradientRows: ContentRows {
  let shape: LayerShape
  let isOpaque: Bool
  private let gradient: GradientContent
  private let place: GradientPlace

  /// Nil when no pixel is seen.
  init?(_ gradient: GradientContent, _ layer: PaintedLayer) {
    guard let place = GradientPlace(gradient, layer.record, layer.node.transform) else { return nil }
    // A mask has the round corners already.
    let edges = layer.isMasked ? ImageRows.shape(of: layer.record.bounds, layer) : LayerShape(layer.node, layer.record)
    guard let shape = edges, !shape.pixels.isEmpty else { return nil }
    (self.gradient, self.place, self.shape, isOpaque) = (gradient, place, shape, gradient.isOpaque)
  }

  func row(
    _ y: Int32, from x: Int32, count: Int32, in room: UnsafeMutablePointer<UInt32>, with painter: BandPainter
  ) -> UnsafePointer<UInt32> {
    gradient.row(y, from: x, count: count, place, in: room, painter.kernels)
    return UnsafePointer(room)
  }
}

extension GradientContent {
  /// Writes `count` pixels of row `y` from column `x` on to `room`.
  func row(
    _ y: Int32, from x: Int32, count: Int32, _ place: GradientPlace, in room: UnsafeMutablePointer<UInt32>,
    _ kernels: UnsafePointer<ckernels_table>
  ) {
    let kind =
      switch course.type {
      case .axial: CKERNELS_AXIAL
      case .radial: CKERNELS_RADIAL
      case .conic: CKERNELS_CONIC
      }
    let map = place.map
    table.withUnsafeBytes { table in
      guard let base = table.baseAddress else { return }
      var kernel = ckernels_gradient(
        kind: kind, x0: place.x, y0: place.y, u0: map.tx, ux: map.a, uy: map.c, v0: map.ty, vx: map.b, vy: map.d,
        stops: base.assumingMemoryBound(to: ckernels_gradient_stop.self))
      kernels.pointee.gradient(room, Int64(count), x, y, &kernel)
    }
  }
}
