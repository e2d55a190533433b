public import FrameTiming
public import LinuxSystem

/// Measures the frames of one output: gives figures of the last moments, and of the whole run.
///
/// ```swift
/// let meter = FPSMeter(refreshRate: display.ticker.refreshRate)
/// let measuring = engine.output.observe { meter.record($0) }
/// …
/// print(meter.recentReport(at: engine.loop.clock.now).presentedRate ?? 0)
/// print(meter.report())  // as `framepace run` does at its end
/// ```
///
/// Memory is fixed however long the run: the figures of the whole run come from histograms, exact to 1/512 of a duration;
/// those of the last moments are counted anew, exactly, from a log of the last events. Recording takes no lock and allocates
/// nothing; reports do. Use it on one thread at a time.
public final class FPSMeter {
  /// The nominal rate. Changing it begins the measurement of the real one anew.
  public var refreshRate: RefreshRate {
    get { run.refreshRate }
    set { run.refreshRate = newValue }
  }
  /// True while nobody can see the display, as a hidden window's. The run's figures leave that time out, in which the display ticks at
  /// another rate; the recent ones count it as idle. Set it, and `refreshRate` where false, when the display's state changes.
  public var isHidden = false {
    didSet {
      guard isHidden != oldValue else { return }
      if isHidden { record(.idle) } else { run.measureRateAnew() }
      isFirstTickAwaited = !isHidden
    }
  }
  /// True from the end of hidden time to the next tick.
  private var isFirstTickAwaited = false
  /// The end of the last stop of the process, as by Ctrl-Z; nil if it was never stopped. SIGCONT alone does not tell it:
  /// that comes without a stop too, as from `timeout`. Set it before each event and each report.
  ///
  /// The beginning of a stop is not known. A late frame that was due before the end, and was handed over after it, has the cause
  /// `stopped`, and no hitch time, however long it took besides. Missed intervals count as `FrameReport.missedWhileStopped`, and not as
  /// hitch time, if the end lies between the two ticks that they lie between. The work of a frame has the time of a stop within it.
  public var resumed: MonotonicTime? {
    get { run.resumed }
    set {
      run.resumed = newValue
      log.append(stopUntil: newValue)
    }
  }
  /// Gives `resumed` before each event and each report; nil if the owner sets it.
  package var readResumed: (() -> MonotonicTime?)?
  /// The last events that were recorded: those of the recent figures, and some more.
  public private(set) var log: FrameLog

  private let window: Nanoseconds
  private let longestWindow: Int
  private(set) var run: FrameTally<DurationHistogram>
  private(set) var lateCauses = LateCauses()
  /// False if the last event is in no figure, as one of hidden time.
  private(set) var countsLastEvent = true
  /// The most idle intervals that metrics have told.
  var toldIdle = 0

  /// Enough for a p99.
  private static let shortestWindow = 120

  /// - Parameter window: the time that the recent figures cover. It is brought up to at least 120 intervals, so that a p99 has its
  ///   frames, and down to at most 4096.
  public init(refreshRate: RefreshRate, window: Nanoseconds = .milliseconds(2000)) {
    self.window = window
    run = FrameTally(refreshRate: refreshRate)
    longestWindow = max(Int(min(4096, refreshRate.intervals(in: max(.zero, window)))), Self.shortestWindow)
    // A tick, a committed and a presented frame and an idle event in each interval, and those that lead up to the first one.
    log = FrameLog(capacity: (longestWindow + 8) * 4)
  }

  /// Records an event of an output.
  ///
  /// - Returns: why a frame was late that has been seen now; nil for everything else.
  @discardableResult
  public func record(_ event: FrameEvent) -> FrameRecord.Causes? {
    // Events are copied in hidden time alone.
    guard isHidden || isFirstTickAwaited else {
      countsLastEvent = true
      return take(event)
    }
    let counted = counted(event)
    countsLastEvent = counted != nil
    return counted.flatMap { take($0) }
  }

