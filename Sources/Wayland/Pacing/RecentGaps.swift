import LinuxSystem

/// The last distances between stamps, for a display whose vblanks lie on no even grid: the middle one tells how far apart they usually
/// are. A pure value.
///
/// A compositor without a screen counts each interval from the end of the one before. On a busy machine its timer is late, and no six
/// distances in a row are even, which is how the model of vblanks finds a rate that nobody told.
struct RecentGaps: BitwiseCopyable, Sendable {
  /// Odd, so that distances of one and of two intervals are not averaged.
  private static let capacity = 15

  /// In nanoseconds.
  private var gaps = InlineArray<15, Int64>(repeating: 0)
  private var next = 0
  private(set) var isFull = false

  mutating func add(_ gap: Nanoseconds) {
    gaps[next] = gap.count
    next = (next + 1) % Self.capacity
    if next == 0 { isFull = true }
  }

  /// The middle one; nil before there are enough.
  var median: Double? {
    guard isFull else { return nil }
    var sorted = gaps
    for index in 1..<Self.capacity {
      var place = index
      while place > 0, sorted[place] < sorted[place - 1] {
        sorted.swapAt(place, place - 1)
        place -= 1
      }
    }
    return Double(sorted[Self.capacity / 2])
  }

  /// Forgets all.
  mutating func forget() { (next, isFull) = (0, false) }
}
