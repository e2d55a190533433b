public import LinuxSystem

/// The repetition of the key that is held, as a machine without a clock.
///
/// The newest key that went down and repeats is the one that does. It stops when it goes up or is cancelled, and when another key that
/// repeats goes down; modifiers change nothing. A repetition types what the press typed, whatever happened to modifiers since.
///
/// The owner of the clock calls `pass(_:)` at `deadline`, and before `handle(_:)` of each event with that event's time, each time until it
/// returns nil. Where events wait to be read at `deadline`, read them first: one of them may be the key's release.
///
/// ```swift
/// while let repetition = machine.pass(event.time) { deliver(repetition) }
/// machine.handle(event)
/// ```
public struct KeyRepeat: Hashable, Sendable {
  /// The time from the press to the first repetition.
  public let delay: Nanoseconds
  /// The time from one repetition to the next.
  public let interval: Nanoseconds
  /// When the next repetition is due; nil while no key repeats.
  public private(set) var deadline: MonotonicTime?
  private var press: KeyEvent?

  /// - Parameters:
  ///   - delay: 0 at least. 600 ms and 25 a second are the usual values of compositors.
  ///   - interval: 1 ms at least.
  public init(delay: Nanoseconds = .milliseconds(600), interval: Nanoseconds = .milliseconds(40)) {
    (self.delay, self.interval) = (max(delay, .zero), max(interval, .milliseconds(1)))
  }

  /// Takes note of a key that went down or up.
  public mutating func handle(_ event: KeyEvent) {
    switch event.phase {
    case .down where event.repeats:
      press = event
      deadline = event.time + delay
    case .up, .cancelled: if event.code == press?.code { stop() }
    case .down, .repeated: break
    }
  }

  /// The next repetition if it is due at `time`; nil otherwise. Its own time is exact, `delay` and a whole number of intervals after the press,
  /// however late the call is. A late call finds several: call it until it returns nil.
  public mutating func pass(_ time: MonotonicTime) -> KeyEvent? {
    guard let due = deadline, var event = press, due <= time else { return nil }
    let next = due + interval
    // The end of time has come.
    if next == due { stop() } else { deadline = next }
    (event.time, event.phase) = (due, .repeated)
    return event
  }

  /// Ends the repetition: for a loss of focus that does not cancel the keys.
  public mutating func stop() { (press, deadline) = (nil, nil) }
}
