public import FrameTiming
public import LinuxSystem

/// Measures the frames of one output: fed with ticks, frames handed over and frames seen, gives figures for the last moments
/// and for the whole run.
///
/// Memory is fixed however long the run: a ring of the last intervals, whose figures are exact, and histograms for the whole
/// run, exact to 1/512 of a duration (see `DurationHistogram`). Recording takes no lock and allocates nothing; reports
/// do. To be used by one thread at a time.
public final class FPSMeter {
  /// The nominal rate. Changing it begins the measurement of the real one anew.
  public var refreshRate: RefreshRate {
    didSet {
      guard refreshRate != oldValue else { return }
      interval = refreshRate.interval
      anchor = nil
    }
  }

  /// How many refresh intervals the recent figures cover.
  private var windowLength: Int {
    // A variable display has not as many intervals as it could.
    let wanted =
      isVariable
      ? Int(window.seconds * (measuredRate ?? refreshRate.hertz))
      : Int(refreshRate.intervals(in: window + interval / 2))
    return min(max(wanted, Self.shortestWindow), ring.capacity - Self.inFlight)
  }

  /// Enough for a p99.
  private static let shortestWindow = 120
  /// Feedback may come for intervals that are this much newer than the window's end.
  private static let inFlight = 8

  private let window: Nanoseconds
  private var interval: Nanoseconds
  private var ring: IntervalRing
  /// The whole run. Its intervals, idle and distributions are filled in by `report(at:)`.
  private var run: FrameReport
  private var frameIntervals = DurationHistogram()
  private var works = DurationHistogram()
  private var tickLatenesses = DurationHistogram()
  private var latencies = DurationHistogram()
  private var animationErrors = DurationHistogram()
  private var lateCauses = LateCauses()
  private var hitchTime = HitchTime()

  private var firstNumber: UInt64?
  /// The last interval that had a tick or a frame, and its vblank.
  private var lastNumber: UInt64 = 0
  private var lastVBlank = MonotonicTime.zero
  /// Intervals that had a frame but no tick.
  private var untickedIntervals = 0
  /// The tick from which the real refresh rate is measured, and the last one.
  private var anchor: DisplayLink.Tick?
  private var lastTick: DisplayLink.Tick?
  private var lastPresented: FrameRecord?
  private var isIdle = false
  /// The first interval after the last idle ones.
  private var resumedNumber: UInt64 = 0

  /// - Parameter window: what the recent figures cover, brought up to at least 120 intervals, so that a p99 has its frames,
  ///   and down to what 4096 intervals hold.
  public init(refreshRate: RefreshRate, window: Nanoseconds = .milliseconds(2000)) {
    self.refreshRate = refreshRate
    self.window = window
    interval = refreshRate.interval
    let wanted = min(4096, refreshRate.intervals(in: max(.zero, window)))
    ring = IntervalRing(holding: max(Int(wanted), Self.shortestWindow) + Self.inFlight)
    run = FrameReport(nominalRefreshRate: refreshRate)
  }

  // MARK: - Recording

  /// Records what an output's observers are told.
  ///
  /// - Returns: why a frame was late that has been seen now; nil for everything else.
  @discardableResult
  public func record(_ event: FrameEvent) -> FrameRecord.Cause? {
    switch event {
    case .tick(let tick): record(tick: tick)
    case .committed(let frame): record(committed: frame)
    case .presented(let frame): return record(presented: frame)
    case .idle: noteIdle()
    case .refused: break
    }
    return nil
  }

  /// A tick of the output's link. Its `missed` says which of the intervals since the last one were wanted, and those that its
  /// link leaves out between two ticks belong to them.
  public func record(tick: DisplayLink.Tick) {
    let number = tick.frameNumber
    if let lastTick, number <= lastTick.frameNumber { return }
    if firstNumber != nil {
      let previous = lastTick?.frameNumber ?? lastNumber
      let skipped = number > previous ? number - previous - 1 : 0
      let step = UInt64(max(tick.intervalsPerTick, 1))
      let missed = isStartingUp ? 0 : min(tick.missed, skipped / step)
      let wanted = isStartingUp ? skipped : missed * step + min(step - 1, skipped - missed * step)
      // Idle first: what was wanted is the end of what was skipped.
      if skipped > wanted {
        hitchTime.didIdle()
        // A frame may have ended the idle time before the first tick.
        if resumedNumber <= previous { resumedNumber = number }
      }
      if wanted > 0 { markSkipped(before: number, count: wanted, missed: missed, every: step) }
      if missed > 0 {
        hitchTime.didMiss(refreshRate.offset(ofInterval: Int64(clamping: missed * step)), before: number)
      }
    }
    isIdle = false
    include(number, from: tick.timestamp)
    let lateness = tick.delivered - tick.start
    ring.update(number) { interval in
      if interval.frames > 0, !interval.isTicked { untickedIntervals -= 1 }
      interval.isTicked = true
      interval.tickLateness = lateness
    }
    tickLatenesses.add(lateness)
    run.ticks += 1
    if anchor == nil { anchor = tick }
    lastTick = tick
  }

