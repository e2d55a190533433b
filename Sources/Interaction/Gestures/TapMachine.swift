public import Geometry
public import LinuxSystem

/// One tap or several, with one finger or several: the gesture ends when the last finger of the last tap is lifted.
///
/// A tap with several fingers has all of them down at once, and none that comes back before all are lifted.
public struct TapMachine: GestureMachine, ContactFollower {
  /// How many taps, and with how many fingers each; UITapGestureRecognizer's defaults.
  public let taps, fingers: Int
  /// How long a tap may take from its first finger's touch to its last finger's lift; nil, as with Flutter's TapGestureRecognizer, for any time: a
  /// long press that shall win takes the contacts away.
  public let maximumDuration: Nanoseconds?
  /// How long it may take from one tap to the touch of the next: 0.3 s, as Android's `ViewConfiguration.getDoubleTapTimeout()`
  /// (<https://developer.android.com/reference/android/view/ViewConfiguration>).
  public let maximumInterval: Nanoseconds
  /// How far, in points, a finger may move from its touch: 18, as Flutter's `kTouchSlop`, which was 8 until people complained
  /// (<https://api.flutter.dev/flutter/gestures/kTouchSlop-constant.html>).
  public let allowableMovement: Double
  /// How far, in points, taps may be from the first one: 100, as Android's double tap slop, and Flutter's
  /// (<https://api.flutter.dev/flutter/gestures/kDoubleTapSlop-constant.html>).
  public let allowableDistance: Double

  /// The taps until now: how many, and where the first one was.
  private struct Series: BitwiseCopyable {
    var completed = 0
    var location: Point?
  }

  private enum Phase: BitwiseCopyable {
    case idle
    /// The first finger of a tap came, but not all of them.
    case coming(Series, since: MonotonicTime)
    /// All fingers are down.
    case down(Series, since: MonotonicTime)
    /// Some are lifted.
    case lifting(Series, since: MonotonicTime)
    /// A tap is over.
    case between(Series, lifted: MonotonicTime)
    case ended(Point)
    case failed
  }

  private var phase = Phase.idle
  var contacts = ContactList()

  public init(
    taps: Int = 1, fingers: Int = 1, maximumDuration: Nanoseconds? = nil,
    maximumInterval: Nanoseconds = .milliseconds(300), allowableMovement: Double = 18, allowableDistance: Double = 100
  ) {
    (self.taps, self.fingers) = (max(1, taps), max(1, fingers))
    (self.maximumDuration, self.maximumInterval) = (maximumDuration, maximumInterval)
    (self.allowableMovement, self.allowableDistance) = (max(0, allowableMovement), max(0, allowableDistance))
  }

  public var state: GestureState {
    switch phase {
    case .idle, .coming, .down, .lifting, .between: .possible
    case .ended: .ended
    case .failed: .failed
    }
  }

  /// The middle of the places where the fingers of the first tap began, as with UITapGestureRecognizer; nil before they all did, and after a
  /// failure.
  public var location: Point? {
    switch phase {
    case .idle, .failed: nil
    case .coming(let series, _), .down(let series, _), .lifting(let series, _), .between(let series, _): series.location
    case .ended(let location): location
    }
  }

  /// The first moment that is too late.
  public var deadline: MonotonicTime? {
    switch phase {
    case .coming(_, let since), .down(_, let since), .lifting(_, let since):
      maximumDuration.map { since + $0 + Nanoseconds(1) }
    case .between(_, let lifted): lifted + maximumInterval + Nanoseconds(1)
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
    case .idle: come(Series(), since: time)
    case .between(let series, _): come(series, since: time)
    case .coming(let series, let since): come(series, since: since)
    case .down, .lifting: phase = .failed
    case .ended, .failed: break
    }
  }

  private mutating func come(_ series: Series, since: MonotonicTime) {
    guard contacts.count == fingers else {
      phase = .coming(series, since: since)
      return
    }
    let center = contacts.startCenter
    let first = series.location ?? center
    let isNear = (center - first).squaredLength <= allowableDistance * allowableDistance
    phase = isNear ? .down(Series(completed: series.completed, location: first), since: since) : .failed
  }

  mutating func moved(_ entry: ContactList.Entry, by way: Point, at time: MonotonicTime) {
    if entry.squaredDistance > allowableMovement * allowableMovement { phase = .failed }
  }

  mutating func lifted(at time: MonotonicTime) {
    switch phase {
    case .coming: phase = .failed
    case .down(let series, let since), .lifting(let series, let since):
      if !contacts.isEmpty {
        phase = .lifting(series, since: since)
      } else if series.completed + 1 == taps {
        phase = .ended(series.location ?? contacts.center)
      } else {
        phase = .between(Series(completed: series.completed + 1, location: series.location), lifted: time)
      }
    case .idle, .between, .ended, .failed: break
    }
  }

  mutating func cancelled() { phase = .failed }
}
