public import Geometry
public import LinuxSystem

extension Layer {
  /// The layer that is seen at a point of the superlayer's coordinates: the farthest descendant that contains it, or this layer,
  /// or nil. For a root those are the output's coordinates in points, and for a layer in a `TransformLayer` those of the plane on
  /// which that is seen.
  ///
  /// Siblings are asked from the top down. A sublayer is found outside of this layer's bounds too, unless `masksToBounds` clips
  /// it there, corners included. Where a layer has a mask, nothing is found outside of the mask's bounds. Neither a layer that is
  /// hidden, or whose opacity is 0.01 or less, or whose interaction is not enabled, nor one that is flattened, or shows its back
  /// without being double-sided, is found, nor anything in them. Animations are not looked at: see `hitTest(_:at:)`.
  public func hitTest(_ point: Point) -> Layer? { hitTest(point, isInPlane: liesInPlane, at: nil) }

  /// The layer that is seen at a point at a time for which a frame was evaluated: the same with this layer and all in it where their animations
  /// have them then, those that the next commit begins included.
  ///
  /// ```swift
  /// let hit = root.hitTest(point, at: engine.output.shownTime ?? engine.loop.clock.now)
  /// ```
  ///
  /// While `contains(_:)` is asked, the layer's properties are those of that time. It must not set them.
  public func hitTest(_ point: Point, at time: MonotonicTime) -> Layer? { hitTest(point, isInPlane: liesInPlane, at: time) }

  private var liesInPlane: Bool { superlayer.map { !$0.isSpace && !$0.values.movesSublayers } ?? true }

  /// A point of the superlayer's coordinates, or of the output's for a root, in the layer's own; nil where it is not seen there.
  package func ownPoint(of point: Point) -> Point? { mapToSuperlayer.inverted?.apply(point) }

  // - Parameter isInPlane: true unless the superlayer moves its sublayers. To ask each for its superlayer takes as long as the rest.
  // - Parameter time: nil for the layers' own values.
  private func hitTest(_ point: Point, isInPlane: Bool, at time: MonotonicTime?) -> Layer? {
    guard let time, !animations.isEmpty else { return find(point, isInPlane: isInPlane, at: time) }
    return shown(at: time) { find(point, isInPlane: isInPlane, at: time) }
  }

  /// Calls `body` while the layer has the values that are shown at a time.
  private func shown<Result>(at time: MonotonicTime, _ body: () -> Result) -> Result {
    let own = exchange(&values, with: presentation(at: time))
    defer { values = own }
    return body()
  }

  @inline(__always)
  private func find(_ point: Point, isInPlane: Bool, at time: MonotonicTime?) -> Layer? {
    if isSpace { return hitTestSpace(point, at: time) }
    guard let own = take(point, isInPlane: isInPlane, by: values.place) else { return nil }
    // Most layers have no sublayers and lie elsewhere: no more of them is looked at.
    let isLeaf = sublayers.isEmpty
    if isLeaf, !contains(own) { return nil }
    guard !isHidden, values.opacity > 0.01, isInteractionEnabled, isDoubleSided || !showsItsBack else { return nil }
    if masksToBounds && !values.clipContains(own) { return nil }
    if let storedMask, !leaves(own, storedMask, at: time) { return nil }
    if isLeaf { return self }
    return hitTestSublayers(own, at: time) ?? (contains(own) ? self : nil)
  }

  /// True if the mask contains a point of the layer.
  private func leaves(_ point: Point, _ mask: Layer, at time: MonotonicTime?) -> Bool {
    func leaves() -> Bool {
      mask.take(point, isInPlane: !values.movesSublayers, by: mask.values.place).map(mask.contains) ?? false
    }
    guard let time, !mask.animations.isEmpty else { return leaves() }
    return mask.shown(at: time, leaves)
  }

