extension Layer {
  /// Adds `layer` above all others, taking it from where it was.
  public func addSublayer(_ layer: Layer) {
    insert(layer, at: layer.superlayer === self ? sublayers.count - 1 : sublayers.count)
  }

  /// Adds `layer` so that it has `index` in `sublayers` afterwards; an index out of range counts as the nearest one.
  public func insertSublayer(_ layer: Layer, at index: Int) {
    insert(layer, at: index)
  }

  /// Adds `layer` directly below `sibling`, a sublayer of this one.
  public func insertSublayer(_ layer: Layer, below sibling: Layer) {
    insert(layer, beside: sibling, offset: 0)
  }

  /// Adds `layer` directly above `sibling`, a sublayer of this one.
  public func insertSublayer(_ layer: Layer, above sibling: Layer) {
    insert(layer, beside: sibling, offset: 1)
  }

  /// Puts `layer` in the place of `old`, a sublayer of this one, which is removed.
  public func replaceSublayer(_ old: Layer, with layer: Layer) {
    guard old !== layer else { return }
    insertSublayer(layer, above: old)
    old.removeFromSuperlayer()
  }

  /// Takes the layer out of its superlayer. Its animations end, unless it is back in the tree by the next commit; what is
  /// being drawn for it is cancelled.
  public func removeFromSuperlayer() {
    guard let superlayer else { return }
    superlayer.detach(self)
    if let context { context.leave(self) }
    superlayer.setNeedsLayout()
  }

  /// Whether the layer is `other` or somewhere below it.
  public func isDescendant(of other: Layer) -> Bool {
    var layer: Layer? = self
    while let current = layer {
      if current === other { return true }
      layer = current.superlayer
    }
    return false
  }

  private func insert(_ layer: Layer, beside sibling: Layer, offset: Int) {
    precondition(sibling.superlayer === self, "Layer: the layer to insert beside is no sublayer of this one")
    guard layer !== sibling else { return }
    let index = sublayers.firstIndex { $0 === sibling } ?? 0
    let isBefore = layer.superlayer === self && (sublayers.firstIndex { $0 === layer } ?? 0) < index
    insert(layer, at: index + offset - (isBefore ? 1 : 0))
  }

  /// `index` counts without `layer`.
  private func insert(_ layer: Layer, at index: Int) {
    precondition(!isDescendant(of: layer), "Layer: a layer cannot be added to itself or to a layer inside it")
    precondition(
      layer.context?.root !== layer, "Layer: the root of a context cannot be added to another layer")
    let left = layer.context
    if let old = layer.superlayer {
      old.detach(layer)
      if old !== self { old.setNeedsLayout() }
    }
    sublayers.insert(layer, at: min(max(index, 0), sublayers.count))
    layer.superlayer = self
    if left !== context { left?.leave(layer) }
    if let context { context.enter(layer, depth: depth + 1) }
    setNeedsLayout()
  }

  private func detach(_ layer: Layer) {
    if sublayers.last === layer {
      sublayers.removeLast()
    } else if let index = sublayers.firstIndex(where: { $0 === layer }) {
      sublayers.remove(at: index)
    }
    layer.superlayer = nil
  }

  /// The sublayers from back to front.
  var sublayersInPaintOrder: [Layer] {
    guard let first = sublayers.first, sublayers.contains(where: { $0.zPosition != first.zPosition }) else {
      return sublayers
    }
    func depth(_ layer: Layer) -> Double { layer.zPosition.isNaN ? 0 : layer.zPosition }
    // Equal ones keep their order.
    return sublayers.enumerated().sorted { left, right in
      let (near, far) = (depth(left.element), depth(right.element))
      return near == far ? left.offset < right.offset : near < far
    }.map(\.element)
  }
}
