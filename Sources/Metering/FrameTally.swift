import FrameTiming
import LinuxSystem

/// Durations of which a distribution is asked: all of them, or the histogram of any number.
protocol DurationCollection {
  associatedtype Distribution: DurationDistribution
  init()
  mutating func add(_ value: Nanoseconds)
  var distribution: Distribution { get }
}

protocol DurationDistribution {
  var count: Int { get }
  var maximum: Nanoseconds? { get }
  var standardDeviation: Nanoseconds? { get }
  func percentile(_ percent: Double) -> Nanoseconds?
  func longest(_ percent: Double) -> Nanoseconds?
  func counts(upTo bounds: [Nanoseconds]) -> [Int]
}

extension FrameStatistics: DurationDistribution {}
extension DurationHistogram: DurationCollection, DurationDistribution {
  var distribution: DurationHistogram { self }
}

/// The figures of a span of refresh intervals: reduces an output's events, in their order.
///
/// Pass every event, also those outside the span: they are not counted, but tell what was going on when it began.
struct FrameTally<Durations: DurationCollection> {
  /// The nominal rate. Changing it begins the measurement of the real one anew.
  var refreshRate: RefreshRate {
    didSet { if refreshRate != oldValue { measureRateAnew() } }
  }
  /// The end of the last stop of the process, see `FPSMeter.resumed`.
  var resumed: MonotonicTime?
  private let span: Range<UInt64>

  /// The counts that no later event changes; without those of intervals after the last tick or frame.
  private(set) var counts: FrameReport
  private(set) var frameIntervals = Durations()
  private(set) var works = Durations()
  private(set) var budget: FrameBudget
  /// The refresh intervals from tick to tick at the rate of the last frame that a tick asked for.
  private var lastDistance = 1
  /// The time of all frames that were handed over, by phase.
  private(set) var phaseTimes = FrameRecord.PhaseDurations()
  private var tickLatenesses = Durations()
  private var latencies = Durations()
  private(set) var inputLatencies = Durations()
  private var animationErrors = Durations()
  private var predictionErrors = Durations()

  private(set) var firstNumber: UInt64?
  /// The last interval that had a tick or a frame, and its vblank.
  private(set) var lastNumber: UInt64 = 0
  private var lastVBlank = MonotonicTime.zero
  /// Intervals that had a frame but neither a tick nor a missed one.
  private var untickedIntervals = 0
  /// The same since the last tick: the next one may yet account for them.
  private var openIntervals: [UInt64] = []
  private var intervalTime = IntervalTime()
  /// The tick from which the real refresh rate is measured, and the last one.
  private var anchor: DisplayLink.Tick?
  private var lastTick: DisplayLink.Tick?
  /// The committed frames that are still to be presented, in their order.
  private(set) var pendingFrames: [PendingFrame] = []
  private var lastPresented: FrameRecord?
  /// The step to the last frame that was seen; nil if none was seen before it since an idle time.
  private(set) var lastStep: FrameStep?
  /// How much later than the vblank that it was made for the last frame was seen; nil if that says nothing of the prediction.
  private(set) var lastPredictionError: Nanoseconds?
  private var isIdle = false
  /// The first interval after the last idle ones.
  private var resumedNumber: UInt64 = 0
  /// When the last frame was handed over that had to make room among the pending ones. Of these and older ones it is not known whether
  /// they are pending still: they count as lost, until they have another end.
  private var lastOusted: MonotonicTime?
  private var hitchTime = HitchTime()

  /// - Parameter span: the numbers of the intervals that count.
  init(refreshRate: RefreshRate, span: Range<UInt64> = 0..<UInt64.max) {
    self.refreshRate = refreshRate
    self.span = span
    counts = FrameReport(nominalRefreshRate: refreshRate)
    budget = FrameBudget(refreshRate: refreshRate)
    openIntervals.reserveCapacity(Self.mostOpenIntervals)
    pendingFrames.reserveCapacity(Self.mostOpenIntervals)
  }

  private static var mostOpenIntervals: Int { 16 }

  mutating func handle(_ event: FrameEvent) {
    switch event {
    case .tick(let tick): handle(tick)
    case .committed(let frame): committed(frame)
    case .presented(let frame):
      // A frame before it that was not presented will not be.
      loseFrames(submittedBefore: frame.submitted)
      endPending(frame)
      if frame.presented != .zero { presented(frame) } else { counts.lost += count(in: frame.frameNumber) }
    case .lost(let frame):
      endPending(frame)
      counts.lost += count(in: frame.frameNumber)
    case .discarded(let frame):
      guard span.contains(frame.frameNumber) else { return }
      counts.frames += 1
      counts.discarded += 1
      counts.discardedWork += frame.work
    case .idle: isIdle = true
    case .refused: loseFrames(submittedBefore: .distantFuture)
    }
  }

