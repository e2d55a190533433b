import LinuxSystem

/// The last distances between stamps, for a display whose vblanks lie on no even grid: the middle one tells how far apart they usually
/// are, if others are about as long. A pure value.
///
/// A compositor without a screen counts each interval from the end of the one before. On a busy machine its timer is late, and no six
/// distances in a row are even, which is how the model of vblanks finds a rate that nobody told.
struct RecentGaps: BitwiseCopyable, Sendable {
  private static let capacity = 15

  /// In nanoseconds.
  private var gaps = InlineArray<15, Int64>(repeating: 0)
  private var next = 0
  private var isFull = false

  /// - Parameter gap: nil for one that tells nothing. Many of those make the others too old to tell of the present.
  mutating func add(_ gap: Nanoseconds?) {
    gaps[next] = gap?.count ?? 0
    next = (next + 1) % Self.capacity
    if next == 0 { isFull = true }
  }

  /// The part by which distances differ that are about as long. One interval and two, or two and three, differ by more.
  private static let spread = 0.2
  /// The middle one of those that tell something; nil if fewer than a third are about as long.
  ///
  /// - Parameter least: the number that must tell something; else it is nil.
  func usual(ofAtLeast least: Int) -> Double? {
    guard isFull else { return nil }
    var sorted = gaps
    for index in 1..<Self.capacity {
      var place = index
      while place > 0, sorted[place] < sorted[place - 1] {
        sorted.swapAt(place, place - 1)
        place -= 1
      }
    }
    let first = sorted.indices.first { sorted[$0] > 0 } ?? Self.capacity
    let count = Self.capacity - first
    guard count >= least else { return nil }
    let middle = Double(sorted[first + count / 2])
    let near = (first..<Self.capacity).count { abs(Double(sorted[$0]) - middle) <= middle * Self.spread }
    return near * 3 >= count ? middle : nil
  }

  /// Forgets all.
  mutating func forget() { (next, isFull) = (0, false) }
}
