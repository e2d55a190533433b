public import Geometry
import Raster
import RenderTree

extension Layer {
  /// Converts a point of this layer's coordinates to those of `other`, or of the topmost layer when nil. Animations are not
  /// looked at. Nil when the layers are in different trees, a transform on the way flattens the plane, or the point lies
  /// behind the viewer.
  public func convert(_ point: Point, to other: Layer?) -> Point? { map(to: other)?.apply(point) }

  /// Converts a point of `other`'s coordinates, or of the topmost layer's when nil, to this layer's. See `convert(_:to:)`.
  public func convert(_ point: Point, from other: Layer?) -> Point? {
    (other?.map(to: self) ?? map(to: nil)?.inverted)?.apply(point)
  }

  /// Converts a rectangle of this layer's coordinates to those of `other`: gives the smallest upright one around what is seen of
  /// it. See `convert(_:to:)`.
  public func convert(_ rect: Rect, to other: Layer?) -> Rect? { map(to: other)?.boundingBox(of: rect.standardized) }

  /// Converts a rectangle of `other`'s coordinates to this layer's. See `convert(_:to:)`.
  public func convert(_ rect: Rect, from other: Layer?) -> Rect? {
    (other?.map(to: self) ?? map(to: nil)?.inverted)?.boundingBox(of: rect.standardized)
  }

  /// The map to the coordinates of another layer, or of the topmost one, whose own place is left out; nil if there is none.
  private func map(to other: Layer?) -> Homography? {
    var result = Homography.identity
    var layer = self
    while let next = layer.superlayer, !(other?.isDescendant(of: layer) ?? false) {
      result = result.concatenating(layer.mapToSuperlayer)
      layer = next
    }
    guard let other else { return result }
    guard other.isDescendant(of: layer) else { return nil }
    var down = Homography.identity
    var below = other
    while below !== layer, let next = below.superlayer {
      down = down.concatenating(below.mapToSuperlayer)
      below = next
    }
    return down.inverted.map { result.concatenating($0) }
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
