import Geometry
public import Raster
public import RenderTree

extension Layer {
  /// Draws the layer with its sublayers as they are set, animations left aside, in the layer's own coordinates: neither its position
  /// nor its transform counts. Particles are those that the screen shows. All else is drawn as there, by the renderer that paints it, into a bitmap that is then put
  /// over what the context has. So the layer's own `compositingFilter` finds nothing behind it.
  ///
  /// - Throws: `BitmapError` without memory for that bitmap, which is as large as the context's clip.
  public func render(in context: DrawingContext, with renderer: any Renderer) throws(BitmapError) {
    let pixels = context.clippedPixels
    var models = TreeSnapshot()
    append(to: &models, in: nil, isFlipped: liesFlipped, id: id)
    // A root at the origin of its own coordinates; empty where the layer is hidden.
    var tree = OldPicture(of: 0, in: models).tree
    guard !pixels.isEmpty, !tree.records.isEmpty, let back = context.transform.inverted else { return }
    tree.backdrop = 0
    tree.records[0].flags.remove(.singleSided)
    tree.records[0].transform = context.transform.concatenating(
      .translation(x: -Double(pixels.minX), y: -Double(pixels.minY)))
    let bitmap = try Bitmap(width: pixels.width, height: pixels.height)
    renderer.render(
      tree, damage: DamageRegion(IntRect(x: 0, y: 0, width: pixels.width, height: pixels.height)), into: bitmap)
    context.withSavedState {
      context.concatenate(back)
      context.draw(bitmap.freeze(), in: Rect(pixels))
    }
  }

  /// True if an odd number of the layers above is flipped, whatever was committed.
  private var liesFlipped: Bool { superlayer.map { $0.liesFlipped != $0.isFlipped } ?? false }

  /// Appends the layer as it is set, with its mask and its sublayers.
  ///
  /// - Parameter id: nil for a number that no record has.
  private func append(to tree: inout TreeSnapshot, in space: SublayerSpace?, isFlipped isPlaced: Bool, id: UInt32?) {
    let index = tree.records.count
    var sides = sideValues(in: space, last: recordEffects)
    if let context, let timed = sides.content?.timed {
      sides.content = timed.content(at: time(at: context.times.current, of: nil))
    }
    var record = record(sides, in: space)
    record.id = id ?? Self.makeID()
    tree.append(record, sides)
    let isUpsideDown = isPlaced != isFlipped
    func innerSpace(of layer: Layer, _ number: Int) -> SublayerSpace? {
      let instance = instance(number, of: layer)
      // The place of the layer that is drawn does not count, but the opacity that a space gives its sublayers does.
      if isSpace, index > 0 { return SublayerSpace(values, isFlipped: isUpsideDown, instance, through: space) }
      guard isSpace || isReplicator || isUpsideDown || values.sublayerTransform != .identity else { return nil }
      return SublayerSpace(values, isFlipped: isUpsideDown, instance, opacity: isSpace ? values.opacity : 1)
    }
    func append(_ layer: Layer, _ number: Int) {
      let ownID = id != nil && number == 0 ? layer.id : nil
      layer.append(to: &tree, in: innerSpace(of: layer, number), isFlipped: isUpsideDown, id: ownID)
    }
    if let storedMask { append(storedMask, 0) }
    for layer in innerLayers { layer.append(to: &tree, in: nil, isFlipped: isUpsideDown, id: id == nil ? nil : layer.id) }
    let sublayers = sublayersInPaintOrder
    for number in 0..<(sublayers.isEmpty ? 0 : max(copyCount, 1)) {
      if tree.records.count >= ReplicatorLayer.maximumTreeSize { break }
      for layer in sublayers { append(layer, number) }
    }
    tree.records[index].subtreeEnd = UInt32(tree.records.count)
  }
}
