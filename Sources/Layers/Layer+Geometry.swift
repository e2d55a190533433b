public import Geometry
import Raster
import RenderTree

extension Layer {
  /// Where a point of this layer's coordinates lies in those of `other`, or of the topmost layer when nil. Animations are
  /// not looked at. Nil when the layers are in different trees, or a transform on the way flattens the plane.
  public func convert(_ point: Point, to other: Layer?) -> Point? {
    let above = transformToTop
    guard let other else { return above.transform.apply(point) }
    let below = other.transformToTop
    guard above.top === below.top, let inverted = below.transform.inverted else { return nil }
    return above.transform.concatenating(inverted).apply(point)
  }

  /// Where a point of `other`'s coordinates, or of the topmost layer's when nil, lies in this layer's. See
  /// `convert(_:to:)`.
  public func convert(_ point: Point, from other: Layer?) -> Point? {
    if let other { return other.convert(point, to: self) }
    return transformToTop.transform.inverted?.apply(point)
  }

  /// To the coordinates of the topmost layer, without its own place.
  private var transformToTop: (transform: Affine, top: Layer) {
    var result = Affine.identity
    var layer = self
    while let next = layer.superlayer {
      result = result.concatenating(layer.values.transformToSuperlayer)
      layer = next
    }
    return (result, layer)
  }

  /// Nil without contents.
  var contentsPlacement: ContentsPlacement? {
    guard let contents else { return nil }
    let pixels = Size(Double(contents.width), Double(contents.height))
    guard let drawnSize else {
      let scale = contentsScale ?? 1
      return ContentsPlacement(gravity: contentsGravity, size: Size(pixels.width / scale, pixels.height / scale))
    }
    // A pixel of what was drawn is a pixel on screen also where the size is no whole number of pixels.
    let overhang = Size(pixels.width / (drawnSize.width * drawnScale), pixels.height / (drawnSize.height * drawnScale))
    return ContentsPlacement(gravity: contentsGravity, size: drawnSize, overhang: overhang)
  }

  /// What the render tree is told of the layer, animations left aside; `subtreeEnd` is for the caller to fill in.
  var record: RenderRecord {
    var record = RenderRecord(id: id, subtreeEnd: 0, bounds: bounds, contentsID: contents?.id ?? 0, flags: recordFlags)
    record.update(from: values, placement: contentsPlacement)
    return record
  }

  var recordFlags: RenderRecord.Flags {
    var flags: RenderRecord.Flags = []
    if isHidden { flags.insert(.hidden) }
    if masksToBounds { flags.insert(.masksToBounds) }
    return flags
  }
}

extension RenderRecord {
  /// Takes over what can be animated. `flags` must be those of the model: values that are not finite hide the layer.
  mutating func update(from values: AnimatableValues, placement: ContentsPlacement?) {
    transform = values.transformToSuperlayer
    bounds = values.bounds
    contentsRect = placement?.rect(in: bounds) ?? .zero
    opacity = Float(min(max(values.opacity, 0), 1))
    let radius = min(values.cornerRadius, min(bounds.width, bounds.height) / 2)
    cornerRadius = Float(max(radius, 0))
    backgroundColor = values.backgroundColor?.premultipliedBGRA ?? 0
    if !isFinite { makeHidden() }
  }

  private var isFinite: Bool {
    // One sum for all: what is not finite stays so in sums.
    let place = transform.a + transform.b + transform.c + transform.d + transform.tx + transform.ty
    let extent = bounds.minX + bounds.minY + bounds.width + bounds.height
    let contents = contentsRect.minX + contentsRect.minY + contentsRect.width + contentsRect.height
    return (place + extent + contents + Double(opacity) + Double(cornerRadius)).isFinite
  }

  /// Hidden, and without a number that could do harm further on.
  private mutating func makeHidden() {
    flags.insert(.hidden)
    transform = .identity
    bounds = .zero
    contentsRect = .zero
    opacity = 0
    cornerRadius = 0
  }
}
