public import Geometry
public import LinuxSystem

/// Fingers that rest on a layer: the gesture begins after a while, changes as they move from then on, and ends when one of them is lifted, as
/// UILongPressGestureRecognizer's.
public struct LongPressMachine: GestureMachine, ContactFollower {
  /// How many fingers, and how many taps with as many fingers come before; UILongPressGestureRecognizer's defaults.
  public let fingers, taps: Int
  /// The time from the touch of the last finger: 0.5 s, as
  /// <https://developer.apple.com/documentation/uikit/uilongpressgesturerecognizer/minimumpressduration>.
  public let minimumDuration: Nanoseconds
  /// How far, in points, a finger may move before: 10, as
  /// <https://developer.apple.com/documentation/uikit/uilongpressgesturerecognizer/allowablemovement>.
  public let allowableMovement: Double

  private enum Stage: BitwiseCopyable {
    /// The taps that come before are not over.
    case tapping
    /// No finger is down; after taps, one must be before the deadline.
    case waiting(until: MonotonicTime?)
    /// Some fingers are not down yet.
    case coming
    /// All fingers are down.
    case holding(until: MonotonicTime)
  }

  private var phase: ContinuousPhase<Stage, Void>
  private var tap: TapMachine
  var contacts = ContactList()

  public init(
    fingers: Int = 1, taps: Int = 0, minimumDuration: Nanoseconds = .milliseconds(500), allowableMovement: Double = 10
  ) {
    (self.fingers, self.taps) = (max(1, fingers), max(0, taps))
    (self.minimumDuration, self.allowableMovement) = (minimumDuration, max(0, allowableMovement))
    tap = TapMachine(taps: taps, fingers: fingers, maximumDuration: minimumDuration)
    phase = .possible(taps > 0 ? .tapping : .waiting(until: nil))
  }

  public var state: GestureState { phase.state }

  /// The middle of the fingers.
  public var location: Point { contacts.center }

  public var deadline: MonotonicTime? {
    guard case .possible(let stage) = phase else { return nil }
    switch stage {
    case .tapping: return tap.deadline
    case .waiting(let until): return until
    case .coming: return nil
    case .holding(let until): return until
    }
  }

  public mutating func handle(_ contact: Contact) {
    guard case .possible(.tapping) = phase else { return follow(contact) }
    tap.handle(contact)
    passTap(contact.time)
  }

  public mutating func pass(_ time: MonotonicTime) {
    guard case .possible(let stage) = phase else { return }
    switch stage {
    case .tapping:
      tap.pass(time)
      passTap(time)
    case .waiting(let until?) where time >= until: phase.fail()
    case .holding(let until) where time >= until: phase.begin(())
    case .waiting, .coming, .holding: break
    }
  }

  private mutating func passTap(_ time: MonotonicTime) {
    switch tap.state {
    case .ended: phase = .possible(.waiting(until: time + tap.maximumInterval + Nanoseconds(1)))
    case .failed: phase.fail()
    default: break
    }
  }

  public mutating func reset() {
    phase = .possible(taps > 0 ? .tapping : .waiting(until: nil))
    tap.reset()
    contacts.removeAll()
  }

  var takesMore: Bool { state == .possible }

  mutating func began(at time: MonotonicTime) {
    guard contacts.count <= fingers else { return phase.fail() }
    guard contacts.count == fingers else {
      phase = .possible(.coming)
      return
    }
    let isNear = tap.location.map {
      (contacts.startCenter - $0).squaredLength <= tap.allowableDistance * tap.allowableDistance
    }
    if isNear ?? true { phase = .possible(.holding(until: time + minimumDuration)) } else { phase.fail() }
  }

  mutating func moved(_ entry: ContactList.Entry, by way: Point, at time: MonotonicTime) {
    if state != .possible {
      phase.change(())
    } else if entry.squaredDistance > allowableMovement * allowableMovement {
      phase.fail()
    }
  }

  mutating func lifted(at time: MonotonicTime) { phase.end() }
  mutating func cancelled() { phase.cancel() }
}
