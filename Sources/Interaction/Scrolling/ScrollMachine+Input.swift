public import Geometry
import Glibc
public import Input
public import LinuxSystem

extension ScrollMachine {
  /// The time in which a click of a wheel moves the content.
  public static let wheelDuration = Nanoseconds.milliseconds(150)

  /// A touch stops the content where it is.
  public mutating func hold(at time: MonotonicTime) {
    grip = .finger(.both)
    x.hold(at: time)
    y.hold(at: time)
  }

  /// A finger begins to drag.
  ///
  /// - Parameter way: how it went so far, which decides the axes that it keeps to if the direction is locked.
  public mutating func beginDrag(along way: Point = .zero, at time: MonotonicTime) {
    grip = .finger(isDirectionLocked ? ScrollAxes(lockedBy: way) : .both)
    x.beginDrag(at: time)
    y.beginDrag(at: time)
  }

  /// The finger has gone so far since it began to drag, in points.
  public mutating func drag(translation: Point) {
    guard case .finger(let axes) = grip else { return }
    let translation = axes.masked(translation)
    x.drag(translation: translation.x)
    y.drag(translation: translation.y)
  }

  /// The finger is lifted, with a velocity in points per second; with none if it was taken away.
  public mutating func release(velocity: Point = .zero, at time: MonotonicTime) {
    guard case .finger(let axes) = grip else { return }
    release(axes.masked(velocity), time)
  }

  private mutating func release(_ velocity: Point, _ time: MonotonicTime) {
    grip = .none
    x.release(velocity: velocity.x, at: time)
    y.release(velocity: velocity.y, at: time)
  }

  /// A wheel turns, or fingers on a touchpad scroll. Content that a finger holds ignores both.
  ///
  /// A click of a wheel scrolls by the power 2/3 of the viewport's length in points, at most half of it, as in GTK and libadwaita (59
  /// points of 450). It ends at the edges; fingers on a touchpad have the rubber band, and content goes on when they are lifted.
  public mutating func scroll(_ scroll: InputEvent.Scroll, at time: MonotonicTime) {
    if case .finger = grip { return }
    switch scroll {
    case .wheel(let clicks):
      endTouchpad(at: time)
      if clicks.x != 0 { x.scroll(by: clicks.x * Self.click(x.extent.viewport), duration: Self.wheelDuration, at: time) }
      if clicks.y != 0 { y.scroll(by: clicks.y * Self.click(y.extent.viewport), duration: Self.wheelDuration, at: time) }
    case .fingers(let way): scrollByFingers(way, at: time)
    case .fingersEnded: endTouchpad(at: time)
    case .continuous(let way):
      endTouchpad(at: time)
      if way.x != 0 { x.scroll(by: way.x, at: time) }
      if way.y != 0 { y.scroll(by: way.y, at: time) }
    }
  }

  private static func click(_ viewport: Double) -> Double { min(pow(viewport, 2.0 / 3), viewport / 2) }

  private mutating func scrollByFingers(_ way: Point, at time: MonotonicTime) {
    guard way.x.isFinite, way.y.isFinite else { return }
    var (total, velocity) = (way, ScrollVelocity(since: time))
    if case .touchpad(let before, let known) = grip {
      (total, velocity) = (before + way, known)
      velocity.add(way, at: time)
    } else {
      x.beginDrag(at: time)
      y.beginDrag(at: time)
    }
    grip = .touchpad(way: total, velocity)
    x.drag(translation: -total.x)
    y.drag(translation: -total.y)
  }

  private mutating func endTouchpad(at time: MonotonicTime) {
    guard case .touchpad(_, let velocity) = grip else { return }
    release(-velocity.velocity(at: time), time)
  }

  /// Scrolls to a position, or to the nearest that there is, and not along an axis of which it is no number. Fingers that held the content
  /// hold it no more.
  ///
  /// - Parameter duration: nothing for a jump.
  public mutating func scroll(to position: Point, duration: Nanoseconds = .zero, at time: MonotonicTime) {
    release(.zero, time)
    x.scroll(to: position.x, duration: duration, at: time)
    y.scroll(to: position.y, duration: duration, at: time)
  }

  /// Leads the animations of `scroll(to:duration:at:)` elsewhere, in the time that is left of them.
  ///
  /// - Returns: false if there are none.
  mutating func redirect(to position: Point, at time: MonotonicTime) -> Bool {
    let (horizontal, vertical) = (x.redirect(to: position.x, at: time), y.redirect(to: position.y, at: time))
    return horizontal || vertical
  }

  /// True if it lies elsewhere than `scroll(to:duration:at:)` would lead it.
  func isFar(from position: Point, at time: MonotonicTime) -> Bool {
    abs(x.extent.clamp(position.x) - x.position(at: time)) > 1e-6
      || abs(y.extent.clamp(position.y) - y.position(at: time)) > 1e-6
  }

  /// Gives it other sizes while it may move: see `ScrollMotion.setExtent(_:shiftedBy:at:)`.
  public mutating func resize(
    content: Size, viewport: Size, insets: Insets = Insets(), shiftedBy shift: Point = .zero, at time: MonotonicTime
  ) {
    let (horizontal, vertical) = Self.extents(content, viewport, insets)
    x.setExtent(horizontal, shiftedBy: shift.x, at: time)
    y.setExtent(vertical, shiftedBy: shift.y, at: time)
  }

  /// Changes how it moves, from this time on.
  public mutating func setPhysics(x horizontal: ScrollPhysics, y vertical: ScrollPhysics, at time: MonotonicTime) {
    x.setPhysics(horizontal, at: time)
    y.setPhysics(vertical, at: time)
  }
}
