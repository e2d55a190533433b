import RunLoops

/// What a screen may do besides showing frames.
extension KMSDisplay {
  /// Whether the screen has a plane for a cursor. Without, draw the pointer as a layer. False while there is no screen.
  public var hasCursorPlane: Bool { maximumCursorSize != nil }

  /// The largest image that a cursor may have, in pixels; nil without a cursor plane. 64x64 with most hardware.
  public var maximumCursorSize: (width: Int, height: Int)? { usedScreen?.presenter.cursorSize }

  /// Whether the cursor is shown, and why not.
  public var cursorState: FeatureState { usedScreen?.presenter.cursorState ?? .off }

  /// Whether the rate follows the frames, and why not. What ticks at a variable rate says so: `ticker.source.isVariable`.
  public var variableRefresh: FeatureState { usedScreen?.variableRefresh ?? .off }

  /// Whether frames are shown at once, and why not. Some drivers refuse only when they see a frame.
  public var tearing: FeatureState { usedScreen?.presenter.tearing.state ?? .off }

  /// Nil while the display is away: what it has left on the screen is not asked about.
  private var usedScreen: ConnectedScreen? { screen?.isStopped == false ? screen : nil }

  /// Tells the screen what is wanted of it.
  func applyFeatures() {
    usedScreen?.setVariableRefresh(wantsVariableRefresh)
    usedScreen?.presenter.setTearing(allowsTearing)
    showCursor()
  }

  func showCursor() { usedScreen?.presenter.setCursor(cursor, at: cursorPosition) }

  /// As the application has changed what it wants.
  func askForFeatures() {
    applyFeatures()
    tellRefusals()
  }

  // MARK: Refusals

  /// A screen says so each time that it comes; the application is told once, and not now: the screen may be in the middle of
  /// a commit, which nobody may end or change.
  func refused(_ refusal: FeatureRefusal) {
    guard refusals.insert(refusal).inserted else { return }
    untoldRefusals.append(refusal)
    refusalTimer?.nextFireTime = clock.now
  }

  /// Who is told may change what is wanted, and is told of that too.
  func tellRefusals() {
    while !untoldRefusals.isEmpty {
      let refusal = untoldRefusals.removeFirst()
      onRefusal?(refusal)
    }
  }
}
