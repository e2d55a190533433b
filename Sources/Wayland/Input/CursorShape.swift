import CWaylandProtocols

/// The look of the pointer over a window.
public enum CursorShape: Hashable, Sendable, CaseIterable {
  case standard
  /// There is none.
  case hidden
  /// A hand, over what can be pressed.
  case pointing
  /// A bar, over text.
  case text
  case crosshair
  case move
  case grab
  case grabbing
  case notAllowed
  case resizeHorizontally
  case resizeVertically
  /// From the upper left to the lower right, and from the lower left to the upper right.
  case resizeDown, resizeUp
  /// The program is busy, and takes input all the same.
  case progress
  case wait

  /// Its number in cursor-shape-v1; nil for none.
  var number: UInt32? {
    switch self {
    case .standard: WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_DEFAULT.rawValue
    case .hidden: nil
    case .pointing: WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_POINTER.rawValue
    case .text: WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_TEXT.rawValue
    case .crosshair: WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_CROSSHAIR.rawValue
    case .move: WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_MOVE.rawValue
    case .grab: WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_GRAB.rawValue
    case .grabbing: WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_GRABBING.rawValue
    case .notAllowed: WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_NOT_ALLOWED.rawValue
    case .resizeHorizontally: WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_EW_RESIZE.rawValue
    case .resizeVertically: WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_NS_RESIZE.rawValue
    case .resizeDown: WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_NWSE_RESIZE.rawValue
    case .resizeUp: WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_NESW_RESIZE.rawValue
    case .progress: WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_PROGRESS.rawValue
    case .wait: WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_WAIT.rawValue
    }
  }

  /// Its names in themes of cursors, the best first: that of CSS, and the older one of the X server.
  var names: [String] {
    switch self {
    case .standard: ["default", "left_ptr"]
    case .hidden: []
    case .pointing: ["pointer", "hand2"]
    case .text: ["text", "xterm"]
    case .crosshair: ["crosshair", "cross"]
    case .move: ["move", "fleur"]
    case .grab: ["grab", "hand1"]
    case .grabbing: ["grabbing", "fleur"]
    case .notAllowed: ["not-allowed", "crossed_circle"]
    case .resizeHorizontally: ["ew-resize", "sb_h_double_arrow"]
    case .resizeVertically: ["ns-resize", "sb_v_double_arrow"]
    case .resizeDown: ["nwse-resize", "bottom_right_corner"]
    case .resizeUp: ["nesw-resize", "top_right_corner"]
    case .progress: ["progress", "left_ptr_watch"]
    case .wait: ["wait", "watch"]
    }
  }
}
