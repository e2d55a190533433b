/// What a screen may do besides showing frames.
extension KMSDisplay {
  /// Whether the screen has a plane for a cursor. Without, draw the pointer as a layer. False while there is no screen.
  public var hasCursorPlane: Bool { maximumCursorSize != nil }

  /// The largest image that a cursor may have, in pixels; nil without a cursor plane. 64x64 with most hardware.
  public var maximumCursorSize: (width: Int, height: Int)? { screen?.presenter.cursorSize }

  /// Whether the cursor is shown, and why not.
  public var cursorState: FeatureState { screen?.presenter.cursorState ?? .off }

  func showCursor() { screen?.presenter.setCursor(cursor, at: cursorPosition) }

  /// A screen says so each time that it comes; the application is told once.
  func refused(_ refusal: FeatureRefusal) {
    guard toldRefusals.insert(refusal).inserted else { return }
    onRefusal?(refusal)
  }
}
