extension VBlankModel {
  /// Tells that the display was off, or the machine asleep: the period is kept, but not the place of the grid, nor any suspicion
  /// of earlier stamps.
  ///
  /// The next stamp begins the grid. But drivers may deliver a wrong one or two after such a time: nothing counts as known, and
  /// each stamp begins the grid anew, until two in a row lie whole periods after the one before.
  public mutating func losePhase() {
    guard let filter = fit?.filter else { return }
    suspects = 0
    spacing = EvenSpacing()
    noise.forgetLast()
    lastSeen = nil
    unproven = isVariable ? 0 : Self.proofs
    let lost = makeFilter(
      at: filter.origin, phaseVariance: period * period, period: filter.period, variance: filter.periodVariance)
    fit?.filter = lost
  }

  /// The model for another source of the same display: the place of its vblanks is unknown, but the measured periods are kept,
  /// each for its rate, and believed to 0.05 %.
  ///
  /// - Parameters:
  ///   - isMeasured: true if this model's stamps were a display's, not those of a clock that replaced it.
  ///   - isDisplay: true if the new stamps are a display's: then the first of them are not trusted.
  func continued(
    refreshRate: RefreshRate, isVariable: Bool, isMeasured: Bool, isDisplay: Bool
  ) -> VBlankModel {
    var next = VBlankModel(refreshRate: refreshRate, isVariable: isVariable)
    guard isVariable == self.isVariable else { return next }
    next.remembered = remembered
    if isMeasured, unproven == 0, let filter = fit?.filter {
      next.remembered.remember(
        RememberedPeriods.Entry(rate: self.refreshRate, period: filter.period, variance: filter.periodVariance))
    }
    next.remembered.loosen { rate in
      let deviation = rate.exactInterval * 0.000_5
      return deviation * deviation
    }
    if isDisplay, !isVariable { next.unproven = Self.proofs }
    return next
  }

  /// Begins a lost grid anew with a stamp. Counts it as one more that agrees with the one before, or as the first that does not.
  ///
  /// - Parameter intervals: since the last vblank, above 0.
  mutating func prove(_ vblank: VBlank, after previous: VBlank?, intervals count: Int64) {
    let agrees = previous.map { isWhole($0, to: vblank) } ?? false
    unproven = agrees ? unproven - 1 : Self.proofs
    if let filter = fit?.filter {
      restart(at: vblank, after: count, period: filter.period, variance: filter.periodVariance)
    }
  }
}
