import Geometry
public import Raster
public import RenderTree

extension Layer {
  /// Draws the layer with its sublayers as they are set, animations left aside, in the layer's own coordinates: neither its position
  /// nor its transform counts. All else is drawn as on the screen, by the renderer that paints it, into a bitmap that is then put
  /// over what the context has. So the layer's own `compositingFilter` finds nothing behind it.
  ///
  /// - Throws: `BitmapError` without memory for that bitmap, which is as large as the context's clip.
  public func render(in context: DrawingContext, with renderer: any Renderer) throws(BitmapError) {
    let pixels = context.clippedPixels
    var models = TreeSnapshot()
    append(to: &models, in: nil, isFlipped: liesFlipped)
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
  private func append(to tree: inout TreeSnapshot, in space: SublayerSpace?, isFlipped isPlaced: Bool) {
    let index = tree.records.count
    let effects = isSpace ? nil : contentsSource.effects(for: values, values.homography(in: space), last: recordEffects)
    let content = isSpace ? nil : type(of: self).content(for: values, image: values.image)
    let sides = SideValues(content: content, effects: effects)
    tree.append(record(sides, in: space), sides)
    let isUpsideDown = isPlaced != isFlipped
    let placesLayers = isSpace || isUpsideDown || values.sublayerTransform != .identity
    // The place of the layer that is drawn does not count, but the opacity that a space gives its sublayers does.
    let inner =
      isSpace && index > 0
      ? SublayerSpace(values, isFlipped: isUpsideDown, through: space)
      : placesLayers ? SublayerSpace(values, isFlipped: isUpsideDown, opacity: isSpace ? values.opacity : 1) : nil
    for layer in [storedMask].compactMap(\.self) + sublayersInPaintOrder {
      layer.append(to: &tree, in: inner, isFlipped: isUpsideDown)
    }
    tree.records[index].subtreeEnd = UInt32(tree.records.count)
  }
}