  /// The sublayers of a transform layer are seen on the plane that the point is of.
  private func hitTestSpace(_ point: Point, at time: MonotonicTime?) -> Layer? {
    guard !isHidden, values.opacity > 0.01, isInteractionEnabled else { return nil }
    for layer in sublayersInPaintOrder.reversed() {
      if let found = layer.hitTest(point, isInPlane: false, at: time) { return found }
    }
    return nil
  }

  private func hitTestSublayers(_ point: Point, at time: MonotonicTime?) -> Layer? {
    let isInPlane = !values.movesSublayers
    guard isInPlane, sublayers.count >= HitBoxes.minimumCount else {
      let layers = sublayersInPaintOrder
      for index in layers.indices.reversed() {
        if let found = layers[index].hitTest(point, isInPlane: isInPlane, at: time) { return found }
      }
      return nil
    }
    let boxes = hitBoxes ?? HitBoxes(sublayersInPaintOrder)
    hitBoxes = boxes
    var end = boxes.layers.count
    while let index = boxes.lastIndex(below: end, at: point) {
      let layer = boxes.layers[index]
      // An overridden `contains` may change the tree: boxes that are the superlayer's no more are told of no change.
      if layer.hitBoxIndex < 0, hitBoxes === boxes { boxes.take(layer.hitBox, of: layer, at: index) }
      if let found = layer.hitTest(point, isInPlane: true, at: time) { return found }
      end = index
    }
    return nil
  }

  /// A rectangle in the superlayer's coordinates outside of which a hit test at any time finds neither the layer nor anything in it.
  private var hitBox: HitBoxes.Box {
    // An overridden `contains` may find a layer anywhere, and what is not clipped may lie anywhere.
    let kind = type(of: self)
    let isPlain =
      kind == Layer.self || kind == TextLayer.self || kind == ShapeLayer.self || kind == GradientLayer.self
      || kind == ScrollLayer.self || kind == SurfaceLayer.self || kind == TiledLayer.self || kind == ParagraphLayer.self
      || kind == ReplicatorLayer.self || kind == EmitterLayer.self
    // A flipped geometry leaves the bounds where they are.
    guard animations.isEmpty, !isSpace, masksToBounds || isPlain && sublayers.isEmpty, let place = values.place,
      place.isTranslation
    else {
      return HitBoxes.everywhere
    }
    return HitBoxes.box(around: values.bounds, movedBy: Point(place.tx, place.ty))
  }

  /// Called for every change after which the layer's `hitBox` may be another one.
  func forgetHitBox() {
    if hitBoxIndex >= 0 { superlayer?.hitBoxes?.forget(at: hitBoxIndex) }
    hitBoxIndex = -1
  }

  /// Called before sublayers come or go, so that nobody else has the array of them.
  func forgetHitBoxes() {
    hitBoxes = nil
    forgetHitBox()
  }

  /// True if the maps from the layer to the output mirror it. A flipped geometry is none of them: pictures stay upright in it.
  private var showsItsBack: Bool {
    var isMirrored = false
    var next: Layer? = self
    while let layer = next {
      if layer.mapToSuperlayer.determinant < 0 { isMirrored.toggle() }
      next = layer
      repeat {
        if next?.isFlipped ?? false { isMirrored.toggle() }
        next = next?.superlayer
      } while next?.isSpace ?? false
    }
    return isMirrored
  }

  /// Converts a point of the superlayer's coordinates to the layer's; nil when the layer is seen from the edge, or the point is
  /// behind the viewer.
  @inline(__always)
  private func take(_ point: Point, isInPlane: Bool, by place: Affine?) -> Point? {
    guard isInPlane, !isFlipped, let place else { return mapToSuperlayer.inverted?.apply(point) }
    guard place.tx.isFinite, place.ty.isFinite else { return nil }
    // Most layers are only moved.
    return place.isTranslation ? Point(point.x - place.tx, point.y - place.ty) : place.inverted?.apply(point)
  }
}

extension AnimatableValues {
  /// The map to the superlayer's plane; nil for a layer that does not lie in that plane.
  @inline(__always)
  fileprivate var place: Affine? { isFlat ? flatTransformToSuperlayer : nil }

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
