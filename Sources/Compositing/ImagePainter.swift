import CKernels
import Geometry
import Raster
import RenderTree

extension Image: PaintableContent {
  func opaquePixels(of record: RenderRecord, _ effects: RenderEffects?, _ transform: Affine) -> IntRect {
    // Samples at the edges of a middle mix with what is shown around it.
    let isMasked = record.flags.contains(.masksToBounds)
    guard isOpaque, shown(in: record.bounds, effects, isMasked: isMasked).image.isOpaque, transform.isInvertible else {
      return .zero
    }
    // An image without a map back from the output is not painted.
    let place = (effects?.parts.cut ?? ContentCut()).place(ofAllIn: effects.contentRect(in: record.bounds))
    guard ImageRows.toOutput(self, place, transform).isInvertible else { return .zero }
    let rect = effects.contentRect(in: record.bounds).intersection(record.bounds)
    return LayerShape(rect, radius: 0, transform: transform).coveredRect(rect, transform)
  }

  func paint(_ layer: PaintedLayer, with painter: BandPainter) {
    let cut = layer.node.effects?.parts.cut
    if let cut, cut.hasNineParts, let rows = NinePartRows(self, layer, cut) {
      painter.paint(rows, of: layer)
    } else if let rows = ImageRows(self, layer, cut ?? ContentCut()) {
      painter.paint(rows, of: layer)
    }
  }

  func isSame(in layer: MovedLayer) -> Bool {
    let cut = layer.effects?.parts.cut ?? ContentCut()
    let isMasked = layer.record.flags.contains(.masksToBounds)
    let (image, place, frame) = shown(in: layer.record.bounds, layer.effects, isMasked: isMasked)
    guard layer.edgesAreSame(of: place, in: frame) else { return false }
    if cut.hasNineParts { return layer.pointsAreSame }
    guard let old = ImageRows(image, place, in: frame, layer.effects, layer.old, isMasked: false, cut),
      let new = ImageRows(image, place, in: frame, layer.effects, layer.new, isMasked: false, cut)
    else { return false }
    return new.isMoved(from: old, dx: layer.dx, dy: layer.dy)
  }

  /// The rows that `paint` paints, for a mixture with other images; nil when no pixel is seen.
  func rows(of layer: PaintedLayer) -> (any ContentRows)? {
    let cut = layer.node.effects?.parts.cut ?? ContentCut()
    if cut.hasNineParts, let rows = NinePartRows(self, layer, cut) { return rows }
    return ImageRows(self, layer, cut)
  }
}

/// An image on the output: the image's pixel under each of the output's, and the shape that cuts them.
struct ImageRows: ContentRows {
  private let image: Image
  private let way: Way
  var shape: LayerShape
  var isOpaque: Bool { image.isOpaque }

  private enum Way {
    /// The image's pixels are moved by whole pixels and nothing else.
    case moved(x: Int32, y: Int32)
    case sampled(ImageSampling)
  }

  /// Nil when no pixel is seen.
  init?(_ image: Image, _ layer: PaintedLayer, _ cut: ContentCut) {
    let effects = layer.node.effects
    let (image, place, frame) = image.shown(in: layer.record.bounds, effects, isMasked: layer.masksToBounds)
    self.init(image, place, in: frame, effects, layer.node.transform, isMasked: layer.isMasked, cut)
  }

  /// The rows of an image at `shown` in a layer with these bounds.
  init?(
    _ image: Image, _ shown: Rect, in bounds: Rect, _ effects: RenderEffects?, _ transform: Affine, isMasked: Bool,
    _ cut: ContentCut
  ) {
    guard let shape = Self.shape(of: shown, in: bounds, effects, transform, isMasked: isMasked) else { return nil }
    (self.image, self.shape) = (image, shape)
    let place = cut.place(ofAllIn: shown)
    if !cut.reachesBeyondContent, let offset = Self.wholeOffset(Self.toOutput(image, place, transform), image) {
      way = .moved(x: offset.x, y: offset.y)
      self.shape.pixels = shape.pixels.intersection(
        IntRect(x: Int(offset.x), y: Int(offset.y), width: image.width, height: image.height))
    } else if let sampling = ImageSampling(image, place, transform, cut) {
      way = .sampled(sampling)
    } else {
      return nil
    }
  }

