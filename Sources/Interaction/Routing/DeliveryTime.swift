import LinuxSystem

/// How long input was delivered in a turn of the loop. A pure value.
struct DeliveryTime {
  private var total = Nanoseconds.zero
  /// The beginning of a delivery that goes on.
  private var start: MonotonicTime?

  /// A turn begins. Where a responder runs the loop, its own turn's delivery is over by that.
  mutating func beginTurn() { (total, start) = (.zero, nil) }

  mutating func begin(at time: MonotonicTime) { start = time }

  mutating func end(at time: MonotonicTime) {
    if let start = exchange(&start, with: nil) { total += time - start }
  }

  /// The time since the last call, or since the turn began.
  mutating func take(at time: MonotonicTime) -> Nanoseconds {
    if let start {
      total += time - start
      self.start = time
    }
    return exchange(&total, with: .zero)
  }
}
