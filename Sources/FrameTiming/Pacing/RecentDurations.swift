import LinuxSystem

/// The last 64 durations, in the order in which they came and in the order of their length. A pure value of fixed size.
struct RecentDurations: Sendable {
  static let capacity = 64
  /// The longest duration. Longer ones count as this, so that each fits in four bytes.
  static let longest = Nanoseconds.seconds(2)

  private(set) var count = 0
  /// The durations in the order in which they came; the oldest is at `oldest`.
  private var ring = InlineArray<64, Int32>(repeating: 0)
  private var oldest = 0
  private var sorted = InlineArray<64, Int32>(repeating: 0)

  /// The duration that is longer than `index` of the others. From 0 to below `count`.
  subscript(index: Int) -> Nanoseconds { Nanoseconds(Int64(sorted[index])) }

  /// Adds a duration in place of the oldest of 64. A negative one counts as zero.
  mutating func add(_ duration: Nanoseconds) {
    let value = Int32(min(max(duration, .zero), Self.longest).count)
    if count == Self.capacity { removeOldest() }
    ring[(oldest + count) % Self.capacity] = value
    var place = count
    while place > 0, sorted[place - 1] > value {
      sorted[place] = sorted[place - 1]
      place -= 1
    }
    sorted[place] = value
    count += 1
  }

  mutating func removeOldest() {
    guard count > 0 else { return }
    let value = ring[oldest]
    oldest = (oldest + 1) % Self.capacity
    count -= 1
    var place = firstPlace(of: value)
    while place < count {
      sorted[place] = sorted[place + 1]
      place += 1
    }
  }

  /// Forgets all but the newest.
  mutating func keepNewest(_ number: Int) {
    while count > number { removeOldest() }
  }

  /// The first place of a value that is present, by bisection.
  private func firstPlace(of value: Int32) -> Int {
    var (lower, upper) = (0, count)
    while lower < upper {
      let middle = (lower + upper) / 2
      if sorted[middle] < value { lower = middle + 1 } else { upper = middle }
    }
    return lower
  }
}