  /// A frame that was handed to the presenter.
  public func record(committed frame: FrameRecord) {
    let number = frame.frameNumber
    if isIdle {
      isIdle = false
      resumedNumber = number
    }
    include(number, from: frame.tickTimestamp)
    let work = frame.work
    ring.update(number) { interval in
      if interval.frames == 0, !interval.isAccounted { untickedIntervals += 1 }
      interval.frames &+= 1
      interval.work = work
    }
    works.add(work)
    run.frames += 1
  }

  /// A frame whose `presented` is known. In the order in which they were seen.
  ///
  /// - Returns: why it was late; nil if it was in time.
  @discardableResult
  public func record(presented frame: FrameRecord) -> FrameRecord.Cause? {
    guard frame.presented != .zero else { return nil }
    let isLate = frame.isLate(interval: interval)
    let hitch = hitchTime.presented(frameNumber: frame.frameNumber, lateness: isLate ? frame.lateness : .zero)
    let frameInterval = intervalSinceLast(frame)
    if let frameInterval {
      frameIntervals.add(frameInterval)
      animationErrors.add(animationError(frame, after: frameInterval))
    }
    latencies.add(frame.presented - frame.delivered)
    let cause = lateCauses.add(frame, interval: interval)
    run.presented += 1
    if run.firstPresented == nil { run.firstPresented = frame.presented }
    if isLate { run.late += 1 }
    run.hitchTime += hitch

    let shown = refreshRate.intervals(in: frame.presented - frame.tickTimestamp + interval / 2)
    ring.update(frame.frameNumber &+ UInt64(max(0, shown))) { interval in
      interval.presented &+= 1
      if isLate { interval.late &+= 1 }
      interval.frameInterval = frameInterval ?? .zero
      interval.hitchTime += hitch
    }
    lastPresented = frame
    return cause
  }

  /// From now on no frame is wanted, until the next tick or frame: what passes meanwhile is idle, not missed.
  public func noteIdle() {
    isIdle = true
  }

  // MARK: - Reports

  /// The figures of the whole run.
  ///
  /// - Parameter time: where the run ends, so that idle intervals at its end count. Without it the run ends with the last
  ///   interval that had a tick or a frame.
  public func report(at time: MonotonicTime? = nil) -> FrameReport {
    var report = run
    report.nominalRefreshRate = refreshRate
    report.refreshRate = measuredRate
    if let firstNumber {
      let end = max(lastNumber + 1, number(at: time ?? lastVBlank))
      report.intervals = Int(clamping: end - firstNumber)
      let beingSkipped = isIdle ? 0 : Int(clamping: end - lastNumber) - 1
      let beingMissed = isStartingUp ? 0 : beingSkipped / intervalsPerTick
      report.missed += beingMissed
      report.leftOut += beingSkipped - beingMissed
      report.hitchTime += pendingHitch(beingMissed)
      report.idle = max(0, report.intervals - report.ticks - report.missed - report.leftOut - untickedIntervals)
    }
    report.frameInterval = FrameReport.Distribution(frameIntervals)
    report.work = FrameReport.Distribution(works)
    report.tickLateness = FrameReport.Distribution(tickLatenesses)
    report.latency = FrameReport.Distribution(latencies)
    report.animationError = FrameReport.Distribution(animationErrors)
    report.lateCauses = lateCauses.counts
    return report
  }

  /// The figures of the last intervals before `time` that are complete; the one that `time` is in is not.
  public func recentReport(at time: MonotonicTime) -> FrameReport {
    var report = FrameReport(nominalRefreshRate: refreshRate)
    report.refreshRate = measuredRate
    guard let firstNumber else { return report }
    let end = number(at: time)
    let length = UInt64(windowLength)
    let start = max(firstNumber, end > length ? end - length : 0)
    guard start < end else { return report }

    report.intervals = Int(end - start)
    var values = WindowValues(capacity: report.intervals)
    var (unticked, beingMissed) = (0, 0)
    for number in start..<end {
      // If frames are wanted, the intervals after the last tick or frame are being missed now, or left out.
      let isBeingSkipped = number > lastNumber && !isIdle
      let isBeingMissed = isBeingSkipped && !isStartingUp && (number - lastNumber) % UInt64(intervalsPerTick) == 0
      guard let interval = ring.interval(number) else {
        if isBeingMissed { beingMissed += 1 } else if isBeingSkipped { report.leftOut += 1 }
        continue
      }
      report.frames += Int(interval.frames)
      report.presented += Int(interval.presented)
      report.late += Int(interval.late)
      report.hitchTime += interval.hitchTime
      if interval.isTicked {
        report.ticks += 1
      } else if isBeingMissed {
        beingMissed += 1
      } else if interval.isMissed {
        report.missed += 1
      } else if interval.isLeftOut || isBeingSkipped {
        report.leftOut += 1
      } else if interval.frames > 0 {
        unticked += 1
      }
      values.add(interval)
    }
    report.missed += beingMissed
    // No more than what the window has of it.
    report.hitchTime += min(
      pendingHitch(beingMissed), refreshRate.offset(ofInterval: Int64(report.missed) * Int64(intervalsPerTick)))
    report.idle = report.intervals - report.ticks - report.missed - report.leftOut - unticked
    values.fill(&report)
    return report
  }