  /// True if the pixels are those of `old`, so many pixels from there.
  fileprivate func isMoved(from old: ImageRows, dx: Int32, dy: Int32) -> Bool {
    guard image === old.image else { return false }
    switch (way, old.way) {
    case (.moved(let x, let y), .moved(let wasX, let wasY)): return x == wasX + dx && y == wasY + dy
    case (.sampled(let sampling), .sampled(let was)): return sampling.isMoved(from: was, dx: dx, dy: dy)
    default: return false
    }
  }

  @inline(__always)
  func row(
    _ y: Int32, from x: Int32, count: Int32, in room: UnsafeMutablePointer<UInt32>, with painter: BandPainter
  ) -> UnsafePointer<UInt32> {
    switch way {
    case .moved(let left, let top): return image.row(Int(y - top)).assumingMemoryBound(to: UInt32.self) + Int(x - left)
    case .sampled(let sampling):
      sampling.write(Int(count), from: x, row: y, to: room, with: painter)
      return UnsafePointer(room)
    }
  }

  /// The edges of the content that is shown at `place`; nil when no pixel is seen.
  static func shape(of place: Rect, _ layer: PaintedLayer) -> LayerShape? {
    shape(of: place, in: layer.record.bounds, layer.node.effects, layer.node.transform, isMasked: layer.isMasked)
  }

  static func shape(
    of place: Rect, in bounds: Rect, _ effects: RenderEffects?, _ transform: Affine, isMasked: Bool
  ) -> LayerShape? {
    guard let visible = visibleRect(of: place, in: bounds, transform, isMasked: isMasked) else { return nil }
    let shape = LayerShape(visible, radius: 0, smoothEdges: effects.smoothEdges, transform: transform)
    return shape.pixels.isEmpty ? nil : shape
  }

  /// The part of `place` that the layer shows, in its coordinates; nil if it shows nothing.
  static func visibleRect(of place: Rect, in bounds: Rect, _ transform: Affine, isMasked: Bool) -> Rect? {
    guard !place.isEmpty, let inverse = transform.inverted else { return nil }
    let visible = place.intersection(bounds)
    // The bounds with their round corners cut the image too, when it is masked. Edges on the bounds are left to that, so
    // that nothing is antialiased twice.
    return isMasked ? withoutEdges(visible, at: bounds, inverse) : visible
  }

  /// From the image's pixels to those of the output.
  static func toOutput(_ image: Image, _ place: Rect, _ transform: Affine) -> Affine {
    Affine(
      a: place.width / Double(image.width), b: 0, c: 0, d: place.height / Double(image.height), tx: place.minX,
      ty: place.minY
    ).concatenating(transform)
  }

  /// The output's pixel at which the image starts, when each of its pixels becomes one of the output's.
  private static func wholeOffset(_ map: Affine, _ image: Image) -> (x: Int32, y: Int32)? {
    let side = Double(max(image.width, image.height))
    let error = max(max(abs(map.a - 1), abs(map.d - 1)), max(abs(map.b), abs(map.c))) * side
    let x = map.tx.rounded()
    let y = map.ty.rounded()
    guard error < Affine.edgeTolerance, abs(map.tx - x) < Affine.edgeTolerance, abs(map.ty - y) < Affine.edgeTolerance,
      abs(x) < 0x1p30, abs(y) < 0x1p30
    else { return nil }
    return (Int32(x), Int32(y))
  }

  /// `rect` with those of its edges that lie on the edges of `bounds` moved out by two pixels.
  private static func withoutEdges(_ rect: Rect, at bounds: Rect, _ inverse: Affine) -> Rect {
    let x = 2 * (inverse.a * inverse.a + inverse.c * inverse.c).squareRoot()
    let y = 2 * (inverse.b * inverse.b + inverse.d * inverse.d).squareRoot()
    let left = rect.minX <= bounds.minX ? x : 0
    let top = rect.minY <= bounds.minY ? y : 0
    let right = rect.maxX >= bounds.maxX ? x : 0
    let bottom = rect.maxY >= bounds.maxY ? y : 0
    return Rect(
      x: rect.minX - left, y: rect.minY - top, width: rect.width + left + right, height: rect.height + top + bottom)
  }

  /// A fixed-point number with 32 bits of fraction; a value out of range becomes the nearest one.
  static func fixed(_ value: Double) -> Int64 {
    value.isNaN ? 0 : Int64(min(max(value * 0x1p32, -0x1p62), 0x1p62).rounded())
  }
}
