import FrameTiming
import LinuxSystem

extension DisplayScenario {
  /// The counts of a played scenario.
  public struct Result: Sendable {
    public var ticks: UInt64 = 0
    public var misses: UInt64 = 0
    /// Ticks in an interval that had one.
    public var doubled = 0
    /// Ticks whose number is not that of their interval.
    public var miscounted = 0
    /// The first other fault.
    public var fault: String?
    /// The first that was doubled or miscounted.
    public var example: String?

    public var isGood: Bool { doubled == 0 && miscounted == 0 && fault == nil }
  }

  /// Plays the scenario in simulated time.
  public func play() -> Result {
    var player = Player(self)
    for step in steps { player.play(step) }
    return player.result
  }
}

/// Plays a scenario: a display, the sequencer that is given its vblanks, and counts of broken properties.
private struct Player {
  private(set) var result = DisplayScenario.Result()
  private let isVariable: Bool
  private var grid: SimulatedGrid
  private var nominal: RefreshRate
  private var sequencer: TickSequencer
  private var now: MonotonicTime
  /// The last tick; nil where few properties hold.
  private var last: (stamp: MonotonicTime, vblank: UInt64, number: UInt64)? { didSet { if last == nil { excess = 0 } } }
  private var relative = DisplayFaults()
  /// The last tick at a known rate, as long as each event since had a stamp and a sequence. Not before sixty ticks on one grid.
  private var counted: (vblank: UInt64, number: UInt64)?
  private var newest: (vblank: UInt64, number: UInt64)?
  /// The number of ticks since the display began anew.
  private var certain = 0
  /// The number of ticks after a jump for which few properties hold.
  private var unsure = 0
  /// True while the rate cannot be known, which has the same effect.
  private var isRateUnknown = false
  /// How far off the count may be when the rate is known again.
  private var doubt: UInt64 = 0
  /// The interval before a change that nobody told, and the time of the change, until the model has found the new one; and whether
  /// stamps were wrong or coarse meanwhile.
  private var unfound: (interval: Nanoseconds, since: MonotonicTime, isVague: Bool)?
  /// The intervals that were counted too many, or too few where it is below 0, while events had no sequences. Later events may make
  /// up for them.
  private var excess: Int64 = 0
  /// The stall after the next event.
  private var stall = Nanoseconds.zero

  init(_ scenario: DisplayScenario) {
    now = .zero + .seconds(1000)
    isVariable = scenario.isVariable
    nominal = scenario.rate
    grid = Self.grid(scenario.rate, isVariable: isVariable, start: now, seed: scenario.seed)
    sequencer = TickSequencer(refreshRate: scenario.rate, isVariable: isVariable)
  }

  private static func grid(
    _ rate: RefreshRate, isVariable: Bool, start: MonotonicTime, first: UInt64 = 0, seed: UInt64
  ) -> SimulatedGrid {
    SimulatedGrid(
      rate: rate, slowestRate: isVariable ? RefreshRate(hertz: rate.hertz / 3) : nil, start: start, firstVBlank: first,
      seed: seed)
  }

  mutating func play(_ step: DisplayScenario.Step) {
    if case .listen = step {} else if excess.magnitude <= 1 { excess = 0 }
    switch step {
    case .listen(let count): for _ in 0..<count { listen() }
    case .pause(let time):
      now += time
      // Nothing tells how long that was.
      if isRateUnknown { counted = nil }
    case .stall(let time): stall = time
    case .faults(let faults):
      // It takes some stamps to find out that a clock is another one.
      if faults.stampOffset != relative.stampOffset { begin(unsure: 40) }
      relative = faults
      setFaults()
    case .rate(let nominal, let actual):
      (counted, certain) = (nil, 0)
      let vblank = grid.vblank(after: now) &- 1
      // Back at the nominal rate from an unannounced one: the model must learn it from the stamps.
      if nominal == self.nominal, abs(grid.rate.hertz - actual.hertz) > actual.hertz / 200 { loseRate() }
      regrid(actual, start: grid.time(ofVBlank: vblank), vblank)
      self.nominal = nominal
      // Intervals across a mode set cannot be counted without sequences.
      if relative.zeroSequences > 0 {
        unsure = max(unsure, 3)
        last = nil
      }
    case .otherRate(let actual):
      noteFoundRate()
      if unfound == nil { unfound = (grid.rate.interval, now, false) }
      let vblank = grid.vblank(after: now) &- 1
      regrid(actual, start: grid.time(ofVBlank: vblank), vblank)
      loseRate()
      last = nil
    case .off(let time):
      let vblank = grid.vblank(after: now) &- 1
      regrid(grid.rate, start: grid.time(ofVBlank: vblank) + time, vblank)
      sequencer.losePhase(at: now)
      begin(unsure: 6)
      now = max(now, grid.start)
    case .jump(let time):
      let vblank = grid.vblank(after: now) &- 1
      regrid(grid.rate, start: grid.time(ofVBlank: vblank) + time, vblank)
      // The length of a jump in intervals is unknown, and it takes some stamps to notice one.
      begin(unsure: 12)
      now = max(now, grid.start)
    case .settle: settle()
    }
  }

