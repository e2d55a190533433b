public import LinuxSystem

/// A feature of a screen beyond showing frames, where driver and screen support it.
public enum ScreenFeature: Hashable, Sendable, CaseIterable {
  /// A cursor in a plane of its own.
  case cursor
  /// A rate that follows the frames.
  case variableRefresh
  /// Frames that are shown at once instead of from the next vblank on.
  case tearing
}

/// The state of a feature: `KMSDisplay.cursorState`, `variableRefresh` and `tearing`.
public enum FeatureState: Hashable, Sendable {
  /// It was not requested, or there is no screen now.
  case off
  /// It is in use, from the first frame on.
  case on
  /// The screen goes on without it.
  case refused(FeatureRefusal)

  /// The reason why the screen goes on without the feature; nil otherwise.
  public var refusal: FeatureRefusal? { if case .refused(let refusal) = self { refusal } else { nil } }
}

/// The reason why a screen goes on without a requested feature. `KMSDisplay.onRefusal` reports it.
public enum FeatureRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The driver has no cursor for the screen.
  case noCursorPlane(connector: String)
  /// The image is larger than the hardware's cursors. Sizes are in pixels.
  case cursorTooLarge(connector: String, width: Int, height: Int, maximumWidth: Int, maximumHeight: Int)
  /// Driver or screen cannot vary the rate.
  case fixedRefresh(connector: String)
  /// The driver shows frames at vblanks only.
  case noAsynchronousFlips(connector: String)
  /// The driver was asked, and refused.
  case driver(connector: String, ScreenFeature, SystemError)

  /// The requested feature.
  public var feature: ScreenFeature {
    switch self {
    case .noCursorPlane, .cursorTooLarge: .cursor
    case .fixedRefresh: .variableRefresh
    case .noAsynchronousFlips: .tearing
    case .driver(_, let feature, _): feature
    }
  }

  public var description: String {
    switch self {
    case .noCursorPlane(let connector):
      "\(connector) has no cursor plane: draw the pointer as a layer"
    case .cursorTooLarge(let connector, let width, let height, let maximumWidth, let maximumHeight):
      "a cursor of \(width)x\(height) is too large for \(connector), which takes \(maximumWidth)x\(maximumHeight)"
    case .fixedRefresh(let connector):
      "\(connector) does not vary its rate: driver and screen must both take part (vrr_capable)"
    case .noAsynchronousFlips(let connector):
      "the driver of \(connector) shows frames at vblanks only, without tearing"
    case .driver(let connector, .variableRefresh, let error):
      "the driver of \(connector) does not let the rate vary: \(error)"
    case .driver(let connector, .tearing, let error):
      "the driver of \(connector) does not show frames before the vblank: \(error)"
    case .driver(let connector, .cursor, let error):
      "the driver of \(connector) does not show the cursor: \(error)"
    }
  }
}