  /// True if a frame was committed, and is still to be presented: is pending, or had to make room.
  func wasCommitted(_ frame: FrameRecord) -> Bool { pendingFrames.contains(PendingFrame(frame)) || wasOusted(frame) }

  private func wasOusted(_ frame: FrameRecord) -> Bool { lastOusted.map { frame.submitted <= $0 } ?? false }

  /// A frame whose end is known is pending no more. One that was not committed, or before the first event, was made all the same.
  private mutating func endPending(_ frame: FrameRecord) {
    if let index = pendingFrames.firstIndex(of: PendingFrame(frame)) {
      pendingFrames.remove(at: index)
    } else if wasOusted(frame) {
      counts.lost -= count(in: frame.frameNumber)
    } else {
      counts.frames += count(in: frame.frameNumber)
    }
  }

  private mutating func loseFrames(submittedBefore end: MonotonicTime) {
    while let first = pendingFrames.first, first.submitted < end { loseFirst() }
  }

  private mutating func loseFirst() { counts.lost += count(in: pendingFrames.removeFirst().number) }

  private mutating func handle(_ tick: DisplayLink.Tick) {
    let number = tick.frameNumber
    if let lastTick, number <= lastTick.frameNumber { return }
    let wanted = firstNumber == nil ? 0 : countSkipped(before: tick)
    for open in openIntervals where open > number || open + wanted < number { untickedIntervals += count(in: open) }
    openIntervals.removeAll(keepingCapacity: true)
    isIdle = false
    intervalTime.add(tick, after: lastTick, from: max(firstNumber ?? number, span.lowerBound))
    include(number, from: tick.timestamp)
    if span.contains(number) {
      counts.ticks += 1
      tickLatenesses.add(tick.delivered - tick.start)
    }
    if anchor == nil { anchor = tick }
    lastTick = tick
  }

  /// Accounts for the intervals between the last tick and this one. The tick's `missed` tells how many ticks were wanted;
  /// intervals that its link leaves out between two ticks belong to them, and all others were idle.
  ///
  /// - Returns: the number of wanted intervals: they are the end of the skipped ones.
  private mutating func countSkipped(before tick: DisplayLink.Tick) -> UInt64 {
    let number = tick.frameNumber
    let previous = lastTick?.frameNumber ?? lastNumber
    let skipped = number > previous ? number - previous - 1 : 0
    let step = UInt64(max(tick.intervalsPerTick, 1))
    let missed = isStartingUp ? 0 : min(tick.missed, skipped / step)
    var wanted = isStartingUp ? skipped : missed * step + min(step - 1, skipped - missed * step)
    wanted += min(tick.unknownIntervals, skipped - wanted)
    if skipped > wanted {
      hitchTime.didIdle()
      // A frame may have ended the idle time before the first tick.
      if resumedNumber <= previous { resumedNumber = number }
    }
    let counted = min(wanted, number - min(number, span.lowerBound))
    let countedMissed = min(missed, counted / step)
    counts.missed += Int(clamping: countedMissed)
    counts.leftOut += Int(clamping: counted - countedMissed)
    if let resumed, let lastTick, lastTick.timestamp < resumed, resumed <= tick.delivered {
      counts.missedWhileStopped += Int(clamping: countedMissed)
    } else if missed > 0 {
      hitchTime.didMiss(refreshRate.offset(ofInterval: Int64(clamping: missed * step)), before: number)
    }
    return wanted
  }

  private mutating func committed(_ frame: FrameRecord) {
    let number = frame.frameNumber
    if isIdle {
      isIdle = false
      resumedNumber = number
    }
    include(number, from: frame.tickTimestamp)
    if pendingFrames.count == Self.mostOpenIntervals {
      lastOusted = pendingFrames[0].submitted
      loseFirst()
    }
    pendingFrames.append(PendingFrame(frame))
    let isAccountedFor = lastTick.map { number <= $0.frameNumber } ?? false
    if !isAccountedFor, openIntervals.last != number {
      if openIntervals.count == Self.mostOpenIntervals { untickedIntervals += count(in: openIntervals.removeFirst()) }
      openIntervals.append(number)
    }
    guard span.contains(number) else { return }
    counts.frames += 1
    _ = budget.add(frame)
    if frame.promised != nil { lastDistance = max(frame.intervalsPerTick, 1) }
    for phase in FrameRecord.Phase.allCases { phaseTimes[phase] += frame.phases[phase] }
  }

