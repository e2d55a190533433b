import LinuxSystem

/// Notices that the machine has slept: a pure value.
struct SleepWatch: Hashable, Sendable {
  private var last: MonotonicTime?
  private var slept: Nanoseconds?

  /// What a thread can be held up by while it reads two clocks is less, and a machine sleeps for longer.
  private static let shortest = Nanoseconds.milliseconds(100)

  /// Whether so much time has passed since the last question that the machine may have slept.
  mutating func isDue(at now: MonotonicTime, interval: Nanoseconds) -> Bool {
    defer { last = now }
    return last.map { now - $0 > interval * 3 / 2 } ?? true
  }

  /// - Parameter slept: how long the machine has slept since it was started.
  mutating func hasSlept(_ slept: Nanoseconds) -> Bool {
    defer { self.slept = max(slept, self.slept ?? slept) }
    return self.slept.map { slept - $0 > Self.shortest } ?? false
  }
}