  private func take(_ event: FrameEvent) -> FrameRecord.Causes? {
    refreshResumed()
    log.append(event)
    run.handle(event)
    guard case .presented(let frame) = event else { return nil }
    return lateCauses.add(frame, interval: refreshRate.interval, resumed: resumed)
  }

  /// The interval that `time` is in; the last one that had a tick or a frame in hidden time, and until the next one.
  func number(at time: MonotonicTime?) -> UInt64 { run.number(at: isHidden || isFirstTickAwaited ? nil : time) }

  /// The event as it counts in hidden time, and until the first tick after it: ticks of hidden time do not, nor what is lost then, and none
  /// was missed before the first one after it.
  private func counted(_ event: FrameEvent) -> FrameEvent? {
    switch event {
    case .tick where isHidden: return nil
    // A frame that was handed over before was made, and is lost with the display.
    case .lost(let frame) where isHidden: return run.wasCommitted(frame) ? event : nil
    case .tick(var tick):
      isFirstTickAwaited = false
      run.leaveOutIntervals(before: tick.frameNumber)
      tick.missed = 0
      return .tick(tick)
    case .committed(let frame):
      run.leaveOutIntervals(before: frame.frameNumber)
      return event
    default: return event
    }
  }

  /// The step to the last frame that was seen, from the one before; nil if there was none since an idle time.
  public var step: FrameStep? { run.lastStep }

  /// How far the last frame that was seen was from the vblank that it was made for, see `FrameReport.predictionError`; nil if that says nothing
  /// of the prediction.
  var predictionError: Nanoseconds? { run.lastPredictionError }

  /// The counts of the run so far, see `FrameTally.countsSoFar()`.
  var countsSoFar: RunCounts { run.countsSoFar() }

  /// The last interval of a run that ends at `end`; nil for the last one that had a tick or a frame.
  func lastNumber(at end: MonotonicTime?) -> UInt64 { max(run.number(at: nil) + 1, number(at: end)) - 1 }

  /// The figures of the whole run.
  ///
  /// - Parameter time: the end of the run, so that idle intervals at its end count. Without it the run ends with the last
  ///   interval that had a tick or a frame.
  public func report(at time: MonotonicTime? = nil) -> FrameReport {
    refreshResumed()
    var report = run.report(before: lastNumber(at: time) + 1)
    report.pending = run.pendingFrames.count
    report.budgetReasons = run.budget.reasons
    report.lateCauses = lateCauses.counts
    report.missedCauses = lateCauses.missedCounts(of: report)
    return report
  }

  /// The figures of the last intervals before `time` that are complete; the one that `time` is in is not.
  public func recentReport(at time: MonotonicTime) -> FrameReport {
    refreshResumed()
    let end = run.number(at: time)
    let start = max(run.firstNumber ?? end, end - min(end, UInt64(windowLength)))
    var recent = FrameTally<Durations>(refreshRate: refreshRate, span: min(start, end)..<end)
    log.stops.replay(log) { event, resumed in
      recent.resumed = resumed
      recent.handle(event)
    }
    recent.resumed = resumed
    var report = recent.report(before: end)
    report.refreshRate = run.measuredRate
    return report
  }

  func refreshResumed() {
    if let readResumed { resumed = readResumed() }
  }

  /// The number of refresh intervals that the recent figures cover.
  private var windowLength: Int {
    // A variable display has fewer intervals than it could have.
    let wanted =
      run.isVariable
      ? Int(window.seconds * (run.measuredRate ?? refreshRate.hertz))
      : Int(refreshRate.intervals(in: window + refreshRate.interval / 2))
    return min(max(wanted, Self.shortestWindow), longestWindow)
  }

  /// All durations of a window, whose distribution is exact.
  private struct Durations: DurationCollection {
    private var values: [Nanoseconds] = []

    mutating func add(_ value: Nanoseconds) { values.append(value) }
    var distribution: FrameStatistics { FrameStatistics(values) }
  }
}

