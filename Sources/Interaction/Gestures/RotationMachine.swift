public import Geometry
#if canImport(Glibc)
  import Glibc
#endif
public import LinuxSystem

/// Two fingers that turn around each other: the gesture begins when one has moved around the other by more than a slop, and ends when both are
/// lifted, as UIRotationGestureRecognizer's. A third finger is ignored.
///
/// While one finger is lifted nothing changes; with another one the rotation goes on from where it was.
public struct RotationMachine: GestureMachine, ContactFollower {
  /// How far, in points, one finger moves around the other before it begins. The rotation begins behind that, at 0. UIKit tells no figure; it is
  /// that of `PinchMachine`, so that of the two the one begins of which there is more.
  public let slop: Double

  private struct Turn: BitwiseCopyable {
    /// The last direction from the first finger to the second one; nil while there is none.
    var angle: Double?
    /// The turn since both fingers were down, without what was between two pairs.
    var total = 0.0
    /// The part of it before the gesture began.
    var slop = 0.0

    mutating func go(to new: Double) {
      // The shorter way round.
      if let angle { total += (new - angle).remainder(dividingBy: 2 * .pi) }
      angle = new
    }
  }

  private var phase = ContinuousPhase<Turn, Turn>.possible(Turn())
  private var motion = VelocityEstimator()
  private var latest = MonotonicTime.zero
  var contacts = ContactList()

  public init(slop: Double = 16) { self.slop = max(0, slop) }

  public var state: GestureState { phase.state }

  /// The middle of the fingers.
  public var location: Point { contacts.center }

  /// The turn since the gesture began, in radians: positive ones go clockwise. It goes on beyond a whole turn. Kept after the end.
  public var rotation: Double { phase.during.map { $0.total - $0.slop } ?? 0 }

  /// The change of the rotation in radians per second, as of the last contact; that at the lift after the end.
  public var velocity: Double { motion.velocity(at: latest).x }

  public var deadline: MonotonicTime? { nil }

  public mutating func handle(_ contact: Contact) { follow(contact) }

  public mutating func pass(_ time: MonotonicTime) {}

  public mutating func reset() {
    phase = .possible(Turn())
    motion.reset()
    contacts.removeAll()
  }

  var takesMore: Bool { contacts.count < 2 }

  /// The angle and the length of the way from the first finger to the second one; nil for fingers nearer than a point, which have no direction.
  private var direction: (angle: Double, distance: Double)? {
    guard contacts.count == 2 else { return nil }
    let way = contacts[1].location - contacts[0].location
    let distance = way.squaredLength.squareRoot()
    return distance >= 1 ? (atan2(way.y, way.x), distance) : nil
  }

  mutating func began(at time: MonotonicTime) {
    latest = time
    guard contacts.count == 2 else { return }
    if case .possible = phase {
      motion.add(.zero, at: time)
      phase = .possible(Turn(angle: direction?.angle))
    } else if var turn = phase.during {
      turn.angle = direction?.angle
      phase.update(turn)
    }
  }

  mutating func moved(_ entry: ContactList.Entry, by way: Point, at time: MonotonicTime) {
    latest = time
    guard let (angle, distance) = direction else { return }
    if case .possible(var turn) = phase {
      turn.go(to: angle)
      motion.add(Point(turn.total, 0), at: time)
      phase = .possible(turn)
      guard abs(turn.total) * distance > slop else { return }
      turn.slop = (turn.total < 0 ? -slop : slop) / distance
      phase.begin(turn)
    } else if var turn = phase.during {
      turn.go(to: angle)
      motion.add(Point(turn.total, 0), at: time)
      phase.change(turn)
    }
  }

  mutating func lifted(at time: MonotonicTime) {
    latest = time
    if contacts.isEmpty { phase.end() }
  }

  mutating func cancelled() { phase.cancel() }
}