  /// The rate changes, and nobody tells. If sequences are missing, or it changes again before it was found, nothing counts the
  /// intervals of the change.
  private mutating func loseRate() {
    if isRateUnknown || relative.zeroSequences > 0 || relative.swappedStamps > 0 { doubt += 1 }
    isRateUnknown = true
  }

  /// Until a rate that nobody told is found, wrong and coarse stamps may seem to lie on the old grid, and then count by that: the count
  /// may be off by as many intervals as the two rates differ by in this time, but in no more than forty intervals.
  private mutating func noteFoundRate() {
    guard var unfound else { return }
    if relative.outliers > 0 || relative.backwardStamps > 0 || relative.stampStep > .zero { unfound.isVague = true }
    let (old, new) = (Double(unfound.interval.count), Double(grid.rate.interval.count))
    guard abs(sequencer.model.period - new) < new / 33 else {
      self.unfound = unfound
      return
    }
    self.unfound = nil
    let passed = min(Double((now - unfound.since).count), old * 40)
    if unfound.isVague { doubt += UInt64(abs(passed / old - passed / new).rounded(.up)) }
  }

  /// Few properties hold for so many ticks.
  private mutating func begin(unsure ticks: Int) {
    (last, counted, certain) = (nil, nil, 0)
    unsure = max(unsure, ticks)
  }

  private mutating func regrid(_ rate: RefreshRate, start: MonotonicTime, _ vblank: UInt64) {
    // The distance of the clocks is another one at another rate.
    if relative.stampOffset != .zero, rate != grid.rate { begin(unsure: 40) }
    grid = Self.grid(rate, isVariable: isVariable, start: start, first: vblank, seed: grid.seed)
    setFaults()
  }

  private mutating func setFaults() {
    // Counts made without sequences, or with swapped stamps, may be put right now.
    if relative.zeroSequences != grid.faults.zeroSequences || relative.swappedStamps != grid.faults.swappedStamps {
      last = nil
    }
    func scaled(_ time: Nanoseconds) -> Nanoseconds { .seconds(time.seconds / grid.rate.hertz) }
    grid.faults = relative
    grid.faults.stampOffset = scaled(relative.stampOffset)
    grid.faults.noise = scaled(relative.noise)
    // Longer steps show no grid.
    grid.faults.stampStep = min(relative.stampStep, grid.rate.interval / 6)
    grid.faults.latestDelivery = scaled(relative.latestDelivery)
    grid.faults.latestWakeUp = scaled(relative.latestWakeUp)
  }

  private mutating func settle() {
    // Neither stamps nor sequences tell how the new ones go on from the old.
    let isCounted = relative.zeroSequences < 1 && relative.swappedStamps == 0
    if !isCounted, relative.stampOffset != .zero { begin(unsure: 40) }
    (relative, stall) = (DisplayFaults(), .zero)
    setFaults()
    for _ in 0..<80 { listen() }
    if isRateUnknown {
      if let counted, let newest {
        let excess = Int64(bitPattern: (newest.number &- counted.number) &- (newest.vblank &- counted.vblank))
        if excess.magnitude > doubt {
          result.miscounted += 1
          note("\(newest) after \(counted), with a rate between them that nobody told")
        }
      }
      (isRateUnknown, doubt) = (false, 0)
      last = nil
    }
    guard !isVariable else { return }
    let truth = grid.time(ofVBlank: grid.vblank(after: now))
    let interval = grid.rate.interval
    guard let prediction = sequencer.model.prediction(after: truth - interval / 2) else {
      return fail("nothing is known after many good vblanks")
    }
    if !prediction.isKnown { fail("unsure after many good vblanks: \(prediction)") }
    if !prediction.lies(within: interval / 100, of: truth) { fail("\(prediction) after many good vblanks, not \(truth)") }
    let off = sequencer.model.period / Double(interval.count) - 1
    if abs(off) > 0.001 { fail("a period that is off by \(off) after many good vblanks") }
  }

  private mutating func listen() {
    let vblank = grid.answer(toRequestAt: now)
    // Some time passes, or the choice of the last vblank would depend on a nanosecond.
    let requested = now
    now = max(now, grid.delivery(ofVBlank: vblank)) + grid.rate.interval / 20
    deliver(vblank, requested: requested)
    now += stall
    stall = .zero
    if grid.duplicatesEvent(ofVBlank: vblank) { deliver(vblank, requested: requested) }
  }

