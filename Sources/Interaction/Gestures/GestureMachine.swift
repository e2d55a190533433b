public import Geometry
public import LinuxSystem

/// A contact as gesture recognizers see it: a finger, a pen, or a pointer whose button is held, at a time.
public struct Contact: Hashable, BitwiseCopyable, Sendable {
  /// Identifies the contact from its beginning to its end, and none after it.
  public struct ID: RawRepresentable, Hashable, BitwiseCopyable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }
  }

  public enum Phase: UInt8, Hashable, BitwiseCopyable, Sendable, CaseIterable {
    case began, moved, ended, cancelled
  }

  public var id: ID
  public var phase: Phase
  /// When the device had it.
  public var time: MonotonicTime
  /// In points of the output, which are those of the root layer unless that is moved itself.
  public var location: Point

  public init(id: ID, phase: Phase, time: MonotonicTime, location: Point) {
    (self.id, self.phase, self.time, self.location) = (id, phase, time, location)
  }
}

extension Point {
  /// True if both coordinates are numbers within 1e9 points: what is computed from such points is finite.
  var isUsable: Bool { abs(x) <= 1e9 && abs(y) <= 1e9 }

  /// The square of the length of the way.
  var squaredLength: Double { x * x + y * y }
}

/// The state of a gesture recognizer, as UIGestureRecognizer's.
public enum GestureState: String, Hashable, Sendable, CaseIterable {
  /// It may still become the gesture.
  case possible
  /// A gesture that lasts has begun, has changed, has ended, or was taken away by something else.
  case began, changed, ended, cancelled
  /// It is another gesture, or none.
  case failed

  /// True if nothing follows before the recognizer begins anew.
  public var isFinal: Bool { self == .ended || self == .cancelled || self == .failed }
}

/// The decisions of a gesture: a pure state machine, without layers, clocks and timers.
///
/// It is given the contacts of its layer, in the order of their times, and the time when its deadline has passed. It does not know other
/// gestures: whether it may begin, and whether another one took its contacts, is decided outside, after which it is reset.
///
/// A machine must take every sequence of contacts, also one that no device sends: an end without a beginning, a second beginning, times that
/// go back.
public protocol GestureMachine: Sendable {
  /// The state after everything that was handled; `possible` at first. A gesture that does not last goes from `possible` to `ended`.
  ///
  /// After a final state the machine ignores everything until `reset()`.
  var state: GestureState { get }
  /// The time at which `pass(_:)` is to be called unless contacts come before it: the end of a long press, or the first moment at which a next
  /// tap is too late; nil for none. Limits belong to what they allow: a tap at the last moment counts, as does a press that is just long enough.
  var deadline: MonotonicTime? { get }
  /// Takes a contact. Contacts that the machine does not need are ignored, or make it fail.
  ///
  /// A contact at the deadline or after it passes the deadline first. Whoever wants to see both states, such as the beginning and the end of a
  /// long press whose finger was lifted before anybody looked at the clock, calls `pass(_:)` with the contact's time before.
  ///
  /// A contact ends where it was, as devices tell no place of a finger that was lifted: the place of an end is ignored, and one that is new comes
  /// as a movement before. Places that are not numbers, or that are more than 1e9 points from zero, are ignored, too.
  mutating func handle(_ contact: Contact)
  /// Tells that it is this time now, without anything new. Does nothing before the deadline.
  mutating func pass(_ time: MonotonicTime)
  /// Begins anew, with the settings that it has.
  mutating func reset()
}
