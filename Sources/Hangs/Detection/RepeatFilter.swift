import LinuxSystem

/// Decides which of several equal hangs are reported: the first, and later ones at growing intervals.
///
/// Report number n of one signature comes no sooner than F(n) periods after report n − 1, with the Fibonacci numbers 1, 2, 3, 5,
/// 8 … for n = 2, 3, 4 …. A signature that was not seen before is always reported. Only reporting waits: the watching does not.
struct RepeatFilter: Sendable {
  /// The decision about a hang.
  enum Decision: Hashable, Sendable {
    /// Report it; so many equal ones were left out since the last report.
    case report(leftOut: Int)
    case leaveOut
  }

  private struct Seen: Sendable {
    var lastReport: MonotonicTime
    var lastSeen: MonotonicTime
    /// The number of periods until the next report, and the number before it.
    var periods: Int64 = 1
    var periodsBefore: Int64 = 1
    var leftOut = 0
  }

  private let period: Nanoseconds
  private var seen: [[UInt64]: Seen] = [:]

  /// So many signatures are remembered; then that which was not seen for the longest time is forgotten.
  private static let capacity = 128

  init(period: Nanoseconds) {
    self.period = period
  }

  mutating func decide(_ signature: [UInt64], at now: MonotonicTime) -> Decision {
    guard var entry = seen[signature] else {
      if seen.count >= Self.capacity, let oldest = seen.min(by: { $0.value.lastSeen < $1.value.lastSeen }) {
        seen[oldest.key] = nil
      }
      seen[signature] = Seen(lastReport: now, lastSeen: now)
      return .report(leftOut: 0)
    }
    entry.lastSeen = now
    defer { seen[signature] = entry }
    guard now - entry.lastReport >= period * entry.periods else {
      entry.leftOut += 1
      return .leaveOut
    }
    let leftOut = entry.leftOut
    let (sum, overflow) = entry.periods.addingReportingOverflow(entry.periodsBefore)
    (entry.periodsBefore, entry.periods) = (entry.periods, overflow ? .max : sum)
    (entry.lastReport, entry.leftOut) = (now, 0)
    return .report(leftOut: leftOut)
  }
}
