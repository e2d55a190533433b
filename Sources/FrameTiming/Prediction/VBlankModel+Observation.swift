import LinuxSystem

extension VBlankModel {
  /// Stamps in a row that were not believed.
  struct Suspects: BitwiseCopyable, Sendable {
    var count = 0
    /// How many of the last lie whole periods after the one before.
    var agreeing = 0
    var last: VBlank?
  }

  /// Vblanks in a row that came as long after the one before, each within a tenth.
  struct EvenSpacing: BitwiseCopyable, Sendable {
    var count = 0
    /// Their mean, or that of the last dozen; in nanoseconds.
    var length = 0.0
  }

  /// A stamp further off than this many standard deviations is not believed.
  private static var gate: Double { 4 }
  /// An interval is not the expected one if it differs by this part.
  private static var otherInterval: Double { 0.1 }
  /// The rate of a display is another one if the mean of many intervals differs by this part. Nearer ones the filter finds.
  private static var otherRate: Double { 0.03 }
  private static var manyIntervals: Int { 12 }
  /// More than these in a gap, 34 years of them, are a stamp that means nothing.
  private static var mostIntervals: Int64 { 1 << 40 }

  /// So many stamps in a row must agree with the one before until a grid that was lost is believed anew.
  static var proofs: Int { 2 }

  /// Takes a vblank into account. Constant time, without allocation.
  @discardableResult
  public mutating func observe(_ vblank: VBlank) -> Verdict {
    guard vblank.timestamp > .zero else { return .unstamped }
    let previous = lastSeen
    lastSeen = vblank
    guard let filter, let last else {
      begin(with: vblank)
      return .accepted
    }
    if let expectedRate, let previous, confirms(expectedRate, from: previous, to: vblank) {
      change(to: expectedRate, at: vblank)
      return .accepted
    }
    if !isVariable, let previous, let spacing = otherSpacing(from: previous, to: vblank) {
      follow(spacing, at: vblank)
      return .relocked
    }
    let (count, isCounted) = intervals(from: last, to: vblank, filter: filter)
    // A stamp in the interval of the last, or the same one again.
    if count == 0 || vblank.timestamp == last.timestamp { return .duplicate }
    if count < 0 { return suspect(vblank, as: .backward) }
    if unproven > 0, !isVariable {
      prove(vblank, after: previous, intervals: count)
      return .accepted
    }

    var ahead = filter
    ahead.advance(by: count)
    let residual = ahead.distance(to: vblank.timestamp)
    let isGridKnown = ahead.phaseVariance.squareRoot() < period / 4
    if !isVariable {
      // After a gap a residual tells of the period, not of the stamp.
      if ahead.phaseVariance < 4 * noise.variance { noise.note(residual) } else { noise.forgetLast() }
      let spread = (ahead.phaseVariance + noise.variance).squareRoot()
      if isGridKnown, abs(residual) > Self.gate * spread { return suspect(vblank, as: .outlier) }
    }
    suspects = Suspects()
    if isCounted || isGridKnown {
      ahead.correct(residual: residual, noise: noise.variance)
      self.filter = ahead
      // No display's rate wanders that far: the stamps are those of several, or of none.
      if !isVariable, !isNear(expectedPeriod, ahead.period) { restart(at: vblank.timestamp) }
      stampsOnGrid += 1
    } else {
      // How many intervals it was is a guess, and the residual says nothing.
      restart(at: vblank.timestamp, period: filter.period, variance: ahead.periodVariance)
    }
    interval &+= count
    self.last = vblank
    return .accepted
  }

  /// Says that the display's mode changed. What is predicted changes when stamps show it: with the first that comes one
  /// interval of the new rate after the one before, to a tenth; on a variable display, where none tells, with the next.
  public mutating func expect(_ rate: RefreshRate) {
    expectedRate = rate == refreshRate ? nil : rate
  }

  // MARK: - Counting

  /// The interval that a vblank begins, wrong as its stamp may be; nil before the first stamp.
  func interval(of vblank: VBlank) -> Int64? {
    guard let filter, let last else { return nil }
    return interval &+ intervals(from: last, to: vblank, filter: filter).count
  }

