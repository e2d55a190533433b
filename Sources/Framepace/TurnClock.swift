import LinuxSystem

/// How long a turn's callbacks took: from the loop's waking to the commit, which happens once in it.
struct TurnClock {
  private var began: MonotonicTime?
  /// Time in callbacks of this turn, known at its commit.
  private(set) var callbacks = Nanoseconds.zero
  /// Whether this turn's commit is over.
  private(set) var isCommitted = false

  mutating func begin(at now: MonotonicTime) {
    began = now
    isCommitted = false
  }

  mutating func beginCommit(at now: MonotonicTime) {
    callbacks = began.map { now - $0 } ?? .zero
    began = nil
  }

  mutating func endCommit() {
    isCommitted = true
  }
}
