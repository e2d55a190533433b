import LinuxSystem

@testable import FrameTiming

/// What happens to a display and to who listens to it: made from a seed, played on simulated time, and made smaller when
/// it shows a fault.
struct DisplayScenario: CustomStringConvertible {
  enum Step: CustomStringConvertible {
    /// So many vblanks are asked for, each after the one before was delivered.
    case listen(Int)
    /// Nobody asks for so long.
    case pause(Nanoseconds)
    /// The loop is busy for so long after a vblank, of which the event may come again.
    case stall(Nanoseconds)
    /// Its times are those at 1 Hz, and become shorter with the interval.
    case faults(SimulatedDisplay.Faults)
    /// A mode is set.
    case rate(nominal: RefreshRate, actual: RefreshRate)
    /// The vblanks go on somewhere else on the clock, as they do after a suspend.
    case jump(Nanoseconds)
    /// The same, but the model is told of it.
    case off(Nanoseconds)

    var description: String {
      switch self {
      case .listen(let count): "listen \(count)"
      case .pause(let time): "pause \(time.count) ns"
      case .stall(let time): "stall \(time.count) ns"
      case .faults(let faults): "\(faults)"
      case .rate(let nominal, let actual): "rate \(nominal), in truth \(actual.numerator)/\(actual.denominator)"
      case .jump(let time): "jump \(time.count) ns"
      case .off(let time): "off \(time.count) ns"
      }
    }
  }

  var seed: UInt64
  var rate: RefreshRate
  var steps: [Step]

  var description: String {
    "seed \(seed), \(rate)\n" + steps.map { "  \($0)" }.joined(separator: "\n")
  }

  // MARK: - Making

  private static let rates: [(Int64, Int64)] = [
    (24000, 1001), (24, 1), (30, 1), (48, 1), (50, 1), (60000, 1001), (60, 1), (75, 1), (120, 1), (144, 1), (240, 1),
    (500, 1),
  ]

  static func random(seed: UInt64, steps count: Int) -> DisplayScenario {
    var random = SplitMix64(seed: seed)
    var rate = self.rate(&random).nominal
    var scenario = DisplayScenario(seed: seed, rate: rate, steps: [])
    for _ in 0..<count {
      let interval = rate.interval.count
      switch Int.random(in: 0..<13, using: &random) {
      case 0: scenario.steps.append(.pause(Nanoseconds(Int64.random(in: 0...interval * 400, using: &random))))
      case 1: scenario.steps.append(.pause(Nanoseconds(Int64.random(in: 0...interval * 4, using: &random))))
      case 2, 3: scenario.steps.append(.stall(Nanoseconds(Int64.random(in: 0...interval * 9, using: &random))))
      case 4, 5: scenario.steps.append(.faults(faults(&random)))
      case 6:
        let change = self.rate(&random)
        rate = change.nominal
        scenario.steps.append(.rate(nominal: change.nominal, actual: change.actual))
      case 7: scenario.steps.append(.jump(Nanoseconds(Int64.random(in: interval...interval * 100, using: &random))))
      case 8: scenario.steps.append(.off(Nanoseconds(Int64.random(in: interval...interval * 100, using: &random))))
      default: scenario.steps.append(.listen(Int.random(in: 1...300, using: &random)))
      }
      scenario.steps.append(.listen(Int.random(in: 1...30, using: &random)))
    }
    return scenario
  }

  private static func rate(_ random: inout SplitMix64) -> (nominal: RefreshRate, actual: RefreshRate) {
    let (numerator, denominator) = rates[Int.random(in: 0..<rates.count, using: &random)]
    let nominal = RefreshRate(numerator: numerator, denominator: denominator) ?? .hertz60
    let actual = RefreshRate(hertz: nominal.hertz * Double.random(in: 0.998...1.002, using: &random)) ?? nominal
    return (nominal, actual)
  }

  private static func faults(_ random: inout SplitMix64) -> SimulatedDisplay.Faults {
    func part(_ most: Double) -> Double { random.chance(0.5) ? 0 : Double.random(in: 0...most, using: &random) }
    func time(_ most: Int64) -> Nanoseconds {
      random.chance(0.5) ? .zero : Nanoseconds(Int64.random(in: 0...most, using: &random))
    }
    let interval: Int64 = 1_000_000_000
    var faults = SimulatedDisplay.Faults()
    faults.noise = time(interval / 60)
    faults.outliers = part(0.05)
    faults.zeroStamps = part(0.03)
    faults.backwardStamps = part(0.03)
    faults.zeroSequences = part(0.05)
    faults.lostEvents = part(0.2)
    faults.duplicateEvents = part(0.2)
    faults.latestDelivery = time(interval / 2)
    faults.lateWakeUps = part(0.2)
    faults.latestWakeUp = time(interval * 5)
    return faults
  }

  // MARK: - Playing

  struct Result {
    var ticks: UInt64 = 0
    var misses: UInt64 = 0
    /// Ticks in an interval that had one.
    var doubled = 0
    /// Ticks whose number is not that of their interval.
    var miscounted = 0
    /// What else went wrong, the first of it.
    var fault: String?
    /// The first that was doubled or miscounted.
    var example: String?

    var isGood: Bool { doubled == 0 && miscounted == 0 && fault == nil }
  }

  func play() -> Result {
    var player = Player(self)
    for step in steps { player.play(step) }
    return player.result
  }

