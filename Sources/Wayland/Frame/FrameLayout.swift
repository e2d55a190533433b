import Geometry

/// The places of a window's own frame, for desktops that draw none: a title bar above the content, and an edge around both at which the window is
/// resized. A pure value.
///
/// All lengths are in points. Places are around the content, whose upper left corner is the origin.
struct FrameLayout: Hashable, Sendable {
  static let titleHeight = 30
  /// The width of the edge, all of which but its innermost point is seen through.
  static let edgeWidth = 8
  /// How far from a corner an edge resizes both sides.
  private static let corner = 24
  private static let buttonWidth = 34

  /// The surfaces of the frame. The top one has the title bar too.
  enum Part: Int, Hashable, Sendable, CaseIterable { case top, left, right, bottom }

  struct Place: Hashable, Sendable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int
  }

  /// The size of the content.
  var extent: WindowConfiguration.Extent
  /// True for a window that fills the screen or a half of it: it has no edge.
  var isFitted = false
  /// The buttons beside the one that closes.
  var hasMaximize = true
  var hasMinimize = true

  private var edge: Int { isFitted ? 0 : Self.edgeWidth }

  /// The window as others see it: content and title bar.
  var geometry: Place {
    Place(x: 0, y: -Self.titleHeight, width: extent.width, height: extent.height + Self.titleHeight)
  }

  /// Nil for a part that there is not.
  func place(of part: Part) -> Place? {
    let (width, height) = (extent.width, extent.height)
    switch part {
    case .top:
      return Place(x: -edge, y: -Self.titleHeight - edge, width: width + 2 * edge, height: Self.titleHeight + edge)
    case .left: return edge == 0 ? nil : Place(x: -edge, y: 0, width: edge, height: height)
    case .right: return edge == 0 ? nil : Place(x: width, y: 0, width: edge, height: height)
    case .bottom: return edge == 0 ? nil : Place(x: -edge, y: height, width: width + 2 * edge, height: edge)
    }
  }

  /// A button and its rectangle, in the coordinates of the top part.
  struct Button: Hashable, Sendable {
    var area: FrameArea
    var rect: Rect
  }

  /// The buttons, from the right.
  var buttons: [Button] {
    var areas = [FrameArea.close]
    if hasMaximize { areas.append(.maximize) }
    if hasMinimize { areas.append(.minimize) }
    // A narrow window keeps half of its title bar, by which it is moved.
    while areas.count > 1, areas.count * Self.buttonWidth * 2 > extent.width { areas.removeLast() }
    return areas.enumerated().map { index, area in
      let x = edge + extent.width - (index + 1) * Self.buttonWidth
      return Button(
        area: area,
        rect: Rect(
          x: Double(x), y: Double(edge), width: Double(Self.buttonWidth), height: Double(Self.titleHeight)))
    }
  }

  /// The rectangle of the title bar, in the coordinates of the top part.
  var titleBar: Rect {
    Rect(x: Double(edge), y: Double(edge), width: Double(extent.width), height: Double(Self.titleHeight))
  }

  /// The area at a point of a part.
  func area(_ part: Part, at point: Point) -> FrameArea {
    guard let place = place(of: part) else { return .title }
    let (x, y) = (Double(place.x) + point.x, Double(place.y) + point.y)
    let (left, top, right, bottom) = (0.0, Double(-Self.titleHeight), Double(extent.width), Double(extent.height))
    if x >= left, x < right, y >= top, y < bottom {
      return buttons.first { $0.rect.contains(point) }?.area ?? .title
    }
    let corner = min(Double(Self.corner), (right - left) / 3, (bottom - top) / 3)
    var edges: FrameEdges = []
    if y < top + corner { edges.insert(.top) } else if y >= bottom - corner { edges.insert(.bottom) }
    if x < left + corner { edges.insert(.left) } else if x >= right - corner { edges.insert(.right) }
    return .edge(edges)
  }
}

/// The sides that move when a window is resized, by the protocol's numbers.
struct FrameEdges: OptionSet, Hashable, Sendable {
  let rawValue: UInt32
  static let top = FrameEdges(rawValue: 1)
  static let bottom = FrameEdges(rawValue: 2)
  static let left = FrameEdges(rawValue: 4)
  static let right = FrameEdges(rawValue: 8)
}

/// A part of a frame in which something can be done.
enum FrameArea: Hashable, Sendable {
  case title, close, maximize, minimize
  case edge(FrameEdges)

  /// The pointer's look over it.
  var cursor: CursorShape {
    guard case .edge(let edges) = self else { return .standard }
    switch edges {
    case .left, .right: return .resizeHorizontally
    case .top, .bottom: return .resizeVertically
    case [.top, .left], [.bottom, .right]: return .resizeDown
    case [.top, .right], [.bottom, .left]: return .resizeUp
    default: return .standard
    }
  }
}