  /// The intervals from the filter's phase to a stamp, and whether the source counted them: its sequence is believed where it is
  /// possible.
  private func intervals(from last: VBlank, to vblank: VBlank, filter: PhaseFilter) -> (count: Int64, isCounted: Bool) {
    let elapsed = filter.distance(to: vblank.timestamp)
    let counted = Int64(bitPattern: vblank.sequence &- last.sequence)
    if last.sequence != 0, vblank.sequence != 0, counted > 0, counted < Self.mostIntervals {
      let length = elapsed / Double(counted)
      if isVariable {
        if length > 0.9 * refreshRate.exactInterval { return (counted, true) }
      } else {
        // Some of the intervals may have been those of a rate that was announced.
        let other = expectedRate?.exactInterval ?? period
        // And the rate may be another than it was when it was measured, within what a pixel clock is allowed.
        let deviation = max(Self.gate * filter.variance(after: counted).squareRoot(), Double(counted) * priorDeviation)
        let tolerance = max(period, other) / 2 + deviation
        let lengths = min(period, other) * Double(counted)...max(period, other) * Double(counted)
        if elapsed >= lengths.lowerBound - tolerance, elapsed <= lengths.upperBound + tolerance { return (counted, true) }
      }
    }
    if isVariable {
      guard vblank.timestamp > last.timestamp else { return (vblank.timestamp == last.timestamp ? 0 : -1, false) }
      return (min(max(1, Int64(saturating: elapsed / period)), Self.mostIntervals), elapsed < 4 * period)
    }
    return (min(max(Int64(saturating: elapsed / period), -Self.mostIntervals), Self.mostIntervals), false)
  }

  // MARK: - Beginning, and beginning again

  private mutating func begin(with vblank: VBlank) {
    if let rate = expectedRate { setRate(rate) }
    let known = remembered[refreshRate]
    restart(at: vblank.timestamp, period: known?.period ?? expectedPeriod, variance: known?.variance ?? .infinity)
    last = vblank
  }

  /// Begins with what is expected of the period.
  private mutating func restart(at phase: MonotonicTime) {
    restart(at: phase, period: expectedPeriod, variance: .infinity)
  }

  mutating func restart(at phase: MonotonicTime, period: Double, variance: Double) {
    // A rate that was measured from one vblank to the next is worth less than one that was told.
    let prior = expectedPeriod == refreshRate.exactInterval ? priorDeviation : expectedPeriod / 20
    filter = makeFilter(
      at: phase, phaseVariance: noise.variance, period: period, variance: min(variance, prior * prior))
    stampsOnGrid = 1
    suspects = Suspects()
    noise.forgetLast()
  }

  func makeFilter(
    at phase: MonotonicTime, phaseVariance: Double, period: Double, variance: Double
  ) -> PhaseFilter {
    // Crystals drift by less, clocks that are being set by as much; an application's frames do not keep time at all.
    let drift = refreshRate.exactInterval * (isVariable ? 0.02 : 2.5e-6)
    let wander = isVariable ? refreshRate.exactInterval * 0.2 : 0
    return PhaseFilter(
      phase: phase, phaseVariance: phaseVariance, period: period, periodVariance: variance, drift: drift * drift,
      wander: wander * wander)
  }

