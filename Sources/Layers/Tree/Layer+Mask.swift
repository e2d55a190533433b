import RenderTree

extension Layer {
  /// A layer whose alpha multiplies that of this layer with all its sublayers; nil, the initial value, for none. It lies in this
  /// layer's coordinates and may have sublayers of its own. This layer becomes its superlayer, though it is not among the
  /// sublayers, and it is not seen itself.
  public var mask: Layer? {
    get { storedMask }
    set {
      guard newValue !== storedMask else { return }
      if let newValue {
        precondition(!isDescendant(of: newValue), "Layer: a layer cannot be masked by itself or by a layer around it")
        precondition(newValue.context?.root !== newValue, "Layer: the root of a context cannot be a mask")
      }
      let old = storedMask
      old?.takeOut()
      defer { runTreeActions(for: .mask, removed: old, added: newValue) }
      guard let newValue else { return }
      newValue.removeFromSuperlayer()
      storedMask = newValue
      newValue.superlayer = self
      newValue.setFlag(.mask, true)
      setFlag(.masked, true)
      if newValue.context !== context { newValue.context?.leave(newValue) }
      if let context { context.enter(newValue, depth: depth + 1) }
    }
  }

  /// Lets go of the mask. The caller takes away the mask's superlayer.
  func forgetMask() {
    storedMask?.setFlag(.mask, false)
    storedMask = nil
    setFlag(.masked, false)
  }
}
