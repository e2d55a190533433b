import LinuxSystem

/// The last ticks. The answer to a frame may come when later ticks are over. A pure value.
struct RecentTicks: BitwiseCopyable, Sendable {
  private static let capacity = 8

  private var ticks = InlineArray<8, MonotonicTime>(repeating: .zero)
  private var next = 0

  mutating func add(_ tick: MonotonicTime) {
    ticks[next] = tick
    next = (next + 1) % Self.capacity
  }

  func contains(in range: Range<MonotonicTime>) -> Bool {
    ticks.indices.contains { range.contains(ticks[$0]) }
  }
}
