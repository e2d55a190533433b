public import Geometry
import Raster
import RenderTree

extension Layer {
  /// Converts a point of this layer's coordinates to those of `other`, or of the topmost layer when nil. Animations are not
  /// looked at. Nil when the layers are in different trees, a transform on the way flattens the plane, or the point lies
  /// behind the viewer.
  public func convert(_ point: Point, to other: Layer?) -> Point? { carry(point, to: other) { $0.apply($1) } }

  /// Converts a point of `other`'s coordinates, or of the topmost layer's when nil, to this layer's. See `convert(_:to:)`.
  public func convert(_ point: Point, from other: Layer?) -> Point? { (other ?? topmost).convert(point, to: self) }

  /// Converts a rectangle of this layer's coordinates to those of `other`: gives the smallest upright one around what is seen of
  /// it. See `convert(_:to:)`.
  public func convert(_ rect: Rect, to other: Layer?) -> Rect? {
    carry(rect.standardized.corners, to: other) { $0.image(of: $1) }.flatMap(Rect.init(around:))
  }

  /// Converts a rectangle of `other`'s coordinates to this layer's. See `convert(_:to:)`.
  public func convert(_ rect: Rect, from other: Layer?) -> Rect? { (other ?? topmost).convert(rect, to: self) }

  /// Takes something in this layer's plane to that of another layer, or of the topmost one, whose own place is left out. It goes from
  /// plane to plane: what is behind the viewer in one of them is seen in none.
  private func carry<Value>(_ value: Value, to other: Layer?, by map: (Homography, Value) -> Value?) -> Value? {
    let other = other ?? topmost
    var (value, layer) = (value, self)
    while !other.isSeen(on: layer) {
      guard let outer = map(layer.mapToSuperlayer, value) else { return nil }
      value = outer
      guard let next = layer.planeAbove else {
        return topmost === other.topmost ? other.carry(value, from: nil, by: map) : nil
      }
      layer = next
    }
    return other.carry(value, from: layer, by: map)
  }

  /// Takes something in the plane of a layer on which this one is seen, or of the output when nil, to this layer's.
  private func carry<Value>(_ value: Value, from above: Layer?, by map: (Homography, Value) -> Value?) -> Value? {
    if self === above { return value }
    let outer = planeAbove.map { $0.carry(value, from: above, by: map) } ?? value
    return outer.flatMap { outer in mapToSuperlayer.inverted.flatMap { map($0, outer) } }
  }

  private var topmost: Layer {
    var layer = self
    while let superlayer = layer.superlayer { layer = superlayer }
    return layer
  }

  /// The nearest layer above on whose plane this one is seen: the superlayer unless that is a transform layer. Nil for the output.
  var planeAbove: Layer? {
    var layer = superlayer
    while let space = layer, space.isSpace { layer = space.superlayer }
    return layer
  }

  /// True if the layer is `plane`, or is seen on its plane.
  private func isSeen(on plane: Layer) -> Bool { self === plane || !plane.isSpace && isDescendant(of: plane) }

  /// Maps the layer's coordinates to those of the layer on whose plane it is seen: the superlayer, whose `sublayerTransform` counts,
  /// unless that is a transform layer.
  var mapToSuperlayer: Homography {
    let space = superlayer?.coordinateSpace
    if space == nil, !isFlipped { return values.transformToSuperlayer }
    let place = values.picturePlace(in: space)
    return isFlipped ? Homography(.flip(bounds)).concatenating(place) : place
  }

  /// From the coordinates of the sublayers, to those of the layer on whose plane they are seen; nil where all are the same.
  private var coordinateSpace: SublayerSpace? {
    if isSpace {
      return SublayerSpace(values, isFlipped: false, isTurned: isFlipped, through: superlayer?.coordinateSpace)
    }
    return values.movesSublayers ? SublayerSpace(values, isFlipped: false) : nil
  }

  /// The layer's record with these side values, animations left aside; the caller fills in `subtreeEnd`.
  func record(_ sides: SideValues) -> RenderRecord {
    record(sides, in: space)
  }

  func record(_ sides: SideValues, in space: SublayerSpace?) -> RenderRecord {
    // The sublayers of a transform layer lie where they are seen, in a record that neither paints nor moves anything.
    var record = RenderRecord(
      id: id, bounds: isSpace ? .zero : bounds, flags: isSpace ? flags.intersection([.hidden, .mask]) : flags)
    if isSpace {
      record.settle(sides)
    } else if space?.tint == nil {
      record.update(from: values, sides, in: space)
    } else {
      var values = values
      values.takeTint(of: space, hasPicture: sides.content != nil || holdsLayers)
      record.update(from: values, sides, in: space)
    }
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
    opacity = Float(min(max(values.opacity, 0), 1) * (space?.opacity ?? 1))
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
