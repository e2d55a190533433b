public import Presentation
import RunLoops

extension KMSDisplay: CursorDisplay {}

/// The features of a screen beyond showing frames.
extension KMSDisplay {
  /// True if the screen has a plane for a cursor; false while there is no screen. Without one, draw the pointer as a layer.
  public var hasCursorPlane: Bool { maximumCursorSize != nil }

  /// The largest cursor image in pixels, 64x64 with most hardware; nil without a cursor plane.
  public var maximumCursorSize: (width: Int, height: Int)? { usedScreen?.presenter.cursorSize }

  /// Says if the cursor is shown, and why not.
  public var cursorState: FeatureState { usedScreen?.presenter.cursor.state ?? .off }

  /// Says if the rate follows the frames, and why not. The source of a variable rate says so: `ticker.source.isVariable`.
  public var variableRefresh: FeatureState { usedScreen?.variableRefresh ?? .off }

  /// Says if frames are shown at once, and why not. Some drivers refuse only when they see a frame.
  public var tearing: FeatureState { usedScreen?.presenter.tearing.state ?? .off }

  /// Nil while the display is away: a stopped screen is not asked.
  private var usedScreen: ConnectedScreen? { screen?.isStopped == false ? screen : nil }

  /// Requests the features of the screen.
  func applyFeatures() {
    usedScreen?.setVariableRefresh(wantsVariableRefresh)
    usedScreen?.presenter.setTearing(allowsTearing)
    showCursor()
  }

  func showCursor() { usedScreen?.presenter.setCursor(cursor, at: cursorPosition) }

  /// The application has changed a request.
  func askForFeatures() {
    applyFeatures()
    tellRefusals()
  }

  // MARK: Refusals

  /// A screen reports a refusal at each return; the application hears of it once, and later: the screen may be in the middle
  /// of a commit.
  func refused(_ refusal: FeatureRefusal) {
    guard refusals.insert(refusal).inserted else { return }
    untoldRefusals.append(refusal)
    refusalAlarm.fireTime = clock.now
  }

  /// The handler may change the requests, and hears of refusals of these too.
  func tellRefusals() {
    while !untoldRefusals.isEmpty {
      let refusal = untoldRefusals.removeFirst()
      onRefusal?(refusal)
    }
  }
}
