public import Geometry

extension Layer {
  /// The layer that is seen at a point of the superlayer's coordinates: the farthest descendant that contains it, or this layer,
  /// or nil. For a root those are the output's coordinates in points.
  ///
  /// Siblings are asked from the top down. A sublayer is found outside of this layer's bounds too, unless `masksToBounds` clips
  /// it there, corners included. Where a layer has a mask, nothing is found outside of the mask's bounds. Neither a layer that is
  /// hidden, or whose opacity is 0.01 or less, nor one that is flattened, or shows its back without being double-sided, is found,
  /// nor anything in them. Animations are not looked at.
  public func hitTest(_ point: Point) -> Layer? {
    guard !isHidden, opacity > 0.01, isDoubleSided || !showsItsBack, let own = pointFromSuperlayer(point) else { return nil }
    if masksToBounds && !values.clipContains(own) { return nil }
    if let storedMask, !(storedMask.pointFromSuperlayer(own).map(storedMask.contains) ?? false) { return nil }
    for layer in sublayersInPaintOrder.reversed() {
      if let found = layer.hitTest(own) { return found }
    }
    return contains(own) ? self : nil
  }

  /// True if the maps from the layer to the output mirror it. A flipped geometry is none of them: pictures stay upright in it.
  private var showsItsBack: Bool {
    var isMirrored = false
    var next: Layer? = self
    while let layer = next {
      if layer.values.picturePlace(in: layer.space).determinant < 0 { isMirrored.toggle() }
      next = layer.superlayer
    }
    return isMirrored
  }

  /// Takes a point of the superlayer's coordinates into this layer; nil when it is seen from the edge, or the point is behind the
  /// viewer.
  func pointFromSuperlayer(_ point: Point) -> Point? {
    mapToSuperlayer.inverted?.apply(point)
  }
}

extension AnimatableValues {
  /// True for a point, in the layer's coordinates, inside of the bounds with their round corners.
  fileprivate func clipContains(_ point: Point) -> Bool {
    guard bounds.contains(point) else { return false }
    let radius = min(cornerRadius, min(bounds.width, bounds.height) / 2)
    guard radius > 0 else { return true }
    // The way beyond the centre of the nearest corner.
    let isLeft = point.x < bounds.midX
    let isTop = point.y < bounds.midY
    let corner: Corners = isTop ? (isLeft ? .minXMinY : .maxXMinY) : (isLeft ? .minXMaxY : .maxXMaxY)
    guard rare.maskedCorners.contains(corner) else { return true }
    let x = radius - min(point.x - bounds.minX, bounds.maxX - point.x)
    let y = radius - min(point.y - bounds.minY, bounds.maxY - point.y)
    return x <= 0 || y <= 0 || x * x + y * y <= radius * radius
  }
}
