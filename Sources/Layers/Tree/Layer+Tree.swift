extension Layer {
  /// Adds `layer` above all other sublayers and removes it from its old superlayer.
  public func addSublayer(_ layer: Layer) {
    insert(layer, at: layer.superlayer === self && storedMask !== layer ? sublayers.count - 1 : sublayers.count)
  }

  /// Adds `layer` at `index` of `sublayers`. An index out of range is limited to the nearest one.
  public func insertSublayer(_ layer: Layer, at index: Int) {
    insert(layer, at: index)
  }

  /// Adds `layer` directly below `sibling`: below all for nil, and above all if `sibling` is no sublayer of this one.
  public func insertSublayer(_ layer: Layer, below sibling: Layer?) {
    guard let sibling else { return insert(layer, at: 0) }
    insert(layer, beside: sibling, offset: 0)
  }

  /// Adds `layer` directly above `sibling`: above all for nil, and if `sibling` is no sublayer of this one.
  public func insertSublayer(_ layer: Layer, above sibling: Layer?) {
    guard let sibling else { return addSublayer(layer) }
    insert(layer, beside: sibling, offset: 1)
  }

  /// Replaces `old`, a sublayer of this one, by `layer`. Traps if it is none.
  public func replaceSublayer(_ old: Layer, with layer: Layer) {
    precondition(old.superlayer === self, "Layer: the layer to replace is no sublayer of this one")
    guard old !== layer else { return }
    let isNew = layer.superlayer !== self
    place(layer, at: index(beside: old, for: layer, offset: 1))
    old.takeOut()
    runTreeActions(removed: old, added: isNew ? layer : nil)
  }

  /// Removes the layer from its superlayer. Its animations end unless it is in the tree again by the next commit, and its
  /// asynchronous drawing is cancelled.
  public func removeFromSuperlayer() {
    guard let superlayer else { return }
    let event = placeEvent
    takeOut()
    superlayer.runTreeActions(for: event, removed: self)
  }

  func takeOut() {
    guard let superlayer else { return }
    superlayer.detach(self)
    if let context { context.leave(self) }
    superlayer.setNeedsLayout()
  }

  /// True if the layer is `other` or below it.
  public func isDescendant(of other: Layer) -> Bool {
    var layer: Layer? = self
    while let current = layer {
      if current === other { return true }
      layer = current.superlayer
    }
    return false
  }

  private func insert(_ layer: Layer, beside sibling: Layer, offset: Int) {
    guard sibling.superlayer === self else { return addSublayer(layer) }
    if layer !== sibling { insert(layer, at: index(beside: sibling, for: layer, offset: offset)) }
  }

  private func index(beside sibling: Layer, for layer: Layer, offset: Int) -> Int {
    let index = sublayers.firstIndex { $0 === sibling } ?? 0
    let isBefore = layer.superlayer === self && (sublayers.firstIndex { $0 === layer } ?? 0) < index
    return index + offset - (isBefore ? 1 : 0)
  }

  private func insert(_ layer: Layer, at index: Int) {
    let (old, event) = (layer.superlayer, layer.placeEvent)
    place(layer, at: index)
    let isNew = old !== self || event == .mask
    if isNew { old?.runTreeActions(for: event, removed: layer) }
    runTreeActions(added: isNew ? layer : nil)
  }

  /// The event of the superlayer when the layer leaves it.
  private var placeEvent: AnimatableProperty { superlayer?.storedMask === self ? .mask : .sublayers }

  /// `index` does not count `layer` itself.
  private func place(_ layer: Layer, at index: Int) {
    precondition(!isDescendant(of: layer), "Layer: a layer cannot be added to itself or to a layer inside it")
    precondition(
      layer.context?.root !== layer, "Layer: the root of a context cannot be added to another layer")
    let left = layer.context
    if let old = layer.superlayer {
      old.detach(layer)
      if old !== self { old.setNeedsLayout() }
    }
    forgetHitBoxes()
    sublayers.insert(layer, at: min(max(index, 0), sublayers.count))
    layer.superlayer = self
    if layer.zPosition != 0 { ordersSublayers = true }
    if left !== context { left?.leave(layer) }
    if let context { context.enter(layer, depth: depth + 1) }
    setNeedsLayout()
  }

  private func detach(_ layer: Layer) {
    forgetHitBoxes()
    if storedMask === layer {
      forgetMask()
    } else if sublayers.last === layer {
      sublayers.removeLast()
    } else if let index = sublayers.firstIndex(where: { $0 === layer }) {
      sublayers.remove(at: index)
    }
    layer.superlayer = nil
  }

  /// The sublayers from back to front.
  var sublayersInPaintOrder: [Layer] {
    guard ordersSublayers, let first = sublayers.first,
      sublayers.contains(where: { $0.zPosition != first.zPosition })
    else { return sublayers }
    func depth(_ layer: Layer) -> Double { layer.zPosition.isNaN ? 0 : layer.zPosition }
    // Layers with equal z positions keep their order.
    return sublayers.enumerated().sorted { left, right in
      let (near, far) = (depth(left.element), depth(right.element))
      return near == far ? left.offset < right.offset : near < far
    }.map(\.element)
  }
}
