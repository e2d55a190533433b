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
      guard superlayer.placesSublayers else { return nil }
      let values = superlayer.committedAnimations?.committedValues ?? superlayer.values
      return SublayerSpace(values, isFlipped: isPlacedFlipped)
    }
    return context?.outputSpace
  }

  /// True if the layer places its sublayers by more than their own values.
  var placesSublayers: Bool {
    if isPlacedFlipped != isFlipped || animations.contains(where: \.movesSublayers) { return true }
    return values.movesSublayers
  }

  /// The superlayer's animations, if they move the space in which the layer lies.
  var outerAnimations: CommittedAnimations? {
    guard let superlayer, let animations = superlayer.committedAnimations, animations.isMoving else { return nil }
    return superlayer.placesSublayers ? animations : nil
  }
}

/// The space in which a layer lies, where it is more than the superlayer's plane. A class: most layers have none, and hand on
/// nothing but a nil.
final class SublayerSpace: Sendable {
  /// The superlayer's `sublayerTransform` around its anchor point, or the scale of the output.
  let transform: Transform3D
  /// The superlayer's bounds, if its coordinates run upwards. The layer's own then do as well.
  let flipped: Rect?

  /// The space of the root, on an output with so many pixels a point.
  init(scale: Double) {
    transform = .scale(scale)
    flipped = nil
  }

  /// The space that a superlayer with these values gives its sublayers.
  init(_ values: AnimatableValues, isFlipped: Bool) {
    let anchor = values.anchor
    let plain = values.sublayerTransform
    transform =
      plain == .identity
      ? plain
      : Transform3D.translation(x: -anchor.x, y: -anchor.y, z: -values.anchorPointZ).concatenating(plain)
        .concatenating(.translation(x: anchor.x, y: anchor.y, z: values.anchorPointZ))
    flipped = isFlipped ? values.bounds : nil
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
    var place = isFlat && space.transform.isAffine ? Transform3D(flatTransformToSuperlayer) : spaceToSuperlayer
    if space.flipped != nil { place = Transform3D(.flip(bounds)).concatenating(place) }
    place = place.concatenating(space.transform)
    if let flipped = space.flipped { place = place.concatenating(Transform3D(.flip(flipped))) }
    return place.homography
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
