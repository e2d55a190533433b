public import Geometry

extension AnimatableValues {
  /// Applied around the anchor point. A plain map of the plane costs no more than its six numbers.
  public var transform: Transform3D {
    get { rareBox?.values.transform ?? Transform3D(flatTransform) }
    set {
      flatTransform = newValue.flattened
      if newValue.isAffine {
        if !isFlat { rare.transform = nil }
      } else {
        rare.transform = newValue
      }
    }
  }

  /// `transform` as a map of the plane: what is left of it where it is none. Setting it replaces the whole transform.
  public var affineTransform: Affine {
    get { flatTransform }
    set {
      flatTransform = newValue
      if !isFlat { rare.transform = nil }
    }
  }

  /// Applied to the sublayers around the layer's own anchor point: mostly a perspective.
  public var sublayerTransform: Transform3D {
    get { rareBox?.values.sublayerTransform ?? .identity }
    set { if newValue != sublayerTransform { rare.sublayerTransform = newValue } }
  }

  /// The place in depth, towards the viewer, in the superlayer's coordinates.
  public var zPosition: Double {
    @inline(__always)
    get { rareBox?.values.zPosition ?? 0 }
    set { if newValue != zPosition { rare.zPosition = newValue } }
  }

  /// The depth of the anchor point, in the layer's coordinates.
  public var anchorPointZ: Double {
    get { rareBox?.values.anchorPointZ ?? 0 }
    set { if newValue != anchorPointZ { rare.anchorPointZ = newValue } }
  }

  /// The turn in `transform`, in radians from −π to π; clockwise, as y points down.
  public var rotation: Double {
    get { isFlat ? flatTransform.rotation : parts.angles.z }
    set {
      if isFlat {
        flatTransform = flatTransform.withRotation(newValue)
      } else {
        parts.angles.z = newValue
      }
    }
  }

  /// Turns the layer in front of its transform.
  mutating func turn(by radians: Double) {
    if isFlat {
      flatTransform = Affine.rotation(radians).concatenating(flatTransform)
    } else {
      transform = Transform3D.rotation(radians).concatenating(transform)
    }
  }

  /// The parts of `transform`. A map that flattens space has none: the ones that are read then are those of the identity, and
  /// changing them has no effect.
  var parts: Transform3D.Parts {
    get { Transform3D.Parts(transform) ?? Transform3D.Parts() }
    _modify {
      let known = Transform3D.Parts(transform)
      var parts = known ?? Transform3D.Parts()
      yield &parts
      if known != nil { transform = parts.transform }
    }
  }

  /// The anchor point in the layer's coordinates.
  @inline(__always)
  var anchor: Point {
    Point(bounds.minX + anchorPoint.x * bounds.width, bounds.minY + anchorPoint.y * bounds.height)
  }

  /// Maps the layer's coordinates to its superlayer's by the plane's part of the transform: the anchor point goes to the origin,
  /// is transformed, and goes to `position`.
  @inline(__always)
  var flatTransformToSuperlayer: Affine {
    let anchor = anchor
    var result = flatTransform
    result.tx += position.x - (result.a * anchor.x + result.c * anchor.y)
    result.ty += position.y - (result.b * anchor.x + result.d * anchor.y)
    return result
  }

  /// True if the layer lies in its superlayer's plane, or as if it did.
  @inline(__always)
  var isFlat: Bool {
    guard let rareBox else { return true }
    return rareBox.values.transform == nil
  }

  /// Maps the layer's space to its superlayer's, whose `sublayerTransform` is left out.
  var spaceToSuperlayer: Transform3D {
    let anchor = anchor
    return Transform3D.translation(x: -anchor.x, y: -anchor.y, z: -anchorPointZ).concatenating(transform)
      .concatenating(.translation(x: position.x, y: position.y, z: zPosition))
  }

  /// Maps the layer's coordinates to its superlayer's plane, on which the layer is seen straight from above. The superlayer's
  /// `sublayerTransform` is left out.
  public var transformToSuperlayer: Homography {
    isFlat ? Homography(flatTransformToSuperlayer) : spaceToSuperlayer.homography
  }

  /// The smallest upright rectangle around the layer, in the superlayer's coordinates; empty for a layer behind the viewer.
  ///
  /// Setting it keeps anchor point and transform and gives `bounds` a size and `position` a value: so that reading it back
  /// gives what was set where the transform scales, mirrors, moves and turns by right angles. By another angle no
  /// rectangle need have a given frame; then the layer is as large as the frame turned back, around the same centre. Depth is
  /// not looked at. A frame with a negative size is the same as the standardized one.
  public var frame: Rect {
    get {
      isFlat
        ? flatTransformToSuperlayer.boundingBox(of: bounds)
        : transformToSuperlayer.boundingBox(of: bounds) ?? Rect(origin: position, size: .zero)
    }
    set {
      let frame = newValue.standardized
      var linear = flatTransform
      linear.tx = 0
      linear.ty = 0
      if let back = linear.inverted {
        bounds.size = back.boundingBox(of: Rect(origin: .zero, size: frame.size)).size
      }
      let center = flatTransformToSuperlayer.apply(bounds.center)
      position.x += frame.midX - center.x
      position.y += frame.midY - center.y
    }
  }
}
