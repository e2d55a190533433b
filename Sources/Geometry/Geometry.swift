/// A point in a plane, or the way from one point to another: x to the right, y down.
///
/// ```swift
/// layer.position += Point(x: 8, y: 0)
/// let middle = (start + end) / 2
/// ```
public struct Point: Hashable, BitwiseCopyable, Sendable {
  public var x: Double
  public var y: Double

  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  public init(_ x: Double, _ y: Double) {
    self.init(x: x, y: y)
  }

  public static let zero = Point(x: 0, y: 0)

  public static func + (left: Point, right: Point) -> Point { Point(x: left.x + right.x, y: left.y + right.y) }
  public static func - (left: Point, right: Point) -> Point { Point(x: left.x - right.x, y: left.y - right.y) }
  public static func * (point: Point, factor: Double) -> Point { Point(x: point.x * factor, y: point.y * factor) }
  public static func / (point: Point, divisor: Double) -> Point { Point(x: point.x / divisor, y: point.y / divisor) }
  public static prefix func - (point: Point) -> Point { Point(x: -point.x, y: -point.y) }
  public static func += (left: inout Point, right: Point) { left = left + right }
  public static func -= (left: inout Point, right: Point) { left = left - right }
}

/// A width and a height. Sizes are added and scaled as points are.
public struct Size: Hashable, BitwiseCopyable, Sendable {
  public var width: Double
  public var height: Double

  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  public init(_ width: Double, _ height: Double) {
    self.init(width: width, height: height)
  }

  public static let zero = Size(width: 0, height: 0)

  public static func + (left: Size, right: Size) -> Size { Size(left.width + right.width, left.height + right.height) }
  public static func - (left: Size, right: Size) -> Size { Size(left.width - right.width, left.height - right.height) }
  public static func * (size: Size, factor: Double) -> Size { Size(size.width * factor, size.height * factor) }
  public static func / (size: Size, divisor: Double) -> Size { Size(size.width / divisor, size.height / divisor) }
  public static prefix func - (size: Size) -> Size { Size(-size.width, -size.height) }
  public static func += (left: inout Size, right: Size) { left = left + right }
  public static func -= (left: inout Size, right: Size) { left = left - right }

  /// True while the size has no area: a side is zero, negative or not a number.
  public var isEmpty: Bool { !(width > 0 && height > 0) }
}

/// A rectangle: its corner with the smallest coordinates, and its size.
public struct Rect: Hashable, BitwiseCopyable, Sendable {
  public var origin: Point
  public var size: Size

  public init(origin: Point, size: Size) {
    self.origin = origin
    self.size = size
  }

  public init(x: Double, y: Double, width: Double, height: Double) {
    self.init(origin: Point(x: x, y: y), size: Size(width: width, height: height))
  }

  public static let zero = Rect(x: 0, y: 0, width: 0, height: 0)

  public var minX: Double { origin.x }
  public var minY: Double { origin.y }
  public var maxX: Double { origin.x + size.width }
  public var maxY: Double { origin.y + size.height }
  public var midX: Double { origin.x + size.width / 2 }
  public var midY: Double { origin.y + size.height / 2 }
  public var width: Double { size.width }
  public var height: Double { size.height }
  public var center: Point { Point(x: midX, y: midY) }
  public var isEmpty: Bool { size.isEmpty }

  /// The same rectangle with a size that is not negative: a negative one reaches to the left of the origin, or up.
  public var standardized: Rect {
    Rect(
      x: width < 0 ? minX + width : minX, y: height < 0 ? minY + height : minY, width: width < 0 ? -width : width,
      height: height < 0 ? -height : height)
  }

  /// The four corners, one after the other.
  package var corners: [Point] { [Point(minX, minY), Point(maxX, minY), Point(maxX, maxY), Point(minX, maxY)] }

  /// The smallest rectangle around points; nil without any, and around those that are no numbers.
  package init?(around points: [Point]) {
    guard let left = points.map(\.x).min(), let right = points.map(\.x).max(), let top = points.map(\.y).min(),
      let bottom = points.map(\.y).max(), left <= right, top <= bottom
    else { return nil }
    self.init(x: left, y: top, width: right - left, height: bottom - top)
  }

  /// The rectangle made smaller by `dx` on the left and right and by `dy` at the top and bottom; larger for negative values.
  public func insetBy(dx: Double, dy: Double) -> Rect {
    Rect(x: minX + dx, y: minY + dy, width: width - 2 * dx, height: height - 2 * dy)
  }

  public func offsetBy(dx: Double, dy: Double) -> Rect {
    Rect(x: minX + dx, y: minY + dy, width: width, height: height)
  }

  /// True if `point` lies inside; the left and top edges belong to the rectangle, the right and bottom ones do not.
  public func contains(_ point: Point) -> Bool {
    point.x >= minX && point.x < maxX && point.y >= minY && point.y < maxY
  }

  /// The rectangle that both have in common; empty when they do not touch.
  public func intersection(_ other: Rect) -> Rect {
    let left = max(minX, other.minX)
    let top = max(minY, other.minY)
    let right = min(maxX, other.maxX)
    let bottom = min(maxY, other.maxY)
    guard right > left, bottom > top else { return .zero }
    return Rect(x: left, y: top, width: right - left, height: bottom - top)
  }

  /// The smallest rectangle around both; an empty one adds nothing.
  public func union(_ other: Rect) -> Rect {
    if isEmpty { return other }
    if other.isEmpty { return self }
    let left = min(minX, other.minX)
    let top = min(minY, other.minY)
    return Rect(x: left, y: top, width: max(maxX, other.maxX) - left, height: max(maxY, other.maxY) - top)
  }
}
