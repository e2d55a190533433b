public import Geometry
import RenderTree

// The place of a layer in space. Every layer is a plane: its sublayers are seen on it from where the viewer is, straight above or
// by the perspective of a transform.

extension Layer {
  /// Applied around the anchor point. Animatable, taken apart into movement, turn, skew and scale: a turn goes the short way.
  ///
  /// ```swift
  /// card.transform = .rotation(0.6, x: 0, y: 1, z: 0)
  /// card.superlayer?.sublayerTransform = .perspective(distance: 800)
  /// ```
  public var transform: Transform3D {
    get { values.transform }
    set { if change(.transform, transform, newValue, { $0.transform = $1 }) { superlayer?.sublayerChangedSize() } }
  }

  /// `transform` as a map of the plane: what is left of it where it is none. Setting it replaces the whole transform.
  public var affineTransform: Affine {
    get { values.affineTransform }
    set { transform = Transform3D(newValue) }
  }

  /// The turn in `transform`, in radians from −π to π, clockwise. Setting it keeps movement, skew and scale.
  public var rotation: Double {
    get { values.rotation }
    set {
      var changed = values
      changed.rotation = newValue
      transform = changed.transform
    }
  }

  /// Applied to the sublayers, after their own transforms, around the layer's anchor point: mostly a perspective, which all
  /// of them share. Animatable.
  public var sublayerTransform: Transform3D {
    get { values.sublayerTransform }
    set { change(.sublayerTransform, sublayerTransform, newValue) { $0.sublayerTransform = $1 } }
  }

  /// Siblings with a higher one lie above; those with the same one in the order of `sublayers`. In perspective it is the
  /// distance from the superlayer's plane towards the viewer as well. 0 at first. Animatable; the order changes at once.
  public var zPosition: Double {
    get { values.zPosition }
    set { change(.zPosition, zPosition, newValue) { $0.zPosition = $1 } }
  }

  /// The depth of the point that `transform` turns around, in the layer's coordinates: a layer turns around an axis behind
  /// it where this is negative. 0 at first. Animatable.
  public var anchorPointZ: Double {
    get { values.anchorPointZ }
    set { change(.anchorPointZ, anchorPointZ, newValue) { $0.anchorPointZ = $1 } }
  }

  /// True if the layer's coordinates, and those of all layers in it, run upwards: y = 0 is at the bottom of its bounds. Pictures
  /// stay upright. False at first.
  public var isGeometryFlipped: Bool {
    get { isFlipped }
    set {
      guard newValue != isFlipped else { return }
      isFlipped = newValue
      context?.markStructure()
    }
  }

  /// False if the layer, with its sublayers, is not seen from behind: where its transforms turn it over or mirror it. True at
  /// first.
  public var isDoubleSided: Bool {
    get { !flags.contains(.singleSided) }
    set { setFlag(.singleSided, !newValue) }
  }

  /// The space in which the layer lies; nil for the superlayer's plane.
  var space: SublayerSpace? {
    if let superlayer {
      guard superlayer.placesSublayers, !isTile else { return nil }
      let values = superlayer.committedAnimations?.committedValues ?? superlayer.values
      return superlayer.space(values, of: self, 0, through: superlayer.isSpace ? superlayer.space : nil)
    }
    return context?.outputSpace
  }

  /// The space that the layer with these values gives the copy of a sublayer with a number.
  ///
  /// - Parameter outer: the space of the layer, if it is a transform layer.
  func space(
    _ values: AnimatableValues, of sublayer: Layer, _ number: Int, through outer: SublayerSpace?
  ) -> SublayerSpace {
    let (isFlipped, instance) = (sublayer.isPlacedFlipped, instance(number, of: sublayer))
    return isSpace
      ? SublayerSpace(values, isFlipped: isFlipped, instance, through: outer)
      : SublayerSpace(values, isFlipped: isFlipped, instance)
  }

  /// True if the layer places its sublayers by more than their own values.
  var placesSublayers: Bool {
    if isSpace || isPlacedFlipped != isFlipped || animations.contains(where: \.movesSublayers) { return true }
    return values.movesSublayers || isReplicator && (copyCount < 1 || values.instanceTint(0) != .white)
  }

  /// The superlayer's animations, if they move the space in which the layer lies.
  var outerAnimations: CommittedAnimations? {
    guard !isTile, let superlayer, let animations = superlayer.committedAnimations, animations.isMoving else { return nil }
    return superlayer.placesSublayers ? animations : nil
  }
}

/// The space in which a layer lies, where it is more than the superlayer's plane. A class: most layers have none, and hand on
/// nothing but a nil.
final class SublayerSpace: Sendable {
  /// From the superlayer's coordinates to its picture, or to that of the layer on whose plane the layer is seen; for the root, to the
  /// output's pixels.
  let transform: Transform3D
  /// True if the layer's coordinates run upwards.
  let isFlipped: Bool
  /// The opacity of the transform layers around the layer, and of the copy that it is in.
  let opacity: Double
  /// The colour by which a replicator multiplies those of the layer; nil for white.
  let tint: Color?

