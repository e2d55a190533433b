public import Geometry
public import LinuxSystem

/// The scrolling of content in both directions, by fingers, wheels, touchpads and programs: a pure state machine without layers and clocks.
///
/// ```swift
/// var machine = ScrollMachine(content: Size(320, 10_000), viewport: Size(320, 480))
/// machine.beginDrag(along: Point(1, -12), at: touch.time)
/// machine.drag(translation: Point(2, -80))
/// machine.release(velocity: Point(0, -1200), at: end.time)
/// layer.bounds.origin = machine.position(at: link.targetTimestamp)
/// ```
///
/// It takes every sequence of calls, also times that go back. See `ScrollMotion` for units and signs.
public struct ScrollMachine: Hashable, Sendable {
  public internal(set) var x: ScrollMotion
  public internal(set) var y: ScrollMotion
  /// True if a drag that begins along one axis keeps to it, as UIScrollView's `isDirectionalLockEnabled`.
  public var isDirectionLocked = false
  /// The fingers that hold the content.
  var grip = Grip.none

  enum Grip: Hashable, Sendable {
    case none
    case finger(ScrollAxes)
    /// Fingers on a touchpad, which moved the content so far.
    case touchpad(way: Point, ScrollVelocity)
  }

  /// Content that rests at the nearest position to `position`.
  public init(
    content: Size, viewport: Size, insets: Insets = Insets(), physics: ScrollPhysics = ScrollPhysics(),
    position: Point = .zero
  ) {
    let (horizontal, vertical) = Self.extents(content, viewport, insets)
    x = ScrollMotion(horizontal, physics: physics, position: position.x)
    y = ScrollMotion(vertical, physics: physics, position: position.y)
  }

  static func extents(_ content: Size, _ viewport: Size, _ insets: Insets) -> (ScrollExtent, ScrollExtent) {
    (
      ScrollExtent(content: content.width, viewport: viewport.width, leadingInset: insets.left, trailingInset: insets.right),
      ScrollExtent(
        content: content.height, viewport: viewport.height, leadingInset: insets.top, trailingInset: insets.bottom)
    )
  }

  /// The place of the content that is seen in the viewport's left upper corner at a time, such as that at which a frame will be seen.
  public func position(at time: MonotonicTime) -> Point { Point(x.position(at: time), y.position(at: time)) }
  /// In points per second.
  public func velocity(at time: MonotonicTime) -> Point { Point(x.velocity(at: time), y.velocity(at: time)) }

  /// The position at which it will rest if nothing is done, such as that around which rows are made ready.
  public func restPosition(after time: MonotonicTime) -> Point {
    Point(x.restPosition(after: time), y.restPosition(after: time))
  }

  /// True if it stands still, without a finger, and does so until something is done.
  public func isAtRest(at time: MonotonicTime) -> Bool { x.isAtRest(at: time) && y.isAtRest(at: time) }

  /// When the state of an axis next changes by itself; nil if nothing moves.
  public func nextChange(after time: MonotonicTime) -> MonotonicTime? {
    earlier(x.nextChange(after: time), y.nextChange(after: time))
  }

  /// The time up to which frames are needed: when nothing moves by itself any more and the indicators are gone; nil if that is so already,
  /// and while a finger holds all that moves.
  public func endOfMovement(after time: MonotonicTime) -> MonotonicTime? {
    let ends = (x.indicatorEnd(after: time), y.indicatorEnd(after: time))
    return ends.0.map { max($0, ends.1 ?? $0) } ?? ends.1
  }

  private func earlier(_ one: MonotonicTime?, _ other: MonotonicTime?) -> MonotonicTime? {
    one.map { min($0, other ?? $0) } ?? other
  }
}