  /// The time that the last frame might take.
  var lastBudget: Nanoseconds { refreshRate.budget(of: lastDistance) }

  private mutating func presented(_ frame: FrameRecord) {
    let interval = refreshRate.interval
    let lateness = frame.wasStopped(until: resumed) ? .zero : frame.hitch(interval: interval)
    let hitch = hitchTime.presented(frameNumber: frame.frameNumber, lateness: lateness)
    lastStep = step(to: frame)
    lastPresented = frame
    lastPredictionError = frame.predictionError(interval: interval)
    let shown = refreshRate.intervals(in: frame.presented - frame.tickTimestamp + interval / 2)
    guard span.contains(frame.frameNumber &+ UInt64(max(0, shown))) else { return }
    counts.presented += 1
    counts.assumed += frame.isPresentedKnown ? 0 : 1
    counts.late += frame.isLate(interval: interval) ? 1 : 0
    counts.early += frame.isEarly(interval: interval) ? 1 : 0
    counts.hitchTime += hitch
    if counts.firstPresented == nil { counts.firstPresented = frame.presented }
    works.add(frame.work)
    latencies.add(frame.presented - frame.delivered)
    if let input = frame.input { inputLatencies.add(frame.presented - input) }
    if let error = lastPredictionError { predictionErrors.add(max(error, -error)) }
    guard let lastStep else { return }
    frameIntervals.add(lastStep.interval)
    if let error = lastStep.animationError { animationErrors.add(max(error, -error)) }
  }

  private func step(to frame: FrameRecord) -> FrameStep? {
    // The first frame after idle intervals or a stop of the process has no frame before it.
    guard let last = lastPresented, !(last.frameNumber < resumedNumber && resumedNumber <= frame.frameNumber) else {
      return nil
    }
    if let resumed, last.presented < resumed, resumed <= frame.presented { return nil }
    var step = FrameStep(from: last, to: frame)
    // At a fixed rate a frame whose target was a guess, a run's first or the first after a pause, is no base for an error: nothing
    // had moved before it.
    if !last.isTargetKnown, !isVariable { step?.animationError = nil }
    return step
  }

  /// True from the first frame to the first tick. A screen that is switched on takes its time: that is neither idle nor missed.
  private var isStartingUp: Bool { lastTick == nil && !isIdle }

  private func count(in number: UInt64) -> Int { span.contains(number) ? 1 : 0 }

  private mutating func include(_ number: UInt64, from vblank: MonotonicTime) {
    firstNumber = min(firstNumber ?? number, number)
    guard number >= lastNumber else { return }
    lastNumber = number
    lastVBlank = vblank
  }

  // MARK: - Figures

  /// The real refresh rate in hertz; nil before the second tick.
  var measuredRate: Double? {
    guard let anchor, let lastTick, lastTick.timestamp > anchor.timestamp else { return nil }
    let elapsed = lastTick.timestamp - anchor.timestamp
    return Double(lastTick.frameNumber - anchor.frameNumber) * 1e9 / Double(elapsed.count)
  }

  /// The refresh interval: the measured one, or else the nominal one.
  private var interval: Nanoseconds { measuredRate.map { .seconds(1 / $0) } ?? refreshRate.interval }

  /// Leaves out the intervals after the last one: nobody could see the display.
  mutating func leaveOutIntervals(before number: UInt64) {
    guard firstNumber != nil, number > lastNumber else { return }
    intervalTime.leaveOut(number - lastNumber - 1)
  }

  /// Begins the measurement of the real rate with the next tick.
  mutating func measureRateAnew() { anchor = nil }

  var isVariable: Bool { lastTick?.isVariable ?? false }

  /// The interval that `time` is in; nil for the last one that had a tick or a frame. On a variable display the last interval
  /// goes on until the next tick; idle time is counted in intervals as long as others were.
  func number(at time: MonotonicTime?) -> UInt64 {
    let elapsed = time.map { max($0 - lastVBlank, .zero) } ?? .zero
    guard isVariable else { return lastNumber + UInt64(max(0, refreshRate.intervals(in: elapsed))) }
    guard isIdle else { return lastNumber }
    return lastNumber + UInt64(elapsed.seconds * (measuredRate ?? refreshRate.hertz))
  }

  /// The first interval that counts; nil before one had a tick or a frame.
  var start: UInt64? { firstNumber.map { max($0, span.lowerBound) } }

  /// The number of intervals that somebody could see, and their time.
  func intervals(from start: UInt64, before end: UInt64) -> Int {
    Int(clamping: end - min(start + intervalTime.hidden, end))
  }
  func time(from start: UInt64, before end: UInt64) -> Nanoseconds {
    intervalTime.time(from: start, to: end, last: lastTick?.frameNumber, interval: interval)
  }