  /// The space of the root, on an output with so many pixels a point.
  init(scale: Double) { (transform, isFlipped, opacity, tint) = (.scale(scale), false, 1, nil) }

  /// The space that a superlayer with these values gives its sublayers. A transform layer gives its opacity too, which no record
  /// of its own has.
  ///
  /// - Parameter instance: the copy that the sublayer is in, of a replicator.
  init(_ values: AnimatableValues, isFlipped: Bool, _ instance: ReplicatorInstance? = nil, opacity: Double = 1) {
    let transform = values.sublayerTransform(of: instance)
    self.transform = isFlipped ? transform.concatenating(Transform3D(.flip(values.bounds))) : transform
    self.isFlipped = isFlipped
    let look = values.look(of: instance)
    self.opacity = min(max(opacity, 0), 1) * look.opacity
    tint = look.tint
  }

  /// The space that a transform layer with these values, which lies in `outer` itself, gives its sublayers.
  ///
  /// - Parameter isTurned: true if the transform layer's coordinates run the other way than those of its picture; by default, if
  ///   `isFlipped`.
  init(
    _ values: AnimatableValues, isFlipped: Bool, isTurned: Bool? = nil, _ instance: ReplicatorInstance? = nil,
    through outer: SublayerSpace?
  ) {
    var transform = values.sublayerTransform(of: instance)
    if isTurned ?? isFlipped { transform = transform.concatenating(Transform3D(.flip(values.bounds))) }
    self.transform = transform.concatenating(values.picturePlace(values.spaceToSuperlayer, in: outer))
    self.isFlipped = isFlipped
    let look = values.look(of: instance)
    opacity = min(max(values.opacity, 0), 1) * (outer?.opacity ?? 1) * look.opacity
    tint = outer?.tint.map { $0.multiplied(by: look.tint ?? .white) } ?? look.tint
  }
}

extension Affine {
  /// The map that turns the contents of a rectangle upside down.
  static func flip(_ rect: Rect) -> Affine {
    Affine(a: 1, b: 0, c: 0, d: -1, tx: 0, ty: rect.minY + rect.maxY)
  }
}

extension AnimatableValues {
  /// True if the sublayers are not seen where their own values place them.
  @inline(__always)
  var movesSublayers: Bool {
    guard let rareBox else { return false }
    return rareBox.values.sublayerTransform != .identity
  }

  /// Maps the layer's picture to its superlayer's, in that space. Pictures are upright where coordinates run upwards.
  func picturePlace(in space: SublayerSpace?) -> Homography {
    guard let space else { return transformToSuperlayer }
    let isInPlane = isFlat && space.transform.isAffine
    return picturePlace(isInPlane ? Transform3D(flatTransformToSuperlayer) : spaceToSuperlayer, in: space).homography
  }

  /// Maps the layer's picture to its superlayer's, in that space, without flattening it.
  ///
  /// - Parameter place: from the layer's coordinates to its superlayer's.
  fileprivate func picturePlace(_ place: Transform3D, in space: SublayerSpace?) -> Transform3D {
    guard let space else { return place }
    let upright = space.isFlipped ? Transform3D(.flip(bounds)).concatenating(place) : place
    return upright.concatenating(space.transform)
  }

  /// `sublayerTransform` around the anchor point, after the place of a copy.
  fileprivate func sublayerTransform(of instance: ReplicatorInstance?) -> Transform3D {
    guard let instance, instance.number > 0 else { return sublayerTransformInPlace }
    return instancePlace(instance.number).concatenating(sublayerTransformInPlace)
  }

  /// The colour and the opacity of a copy.
  fileprivate func look(of instance: ReplicatorInstance?) -> (tint: Color?, opacity: Double) {
    guard let instance else { return (nil, 1) }
    let tint = instanceTint(instance.number)
    return (tint.withAlpha(1) == .white ? nil : tint.withAlpha(1), instance.number < instance.count ? tint.alpha : 0)
  }

  /// `sublayerTransform` around the anchor point.
  private var sublayerTransformInPlace: Transform3D {
    let (anchor, plain) = (anchor, sublayerTransform)
    if plain == .identity { return plain }
    return Transform3D.translation(x: -anchor.x, y: -anchor.y, z: -anchorPointZ).concatenating(plain)
      .concatenating(.translation(x: anchor.x, y: anchor.y, z: anchorPointZ))
  }

  /// The map of `picturePlace(in:)` where parallels do not stay parallel; nil where they do.
  @inline(__always)
  func homography(in space: SublayerSpace?) -> Homography? {
    space == nil && isFlat ? nil : solidHomography(in: space)
  }

  private func solidHomography(in space: SublayerSpace?) -> Homography? {
    let place = picturePlace(in: space)
    guard place.affine == nil else { return nil }
    // Nothing is seen of a layer with numbers that are not finite.
    return place.determinant.isFinite ? place : Homography(a: 0, b: 0, px: 0, c: 0, d: 0, py: 0, tx: 0, ty: 0, pw: 0)
  }
}
