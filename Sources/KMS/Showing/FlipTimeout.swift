import LinuxSystem

/// Notices a flip event that does not come: some drivers lose one, above all around a suspend. A pure value.
///
/// One timer serves all frames. It is set when a frame is handed over and it is not, and when it fires it looks at the frame
/// that pends then: a frame costs no more than a comparison, and a screen at rest nothing.
struct FlipTimeout: Sendable {
  enum Action: Equatable {
    /// Nothing pends: the timer rests.
    case rest
    /// Let the timer fire then.
    case look(at: MonotonicTime)
    /// The event is lost.
    case giveUp
  }

  /// How long an event may take. A flip takes an interval or two; drivers give up their own waits after some tenths of a
  /// second.
  static let limit = Nanoseconds.seconds(1)
  /// How long to wait for unread events to be read: after a pause of the whole program the flip's may be among them.
  static let grace = Nanoseconds.milliseconds(10)
  /// How many flips may be lost in a row.
  static let most = 3

  /// When the pending frame was handed over; nil while none pends.
  private var start: MonotonicTime?
  private var isTimerSet = false
  /// Flips that were lost since one was seen.
  private(set) var lostInARow = 0

  /// A frame was handed over.
  ///
  /// - Returns: when the timer is to fire; nil if it is set.
  mutating func begin(at now: MonotonicTime) -> MonotonicTime? {
    start = now
    if isTimerSet { return nil }
    isTimerSet = true
    return now + Self.limit
  }

  /// The frame is seen, or refused: none pends.
  ///
  /// - Parameter isFlipSeen: whether its event came, and that of a flip. (A mode-set tells nothing of flips.)
  mutating func end(isFlipSeen: Bool) {
    start = nil
    if isFlipSeen { lostInARow = 0 }
  }

  /// The timer fired.
  ///
  /// - Parameter hasUnread: whether the card has events that were not read yet.
  mutating func look(at now: MonotonicTime, hasUnread: Bool) -> Action {
    isTimerSet = false
    guard let start else { return .rest }
    if now < start + Self.limit { return set(start + Self.limit) }
    if hasUnread { return set(now + Self.grace) }
    self.start = nil
    lostInARow += 1
    return .giveUp
  }

  private mutating func set(_ time: MonotonicTime) -> Action {
    isTimerSet = true
    return .look(at: time)
  }
}
