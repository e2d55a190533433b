/// What happens to a display apart from its vblanks.
extension VBlankModel {
  /// Says that the display was off, or the machine asleep: where the grid lies is not known any more. The period is kept, and
  /// what was suspected of earlier stamps is forgotten.
  ///
  /// The next stamp begins the grid. But drivers are known to tell a wrong one or two after such a time: nothing counts as known,
  /// and each stamp begins the grid anew, until two in a row lie whole periods after the one before.
  public mutating func losePhase() {
    guard let filter else { return }
    suspects = Suspects()
    spacing = EvenSpacing()
    noise.forgetLast()
    lastSeen = nil
    unproven = isVariable ? 0 : Self.proofs
    self.filter = makeFilter(
      at: filter.origin, phaseVariance: period * period, period: filter.period, variance: filter.periodVariance)
  }

  /// The model of a display that another source tells of from now on: nothing is known of where its vblanks lie, but the
  /// periods that were measured are kept, each for its rate, and are believed to 0.05 %.
  ///
  /// - Parameters:
  ///   - isMeasured: whether this model's stamps were a display's, and not those of a clock that stood in for it.
  ///   - isDisplay: whether the new ones are: then the first of them are not trusted.
  func continued(
    refreshRate: RefreshRate, isVariable: Bool, isMeasured: Bool, isDisplay: Bool
  ) -> VBlankModel {
    var next = VBlankModel(refreshRate: refreshRate, isVariable: isVariable)
    guard isVariable == self.isVariable else { return next }
    next.remembered = remembered
    if isMeasured, unproven == 0, let filter {
      next.remembered.remember(
        RememberedPeriods.Entry(
          rate: self.refreshRate, period: filter.period, variance: filter.periodVariance, noise: noise))
    }
    next.remembered.loosen { rate in
      let deviation = rate.exactInterval * 0.000_5
      return deviation * deviation
    }
    if let noise = next.remembered[refreshRate]?.noise { next.noise = noise }
    if isDisplay, !isVariable { next.unproven = Self.proofs }
    return next
  }

  /// A stamp of a grid that was lost begins it anew. It is one more that agrees with the one before, or the first that does not.
  ///
  /// - Parameter intervals: since the last vblank, above 0.
  mutating func prove(_ vblank: VBlank, after previous: VBlank?, intervals count: Int64) {
    let agrees = previous.map { isWhole($0, to: vblank) } ?? false
    unproven = agrees ? unproven - 1 : Self.proofs
    if let filter { restart(at: vblank.timestamp, period: filter.period, variance: filter.periodVariance) }
    interval &+= count
    last = vblank
  }
}
