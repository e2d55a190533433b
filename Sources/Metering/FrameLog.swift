public import FrameTiming

/// The last events of an output, oldest first, in memory that is allocated once.
///
/// The figures of a frame are reductions of these events: `FPSMeter` keeps such a log for its recent figures.
public struct FrameLog: RandomAccessCollection, Sendable {
  private var events: [FrameEvent]
  /// The place of the oldest event.
  private var first = 0
  public private(set) var count = 0

  /// - Parameter capacity: the number of events that are kept; at least 1.
  public init(capacity: Int) {
    events = Array(repeating: .idle, count: Swift.max(capacity, 1))
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { count }
  public subscript(index: Int) -> FrameEvent { events[place(index)] }

  /// Adds an event; the oldest one makes room for it in a full log. Allocates nothing.
  public mutating func append(_ event: FrameEvent) {
    events[place(count)] = event
    if count < events.count { count += 1 } else { first = place(1) }
  }

  private func place(_ index: Int) -> Int {
    let place = first + index
    return place < events.count ? place : place - events.count
  }
}