  // MARK: - Parts

  /// Whether the first frame has been made, or is on its way, and no tick has come yet. A screen that is switched on takes its
  /// time: that is neither idle nor missed.
  private var isStartingUp: Bool { lastTick == nil && !isIdle }

  private func include(_ number: UInt64, from vblank: MonotonicTime) {
    firstNumber = min(firstNumber ?? number, number)
    guard number >= lastNumber else { return }
    lastNumber = number
    lastVBlank = vblank
  }

  /// The interval that `time` is in. Of a variable display the last one goes on until the next tick; idle time is counted in
  /// intervals as long as others were.
  private func number(at time: MonotonicTime) -> UInt64 {
    let elapsed = max(time - lastVBlank, .zero)
    guard isVariable else { return lastNumber + UInt64(max(0, refreshRate.intervals(in: elapsed))) }
    guard isIdle else { return lastNumber }
    return lastNumber + UInt64(elapsed.seconds * (measuredRate ?? refreshRate.hertz))
  }

  private var isVariable: Bool { lastTick?.isVariable ?? false }

  /// Accounts for the intervals before a tick in which frames were wanted: every so many should have been ticked, and the
  /// others are left out.
  private func markSkipped(before number: UInt64, count: UInt64, missed: UInt64, every step: UInt64) {
    // Older ones would leave the ring at once.
    let marked = min(count, UInt64(ring.capacity))
    for back in 1...marked {
      let isMissed = back % step == 0 && back / step <= missed
      ring.update(number - back) { interval in
        if interval.frames > 0, !interval.isAccounted { untickedIntervals -= 1 }
        if isMissed { interval.isMissed = true } else { interval.isLeftOut = true }
      }
    }
    run.missed += Int(clamping: missed)
    run.leftOut += Int(clamping: count - missed)
  }

  /// Every how many intervals the output ticks.
  private var intervalsPerTick: Int { max(lastTick?.intervalsPerTick ?? 1, 1) }

  /// - Parameter ticks: that are being missed now.
  private func pendingHitch(_ ticks: Int) -> Nanoseconds {
    hitchTime.pending(refreshRate.offset(ofInterval: Int64(ticks) * Int64(intervalsPerTick)))
  }

  /// The time since the last frame seen; nil for the first, and for the first after idle intervals.
  private func intervalSinceLast(_ frame: FrameRecord) -> Nanoseconds? {
    guard let last = lastPresented, frame.presented > last.presented else { return nil }
    let resumes = last.frameNumber < resumedNumber && resumedNumber <= frame.frameNumber
    return resumes ? nil : frame.presented - last.presented
  }

  /// How much time passed in the picture and not on the display since the last frame, or the other way round.
  private func animationError(_ frame: FrameRecord, after interval: Nanoseconds) -> Nanoseconds {
    let step = frame.animationTime - (lastPresented?.animationTime ?? frame.animationTime)
    return max(step - interval, interval - step)
  }

  private var measuredRate: Double? {
    guard let anchor, let lastTick, lastTick.timestamp > anchor.timestamp else { return nil }
    let elapsed = lastTick.timestamp - anchor.timestamp
    return Double(lastTick.frameNumber - anchor.frameNumber) * 1e9 / Double(elapsed.count)
  }
}

/// The durations of the intervals of a window.
private struct WindowValues {
  private var frameIntervals: [Nanoseconds] = []
  private var works: [Nanoseconds] = []
  private var tickLatenesses: [Nanoseconds] = []

  init(capacity: Int) {
    frameIntervals.reserveCapacity(capacity)
    works.reserveCapacity(capacity)
    tickLatenesses.reserveCapacity(capacity)
  }

  mutating func add(_ interval: IntervalRing.Interval) {
    if interval.frameInterval > .zero { frameIntervals.append(interval.frameInterval) }
    if interval.frames > 0 { works.append(interval.work) }
    if interval.isTicked { tickLatenesses.append(interval.tickLateness) }
  }

  func fill(_ report: inout FrameReport) {
    report.frameInterval = FrameReport.Distribution(FrameStatistics(frameIntervals))
    report.work = FrameReport.Distribution(FrameStatistics(works))
    report.tickLateness = FrameReport.Distribution(FrameStatistics(tickLatenesses))
  }
}

extension FrameReport.Distribution {
  init(_ statistics: FrameStatistics) {
    self.init()
    count = statistics.count
    p50 = statistics.percentile(50)
    p99 = statistics.percentile(99)
    maximum = statistics.maximum
  }

  init(_ histogram: DurationHistogram) {
    self.init()
    count = histogram.count
    p50 = histogram.percentile(50)
    p99 = histogram.percentile(99)
    maximum = histogram.maximum
  }
}
