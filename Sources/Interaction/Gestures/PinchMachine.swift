public import Geometry
public import LinuxSystem

/// Two fingers that move apart or towards each other: the gesture begins when their distance has changed by more than a slop, and ends when both
/// are lifted, as UIPinchGestureRecognizer's. A third finger is ignored.
///
/// While one finger is lifted nothing changes; with another one the scale goes on from where it was.
public struct PinchMachine: GestureMachine, ContactFollower {
  /// By how much, in points, the distance changes before it begins. The scale begins behind that, at 1: 16, as Android's ScaleGestureDetector, whose
  /// span slop is twice the touch slop of 8
  /// (<https://android.googlesource.com/platform/frameworks/base/+/refs/heads/main/core/java/android/view/ScaleGestureDetector.java>).
  public let slop: Double

  private struct Zoom: BitwiseCopyable {
    /// The distance at which the scale is 1.
    var reference: Double
    var scale: Double
  }

  /// Before it begins: the distance at which the last two fingers came together, if any did.
  private var phase = ContinuousPhase<Double?, Zoom>.possible(nil)
  private var motion = VelocityEstimator()
  private var latest = MonotonicTime.zero
  var contacts = ContactList()

  public init(slop: Double = 16) { self.slop = max(0, slop) }

  public var state: GestureState { phase.state }

  /// The middle of the fingers.
  public var location: Point { contacts.center }

  /// The distance of the fingers as a part of that at which the gesture began; above 0. Kept after the end.
  public var scale: Double { phase.during?.scale ?? 1 }

  /// The change of the scale in a second, as of the last contact; that at the lift after the end.
  public var velocity: Double { phase.during.map { motion.velocity(at: latest).x / $0.reference } ?? 0 }

  public var deadline: MonotonicTime? { nil }

  public mutating func handle(_ contact: Contact) { follow(contact) }

  public mutating func pass(_ time: MonotonicTime) {}

  public mutating func reset() {
    phase = .possible(nil)
    motion.reset()
    contacts.removeAll()
  }

  var takesMore: Bool { contacts.count < 2 }

  /// Fingers that are nearer than a point count as one point apart.
  private var distance: Double {
    max(1, (contacts[1].location - contacts[0].location).squaredLength.squareRoot())
  }

  mutating func began(at time: MonotonicTime) {
    latest = time
    guard contacts.count == 2 else { return }
    motion.reset()
    motion.add(Point(distance, 0), at: time)
    if case .possible = phase {
      phase = .possible(distance)
    } else if var zoom = phase.during {
      zoom.reference = distance / zoom.scale
      phase.update(zoom)
    }
  }

  mutating func moved(_ entry: ContactList.Entry, by way: Point, at time: MonotonicTime) {
    latest = time
    guard contacts.count == 2 else { return }
    let distance = distance
    motion.add(Point(distance, 0), at: time)
    if case .possible(let first?) = phase {
      let change = distance - first
      guard abs(change) > slop else { return }
      // Above 0, as the distance is less than what is left of the first one.
      let reference = first + (change < 0 ? -slop : slop)
      phase.begin(Zoom(reference: reference, scale: distance / reference))
    } else if var zoom = phase.during {
      zoom.scale = distance / zoom.reference
      phase.change(zoom)
    }
  }

  mutating func lifted(at time: MonotonicTime) {
    latest = time
    if contacts.isEmpty { phase.end() }
  }

  mutating func cancelled() { phase.cancel() }
}
