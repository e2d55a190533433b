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

  public init(
    name: String = "", frame: Rect, quarterTurns: Int = 0, touchQuarterTurns: Int? = nil, pictureToRoot: Affine = .identity
  ) {
    (self.name, self.frame) = (name, frame)
    (self.quarterTurns, self.touchQuarterTurns) = (quarterTurns & 3, touchQuarterTurns.map { $0 & 3 })
    self.pictureToRoot = pictureToRoot
  }

  /// The point of the root layer below a place on the touch panel.
  ///
  /// - Parameter part: a part of the area of the panel as it is scanned, from 0 to 1 in both directions; a finger at the edge may be outside.
  public func rootPoint(touchedAt part: Point) -> Point {
    pictureToRoot.apply(picturePoint(of: part, quarterTurns: touchQuarterTurns ?? quarterTurns))
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
