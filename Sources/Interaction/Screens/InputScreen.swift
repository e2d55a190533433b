public import Geometry

/// A screen as input sees it: where it lies among others, how its panel is mounted, and which layers are seen on it.
public struct InputScreen: Hashable, Sendable {
  /// The connector's name, such as "DSI-1", which udev's `WL_OUTPUT` of a touch screen may name; empty where there is none.
  public var name: String
  /// The upright picture among those of other screens, in points. A pointer goes from one to the next where they touch.
  public var frame: Rect
  /// The clockwise quarter turns of the picture on the panel, 0 to 3; touch panels are glued to the panel, and turn with it.
  public var quarterTurns: Int
  /// The clockwise quarter turns of the touch panel's picture, where it is mounted another way than the panel is; nil for the same.
  public var touchQuarterTurns: Int?
  /// From points of the upright picture, whose left upper corner is (0, 0), to the root layer's: the identity unless the picture is placed in the
  /// middle of a mirroring screen, for instance.
  public var pictureToRoot: Affine
  /// The size of the panel, in millimetres; nil if it is not known. A touch screen of the same size is taken for this screen's.
  public var panelSize: Size?

  public init(
    name: String = "", frame: Rect, quarterTurns: Int = 0, touchQuarterTurns: Int? = nil, pictureToRoot: Affine = .identity,
    panelSize: Size? = nil
  ) {
    (self.name, self.frame) = (name, frame)
    (self.quarterTurns, self.touchQuarterTurns) = (quarterTurns & 3, touchQuarterTurns.map { $0 & 3 })
    (self.pictureToRoot, self.panelSize) = (pictureToRoot, panelSize)
  }

  /// True if the panel may be the one below a touch screen of this size: they differ by at most a twentieth, as the edges that a cover hides do.
  func hasPanel(like size: Size) -> Bool {
    guard let panelSize, size.width > 0, size.height > 0 else { return false }
    return abs(panelSize.width / size.width - 1) <= 0.05 && abs(panelSize.height / size.height - 1) <= 0.05
  }

  /// The point of the root layer below a place on the touch panel.
  ///
  /// - Parameter part: a part of the area of the panel as it is scanned, from 0 to 1 in both directions; a finger at the edge may be outside.
  public func rootPoint(touchedAt part: Point) -> Point {
    pictureToRoot.apply(picturePoint(of: part, quarterTurns: touchQuarterTurns ?? quarterTurns))
  }

  /// The part of the touch panel's area that lies over a point of the root layer: the inverse of `rootPoint(touchedAt:)`.
  public func part(over point: Point) -> Point {
    let picture = pictureToRoot.inverted?.apply(point) ?? point
    let (x, y) = (picture.x / frame.width, picture.y / frame.height)
    return switch touchQuarterTurns ?? quarterTurns {
    case 1: Point(1 - y, x)
    case 2: Point(1 - x, 1 - y)
    case 3: Point(y, 1 - x)
    default: Point(x, y)
    }
  }

  /// The point of the root layer at a point among the frames of the screens, which may be beside this one.
  func rootPoint(at point: Point) -> Point {
    pictureToRoot.apply(Point(point.x - frame.minX, point.y - frame.minY))
  }

  /// The point of the frame that is nearest to a point. Its right and bottom edges are outside.
  func nearestPoint(to point: Point) -> Point {
    Point(
      min(max(point.x, frame.minX), frame.maxX.nextDown), min(max(point.y, frame.minY), frame.maxY.nextDown))
  }

  /// A place of the panel's area in points of the upright picture. A picture that is turned clockwise by a quarter has its left upper corner in
  /// the panel's right upper one.
  func picturePoint(of part: Point, quarterTurns: Int) -> Point {
    let upright =
      switch quarterTurns {
      case 1: Point(part.y, 1 - part.x)
      case 2: Point(1 - part.x, 1 - part.y)
      case 3: Point(1 - part.y, part.x)
      default: part
      }
    return Point(upright.x * frame.width, upright.y * frame.height)
  }
}
