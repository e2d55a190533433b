import FrameTiming
import LinuxSystem

/// The last frames of an output as the bars of a graph, in memory that is allocated once.
struct MeterBars {
  enum Bar: Equatable {
    /// A frame that was seen; its work as a part of its budget.
    case frame(work: Double, isLate: Bool)
    /// Intervals in which nothing was wanted.
    case pause
  }

  /// The number of bars.
  static let capacity = 120

  private var bars = [Bar](repeating: .pause, count: capacity)
  private var first = 0
  private(set) var count = 0
  private var isPaused = false

  /// - Parameter interval: the output's refresh interval; a frame's budget are as many as lie between two ticks of its link.
  mutating func record(_ event: FrameEvent, interval: Nanoseconds) {
    switch event {
    case .presented(let frame):
      if isPaused { append(.pause) }
      isPaused = false
      let budget = interval * Int64(max(frame.intervalsPerTick, 1))
      let work = Double(frame.work.count) / Double(max(budget.count, 1))
      append(.frame(work: work, isLate: frame.isLate(interval: interval)))
    case .idle, .lost: isPaused = count > 0
    case .tick, .committed, .discarded, .refused: break
    }
  }

  /// The bar at a place, from the oldest one on.
  subscript(index: Int) -> Bar { bars[(first + index) % Self.capacity] }

  private mutating func append(_ bar: Bar) {
    bars[(first + count) % Self.capacity] = bar
    if count < Self.capacity { count += 1 } else { first = (first + 1) % Self.capacity }
  }
}