  /// Whether two vblanks lie as far apart as an interval of `rate`, to a tenth. Those of a variable display never need to.
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
    suspects = Suspects()
    spacing = EvenSpacing()
    begin(with: vblank)
    interval &+= max(1, passed ?? 1)
  }

  /// Stores what was learnt at the old rate, if the display ran at it.
  private mutating func setRate(_ rate: RefreshRate) {
    expectedRate = nil
    guard rate != refreshRate else { return }
    if let filter, isNear(refreshRate.exactInterval, filter.period, within: Self.otherRate) {
      remembered.remember(
        RememberedPeriods.Entry(rate: refreshRate, period: filter.period, variance: filter.periodVariance, noise: noise))
    }
    refreshRate = rate
    expectedPeriod = rate.exactInterval
    noise = remembered[rate]?.noise ?? StampNoise(interval: rate.exactInterval)
  }

  // MARK: - Stamps that are not believed

  private mutating func suspect(_ vblank: VBlank, as verdict: Verdict) -> Verdict {
    let agrees = suspects.last.map { isWhole($0, to: vblank) } ?? false
    suspects.agreeing = agrees ? suspects.agreeing + 1 : 0
    suspects.count += 1
    suspects.last = vblank
    // Three that agree with each other are right; and of eight that agree on nothing the last is as good as any.
    guard suspects.agreeing >= 2 || suspects.count >= 8 else { return verdict }
    relock(at: vblank, doTheyAgree: suspects.agreeing >= 2)
    return .relocked
  }

  private mutating func relock(at vblank: VBlank, doTheyAgree: Bool) {
    guard let filter, let last else { return }
    interval &+= max(1, intervals(from: last, to: vblank, filter: filter).count)
    self.last = vblank
    unproven = 0
    // The stamps may have become unsteady, and not the grid another one.
    noise = StampNoise(interval: refreshRate.exactInterval)
    // A grid that did not hold for long tells nothing of the period either.
    if doTheyAgree, isSettled {
      let deviation = priorDeviation / 10
      restart(at: vblank.timestamp, period: filter.period, variance: max(filter.periodVariance, deviation * deviation))
    } else {
      // What was measured, if it was, holds no more.
      if !doTheyAgree { expectedPeriod = refreshRate.exactInterval }
      restart(at: vblank.timestamp)
    }
  }

  // MARK: - Rates that nobody told

  /// The spacing of the last vblanks, if they came evenly but not as they should.
  private mutating func otherSpacing(from previous: VBlank, to vblank: VBlank) -> Double? {
    let (gap, counted) = distance(from: previous, to: vblank)
    let length = gap / (counted ?? 1)
    guard length > 0 else { return nil }
    let isEven = isNear(spacing.length, length)
    // Of the last ones only: what was before a change must not hide it.
    let count = isEven ? min(spacing.count + 1, Self.manyIntervals) : 1
    spacing.length += (length - spacing.length) / Double(count)
    spacing.count = count
    // The mean of unsteady stamps is worth more the more of them there are.
    let tolerance = count == Self.manyIntervals ? Self.otherRate : Self.otherInterval
    guard count >= 6, (1e6...1e9).contains(spacing.length) else { return nil }
    // Every other vblank, if that is how they are asked for, is no other rate, and neither is a sequence that counts fields.
    let whole = max(1, (spacing.length * (counted ?? 1) / period).rounded())
    let isExpected =
      isNear(period, spacing.length * (counted ?? 1) / whole, within: tolerance)
      || isNear(period, spacing.length, within: tolerance)
    return isExpected ? nil : spacing.length
  }

  /// The display runs at another rate than it says, or again at the one that it says.
  private mutating func follow(_ length: Double, at vblank: VBlank) {
    guard let filter, let last else { return }
    interval &+= max(1, intervals(from: last, to: vblank, filter: filter).count)
    self.last = vblank
    unproven = 0
    let isNominal = isNear(refreshRate.exactInterval, length, within: Self.otherRate)
    expectedPeriod = isNominal ? refreshRate.exactInterval : length
    spacing = EvenSpacing()
    restart(at: vblank.timestamp)
  }

  // MARK: - Small things

  /// Nanoseconds between two vblanks, and how many intervals their sequences say it is; nil if they say nothing.
  private func distance(from first: VBlank, to second: VBlank) -> (gap: Double, counted: Double?) {
    let counted = Int64(bitPattern: second.sequence &- first.sequence)
    let isCounted = first.sequence != 0 && second.sequence != 0 && counted > 0 && counted < 1000
    return (Double((second.timestamp - first.timestamp).count), isCounted ? Double(counted) : nil)
  }

  /// Whether two vblanks lie whole periods apart, to a tenth of one. Over a long gap that nobody counted any two would.
  func isWhole(_ first: VBlank, to second: VBlank) -> Bool {
    let (gap, counted) = distance(from: first, to: second)
    let count = counted ?? (gap / period).rounded()
    return count >= 1 && abs(gap - count * period) <= Self.otherInterval * period && (counted != nil || count <= 2)
  }

  /// Whether a length is a given interval's, to a part of it: a tenth.
  private func isNear(_ interval: Double, _ length: Double, within part: Double = otherInterval) -> Bool {
    abs(length - interval) <= part * interval
  }
}
