package import LinuxSystem

/// The arithmetic of a display ticker: which vblanks become ticks, with what stamp, and how many intervals lie between two
/// of them.
///
/// A pure value. T is the interval as the model believes it. The rules:
/// - Stamps strictly increase, and no interval is ticked twice: a vblank counts only if its stamp is later than the last
///   tick's by more than T/2; on a variable display, later at all. Others (the same event again, a stamp that goes back) are
///   swallowed.
/// - A stamp more than T after now is no vblank that happened, and is swallowed too: believing it would swallow all
///   that come until then. (Drivers do stamp up to a blanking time ahead: the start of scan-out, not of the interrupt.)
///   Eight in a row are another clock's, such as that of another time namespace: from then on, and until a stamp is not
///   ahead any more, the arrival is the stamp.
/// - A stamp that is not later than the moment at which the display was lost is none that its loss did not bring: a kernel
///   ends what was asked of a display that it switches off.
/// - A stamp that the model does not believe and that lies more than T/4 off the grid gives way to it: the vblank was, its
///   stamp is wrong. (Nearer ones cannot make two vblanks seem one.)
/// - A vblank that is delivered T or more after its stamp stands for the latest grid point that is not after now; the
///   intervals before it are missed. So a stall gives one tick and no burst, and the tick's target is not in the past.
/// - Frame numbers count intervals, as the model does: by the source's sequence where it agrees with the stamps, else by
///   the stamps alone.
package struct TickSequencer {
  /// What became of a vblank.
  package enum Outcome: Equatable {
    /// A tick, with the stamp and frame number that it carries.
    case tick(VBlank, frameNumber: UInt64)
    /// The interval has had its tick, or nobody knows which interval it is.
    case duplicate
    /// The stamp lies more than an interval in the future.
    case future
    /// The display was lost after it was asked, and what came is from before.
    case early
  }

  package private(set) var model: VBlankModel
  /// The vblank of the last tick; its sequence is the source's, or counted on from the last that the source gave.
  private(set) var last: VBlank?
  /// The frame number of the last tick. The first tick is number 1: 0 is the interval before it, in which a frame may have
  /// been made without one.
  private(set) var frameNumber: UInt64 = 0
  /// The last tick's interval, as the model counts them.
  private(set) var lastInterval: Int64 = 0
  /// Whether the last tick was another source's, and the model counts from a stamp that is still to come.
  private var isModelNew = false
  /// Stamps in a row that lay in the future.
  private var futures = 0
  /// How far ahead of now the stamps of another clock were when they were found to be so; nil while they are not.
  private(set) var stampsAhead: Nanoseconds?
  /// When the display was last lost.
  private var lost: MonotonicTime?

  /// So many stamps ahead in a row are no accident.
  private static let mostFutures = 8

  package init(refreshRate: RefreshRate, isVariable: Bool = false) {
    model = VBlankModel(refreshRate: refreshRate, isVariable: isVariable)
  }

  /// Another source ticks from now on: of what was known of the display only its periods are of use. Time between the two is
  /// counted in intervals of the new one.
  ///
  /// - Parameters:
  ///   - isMeasured: whether the old source's stamps were a display's own.
  ///   - isDisplay: whether the new one's are.
  mutating func change(to refreshRate: RefreshRate, isVariable: Bool, isMeasured: Bool, isDisplay: Bool) {
    model = model.continued(
      refreshRate: refreshRate, isVariable: isVariable, isMeasured: isMeasured && stampsAhead == nil,
      isDisplay: isDisplay)
    isModelNew = last != nil
    (futures, stampsAhead, lost) = (0, nil, nil)
  }

  /// The display was off, or the machine asleep: its period is kept, where its vblanks lie is not known any more.
  package mutating func losePhase(at now: MonotonicTime) {
    model.losePhase()
    lost = now
  }

  /// A vblank came.
  ///
  /// - Parameters:
  ///   - now: when it was delivered.
  ///   - rate: the source's nominal rate at this time.
  package mutating func advance(to vblank: VBlank, now: MonotonicTime, rate: RefreshRate) -> Outcome {
    if let lost {
      // One was asked for at most. The stamps of a clock that is behind would all be early.
      self.lost = nil
      if vblank.timestamp <= lost { return .early }
    }
    guard let vblank = stamped(vblank, now: now, rate: rate) else { return .future }
    model.expect(rate)
    let verdict = model.observe(vblank)
    joinModel(at: vblank)
    guard var (current, interval) = place(vblank, as: verdict, now: now) else { return .duplicate }

    // The same event again is none that came late.
    guard isLater(current.timestamp) else { return .duplicate }
    if !model.isVariable, now - current.timestamp >= period {
      let skipped = skip(to: now, from: current, interval)
      current.timestamp = skipped.timestamp
      if current.sequence != 0 { current.sequence &+= UInt64(bitPattern: skipped.interval &- interval) }
      interval = skipped.interval
    }
    var passed: Int64 = 1
    if let last {
      passed = interval &- lastInterval
      // The model has begun anew, and counts fewer intervals than were ticked.
      if passed <= 0, model.isVariable || current.timestamp - last.timestamp > period * 3 / 4 { passed = 1 }
      guard passed > 0 else { return .duplicate }
    }
    if current.sequence == 0, let last, last.sequence != 0 { current.sequence = last.sequence &+ UInt64(passed) }
    frameNumber &+= UInt64(passed)
    lastInterval = interval
    last = current
    return .tick(current, frameNumber: frameNumber)
  }

  /// The last tick was put off, and perhaps for so long that its interval is over: then the latest grid point that is not
  /// after now is the tick in its place, and the last one's interval is missed.
  mutating func renew(at now: MonotonicTime) -> Outcome {
    guard var current = last, !model.isVariable, now - current.timestamp >= period else { return .duplicate }
    let skipped = skip(to: now, from: current, lastInterval)
    let passed = skipped.interval &- lastInterval
    guard passed > 0, isLater(skipped.timestamp) else { return .duplicate }
    current.timestamp = skipped.timestamp
    if current.sequence != 0 { current.sequence &+= UInt64(passed) }
    frameNumber &+= UInt64(passed)
    lastInterval = skipped.interval
    last = current
    return .tick(current, frameNumber: frameNumber)
  }

  /// A vblank with its stamp, or with its arrival for one if stamps are another clock's; nil if it is in the future.
  private mutating func stamped(_ vblank: VBlank, now: MonotonicTime, rate: RefreshRate) -> VBlank? {
    // One without a stamp says nothing of whose the others are.
    if vblank.timestamp <= .zero {
      return stampsAhead == nil ? vblank : VBlank(timestamp: now, sequence: vblank.sequence)
    }
    let ahead = vblank.timestamp - now
    guard ahead > max(period, rate.interval) else {
      if futures > 0 || stampsAhead != nil { stampsAreOurs() }
      return vblank
    }
    futures = min(futures + 1, Self.mostFutures)
    guard futures >= Self.mostFutures else { return nil }
    if stampsAhead == nil {
      stampsAhead = ahead
      model.losePhase()
    }
    return VBlank(timestamp: now, sequence: vblank.sequence)
  }

  private mutating func stampsAreOurs() {
    futures = 0
    guard stampsAhead != nil else { return }
    stampsAhead = nil
    model.losePhase()
  }

  /// A vblank that nobody asked for, and that is no tick: the model learns from it.
  mutating func learn(_ vblank: VBlank, now: MonotonicTime) {
    // One of another clock has no time of arrival that could be its stamp.
    guard stampsAhead == nil, vblank.timestamp - now <= period else { return }
    if let lost, vblank.timestamp <= lost { return }
    model.observe(vblank)
    joinModel(at: vblank)
  }

  /// Places the last tick on the grid of a model that has begun with a vblank.
  private mutating func joinModel(at vblank: VBlank) {
    guard isModelNew, model.last != nil, let last else { return }
    isModelNew = false
    lastInterval = model.interval &- nominalIntervals(from: last, to: vblank.timestamp + model.refreshRate.interval / 2)
  }

  private func nominalIntervals(from vblank: VBlank, to time: MonotonicTime) -> Int64 {
    model.refreshRate.intervals(in: time - vblank.timestamp)
  }

  /// The number of the interval in which `time` lies: that of the last tick plus the intervals since then, or less those
  /// before it; 0 before the first tick, which is number 1.
  func frameNumber(at time: MonotonicTime) -> UInt64 {
    guard let last else { return 0 }
    var passed = model.interval(at: time).map { $0 &- lastInterval } ?? nominalIntervals(from: last, to: time)
    // The tick's interval begins with its stamp, wherever the grid has it.
    passed = time >= last.timestamp ? max(passed, 0) : min(passed, -1)
    if passed >= 0 { return frameNumber &+ UInt64(passed) }
    return frameNumber - min(passed.magnitude, frameNumber)
  }

  /// Whether a stamp is that of another interval than the last tick's.
  private func isLater(_ time: MonotonicTime) -> Bool {
    guard let last else { return true }
    return time - last.timestamp > (model.isVariable ? .zero : period / 2)
  }

  private var period: Nanoseconds { Nanoseconds(Int64(saturating: model.period)) }

  /// A vblank with the stamp that it should have had, and its interval; nil if that cannot be known.
  private func place(
    _ vblank: VBlank, as verdict: VBlankModel.Verdict, now: MonotonicTime
  ) -> (VBlank, interval: Int64)? {
    switch verdict {
    case .accepted, .relocked, .duplicate: return (vblank, model.interval)
    case .outlier:
      guard let interval = model.interval(of: vblank) else { return nil }
      // No event comes before its vblank: if the grid says so, it is the grid that is wrong.
      guard model.isSettled, model.expectedRate == nil, let point = model.prediction(ofInterval: interval),
        point.isKnown(period: model.period),
        !point.lies(within: period / 4, of: vblank.timestamp), point.timestamp - point.uncertainty <= now
      else { return (vblank, interval) }
      return (VBlank(timestamp: point.timestamp, sequence: vblank.sequence), interval)
    case .backward, .unstamped:
      // The event came, so a vblank was; the grid tells when, but not so exactly that it could not be the one that follows.
      guard let last, model.expectedRate == nil, let latest = model.interval(at: now),
        let soon = model.interval(at: now + period / 8)
      else { return nil }
      let counted = lastInterval &+ Int64(bitPattern: vblank.sequence &- last.sequence)
      let isCounted = vblank.sequence != 0 && last.sequence != 0
      if model.isVariable { return isCounted ? placeVariable(vblank, interval: counted, now: now) : nil }
      let interval = isCounted && counted <= latest ? latest : soon
      guard let point = model.prediction(ofInterval: interval), point.isKnown(period: model.period) else { return nil }
      return (VBlank(timestamp: point.timestamp, sequence: 0), interval)
    }
  }

  /// A vblank of a variable display, of which only the sequence is known: it is about where it was expected, and it has been.
  private func placeVariable(_ vblank: VBlank, interval: Int64, now: MonotonicTime) -> (VBlank, interval: Int64)? {
    guard interval > lastInterval, let point = model.prediction(ofInterval: interval), point.timestamp <= now + period
    else { return nil }
    return (VBlank(timestamp: min(point.timestamp, now), sequence: vblank.sequence), interval)
  }

  /// The latest grid point that is not after `now`, which is an interval or more after a vblank.
  private func skip(
    to now: MonotonicTime, from vblank: VBlank, _ interval: Int64
  ) -> (timestamp: MonotonicTime, interval: Int64) {
    if model.expectedRate == nil, let latest = model.interval(at: now),
      let point = model.prediction(ofInterval: latest), point.isKnown(period: model.period)
    {
      // It may be the same one: its stamp was early.
      return latest >= interval ? (point.timestamp, latest) : (vblank.timestamp, interval)
    }
    let rate = model.expectedRate ?? model.refreshRate
    let count = rate.intervals(in: now - vblank.timestamp)
    return (vblank.timestamp + rate.offset(ofInterval: count), interval &+ count)
  }
}

extension VBlankModel.Prediction {
  /// Whether it is more than a guess: a quarter of an interval away it could be the next vblank as well.
  package func isKnown(period: Double) -> Bool { Double(uncertainty.count) <= period / 4 }

  package func lies(within distance: Nanoseconds, of time: MonotonicTime) -> Bool {
    timestamp - time <= distance && time - timestamp <= distance
  }
}
