import Geometry
import Glibc
import LinuxSystem

/// The velocity of movements that come one by one, such as those of fingers on a touchpad: their mean, in which each counts e times less
/// when it is 30 ms older.
struct ScrollVelocity: Hashable, Sendable {
  private static let memory = 0.03

  private var last: MonotonicTime
  /// The way, and the seconds in which it was gone.
  private var way = Point.zero
  private var seconds = 0.0

  /// The first movement begins the count: in which time it was gone is not known.
  init(since time: MonotonicTime) { last = time }

  mutating func add(_ way: Point, at time: MonotonicTime) {
    age(to: time)
    self.way += way
  }

  /// In points per second. It falls while nothing moves.
  func velocity(at time: MonotonicTime) -> Point {
    var aged = self
    aged.age(to: time)
    return aged.seconds > 0 ? aged.way / aged.seconds : .zero
  }

  /// Time that goes back counts as none.
  private mutating func age(to time: MonotonicTime) {
    let passed = max(0, (time - last).seconds)
    let part = exp(-passed / Self.memory)
    (way, seconds, last) = (way * part, seconds * part + passed, max(last, time))
  }
}
