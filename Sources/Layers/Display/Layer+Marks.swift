import Geometry

// A mark costs a flag and, the first time since the last commit, an entry in a list of the context.

extension Layer {
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
    if hitBoxIndex >= 0 { forgetHitBox() }
    if !isRecordMarked { context?.markRecord(self) }
  }

  /// Makes new contents at once if they are needed and the layer has a size.
  public func displayIfNeeded() {
    guard needsDisplay, bounds.isDrawable else { return }
    needsDisplay = false
    if let delegate { delegate.display(self) } else { displayByDrawing() }
  }
}