  /// The smallest scenario found by leaving out and shortening steps that still goes wrong.
  func shrunk() -> DisplayScenario {
    var smallest = self
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      var size = max(smallest.steps.count / 2, 1)
      while size >= 1 {
        var start = 0
        while start < smallest.steps.count {
          var candidate = smallest
          candidate.steps.removeSubrange(start..<min(start + size, candidate.steps.count))
          if candidate.play().isGood {
            start += size
          } else {
            smallest = candidate
            isSmaller = true
          }
        }
        size /= 2
      }
      for index in smallest.steps.indices {
        while case .listen(let count) = smallest.steps[index], count > 1 {
          var candidate = smallest
          candidate.steps[index] = .listen(count / 2)
          guard !candidate.play().isGood else { break }
          smallest = candidate
          isSmaller = true
        }
      }
    }
    return smallest
  }
}

/// Plays a scenario: a display, the sequencer that hears of it, and the books of what must hold.
private struct Player {
  private(set) var result = DisplayScenario.Result()
  private var grid: SimulatedGrid
  private var nominal: RefreshRate
  private var sequencer: TickSequencer
  private var now: MonotonicTime
  private var last: (stamp: MonotonicTime, vblank: UInt64, number: UInt64)?
  private var relative = SimulatedDisplay.Faults()
  /// Ticks after a jump of which only little holds.
  private var unsure = 0
  /// After the next event.
  private var stall = Nanoseconds.zero

  init(_ scenario: DisplayScenario) {
    now = .zero + .seconds(1000)
    nominal = scenario.rate
    grid = SimulatedGrid(rate: scenario.rate, start: now, seed: scenario.seed)
    sequencer = TickSequencer(refreshRate: scenario.rate)
  }

  mutating func play(_ step: DisplayScenario.Step) {
    switch step {
    case .listen(let count): for _ in 0..<count { listen() }
    case .pause(let time): now += time
    case .stall(let time): stall = time
    case .faults(let faults):
      relative = faults
      setFaults()
    case .rate(let nominal, let actual):
      let vblank = grid.vblank(after: now) &- 1
      regrid(actual, start: grid.time(ofVBlank: vblank), vblank)
      self.nominal = nominal
      // Across a mode set nobody can count without sequences.
      if relative.zeroSequences > 0 {
        unsure = max(unsure, 3)
        last = nil
      }
    case .off(let time):
      let vblank = grid.vblank(after: now) &- 1
      regrid(grid.rate, start: grid.time(ofVBlank: vblank) + time, vblank)
      sequencer.losePhase(at: now)
      last = nil
      unsure = 6
      now = max(now, grid.start)
    case .jump(let time):
      let vblank = grid.vblank(after: now) &- 1
      regrid(grid.rate, start: grid.time(ofVBlank: vblank) + time, vblank)
      // How many intervals a jump was nobody knows, and it takes some stamps to see that it was one.
      last = nil
      unsure = 12
      now = max(now, grid.start)
    }
  }

  private mutating func regrid(_ rate: RefreshRate, start: MonotonicTime, _ vblank: UInt64) {
    grid = SimulatedGrid(rate: rate, start: start, firstVBlank: vblank, seed: grid.seed)
    setFaults()
  }

  private mutating func setFaults() {
    func scaled(_ time: Nanoseconds) -> Nanoseconds { .seconds(time.seconds / grid.rate.hertz) }
    grid.faults = relative
    grid.faults.noise = scaled(relative.noise)
    grid.faults.latestDelivery = scaled(relative.latestDelivery)
    grid.faults.latestWakeUp = scaled(relative.latestWakeUp)
  }

  private mutating func listen() {
    let vblank = grid.answer(toRequestAt: now)
    // Not at the very moment: which vblank was the last would hang on a nanosecond of the model's.
    now = max(now, grid.delivery(ofVBlank: vblank)) + grid.rate.interval / 20
    deliver(vblank)
    now += stall
    stall = .zero
    if grid.duplicatesEvent(ofVBlank: vblank) { deliver(vblank) }
  }

  private mutating func deliver(_ truth: UInt64) {
    let vblank = grid.told(ofVBlank: truth)
    let outcome = sequencer.advance(to: vblank, now: now, rate: nominal)
    if let prediction = sequencer.model.prediction(after: now), prediction.timestamp <= now {
      fail("predicted \(prediction) at \(now)")
    }
    guard case .tick(let tick, let number) = outcome else { return }
    result.ticks += 1
    let slack = Nanoseconds(max(nominal.interval, grid.rate.interval).count * 51 / 50)
    if now - tick.timestamp > slack { fail("\(tick) is old at \(now)") }
    if tick.timestamp - now > slack { fail("\(tick) is in the future at \(now)") }
    if let target = sequencer.model.prediction(after: tick.timestamp + sequencer.model.refreshRate.interval / 2),
      target.timestamp <= tick.timestamp
    {
      fail("the target of \(tick) is \(target)")
    }
    // A stale event stands for the latest vblank.
    let isStale = now - grid.time(ofVBlank: truth) >= grid.rate.interval * 9 / 10
    let nearest = isStale ? nearestVBlank(to: tick.timestamp) : truth
    if let last {
      if tick.timestamp <= last.stamp { fail("\(tick) after \(last)") }
      let passed = Int64(bitPattern: nearest &- last.vblank)
      if passed <= 0 {
        result.doubled += 1
        note("\(tick) in vblank \(nearest) after \(last)")
      } else if Int64(bitPattern: number &- last.number) != passed {
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
    if unsure > 0 {
      unsure -= 1
      last = nil
    }
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