  private mutating func deliver(_ truth: UInt64, requested: MonotonicTime) {
    let vblank = grid.told(ofVBlank: truth)
    let believed = Int64(saturating: sequencer.model.period)
    let outcome = sequencer.advance(to: vblank, requested: requested, now: now, rate: nominal)
    noteFoundRate()
    if let prediction = sequencer.model.prediction(after: now), prediction.timestamp <= now {
      fail("predicted \(prediction) at \(now)")
    }
    guard case .tick(let tick, let number) = outcome else { return }
    result.ticks += 1
    check(tick, believed: believed)
    // A stale event stands for the latest vblank; on a variable display the time of that is unknown.
    // How late an event is, is known as well as its clock, and its stamp may be earlier by a step.
    let interval = grid.rate.interval
    let old = relative.stampOffset == .zero ? interval * 9 / 10 - grid.faults.stampStep : interval / 2
    let isStale = !isVariable && now - grid.time(ofVBlank: truth) >= old
    let nearest = isStale ? nearestVBlank(to: tick.timestamp) : truth
    if let last {
      if tick.timestamp <= last.stamp { fail("\(tick) after \(last)") }
      let passed = Int64(bitPattern: nearest &- last.vblank)
      if passed <= 0 {
        result.doubled += 1
        note("\(tick) in vblank \(nearest) after \(last)")
      } else if isMiscounted(
        Int64(bitPattern: number &- last.number), passed, requested: requested, last.vblank, isCounted: vblank.sequence != 0,
        isStale: isStale)
      {
        result.miscounted += 1
        note(
          "\(tick) in vblank \(nearest) is number \(number) after \(last); told \(vblank) of \(truth) at \(now), true \(grid.time(ofVBlank: truth))"
        )
      }
      if number <= last.number {
        fail("number \(number) after \(last.number)")
      } else {
        result.misses += number - last.number - 1
      }
    }
    last = (tick.timestamp, nearest, number)
    newest = (nearest, number)
    certain += 1
    if !isRateUnknown, certain > 60 { counted = newest }
    if unsure > 0 || vblank.sequence == 0 || vblank.timestamp <= .zero || isVariable { counted = nil }
    if unsure > 0 || isRateUnknown {
      unsure = max(unsure - 1, 0)
      last = nil
    }
  }

  /// Checks a tick by itself.
  ///
  /// - Parameter believed: the interval before it. Right after a mode was set the model still believes the old one.
  private mutating func check(_ tick: VBlank, believed: Int64) {
    let longest = max(nominal.interval.count, grid.rate.interval.count, believed)
    let slack = Nanoseconds(longest * 51 / 50)
    if now - tick.timestamp > slack, !isVariable, !isRateUnknown, unsure == 0 { fail("\(tick) is old at \(now)") }
    if tick.timestamp - now > slack { fail("\(tick) is in the future at \(now)") }
    if let target = sequencer.model.prediction(after: tick.timestamp + sequencer.model.refreshRate.interval / 2),
      target.timestamp <= tick.timestamp
    {
      fail("the target of \(tick) is \(target)")
    }
  }

  /// True if a tick's number tells a wrong number of intervals since the last tick. With sequences it is exact, or makes up for all that
  /// was counted wrong without them. Without one it is within one of the truth: an unsteady stamp may lie nearer to another interval,
  /// and a pause be longer than the period is known for. So it is where stamps are swapped: if the event comes late, the stamp of the
  /// next vblank may be its own. And so may one of the vblank before, whose event was lost, if another clock made it: how late the event
  /// is, is not known so exactly. Where both come together it is within two. By coarse stamps it is not known either which vblank is the
  /// latest.
  ///
  /// The intervals of a variable display can only be counted with stamps that are right, and with sequences, or if each is
  /// requested in time.
  private mutating func isMiscounted(
    _ counted: Int64, _ passed: Int64, requested: MonotonicTime, _ last: UInt64, isCounted: Bool, isStale: Bool
  ) -> Bool {
    if isVariable {
      guard relative.backwardStamps == 0, relative.outliers == 0, relative.swappedStamps == 0 else { return false }
      let isNext = passed == 1 && requested - grid.time(ofVBlank: last) < grid.rate.interval / 2
      return counted != passed && (relative.zeroSequences == 0 || (relative.zeroSequences == 1 && isNext))
    }
    excess += counted - passed
    let isAnothers = relative.stampOffset != .zero && relative.backwardStamps > 0
    let isCoarse = isStale && relative.stampStep > .zero
    guard !isCounted || relative.swappedStamps > 0 || isAnothers || isCoarse else {
      return counted != passed && excess != 0
    }
    // While every other event is lost nothing tells the display from one of half the rate.
    let isBoth = relative.stampOffset != .zero && relative.swappedStamps > 0
    return passed == 1 && excess.magnitude > (isBoth ? 2 : 1)
  }

  private func nearestVBlank(to time: MonotonicTime) -> UInt64 {
    let next = grid.vblank(after: time)
    let before = next &- 1
    return grid.time(ofVBlank: next) - time < time - grid.time(ofVBlank: before) ? next : before
  }

  private mutating func note(_ sentence: String) {
    if result.example == nil { result.example = sentence }
  }

  private mutating func fail(_ sentence: String) {
    if result.fault == nil { result.fault = sentence }
  }
}
