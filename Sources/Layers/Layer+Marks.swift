import Geometry

// A mark costs a flag and, the first time since the last commit, an entry in a list of the context.

extension Layer {
  /// Requests a call of `layoutSublayers()` in the next commit.
  public func setNeedsLayout() {
    needsLayout = true
    if layoutMarkDepth != depth { context?.markLayout(self) }
  }

  /// Requests new contents in the next commit. A layer without a size is drawn once it has one.
  public func setNeedsDisplay() {
    needsDisplay = true
    markDisplay()
  }

  func markDisplay() {
    if !isDisplayMarked { context?.markDisplay(self) }
  }

  @inline(__always)
  func markRecord() {
    if !isRecordMarked { context?.markRecord(self) }
  }

  /// Lays out at once: this layer, the superlayers above it that need layout without a gap, and everything below the highest
  /// of them.
  public func layoutIfNeeded() {
    var top = self
    while let above = top.superlayer, above.needsLayout { top = above }
    top.layoutTree()
  }

  private func layoutTree() {
    layoutOnce()
    for layer in sublayers { layer.layoutTree() }
  }

  func layoutOnce() {
    guard needsLayout else { return }
    // The mark is removed before the call, so that a mark made inside it is a new one.
    needsLayout = false
    layoutSublayers()
  }

  /// Makes new contents at once if they are needed and the layer has a size.
  public func displayIfNeeded() {
    guard needsDisplay, !bounds.isEmpty else { return }
    needsDisplay = false
    if let delegate { delegate.display(self) } else { displayByDrawing() }
  }
}
