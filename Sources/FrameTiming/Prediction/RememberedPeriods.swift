/// What was learnt of a display at each of its rates: going back to one does not begin anew.
struct RememberedPeriods: BitwiseCopyable, Sendable {
  struct Entry: BitwiseCopyable, Sendable {
    var rate: RefreshRate
    /// Nanoseconds and square nanoseconds.
    var period: Double
    var variance: Double
    var noise: StampNoise
  }

  private var entries: InlineArray<8, Entry?> = .init(repeating: nil)
  /// The entry that is replaced next.
  private var next = 0

  subscript(rate: RefreshRate) -> Entry? {
    for index in entries.indices {
      if let entry = entries[index], entry.rate == rate { return entry }
    }
    return nil
  }

  mutating func remember(_ entry: Entry) {
    for index in entries.indices where entries[index]?.rate == entry.rate {
      entries[index] = entry
      return
    }
    entries[next] = entry
    next = (next + 1) % entries.count
  }

  /// Lets each period be off by at least as much; square nanoseconds.
  mutating func loosen(_ variance: (RefreshRate) -> Double) {
    for index in entries.indices {
      if let entry = entries[index] { entries[index]?.variance = max(entry.variance, variance(entry.rate)) }
    }
  }
}
