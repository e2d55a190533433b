import LinuxSystem

/// The arithmetic of a fallback clock: the grid point that is requested, and the one that is delivered. A pure value.
struct FallbackGrid {
  private(set) var rate: RefreshRate
  /// The time of grid point `first`, where the rate begins.
  private(set) var start: MonotonicTime
  private var first: Int64 = 0
  private var requested: Int64?
  private var delivered: Int64 = 0

  /// A grid whose point 0 is `start`.
  init(rate: RefreshRate, start: MonotonicTime) {
    self.rate = rate
    self.start = start
  }

  /// - Returns: the time to fire; nil if a point is requested already.
  mutating func request(now: MonotonicTime) -> MonotonicTime? {
    guard requested == nil else { return nil }
    let next = max(delivered, latest(at: now)) + 1
    requested = next
    return time(ofPoint: next)
  }

  /// The latest point that is not after now.
  func newest(now: MonotonicTime) -> VBlank { point(latest(at: now)) }

  /// - Returns: the requested point, or after a stall the latest one that is not after now; nil if none was requested.
  mutating func fire(now: MonotonicTime) -> VBlank? {
    guard let due = requested else { return nil }
    requested = nil
    delivered = max(due, latest(at: now))
    return point(delivered)
  }

  /// Continues at another rate and phase: the requested point, or the latest one by the phase, moves to the nearest place of the
  /// new grid, by half an interval at most. Numbers continue from there.
  ///
  /// - Parameter phase: a point of the new grid, about now.
  /// - Returns: the time to fire; nil if no point is requested.
  mutating func follow(_ rate: RefreshRate, phase: MonotonicTime) -> MonotonicTime? {
    let number = requested ?? latest(at: phase + self.rate.interval / 2)
    let nearest = rate.intervals(in: time(ofPoint: number) + rate.interval / 2 - phase)
    (self.rate, start, first) = (rate, phase + rate.offset(ofInterval: nearest), number)
    return requested.map { time(ofPoint: $0) }
  }

  private func latest(at time: MonotonicTime) -> Int64 { first &+ rate.intervals(in: time - start) }

  private func time(ofPoint k: Int64) -> MonotonicTime { start + rate.offset(ofInterval: k &- first) }

  private func point(_ k: Int64) -> VBlank { VBlank(timestamp: time(ofPoint: k), sequence: UInt64(bitPattern: k)) }
}
