public import LinuxSystem

extension VBlankModel {
  /// The grid through the stamps that were believed.
  struct Fit: BitwiseCopyable, Sendable {
    var filter: PhaseFilter
    /// The last vblank that was believed.
    var last: VBlank
    /// The number of the interval at the filter's phase.
    var interval: Int64
    /// The number of stamps since the filter began, or began anew.
    var stamps = 1
  }

  /// The vblanks in a row at even distances, to a tenth.
  struct EvenSpacing: BitwiseCopyable, Sendable {
    var count = 0
    /// The mean distance of all, or of the last dozen; in nanoseconds.
    var length = 0.0
    /// The interval of the last vblank if the vblanks since the first one are neighbours, as far as they bear no sequence.
    var interval: Int64 = 0
  }

  /// The number of standard deviations from which on a stamp is not believed.
  private static var gate: Double { 4 }
  /// The part by which an unexpected interval differs.
  private static var otherInterval: Double { 0.1 }
  /// The part by which the mean of many intervals differs if the display has another rate. The filter finds nearer rates.
  private static var otherRate: Double { 0.03 }
  private static var manyIntervals: Int { 12 }
  /// The longest gap in intervals, 34 years. A longer one is a stamp that means nothing.
  private static var mostIntervals: Int64 { 1 << 40 }

  /// The number of stamps in a row that must agree with the one before until a lost grid is believed anew.
  static var proofs: Int { 2 }

  /// Takes a vblank into account. Constant time, without allocation.
  ///
  /// - Parameter requested: when the vblank was requested, the first later one answers; nil if that is not known.
  @discardableResult
  public mutating func observe(_ vblank: VBlank, requested: MonotonicTime? = nil) -> Verdict {
    guard vblank.timestamp > .zero else { return .unstamped }
    let previous = lastSeen
    lastSeen = vblank
    if let previous, previous.timestamp != vblank.timestamp { noise.noteGap(vblank.timestamp - previous.timestamp) }
    guard let fit else {
      begin(with: vblank, after: 0)
      return .accepted
    }
    let (filter, last) = (fit.filter, fit.last)
    if let expectedRate, let previous, confirms(expectedRate, from: previous, to: vblank) {
      change(to: expectedRate, at: vblank)
      return .accepted
    }
    let isOther = !isVariable && previous.map { isOtherSpacing(from: $0, to: vblank, requested: requested) } ?? false
    if isOther, spacing.count >= 6 {
      follow(spacing, at: vblank)
      return .relocked
    }
    let (count, isCounted) = intervals(from: last, to: vblank, requested: requested, filter: filter)
    // The stamp lies in the interval of the last, or is the same one again.
    if count == 0 || vblank.timestamp == last.timestamp { return .duplicate }
    if count < 0 { return suspect(vblank, after: previous, as: .backward) }
    if isOther, spacing.count >= 3 { return suspect(vblank, after: previous, as: .outlier) }
    // Requested in time, and the next one by its sequence: its stamp is wrong, or the display has become slower.
    if !isVariable, !isCounted, let previous, distance(from: previous, to: vblank).counted == 1,
      Double((vblank.timestamp - previous.timestamp).count) > period * 3 / 2, isNext(requested, after: previous)
    {
      return suspect(vblank, after: previous, as: .outlier)
    }
    if unproven > 0, !isVariable {
      prove(vblank, after: previous, intervals: count)
      return .accepted
    }

    var vblank = vblank
    // A sequence that is missing is counted on.
    if vblank.sequence == 0, last.sequence != 0 { vblank.sequence = last.sequence &+ UInt64(count) }
    var ahead = filter
    ahead.advance(by: count)
    let residual = ahead.distance(to: vblank.timestamp)
    let isGridKnown = ahead.phaseVariance.squareRoot() < period / 4
    if !isVariable {
      // After a gap a residual shows the error of the period, not of the stamp.
      if ahead.phaseVariance < 4 * noise.variance { noise.note(residual) } else { noise.forgetLast() }
      let spread = (ahead.phaseVariance + noise.variance).squareRoot()
      if isGridKnown, abs(residual) > Self.gate * spread { return suspect(vblank, after: previous, as: .outlier) }
    }
    suspects = 0
    guard isCounted || isGridKnown else {
      // The number of intervals is a guess, and the residual proves nothing.
      restart(at: vblank, after: count, period: filter.period, variance: ahead.periodVariance)
      return .accepted
    }
    ahead.correct(residual: residual, noise: noise.variance)
    if isVariable || isNear(expectedPeriod, ahead.period) {
      self.fit = Fit(filter: ahead, last: vblank, interval: fit.interval &+ count, stamps: fit.stamps + 1)
    } else {
      // No display's rate goes that far: a sequence that counts ever more vblanks would lead the period away.
      restart(at: vblank, after: count)
    }
    return .accepted
  }

