public import Geometry
public import LinuxSystem

/// A fast movement in one direction, with one finger or several: the gesture ends as soon as they have moved far enough, before they are lifted.
///
/// UIKit tells no figures of UISwipeGestureRecognizer; those here are of this project.
public struct SwipeMachine: GestureMachine, ContactFollower {
  public enum Direction: String, Hashable, Sendable, CaseIterable { case left, up, right, down }

  /// The direction, and the number of fingers; UISwipeGestureRecognizer's defaults.
  public let direction: Direction
  public let fingers: Int
  /// How far, in points, the middle of the fingers moves in the direction.
  public let minimumDistance: Double
  /// How far, in points, it may move aside meanwhile.
  public let allowableDeviation: Double
  /// How long it may take from the touch of the first finger.
  public let maximumDuration: Nanoseconds

  private enum Phase: BitwiseCopyable {
    case idle
    /// The first finger came, but not all of them.
    case coming(since: MonotonicTime)
    /// All fingers are down, and have moved so far.
    case moving(since: MonotonicTime, path: Point)
    case ended(Point)
    case failed
  }

  private var phase = Phase.idle
  var contacts = ContactList()

  public init(
    direction: Direction = .right, fingers: Int = 1, minimumDistance: Double = 50, allowableDeviation: Double = 25,
    maximumDuration: Nanoseconds = .milliseconds(500)
  ) {
    (self.direction, self.fingers) = (direction, max(1, fingers))
    (self.minimumDistance, self.allowableDeviation) = (minimumDistance, allowableDeviation)
    self.maximumDuration = maximumDuration
  }

  public var state: GestureState {
    switch phase {
    case .idle, .coming, .moving: .possible
    case .ended: .ended
    case .failed: .failed
    }
  }

  /// The middle of the places where the fingers began, as with UISwipeGestureRecognizer; nil before the end.
  public var location: Point? { if case .ended(let location) = phase { location } else { nil } }

  /// The first moment that is too late.
  public var deadline: MonotonicTime? {
    switch phase {
    case .coming(let since), .moving(let since, _): since + maximumDuration + Nanoseconds(1)
    case .idle, .ended, .failed: nil
    }
  }

  public mutating func handle(_ contact: Contact) { follow(contact) }

  public mutating func pass(_ time: MonotonicTime) {
    if let deadline, time >= deadline { phase = .failed }
  }

  public mutating func reset() {
    phase = .idle
    contacts.removeAll()
  }

  mutating func began(at time: MonotonicTime) {
    switch phase {
    case .idle: come(since: time)
    case .coming(let since): come(since: since)
    case .moving: phase = .failed
    case .ended, .failed: break
    }
  }

  private mutating func come(since: MonotonicTime) {
    phase = contacts.count == fingers ? .moving(since: since, path: .zero) : .coming(since: since)
  }

  mutating func moved(_ entry: ContactList.Entry, by way: Point, at time: MonotonicTime) {
    guard case .moving(let since, var path) = phase else { return }
    path += way / Double(fingers)
    let (along, aside) =
      switch direction {
      case .left: (-path.x, path.y)
      case .up: (-path.y, path.x)
      case .right: (path.x, path.y)
      case .down: (path.y, path.x)
      }
    if abs(aside) > allowableDeviation {
      phase = .failed
    } else if along >= minimumDistance {
      phase = .ended(contacts.startCenter)
    } else {
      phase = .moving(since: since, path: path)
    }
  }

  mutating func lifted(at time: MonotonicTime) { phase = .failed }
  mutating func cancelled() { phase = .failed }
}
