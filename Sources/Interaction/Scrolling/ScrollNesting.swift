public import Geometry
public import LinuxSystem

/// The directions in which something scrolls.
public struct ScrollAxes: OptionSet, Hashable, BitwiseCopyable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let horizontal = ScrollAxes(rawValue: 1)
  public static let vertical = ScrollAxes(rawValue: 2)
  public static let both: ScrollAxes = [.horizontal, .vertical]

  /// The axes that a drag keeps which began with a way: one if it goes at least twice as far along it as along the other, else both.
  public init(lockedBy way: Point) {
    let (x, y) = (abs(way.x), abs(way.y))
    self = x > 0 && x >= 2 * y ? .horizontal : y > 0 && y >= 2 * x ? .vertical : .both
  }

  func masked(_ way: Point) -> Point { Point(contains(.horizontal) ? way.x : 0, contains(.vertical) ? way.y : 0) }
}

/// Scrolled content in other scrolled content, and the one of them that takes a drag from its beginning to its end.
///
/// A drag moves one of them only. At its end the inner one is pulled like any other, and the next drag moves the outer one: the rule that WebKit
/// calls latching (https://trac.webkit.org/wiki/Scrolling), and that UIScrollView follows. So a list that is dragged to its end quickly does not
/// take the page away with it, and lets go as it would alone.
public enum ScrollNesting {
  /// True if the inner content takes a drag for itself, false if the outer one does.
  ///
  /// The drag belongs to the axis of its greater part. The inner content takes it if it can go that way without a rubber band, or if the
  /// outer one cannot either and the inner one can be pulled at all.
  public static func innerTakes(_ way: Point, inner: ScrollMachine, outer: ScrollMachine, at time: MonotonicTime) -> Bool {
    let isHorizontal = abs(way.x) > abs(way.y)
    let way = isHorizontal ? way.x : way.y
    let (inner, outer) = isHorizontal ? (inner.x, outer.x) : (inner.y, outer.y)
    if inner.canGo(way, at: time) { return true }
    return !outer.canGo(way, at: time) && (inner.bounces || !outer.bounces)
  }
}

extension ScrollMachine {
  /// True if the content can go along the greater part of a way without a rubber band.
  func canGo(_ way: Point, at time: MonotonicTime) -> Bool {
    abs(way.x) > abs(way.y) ? x.canGo(way.x, at: time) : y.canGo(way.y, at: time)
  }
}

extension ScrollMotion {
  /// How far the position can go back, and on, without a rubber band: never above 0, and never below it.
  public func reach(at time: MonotonicTime) -> ClosedRange<Double> {
    let position = position(at: time)
    return min(0, extent.minimum - position)...max(0, extent.maximum - position)
  }

  /// True if the position can go in the direction of a way without a rubber band.
  func canGo(_ way: Double, at time: MonotonicTime) -> Bool {
    let reach = reach(at: time)
    return way > 0 ? reach.upperBound > 0 : way < 0 && reach.lowerBound < 0
  }
}