  /// Tells that the display's mode changed. Predictions change when stamps show it: with the first stamp one interval of the new
  /// rate after the one before, to a tenth. On a variable display no stamp shows it, and the next one changes them.
  package mutating func expect(_ rate: RefreshRate) {
    expectedRate = rate == refreshRate ? nil : rate
  }

  // MARK: - Counting

  /// The interval that a vblank begins, even if its stamp is wrong; nil before the first stamp.
  func interval(of vblank: VBlank) -> Int64? {
    fit.map { $0.interval &+ intervals(from: $0.last, to: vblank, filter: $0.filter).count }
  }

  /// The number of intervals from the filter's phase to a stamp, and whether the source counted them: its sequence is believed if
  /// it is possible.
  ///
  /// - Parameter other: the length of some of the intervals, if that is not the announced or the expected one.
  private func intervals(
    from last: VBlank, to vblank: VBlank, requested: MonotonicTime? = nil, filter: PhaseFilter, other: Double? = nil
  ) -> (count: Int64, isCounted: Bool) {
    let elapsed = filter.distance(to: vblank.timestamp)
    let counted = Int64(bitPattern: vblank.sequence &- last.sequence)
    if last.sequence != 0, vblank.sequence != 0, counted > 0, counted < Self.mostIntervals {
      let length = elapsed / Double(counted)
      if isVariable {
        if length > 0.9 * refreshRate.exactInterval { return (counted, true) }
      } else {
        // Some of the intervals may have been those of another rate, or the period be that of a few coarse stamps.
        let expected = expectedRate?.exactInterval ?? expectedPeriod
        let (shortest, longest) = (min(period, expected, other ?? expected), max(period, expected, other ?? expected))
        // The rate may also have changed since it was measured, by as much as a pixel clock is allowed.
        let deviation = max(Self.gate * filter.variance(after: counted).squareRoot(), Double(counted) * priorDeviation)
        let tolerance = longest / 2 + deviation
        let lengths = shortest * Double(counted)...longest * Double(counted)
        if elapsed >= lengths.lowerBound - tolerance, elapsed <= lengths.upperBound + tolerance { return (counted, true) }
      }
    }
    if isVariable {
      guard vblank.timestamp > last.timestamp else { return (vblank.timestamp == last.timestamp ? 0 : -1, false) }
      // It was requested before the next one could come.
      if let requested, requested - last.timestamp < refreshRate.interval { return (1, elapsed < 4 * period) }
      return (min(max(1, Int64(saturating: elapsed / period)), Self.mostIntervals), elapsed < 4 * period)
    }
    return (min(max(Int64(saturating: elapsed / period), -Self.mostIntervals), Self.mostIntervals), false)
  }

  // MARK: - Beginning, and beginning again

  private mutating func begin(with vblank: VBlank, after count: Int64) {
    if let rate = expectedRate { setRate(rate) }
    let known = remembered[refreshRate]
    restart(at: vblank, after: count, period: known?.period, variance: known?.variance ?? .infinity)
  }

