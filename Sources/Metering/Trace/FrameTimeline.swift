public import FrameTiming
public import LinuxSystem

/// The last frames and ticks of an output and the last activities of its loop: what a trace and a page are made of.
///
/// ```swift
/// var (ledger, timeline) = (FrameLedger(), FrameTimeline(capacity: 10_000))
/// engine.output.observe { event in
///   let causes = meter.record(event)
///   if case .tick(let tick) = event { timeline.add(tick) }
///   ledger.handle(event, of: meter, causes: causes) { timeline.add($0) }
/// }
/// ```
///
/// Memory is allocated at the beginning; adding takes no lock and allocates nothing, but for the name of a mode that is longer than 15 bytes.
public struct FrameTimeline: Sendable {
  /// An activity of a loop.
  public enum LoopActivity: Sendable {
    /// A run of it began, in this mode; maybe within another run.
    case entered(mode: String)
    /// The innermost run ended.
    case left
    case sleeps
    case wakes
  }

  /// An activity of a loop, and when it was.
  public struct LoopEvent: Sendable {
    public var time: MonotonicTime
    public var activity: LoopActivity
  }

  /// The drawing of a layer's contents by a worker.
  public struct Drawing: Sendable {
    public var layer: String
    /// When the main thread handed it over.
    public var requested: MonotonicTime
    public var begun: MonotonicTime
    public var ended: MonotonicTime
    /// When the layer took the picture; nil if it never did, as a newer one was requested.
    public var shown: MonotonicTime?

    public init(
      layer: String, requested: MonotonicTime, begun: MonotonicTime, ended: MonotonicTime, shown: MonotonicTime?
    ) {
      (self.layer, self.requested, self.begun, self.ended, self.shown) = (layer, requested, begun, ended, shown)
    }
  }

  /// In the order in which their outcomes were known.
  public private(set) var frames: RecentValues<LoggedFrame>
  public private(set) var ticks: RecentValues<DisplayLink.Tick>
  public private(set) var loop: RecentValues<LoopEvent>
  /// The modes that the loop ran in before the first of its activities that are kept; the outermost run's first.
  public private(set) var modesBefore: [String] = []
  /// The regions of the application's own that ended, in that order.
  package private(set) var regions: RecentValues<Region>
  /// The drawings of workers, in any order.
  public var drawings: [Drawing] = []

  /// - Parameter capacity: the frames that are kept, and as many ticks; at least 1.
  public init(capacity: Int) {
    frames = RecentValues(capacity: capacity)
    ticks = RecentValues(capacity: capacity)
    // A frame takes two or three turns: one for its tick, one for its flip.
    loop = RecentValues(capacity: 8 * capacity)
    // A short run keeps all of its regions.
    regions = RecentValues(capacity: max(2 * capacity, 1 << 16))
  }

  /// Adds a frame whose outcome is known, as a `FrameLedger` tells; the oldest one makes room for it.
  public mutating func add(_ frame: LoggedFrame) { frames.append(frame) }

  /// Adds a tick of the frames' output.
  public mutating func add(_ tick: DisplayLink.Tick) { ticks.append(tick) }

  /// Adds a region that has ended.
  package mutating func add(_ region: Region) { regions.append(region) }

  /// Adds an activity of the loop, as an observer of the loop tells. Times must not go back.
  public mutating func add(_ activity: LoopActivity, at time: MonotonicTime) {
    guard let dropped = loop.append(LoopEvent(time: time, activity: activity)) else { return }
    switch dropped.activity {
    case .entered(let mode): modesBefore.append(mode)
    case .left: _ = modesBefore.popLast()
    case .sleeps, .wakes: break
    }
  }
}

/// The last values of a sequence, oldest first. Inlinable, so that other modules compile it for their type: values are added in each frame,
/// and one would take a microsecond.
public struct RecentValues<Value: Sendable>: RandomAccessCollection, Sendable {
  @usableFromInline let capacity: Int
  @usableFromInline var values: [Value] = []
  /// The place of the oldest value in a full array.
  @usableFromInline var first = 0
  @usableFromInline var overwritten = 0

  /// - Parameter capacity: at least 1.
  @inlinable public init(capacity: Int) {
    self.capacity = Swift.max(capacity, 1)
    values.reserveCapacity(self.capacity)
  }

  /// How many values were added before the oldest one that is kept.
  @inlinable public var dropped: Int { overwritten }
  @inlinable public var startIndex: Int { 0 }
  @inlinable public var endIndex: Int { values.count }

  @inlinable public subscript(index: Int) -> Value {
    let place = first + index
    return values[place < values.count ? place : place - values.count]
  }

  /// - Returns: the oldest value, if it had to make room.
  @inlinable @discardableResult
  public mutating func append(_ value: Value) -> Value? {
    guard values.count == capacity else {
      values.append(value)
      return nil
    }
    let oldest = values[first]
    values[first] = value
    first = first + 1 < capacity ? first + 1 : 0
    overwritten += 1
    return oldest
  }
}
