public import Geometry
import Raster
import RenderTree

extension Layer {
  /// Converts a point of this layer's coordinates to those of `other`, or of the topmost layer when nil. Animations are not
  /// looked at. Nil when the layers are in different trees, a transform on the way flattens the plane, or the point lies
  /// behind the viewer.
  public func convert(_ point: Point, to other: Layer?) -> Point? { carry(point, to: other) { $0.apply($1) } }

  /// Converts a point of `other`'s coordinates, or of the topmost layer's when nil, to this layer's. See `convert(_:to:)`.
  public func convert(_ point: Point, from other: Layer?) -> Point? {
    guard let other else { return carry(point, from: nil) { $0.apply($1) } }
    return other.convert(point, to: self)
  }

  /// Converts a rectangle of this layer's coordinates to those of `other`: gives the smallest upright one around what is seen of
  /// it. See `convert(_:to:)`.
  public func convert(_ rect: Rect, to other: Layer?) -> Rect? {
    carry(rect.standardized.corners, to: other) { $0.image(of: $1) }.flatMap(Rect.init(around:))
  }

  /// Converts a rectangle of `other`'s coordinates to this layer's. See `convert(_:to:)`.
  public func convert(_ rect: Rect, from other: Layer?) -> Rect? {
    guard let other else {
      return carry(rect.standardized.corners, from: nil) { $0.image(of: $1) }.flatMap(Rect.init(around:))
    }
    return other.convert(rect, to: self)
  }

  /// Takes something in this layer's plane to that of another layer, or of the topmost one, whose own place is left out. It goes from
  /// plane to plane: what is behind the viewer in one of them is seen in none.
  private func carry<Value>(_ value: Value, to other: Layer?, by map: (Homography, Value) -> Value?) -> Value? {
    var (value, layer) = (value, self)
    while let next = layer.superlayer, !(other?.isDescendant(of: layer) ?? false) {
      guard let outer = map(layer.mapToSuperlayer, value) else { return nil }
      (value, layer) = (outer, next)
    }
    guard let other else { return value }
    return other.carry(value, from: layer, by: map)
  }

  /// Takes something in the plane of a layer above, or of the topmost one when nil, to this layer's.
  private func carry<Value>(_ value: Value, from above: Layer?, by map: (Homography, Value) -> Value?) -> Value? {
    if self === above { return value }
    guard let superlayer else { return above == nil ? value : nil }
    guard let outer = superlayer.carry(value, from: above, by: map) else { return nil }
    return mapToSuperlayer.inverted.flatMap { map($0, outer) }
  }

  /// Maps the layer's coordinates to its superlayer's, whose `sublayerTransform` counts.
  var mapToSuperlayer: Homography {
    let outer = superlayer?.values.sublayerTransform ?? .identity
    if outer == .identity, !isFlipped { return values.transformToSuperlayer }
    let space = superlayer.map { SublayerSpace($0.values, isFlipped: false) }
    let place = values.picturePlace(in: space)
    return isFlipped ? Homography(.flip(bounds)).concatenating(place) : place
  }

  /// The layer's record with these side values, animations left aside; the caller fills in `subtreeEnd`.
  func record(_ sides: SideValues) -> RenderRecord {
    var record = RenderRecord(id: id, bounds: bounds, flags: flags)
    record.update(from: values, sides, in: space)
    return record
  }
}

extension RenderRecord {
  /// Takes over the values that can be animated. `flags` must be those of the model: values that are not finite hide the
  /// layer.
  @inline(__always)
  mutating func update(from values: AnimatableValues, _ sides: SideValues, in space: SublayerSpace?) {
    transform =
      space == nil && values.isFlat
      ? values.flatTransformToSuperlayer : values.picturePlace(in: space).affine ?? .identity
    bounds = values.bounds
    opacity = Float(min(max(values.opacity, 0), 1))
    let radius = min(values.cornerRadius, min(bounds.width, bounds.height) / 2)
    cornerRadius = Float(max(radius, 0))
    backgroundColor = values.backgroundColor?.premultipliedBGRA ?? 0
    if !isFinite { makeHidden() }
    settle(sides)
  }

  private var isFinite: Bool {
    // One look for all: a sum is not finite if one of its numbers is not.
    let place = transform.a + transform.b + transform.c + transform.d + transform.tx + transform.ty
    let extent = bounds.minX + bounds.minY + bounds.width + bounds.height
    return (place + extent + Double(opacity) + Double(cornerRadius)).isFinite
  }

  /// Hides the layer and removes the numbers that could do harm further on.
  private mutating func makeHidden() {
    flags.insert(.hidden)
    transform = .identity
    bounds = .zero
    opacity = 0
    cornerRadius = 0
  }
}