  /// Begins the grid anew with a stamp.
  ///
  /// - Parameters:
  ///   - count: the intervals since the last vblank.
  ///   - period: nil for the expected one.
  mutating func restart(at vblank: VBlank, after count: Int64, period: Double? = nil, variance: Double = .infinity) {
    // A rate that was measured from one vblank to the next is less certain than a nominal one.
    let prior = expectedPeriod == refreshRate.exactInterval ? priorDeviation : expectedPeriod / 20
    let filter = makeFilter(
      at: vblank.timestamp, phaseVariance: noise.variance, period: period ?? expectedPeriod,
      variance: min(variance, prior * prior))
    fit = Fit(filter: filter, last: vblank, interval: interval &+ count)
    suspects = 0
    noise.forgetLast()
  }

  func makeFilter(
    at phase: MonotonicTime, phaseVariance: Double, period: Double, variance: Double
  ) -> PhaseFilter {
    // Crystals drift by less, clocks that are being set by this much; an application's frames keep no time at all.
    let drift = refreshRate.exactInterval * (isVariable ? 0.02 : 2.5e-6)
    let wander = isVariable ? refreshRate.exactInterval * 0.2 : 0
    return PhaseFilter(
      phase: phase, phaseVariance: phaseVariance, period: period, periodVariance: variance, drift: drift * drift,
      wander: wander * wander)
  }

  /// True if two vblanks lie an interval of `rate` apart, to a tenth. The vblanks of a variable display need not.
  private func confirms(_ rate: RefreshRate, from previous: VBlank, to vblank: VBlank) -> Bool {
    if isVariable { return last.map { vblank.timestamp > $0.timestamp } ?? false }
    let (gap, counted) = distance(from: previous, to: vblank)
    return isNear(rate.exactInterval, gap / (counted ?? 1))
  }

  private mutating func change(to rate: RefreshRate, at vblank: VBlank) {
    let passed = last.map { old in
      let counted = Int64(bitPattern: vblank.sequence &- old.sequence)
      let isCounted = old.sequence != 0 && vblank.sequence != 0 && counted > 0 && counted < Self.mostIntervals
      let elapsed = Double((vblank.timestamp - old.timestamp).count)
      return isCounted ? counted : min(Int64(saturating: elapsed / rate.exactInterval), Self.mostIntervals)
    }
    setRate(rate)
    spacing = EvenSpacing()
    begin(with: vblank, after: max(1, passed ?? 1))
  }

  /// Sets the rate, and remembers the period of the old one if the display ran at it.
  private mutating func setRate(_ rate: RefreshRate) {
    expectedRate = nil
    guard rate != refreshRate else { return }
    if let filter = fit?.filter, isNear(refreshRate.exactInterval, filter.period, within: Self.otherRate) {
      remembered.remember(
        RememberedPeriods.Entry(rate: refreshRate, period: filter.period, variance: filter.periodVariance))
    }
    refreshRate = rate
    expectedPeriod = rate.exactInterval
    noise = StampNoise(interval: rate.exactInterval)
  }

  // MARK: - Stamps that are not believed

  /// Counts a stamp that is not believed, and believes it after all if enough before it agree.
  ///
  /// - Parameter previous: the stamp before it, whatever its verdict.
  private mutating func suspect(_ vblank: VBlank, after previous: VBlank?, as verdict: Verdict) -> Verdict {
    guard let fit else { return verdict }
    let before = suspects > 0 ? previous.flatMap { isWhole($0, to: vblank) ? $0 : nil } : nil
    suspects = before == nil ? 1 : suspects + 1
    // Three that agree with each other are right. So are as many as the grid stands on, if they do not go back.
    guard suspects >= (verdict == .outlier ? min(3, fit.stamps) : 3) else { return verdict }
    relock(at: vblank, after: before, fit)
    return .relocked
  }

