/// The periods of a display that were measured at each of its rates: a return to a rate does not begin anew.
struct RememberedPeriods: BitwiseCopyable, Sendable {
  struct Entry: BitwiseCopyable, Sendable {
    var rate: RefreshRate
    /// In nanoseconds and square nanoseconds.
    var period: Double
    var variance: Double
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

  /// Raises the variance of each period to at least the given one, in square nanoseconds.
  mutating func loosen(_ variance: (RefreshRate) -> Double) {
    for index in entries.indices {
      if let entry = entries[index] { entries[index]?.variance = max(entry.variance, variance(entry.rate)) }
    }
  }
}
