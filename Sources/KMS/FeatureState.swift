public import LinuxSystem

/// What a screen may do besides showing frames, where driver and screen take part.
public enum ScreenFeature: Hashable, Sendable, CaseIterable {
  /// A cursor in a plane of its own.
  case cursor
}

/// What has become of a feature that may be asked for.
public enum FeatureState: Hashable, Sendable {
  /// Not asked for; or there is no screen now.
  case off
  /// In use, from the first frame on.
  case on
  /// The screen goes on without it.
  case refused(FeatureRefusal)
}

/// Why a screen goes on without something that was asked for.
public enum FeatureRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The driver has no cursor for the screen.
  case noCursorPlane(connector: String)
  /// The hardware's cursors are smaller. Sizes are in pixels.
  case cursorTooLarge(connector: String, width: Int, height: Int, maximumWidth: Int, maximumHeight: Int)
  /// The driver was asked, and said no.
  case driver(connector: String, ScreenFeature, SystemError)

  /// What was asked for.
  public var feature: ScreenFeature {
    switch self {
    case .noCursorPlane, .cursorTooLarge: .cursor
    case .driver(_, let feature, _): feature
    }
  }

  public var description: String {
    switch self {
    case .noCursorPlane(let connector):
      "\(connector) has no cursor plane: draw the pointer as a layer"
    case .cursorTooLarge(let connector, let width, let height, let maximumWidth, let maximumHeight):
      "a cursor of \(width)x\(height) is too large for \(connector), which takes \(maximumWidth)x\(maximumHeight)"
    case .driver(let connector, .cursor, let error):
      "the driver of \(connector) does not show the cursor: \(error)"
    }
  }
}