  /// Intervals that had a frame and neither a tick nor a missed one, as far as that is known.
  var untickedSoFar: Int { openIntervals.reduce(untickedIntervals) { $0 + count(in: $1) } }

  /// The report without its distributions, which cost a walk over their durations.
  ///
  /// - Parameter end: the first interval that does not count.
  func counts(before end: UInt64) -> FrameReport {
    var report = counts
    report.nominalRefreshRate = refreshRate
    report.refreshRate = measuredRate
    if let start {
      report.intervals = intervals(from: start, before: end)
      report.time = time(from: start, before: end)
      if intervalTime.isMeasured { report.refreshRate = Double(report.intervals) / report.time.seconds }
      // If frames are wanted, the intervals after the last tick or frame are being missed now, or left out.
      let firstSkipped = max(lastNumber + 1, start)
      var hitching = 0
      if !isIdle, end > firstSkipped {
        let step = UInt64(max(lastTick?.intervalsPerTick ?? 1, 1))
        let missed =
          isStartingUp ? 0 : Int(clamping: (end - 1 - lastNumber) / step - (firstSkipped - 1 - lastNumber) / step)
        report.missed += missed
        report.leftOut += Int(clamping: end - firstSkipped) - missed
        if let resumed, lastVBlank < resumed { report.missedWhileStopped += missed } else { hitching = missed }
      }
      report.hitchTime += pendingHitch(hitching, of: report.missed - report.missedWhileStopped)
      report.unticked = untickedSoFar
      report.idle = max(0, report.intervals - report.ticks - report.missed - report.leftOut - report.unticked)
    }
    return report
  }

  /// - Parameter end: the first interval that does not count.
  func report(before end: UInt64) -> FrameReport {
    var report = counts(before: end)
    report.take(frameIntervals: frameIntervals.distribution)
    report.work = FrameReport.Distribution(works.distribution)
    report.budget = budget.time
    report.tickLateness = FrameReport.Distribution(tickLatenesses.distribution)
    report.latency = FrameReport.Distribution(latencies.distribution)
    report.inputLatency = FrameReport.Distribution(inputLatencies.distribution)
    report.animationError = FrameReport.Distribution(animationErrors.distribution)
    report.predictionError = FrameReport.Distribution(predictionErrors.distribution)
    return report
  }

  /// The hitch that goes on: no longer than all that the span has missed.
  ///
  /// - Parameter missed: the ticks that are being missed now.
  private func pendingHitch(_ missed: Int, of all: Int) -> Nanoseconds {
    let step = Int64(max(lastTick?.intervalsPerTick ?? 1, 1))
    let pending = hitchTime.pending(refreshRate.offset(ofInterval: Int64(missed) * step))
    return min(pending, refreshRate.offset(ofInterval: Int64(all) * step))
  }
}

/// A frame that was handed over, by what tells it from others.
struct PendingFrame: Equatable, BitwiseCopyable, Sendable {
  let number: UInt64
  let submitted: MonotonicTime

  init(_ frame: FrameRecord) { (number, submitted) = (frame.frameNumber, frame.submitted) }
}

extension FrameRecord {
  /// How long after the vblank that it was made for the frame was seen; negative when earlier. Nil if that says nothing of the prediction: the
  /// target was a guess, or the frame was not seen at that vblank for another cause.
  fileprivate func predictionError(interval: Nanoseconds) -> Nanoseconds? {
    guard isTargetKnown, presented != .zero, !isEarly(interval: interval) else { return nil }
    let cause = causes(interval: interval)?.main
    return cause == nil && !missedTarget(interval: interval) || cause == .prediction ? presented - target : nil
  }
}

extension FrameReport {
  /// Takes the figures of the times from one frame seen to the next.
  mutating func take(frameIntervals: some DurationDistribution) {
    frameInterval = Distribution(frameIntervals)
    onePercentLow = frameIntervals.longest(1).map { 1 / $0.seconds }
    tenthPercentLow = frameIntervals.longest(0.1).map { 1 / $0.seconds }
    longIntervals = LongIntervals(frameIntervals)
  }
}

extension FrameReport.Distribution {
  init(_ durations: some DurationDistribution) {
    self.init()
    count = durations.count
    p50 = durations.percentile(50)
    p95 = durations.percentile(95)
    p99 = durations.percentile(99)
    p999 = durations.percentile(99.9)
    maximum = durations.maximum
    standardDeviation = durations.standardDeviation
  }
}
