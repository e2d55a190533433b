package import LinuxSystem

/// The arithmetic of a display ticker: it decides which vblanks become ticks, with what stamp, and how many intervals lie
/// between two of them. A pure value.
///
/// T is the interval as the model believes it. The rules:
/// - Stamps strictly increase, and no interval is ticked twice: a vblank counts only if its stamp is later than the last
///   tick's by more than T/2; on a variable display, later at all. Others (the same event again, a stamp that goes back) are
///   swallowed.
/// - Stamps of another clock are put on ours by `StampClock`. One that cannot be right is as none: the grid tells when the
///   vblank was, and as long as there is no grid its arrival.
/// - A stamp that is not later than the moment at which the display was lost is no tick: a kernel completes the requests of a
///   display that it switches off.
/// - A stamp that the model does not believe and that lies more than T/4 off the grid gives way to it: the vblank was, its
///   stamp is wrong. (Nearer ones cannot make two vblanks seem one.)
/// - A vblank that is delivered T or more after its stamp stands for the latest grid point that is not after now; the
///   intervals before it are missed. So a stall gives one tick and no burst, and the tick's target is not in the past.
/// - Frame numbers count intervals, as the model does: by the source's sequence where it agrees with the stamps, else by
///   the stamps alone.
/// - A vblank that is requested before the grid is known, as from a source that took over, and that no sequence counts, is the next one after
///   the request, however long it takes: the intervals between the two have numbers, as all time has, and are not missed.
package struct TickSequencer {
  /// The result for a vblank.
  package enum Outcome: Equatable {
    /// A tick, with the stamp and frame number that it carries.
    case tick(VBlank, frameNumber: UInt64)
    /// The interval has had its tick, or its number cannot be known.
    case duplicate
    /// The display was lost after the request, and the vblank is from before.
    case early
  }

  /// The last tick.
  struct LastTick: BitwiseCopyable, Sendable {
    /// The sequence is the source's, or counted on from the last that the source gave.
    var vblank: VBlank
    /// The first tick is number 1. A frame that was made without a tick may belong to interval 0.
    var frameNumber: UInt64
    /// The tick's interval as the model counts them; nil if another source made it, and the model has no stamp yet.
    var interval: Int64?
  }

  package private(set) var model: VBlankModel
  private(set) var last: LastTick?
  /// The intervals before the last tick whose vblanks were requested and never delivered.
  private(set) var lostVBlanks: UInt64 = 0
  /// Those whose vblanks nobody knew: the last tick's was requested before the grid was known.
  private(set) var unknownIntervals: UInt64 = 0
  private var stampClock = StampClock()
  /// The rate of the last stamp's mode.
  private var stampRate: RefreshRate?
  /// The last loss of the display, until the next vblank.
  private var lost: MonotonicTime?

  /// The distance from the source's clock to ours; zero while stamps are right.
  package var stampOffset: Nanoseconds { stampClock.offset }

  package init(refreshRate: RefreshRate, isVariable: Bool = false) {
    model = VBlankModel(refreshRate: refreshRate, isVariable: isVariable)
  }

  /// Lets another source tick from now on. Only the periods that are known of the display are kept. Time between the two
  /// sources is counted in intervals of the new one.
  ///
  /// - Parameters:
  ///   - isMeasured: true if the old source's stamps were a display's own.
  ///   - isDisplay: true if the new source's are.
  mutating func change(to refreshRate: RefreshRate, isVariable: Bool, isMeasured: Bool, isDisplay: Bool) {
    model = model.continued(
      refreshRate: refreshRate, isVariable: isVariable, isMeasured: isMeasured, isDisplay: isDisplay)
    last?.interval = nil
    // The new source counts by itself.
    last?.vblank.sequence = 0
    (stampClock, lost) = (StampClock(), nil)
  }

  /// The display was off, or the machine asleep: its period is still known, but not where its vblanks lie.
  package mutating func losePhase(at now: MonotonicTime) {
    model.losePhase()
    lost = now
  }

  /// Takes a delivered vblank into account.
  ///
  /// - Parameters:
  ///   - requested: when it was requested; nil if that is not known.
  ///   - now: the time of its delivery.
  ///   - rate: the source's nominal rate at this time.
  package mutating func advance(
    to vblank: VBlank, requested: MonotonicTime? = nil, now: MonotonicTime, rate: RefreshRate
  ) -> Outcome {
    let vblank = stamped(vblank, requested: requested, now: now, rate: rate)
    if let lost {
      // At most one was requested.
      self.lost = nil
      if vblank.timestamp <= lost { return .early }
    }
    model.expect(rate)
    let wasGuess = requested.map { !(model.prediction(after: $0)?.isKnown ?? false) } ?? false
    let verdict = model.observe(vblank, requested: requested)
    joinModel(at: vblank)
    // The stamp is the last tick's, or older, but the sequence is new: then it is the stamp that is wrong.
    let isMisdated = !isLater(vblank.timestamp) && isCountedLater(vblank)
    guard
      var (current, interval) = place(vblank, as: isMisdated ? .unstamped : verdict, requested: requested, now: now)
    else { return .duplicate }

    // The same event again has not come late.
    guard isLater(current.timestamp) else { return .duplicate }
    var skippedIntervals: Int64 = 0
    if !model.isVariable, now - current.timestamp >= period {
      let skipped = skip(to: now, from: current, interval)
      current.timestamp = skipped.timestamp
      skippedIntervals = skipped.interval &- interval
      interval = skipped.interval
    }
    var passed: Int64 = 1
    unknownIntervals = 0
    if let last {
      passed = interval &- (last.interval ?? interval)
      // The model has begun anew, and counts fewer intervals than were ticked.
      if passed <= 0, model.isVariable || current.timestamp - last.vblank.timestamp > period * 3 / 4 {
        passed = 1
        // A stamp that is not believed has not moved the model.
        if verdict == .outlier { interval = (last.interval ?? interval) &+ 1 }
      }
      guard passed > 0 else { return .duplicate }
    }
    let undelivered = passed &- skippedIntervals &- 1
    lostVBlanks = undelivered > 0 ? lostVBlanks(of: undelivered, requested: requested) : 0
    if wasGuess, current.sequence == 0 || last?.vblank.sequence == 0 {
      (unknownIntervals, lostVBlanks) = (lostVBlanks, 0)
    }
    if let last, last.vblank.sequence != 0 {
      // If the stamp of a late event is wrong, its own sequence may be the latest.
      if current.sequence == 0 || skippedIntervals > 0 {
        current.sequence = max(current.sequence, last.vblank.sequence &+ UInt64(passed))
      }
    } else if current.sequence != 0 {
      current.sequence &+= UInt64(bitPattern: skippedIntervals)
    }
    return tick(current, interval, after: passed)
  }

  /// How many of the vblanks after the last tick that were not delivered came after the request. One that came right after it, within
  /// an eighth of an interval, may have been too soon for the source.
  private func lostVBlanks(of undelivered: Int64, requested: MonotonicTime?) -> UInt64 {
    guard let last, let requested, !model.isVariable else { return 0 }
    let late = max((requested - last.vblank.timestamp + period / 8).count / max(period.count, 1), 0)
    return UInt64(max(undelivered - late, 0))
  }

  /// Replaces the last tick, which was delayed, by the latest grid point that is not after now, if the tick's interval is over.
  /// Then that interval is missed.
  mutating func renew(at now: MonotonicTime) -> Outcome {
    guard let last, let interval = last.interval, !model.isVariable, now - last.vblank.timestamp >= period else {
      return .duplicate
    }
    let skipped = skip(to: now, from: last.vblank, interval)
    let passed = skipped.interval &- interval
    guard passed > 0, isLater(skipped.timestamp) else { return .duplicate }
    let sequence = last.vblank.sequence == 0 ? 0 : last.vblank.sequence &+ UInt64(passed)
    return tick(VBlank(timestamp: skipped.timestamp, sequence: sequence), skipped.interval, after: passed)
  }

  private mutating func tick(_ vblank: VBlank, _ interval: Int64, after passed: Int64) -> Outcome {
    let tick = LastTick(vblank: vblank, frameNumber: (last?.frameNumber ?? 0) &+ UInt64(passed), interval: interval)
    last = tick
    return .tick(vblank, frameNumber: tick.frameNumber)
  }

  /// The vblank with its stamp on our clock; without one if that cannot be right.
  private mutating func stamped(
    _ vblank: VBlank, requested: MonotonicTime?, now: MonotonicTime, rate: RefreshRate
  ) -> VBlank {
    guard vblank.timestamp > .zero else { return vblank }
    if rate != stampRate {
      stampClock.remeasure()
      stampRate = rate
    }
    let interval = max(period, rate.interval)
    let time = stampClock.read(vblank.timestamp, requested: requested, now: now, interval: interval)
    return VBlank(timestamp: time ?? (model.last == nil ? now : .zero), sequence: vblank.sequence)
  }

  /// Lets the model learn from a vblank that was not requested, and is no tick.
  mutating func learn(_ vblank: VBlank, now: MonotonicTime) {
    var vblank = vblank
    vblank.timestamp += stampOffset
    guard vblank.timestamp - now <= period / 2 else { return }
    if let last = model.last, vblank.timestamp <= last.timestamp { return }
    if let lost, vblank.timestamp <= lost { return }
    model.observe(vblank)
    joinModel(at: vblank)
  }

  /// Places the last tick, which another source made, on the grid that a vblank has begun.
  private mutating func joinModel(at vblank: VBlank) {
    guard let last, last.interval == nil, model.last != nil else { return }
    let passed = model.refreshRate.intervals(
      in: vblank.timestamp + model.refreshRate.interval / 2 - last.vblank.timestamp)
    self.last?.interval = model.interval &- passed
  }

  /// True if a stamp belongs to a later interval than the last tick's. Inlined, as the next one, since a call copies the sequencer.
  @inline(__always)
  private func isLater(_ time: MonotonicTime) -> Bool {
    guard let last else { return true }
    return time - last.vblank.timestamp > (model.isVariable ? .zero : period / 2)
  }

  @inline(__always)
  private func isCountedLater(_ vblank: VBlank) -> Bool {
    guard let last, last.vblank.sequence != 0, vblank.sequence != 0 else { return false }
    return Int64(bitPattern: vblank.sequence &- last.vblank.sequence) > 0
  }

  private var period: Nanoseconds { Nanoseconds(Int64(saturating: model.period)) }

  /// The vblank with the stamp that it should have had, and its interval; nil if that cannot be known.
  private func place(
    _ vblank: VBlank, as verdict: VBlankModel.Verdict, requested: MonotonicTime?, now: MonotonicTime
  ) -> (VBlank, interval: Int64)? {
    switch verdict {
    case .accepted, .relocked, .duplicate: return (vblank, model.interval)
    case .outlier:
      guard var interval = model.interval(of: vblank) else { return nil }
      if let least = leastInterval(of: vblank, requested: requested) {
        if least < interval { return (vblank, least) }
        // The stamp is not believed, the sequence is, unless that is of a vblank to come.
        interval = max(interval, min(least, model.grid?.interval(at: now) ?? interval))
      }
      // No event comes before its vblank: if the grid says so, it is the grid that is wrong.
      guard model.isSettled, model.expectedRate == nil, let point = model.grid?.prediction(ofInterval: interval),
        point.isKnown, !point.lies(within: period / 4, of: vblank.timestamp), point.timestamp - point.uncertainty <= now
      else { return (vblank, interval) }
      return (VBlank(timestamp: point.timestamp, sequence: vblank.sequence), interval)
    case .backward, .unstamped:
      // An event proves that there was a vblank. The grid tells when, but not so exactly that it could not be the next one.
      guard let last, let lastInterval = last.interval, model.expectedRate == nil, let grid = model.grid else { return nil }
      let counted = lastInterval &+ Int64(bitPattern: vblank.sequence &- last.vblank.sequence)
      let isCounted = vblank.sequence != 0 && last.vblank.sequence != 0
      if model.isVariable { return isCounted ? placeVariable(vblank, interval: counted, now: now) : nil }
      // A sequence tells which one, so that the grid may be off by more.
      let soon = isCounted ? min(counted, grid.interval(at: now + period / 4)) : grid.interval(at: now + period / 8)
      let interval = max(grid.interval(at: now), soon)
      let point = grid.prediction(ofInterval: interval)
      return point.isKnown ? (VBlank(timestamp: point.timestamp, sequence: 0), interval) : nil
    }
  }

  /// The interval of a vblank after the last tick if the display may have become slower: by the sequence, or the next one if it
  /// was requested in time for that. Intervals that this leaves out are counted when stamps are believed again.
  private func leastInterval(of vblank: VBlank, requested: MonotonicTime?) -> Int64? {
    guard let last, let interval = last.interval else { return nil }
    let counted = Int64(bitPattern: vblank.sequence &- last.vblank.sequence)
    if vblank.sequence != 0, last.vblank.sequence != 0, counted > 0 { return interval &+ counted }
    // Two at the same distance are no lost events.
    guard model.spacing.count > 1, let requested, requested - last.vblank.timestamp < period / 2 else { return nil }
    return interval &+ 1
  }

  /// A vblank of a variable display of which only the sequence is known: it came about where it was expected, and is over.
  private func placeVariable(_ vblank: VBlank, interval: Int64, now: MonotonicTime) -> (VBlank, interval: Int64)? {
    guard let lastInterval = last?.interval, interval > lastInterval,
      let point = model.grid?.prediction(ofInterval: interval), point.timestamp <= now + period
    else { return nil }
    return (VBlank(timestamp: min(point.timestamp, now), sequence: vblank.sequence), interval)
  }

  /// The latest grid point that is not after `now`, which is an interval or more after a vblank.
  private func skip(
    to now: MonotonicTime, from vblank: VBlank, _ interval: Int64
  ) -> (timestamp: MonotonicTime, interval: Int64) {
    if model.expectedRate == nil, let grid = model.grid {
      let latest = grid.interval(at: now)
      let point = grid.prediction(ofInterval: latest)
      // The point may be the same vblank, if its stamp was early.
      if point.isKnown { return latest >= interval ? (point.timestamp, latest) : (vblank.timestamp, interval) }
    }
    let rate = model.expectedRate ?? model.refreshRate
    let count = rate.intervals(in: now - vblank.timestamp)
    return (vblank.timestamp + rate.offset(ofInterval: count), interval &+ count)
  }
}

extension VBlankModel.Prediction {
  package func lies(within distance: Nanoseconds, of time: MonotonicTime) -> Bool {
    timestamp - time <= distance && time - timestamp <= distance
  }
}