  private mutating func relock(at vblank: VBlank, after before: VBlank?, _ old: Fit) {
    let agreeing = suspects
    // The distance of two that are believed now may be that of a rate which nobody told.
    let length = before.flatMap { before in
      let (gap, counted) = distance(from: before, to: vblank)
      return counted.map { gap / $0 }
    }
    let count = max(1, intervals(from: old.last, to: vblank, filter: old.filter, other: length).count)
    unproven = 0
    // Perhaps the stamps have become unsteady, and the grid is the same.
    noise = StampNoise(interval: refreshRate.exactInterval)
    // A grid that did not hold for long proves nothing about the period either.
    if isSettled {
      let deviation = priorDeviation / 10
      let variance = max(old.filter.periodVariance, deviation * deviation)
      restart(at: vblank, after: count, period: old.filter.period, variance: variance)
    } else {
      restart(at: vblank, after: count)
    }
    fit?.stamps = agreeing
  }

  // MARK: - Unannounced rates

  /// True if the spacing of the last vblanks is even but not the expected one.
  private mutating func isOtherSpacing(
    from previous: VBlank, to vblank: VBlank, requested: MonotonicTime?
  ) -> Bool {
    let (gap, counted) = distance(from: previous, to: vblank)
    let length = gap / (counted ?? 1)
    guard length > 0 else { return false }
    let isEven = isNear(spacing.length, length)
    // The mean is that of the last ones only: vblanks before a change must not hide it.
    let count = isEven ? min(spacing.count + 1, Self.manyIntervals) : 1
    spacing.length += (length - spacing.length) / Double(count)
    spacing.count = count
    spacing.interval = (isEven ? spacing.interval : self.interval(of: previous) ?? interval) &+ Int64(counted ?? 1)
    // The mean of more stamps is more certain.
    let tolerance = count == Self.manyIntervals ? Self.otherRate : Self.otherInterval
    guard (1e6...1e9).contains(spacing.length) else { return false }
    // Requests for every other vblank are no other rate, and neither is a sequence that counts two for each.
    let whole = isNext(requested, after: previous) ? 1 : max(1, (spacing.length * (counted ?? 1) / period).rounded())
    return
      !isNear(period, spacing.length * (counted ?? 1) / whole, within: tolerance)
      && !isNear(period, spacing.length, within: tolerance)
  }

  /// Follows a display that runs at another rate than its mode, or again at that of its mode.
  private mutating func follow(_ spacing: EvenSpacing, at vblank: VBlank) {
    // Ticks of the stamps that were not believed may have been counted by the old rate.
    let passed = fit.map { intervals(from: $0.last, to: vblank, filter: $0.filter, other: spacing.length) }
    let counted = passed.flatMap { $0.isCounted ? $0.count : nil }
    unproven = 0
    let isNominal = isNear(refreshRate.exactInterval, spacing.length, within: Self.otherRate)
    expectedPeriod = isNominal ? refreshRate.exactInterval : spacing.length
    self.spacing = EvenSpacing()
    restart(at: vblank, after: counted ?? max(1, spacing.interval &- interval))
  }

  // MARK: - Small things

  /// True if a request came so soon after a vblank that the next one answers it.
  private func isNext(_ requested: MonotonicTime?, after vblank: VBlank) -> Bool {
    requested.map { Double(($0 - vblank.timestamp).count) < period / 2 } ?? false
  }

  /// The nanoseconds between two vblanks, and the intervals by their sequences; nil if those mean nothing.
  private func distance(from first: VBlank, to second: VBlank) -> (gap: Double, counted: Double?) {
    let counted = Int64(bitPattern: second.sequence &- first.sequence)
    let isCounted = first.sequence != 0 && second.sequence != 0 && counted > 0 && counted < 1000
    return (Double((second.timestamp - first.timestamp).count), isCounted ? Double(counted) : nil)
  }

  /// True if two vblanks lie whole periods apart, to a tenth of one. Over a long gap without sequences any two would.
  func isWhole(_ first: VBlank, to second: VBlank) -> Bool {
    let (gap, counted) = distance(from: first, to: second)
    let count = counted ?? (gap / period).rounded()
    return count >= 1 && abs(gap - count * period) <= Self.otherInterval * period && (counted != nil || count <= 2)
  }

  /// True if a length differs from an interval by at most a part of it, a tenth.
  private func isNear(_ interval: Double, _ length: Double, within part: Double = otherInterval) -> Bool {
    abs(length - interval) <= part * interval
  }
}