/// The last events of an output, oldest first, in memory that is allocated once.
///
/// The figures of a frame are reductions of these events: `FPSMeter` keeps such a log for its recent figures.
public struct FrameLog: RandomAccessCollection, Sendable {
  /// A stop of the process between two events.
  package struct Stop: Hashable, Sendable {
    /// The index of the first event that was added after it.
    package let index: Int
    package let end: MonotonicTime

    package init(index: Int, end: MonotonicTime) {
      (self.index, self.end) = (index, end)
    }
  }

  /// An event, whose bytes can be copied.
  private enum Entry: BitwiseCopyable {
    case tick(DisplayLink.Tick)
    case committed(FrameRecord)
    case presented(FrameRecord)
    case lost(FrameRecord)
    case discarded(FrameRecord)
    case idle
    case refused
  }

  private var entries: [Entry]
  /// The errors of refusals by their places: they are few.
  private var refusals: [Int: any Error] = [:]
  /// The last stops, with the number of events that were added before each.
  private var lastStops: [(added: Int, end: MonotonicTime)] = []
  private var added = 0
  /// The place of the oldest event.
  private var first = 0
  public private(set) var count = 0

  /// - Parameter capacity: the number of events that are kept; at least 1.
  public init(capacity: Int) {
    entries = Array(repeating: .idle, count: Swift.max(capacity, 1))
    lastStops.reserveCapacity(Self.mostStops)
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { count }
  public subscript(index: Int) -> FrameEvent {
    let place = place(index)
    switch entries[place] {
    case .tick(let tick): return .tick(tick)
    case .committed(let frame): return .committed(frame)
    case .presented(let frame): return .presented(frame)
    case .lost(let frame): return .lost(frame)
    case .discarded(let frame): return .discarded(frame)
    case .idle: return .idle
    case .refused:
      guard let error = refusals[place] else { preconditionFailure("FrameLog: a refusal without an error") }
      return .refused(error)
    }
  }

  /// Adds an event; the oldest one makes room for it in a full log. Allocates nothing, but for a refusal.
  public mutating func append(_ event: FrameEvent) {
    let place = place(count)
    if !refusals.isEmpty { refusals[place] = nil }
    switch event {
    case .tick(let tick): entries[place] = .tick(tick)
    case .committed(let frame): entries[place] = .committed(frame)
    case .presented(let frame): entries[place] = .presented(frame)
    case .lost(let frame): entries[place] = .lost(frame)
    case .discarded(let frame): entries[place] = .discarded(frame)
    case .idle: entries[place] = .idle
    case .refused(let error):
      entries[place] = .refused
      refusals[place] = error
    }
    if count < entries.count { count += 1 } else { first = self.place(1) }
    added += 1
  }

  private static var mostStops: Int { 32 }

  /// Adds a stop of the process; does nothing without one, or if it is the last one that was added.
  package mutating func append(stopUntil end: MonotonicTime?) {
    guard let end, end != lastStops.last?.end else { return }
    if lastStops.count == Self.mostStops { lastStops.removeFirst() }
    lastStops.append((added, end))
  }

  /// The last 32 stops, oldest first; those before the first event have its index.
  package var stops: [Stop] {
    lastStops.map { Stop(index: Swift.max(0, $0.added - (added - count)), end: $0.end) }
  }

  private func place(_ index: Int) -> Int {
    let place = first + index
    return place < entries.count ? place : place - entries.count
  }
}

extension [FrameLog.Stop] {
  /// Calls `body` with each of the events that these stops lie between, and the end of the last stop before it.
  package func replay(
    _ events: some Collection<FrameEvent>, _ body: (_ event: FrameEvent, _ resumed: MonotonicTime?) -> Void
  ) {
    var rest = self[...]
    var resumed: MonotonicTime?
    for (index, event) in events.enumerated() {
      while let stop = rest.first, stop.index <= index {
        resumed = stop.end
        rest.removeFirst()
      }
      body(event, resumed)
    }
  }
}
