import LinuxSystem
import Simulation
import Testing

@testable import FrameTiming

@Suite struct VBlankModelTests {
  /// Nominal rates, and what the display does at each of them.
  static let rates: [(nominal: RefreshRate, actual: RefreshRate)] =
    ([
      (24000, 1001, 2395), (24, 1, 2400), (50, 1, 5002), (60, 1, 5995), (60, 1, 6000), (60000, 1001, 5994), (75, 1, 7510),
      (144, 1, 14390), (240, 1, 24020), (500, 1, 49950),
    ] as [(Int64, Int64, Int64)]).map { (.hertz($0, over: $1), .hertz($2, over: 100)) }

  // MARK: - Accuracy

  /// 35 µs of noise and one stamp in a hundred off by up to T/3; against the grid that the model never sees.
  @Test(arguments: rates) func predictionsLieOnTheTrueGrid(_ rate: (nominal: RefreshRate, actual: RefreshRate)) {
    var grid = SimulatedGrid(rate: rate.actual, start: .zero + .seconds(1000), seed: 5)
    grid.faults = DisplayProfile.noisy.faults
    var model = VBlankModel(refreshRate: rate.nominal)
    var errors: [UInt64: [Int64]] = [1: [], 10: [], 60: []]
    var within = 0
    var predictions = 0
    for number: UInt64 in 1...6000 {
      let told = grid.told(ofVBlank: number)
      // A delivered vblank is not predicted again, early as its stamp may be.
      if model.observe(told) == .accepted {
        #expect(model.prediction(after: told.timestamp)?.interval == Int64(number))
      }
      guard number > 120 else { continue }
      for ahead in errors.keys {
        let truth = grid.time(ofVBlank: number + ahead)
        guard let prediction = model.prediction(after: truth - rate.actual.interval / 2) else { continue }
        let error = abs((prediction.timestamp - truth).count)
        errors[ahead]?.append(error)
        predictions += 1
        if error <= 2 * prediction.uncertainty.count { within += 1 }
      }
    }
    #expect(predictions == 3 * 5880)
    #expect(percentile95(errors[1]) <= 25_000)
    #expect(percentile95(errors[10]) <= 40_000)
    #expect(percentile95(errors[60]) <= 100_000)
    // 19 of 20 within the double standard deviation, and the uncertainty is no excuse.
    #expect(Double(within) / Double(predictions) > 0.93)
    #expect(model.periodUncertainty < 4e-5 * model.period)
  }

  private func percentile95(_ errors: [Int64]?) -> Int64 {
    let sorted = (errors ?? []).sorted()
    return sorted.isEmpty ? .max : sorted[sorted.count * 95 / 100]
  }

  @Test func stampsOnTheNominalGridArePredictedToTheNanosecond() throws {
    var model = VBlankModel(refreshRate: .hundred)
    #expect(model.prediction(after: at(5)) == nil)
    #expect(model.grid == nil)
    for k: Int64 in 1...2000 {
      #expect(model.observe(VBlank(timestamp: at(10 * k), sequence: UInt64(k))) == .accepted)
      let next = try #require(model.prediction(after: at(10 * k)))
      #expect(next.timestamp == at(10 * k + 10))
      #expect(next.interval == k)
      #expect(model.prediction(after: at(10 * k + 599))?.timestamp == at(10 * k + 600))
      #expect(model.prediction(after: at(10 * k - 11))?.timestamp == at(10 * k - 10))
      #expect(model.grid?.interval(at: at(10 * k - 1)) == k - 2)
      #expect(model.grid?.interval(at: at(10 * k + 9)) == k - 1)
    }
  }

  /// The nominal rate holds while there is one stamp, and what it is off by costs little while there are few.
  @Test func fewStampsAreHelpedByTheNominalRate() throws {
    var grid = SimulatedGrid(rate: .hertz5995, start: at(1000), seed: 3)
    grid.faults.noise = .microseconds(35)
    var model = VBlankModel(refreshRate: .hertz60)
    for number: UInt64 in 1...30 {
      let told = grid.told(ofVBlank: number)
      model.observe(told)
      let next = try #require(model.prediction(after: told.timestamp + .milliseconds(8)))
      if number == 1 { #expect(next.timestamp == told.timestamp + RefreshRate.hertz60.interval) }
      #expect(abs((next.timestamp - grid.time(ofVBlank: number + 1)).count) < 150_000, "after \(number) stamps")
      #expect(next.uncertainty < .milliseconds(1))
    }
  }

  // MARK: - Stamps that mean nothing

  @Test func aWildStampChangesNothing() {
    let grid = SimulatedGrid(rate: .hertz60, start: at(1000), seed: 1)
    var model = VBlankModel(refreshRate: .hertz60)
    for number: UInt64 in 1...100 { model.observe(grid.told(ofVBlank: number)) }
    let last = grid.told(ofVBlank: 100)
    let before = model.prediction(after: at(5000))
    func expect(_ verdict: VBlankModel.Verdict, _ vblank: VBlank) {
      #expect(model.observe(vblank) == verdict)
      #expect(model.prediction(after: at(5000)) == before)
    }
    expect(.duplicate, last)
    expect(.duplicate, VBlank(timestamp: last.timestamp + .microseconds(900), sequence: 0))
    expect(.unstamped, VBlank(timestamp: .zero, sequence: 101))
    expect(.unstamped, VBlank(timestamp: MonotonicTime(nanoseconds: .min), sequence: 101))
    expect(.backward, grid.told(ofVBlank: 97))
    expect(.outlier, VBlank(timestamp: grid.time(ofVBlank: 101) + .milliseconds(5), sequence: 101))
    expect(.outlier, VBlank(timestamp: grid.time(ofVBlank: 102) - .milliseconds(5), sequence: 0))
    #expect(model.observe(grid.told(ofVBlank: 103)) == .accepted)
    #expect(model.grid?.interval(at: grid.time(ofVBlank: 103)) == 102)
  }

  /// Sequences that are missing, stand still, jump or count something else: the stamps count.
  @Test func intervalsAreCountedWhateverTheSequenceSays() throws {
    var grid = SimulatedGrid(rate: .hertz5995, start: at(1000), seed: 2)
    grid.faults.noise = .microseconds(35)
    let seed: UInt64 = 12
    let sequences: [(inout SplitMix64, UInt64) -> UInt64] = [
      { _, number in number }, { _, _ in 0 }, { _, _ in 77 }, { random, _ in random.next() }, { _, number in number * 2 },
      { _, number in number / 2 }, { _, number in number % 30 + 1 }, { _, number in 0 &- number },
    ]
    for (kind, sequence) in sequences.enumerated() {
      var random = SplitMix64(seed: seed)
      var model = VBlankModel(refreshRate: .hertz60)
      var number: UInt64 = 1
      for step in 0..<5000 {
        let stamp = grid.told(ofVBlank: number).timestamp
        model.observe(VBlank(timestamp: stamp, sequence: sequence(&random, number)))
        let interval = try #require(model.grid?.interval(at: stamp + .milliseconds(8)))
        guard interval == Int64(number) - 1 else {
          Issue.record("seed \(seed), sequences \(kind), step \(step): interval \(interval) for vblank \(number)")
          break
        }
        number += random.chance(0.1) ? UInt64.random(in: 1...20, using: &random) : 1
      }
    }
  }

  /// All stamps lie on the same side of a grid whose period shrinks: nothing fades from what is predicted as far ahead as there is time.
  @Test func stampsOnOneSideOfTheGridDoNotHoldThePredictionBack() throws {
    var model = VBlankModel(refreshRate: .hertz60, isVariable: false)
    for number in 0..<1500 {
      let time = 1e12 + Double(number) * 16_666_666.67 - Double(number * number) / 2
      model.observe(VBlank(timestamp: MonotonicTime(nanoseconds: Int64(time)), sequence: UInt64(number)))
    }
    let prediction = try #require(model.prediction(after: .distantFuture))
    #expect(prediction.timestamp == .distantFuture)
  }

  /// Any stamps, and then good ones: nothing traps, no prediction is in the past, and the model finds the grid again.
  @Test func theModelIsNeverStuck() throws {
    for seed: UInt64 in 0..<100 {
      var random = SplitMix64(seed: seed)
      var model = VBlankModel(refreshRate: .hertz60, isVariable: false)
      var now = MonotonicTime(nanoseconds: 1 << 40)
      for _ in 0..<Int.random(in: 1...200, using: &random) {
        now += Nanoseconds(Int64.random(in: 0...60_000_000, using: &random))
        let wild = Int64(bitPattern: random.next()) >> Int64.random(in: 0...63, using: &random)
        model.observe(
          VBlank(timestamp: now + Nanoseconds(wild), sequence: random.next() >> UInt64.random(in: 0...63, using: &random)))
        let asked = now + Nanoseconds(Int64(bitPattern: random.next()) >> Int64.random(in: 0...63, using: &random))
        if let prediction = model.prediction(after: asked), asked < .distantFuture {
          if prediction.timestamp <= asked { Issue.record("seed \(seed): \(prediction) after \(asked)") }
        }
      }
      var grid = SimulatedGrid(rate: .hertz60, start: now + .milliseconds(100), seed: seed)
      grid.faults.noise = .microseconds(20)
      for number: UInt64 in 1...12 { model.observe(grid.told(ofVBlank: number)) }
      // It may have to learn first that stamps are worth something again.
      for (number, limit) in [(20, 4_000_000), (120, 100_000)] as [(UInt64, Int64)] {
        for number in (number == 20 ? 13 : 21)...number { model.observe(grid.told(ofVBlank: number)) }
        let truth = grid.time(ofVBlank: number + 1)
        let prediction = try #require(model.prediction(after: truth - .milliseconds(8)))
        #expect(abs((prediction.timestamp - truth).count) < limit, "seed \(seed)")
      }
    }
  }

  /// A sequence that counts ever more vblanks in the same time: the period stays that of a display.
  @Test func aSequenceThatRunsAwayIsNotFollowed() {
    let nominal = RefreshRate.hertz60.exactInterval
    var model = VBlankModel(refreshRate: .hertz60)
    var vblank = VBlank(timestamp: at(1000), sequence: 1)
    for step in 0..<1000 {
      model.observe(vblank)
      guard model.period > 0.85 * nominal else {
        Issue.record("a period of \(model.period) ns at step \(step)")
        return
      }
      vblank.timestamp += .seconds(200)
      vblank.sequence += UInt64(200e9 / (model.period - 0.0045 * nominal))
    }
  }

  // MARK: - Changes

  /// The grid jumps: after four stamps the predictions have followed, and the period is what it was.
  @Test(arguments: [0.05, 0.1, 0.25, 0.5, 0.75, 0.95]) func aJumpOfThePhaseIsFollowed(_ part: Double) throws {
    for isCounted in [true, false] {
      var grid = SimulatedGrid(rate: .hertz5995, start: at(1000), seed: 4)
      grid.faults.noise = .microseconds(20)
      var model = VBlankModel(refreshRate: .hertz60)
      for number: UInt64 in 1...300 { model.observe(told(grid, number, isCounted)) }
      let period = model.period
      let jump = Nanoseconds.seconds(part / 59.95)
      let jumped = SimulatedGrid(rate: .hertz5995, start: grid.time(ofVBlank: 300) + jump, firstVBlank: 300, seed: 4)
      for number: UInt64 in 301...304 { model.observe(told(jumped, number, isCounted)) }
      for number: UInt64 in 305...340 {
        let truth = jumped.time(ofVBlank: number)
        let prediction = try #require(model.prediction(after: truth - .milliseconds(8)))
        #expect(abs((prediction.timestamp - truth).count) < 100_000, "\(part), vblank \(number)")
        model.observe(told(jumped, number, isCounted))
      }
      #expect(abs(model.period - period) < 2_000)
    }
  }

  private func told(_ grid: SimulatedGrid, _ number: UInt64, _ isCounted: Bool) -> VBlank {
    var vblank = grid.told(ofVBlank: number)
    if !isCounted { vblank.sequence = 0 }
    return vblank
  }

  /// Until a stamp shows the new rate, the old one holds; what was learnt of a rate is remembered.
  @Test func aChangeOfTheRateIsBelievedWhenItIsSeen() throws {
    let fast = RefreshRate.hertz(144)
    let grid = SimulatedGrid(rate: .hertz5995, start: at(1000), seed: 6)
    var model = VBlankModel(refreshRate: .hertz60)
    for number: UInt64 in 1...600 { model.observe(grid.told(ofVBlank: number)) }
    let learnt = model.period
    #expect(abs(learnt - 1e9 / 59.95) < 1)

    model.expect(fast)
    for number: UInt64 in 601...610 { model.observe(grid.told(ofVBlank: number)) }
    #expect(model.refreshRate == .hertz60)
    let second = SimulatedGrid(rate: fast, start: grid.time(ofVBlank: 610), firstVBlank: 610, seed: 6)
    #expect(model.observe(second.told(ofVBlank: 611)) == .accepted)
    #expect(model.refreshRate == fast)
    #expect(model.grid?.interval(at: second.time(ofVBlank: 611)) == 610)
    let next = try #require(model.prediction(after: second.time(ofVBlank: 611)))
    #expect(abs((next.timestamp - second.time(ofVBlank: 612)).count) <= 1)
    for number: UInt64 in 612...700 { model.observe(second.told(ofVBlank: number)) }

    model.expect(.hertz60)
    let third = SimulatedGrid(rate: .hertz5995, start: second.time(ofVBlank: 700), firstVBlank: 700, seed: 6)
    model.observe(third.told(ofVBlank: 701))
    #expect(model.refreshRate == .hertz60)
    #expect(abs(model.period - learnt) < 1, "the period was forgotten")
    let far = try #require(model.prediction(after: third.time(ofVBlank: 760) - .milliseconds(8)))
    #expect(abs((far.timestamp - third.time(ofVBlank: 760)).count) < 1000)

    // An announcement that is taken back.
    model.expect(fast)
    model.expect(.hertz60)
    model.observe(third.told(ofVBlank: 702))
    #expect(model.refreshRate == .hertz60)
  }

  /// A display that runs at another rate than it says is measured: one a little off and one far off, from the beginning, in the
  /// middle, after it was off, and when it has come back.
  @Test(arguments: [24, 60, 144, 500] as [Double]) func aRateThatNobodyToldIsFollowed(_ hertz: Double) throws {
    let nominal = try #require(RefreshRate(hertz: hertz))
    for percent in -40...40 {
      let rate = try #require(RefreshRate(hertz: hertz * (1 + Double(percent) / 100)))
      for isCounted in [true, false] {
        for life in Life.allCases {
          var model = VBlankModel(refreshRate: nominal)
          let first = life.begin(&model, nominal: nominal)
          let grid = SimulatedGrid(rate: rate, start: first, firstVBlank: 200, seed: 6)
          for number: UInt64 in 201...222 { model.observe(told(grid, number, isCounted)) }
          let truth = grid.time(ofVBlank: 223)
          let prediction = try #require(model.prediction(after: truth - rate.interval / 2))
          let error = Double((prediction.timestamp - truth).count) / Double(rate.interval.count)
          #expect(abs(error) < 0.02, "\(percent) % off, \(life), counted \(isCounted)")
          #expect(prediction.isKnown, "\(percent) % off, \(life), counted \(isCounted)")
        }
      }
    }
  }

  /// The vblanks before an unannounced rate.
  private enum Life: CaseIterable {
    case nothing, otherRate, off, anotherSource

    /// - Returns: the time at which the new rate begins.
    func begin(_ model: inout VBlankModel, nominal: RefreshRate) -> MonotonicTime {
      var start = MonotonicTime.zero + .seconds(1000)
      guard self != .nothing else { return start }
      for k: Int64 in 0...200 {
        start = .zero + .seconds(1000) + nominal.offset(ofInterval: k)
        model.observe(VBlank(timestamp: start, sequence: UInt64(k)))
      }
      switch self {
      case .nothing, .otherRate: return start
      case .off: model.losePhase()
      case .anotherSource:
        model = model.continued(refreshRate: nominal, isVariable: false, isMeasured: true, isDisplay: true)
      }
      return start + .milliseconds(3333)
    }
  }

  /// Stamps that tremble are no other rate.
  @Test(arguments: [24, 60, 500] as [Double]) func unsteadyStampsAreNoOtherRate(_ hertz: Double) throws {
    let nominal = try #require(RefreshRate(hertz: hertz))
    let actual = try #require(RefreshRate(hertz: hertz * 1.001))
    for part in [60, 30, 20] as [Int64] {
      var grid = SimulatedGrid(rate: actual, start: at(1000), seed: UInt64(part))
      grid.faults.noise = nominal.interval / part
      var model = VBlankModel(refreshRate: nominal)
      for number: UInt64 in 1...20_000 {
        #expect(model.observe(grid.told(ofVBlank: number)) != .relocked, "noise of 1/\(part), vblank \(number)")
      }
    }
  }

  /// Gaps of seconds to hours: with sequences they tell the period; without, the phase is taken from the next stamp.
  @Test(arguments: [1, 10, 600, 36_000] as [Int64]) func aGapIsCrossed(_ seconds: Int64) throws {
    let skipped = UInt64(RefreshRate.hertz5995.intervals(in: .milliseconds(seconds * 1000)))
    for isCounted in [true, false] {
      var grid = SimulatedGrid(rate: .hertz5995, start: at(1000), seed: 8)
      grid.faults.noise = .microseconds(20)
      var model = VBlankModel(refreshRate: .hertz60)
      for number: UInt64 in 1...200 { model.observe(told(grid, number, isCounted)) }
      for number in (200 + skipped)...(204 + skipped) { model.observe(told(grid, number, isCounted)) }
      let truth = grid.time(ofVBlank: 205 + skipped)
      let prediction = try #require(model.prediction(after: truth - .milliseconds(8)))
      #expect(abs((prediction.timestamp - truth).count) < 80_000, "\(isCounted)")
      if isCounted { #expect(prediction.interval == 204 + Int64(skipped)) }
      #expect(abs(model.period - 1e9 / 59.95) < 3_000)
    }
  }

  // MARK: - Variable displays

  @Test func aVariableDisplayIsFollowed() throws {
    let profile = DisplayProfile.vrr
    let grid = SimulatedGrid(rate: profile.actualRate, slowestRate: profile.slowestRate, start: at(1000), seed: 9)
    var model = VBlankModel(refreshRate: profile.refreshRate, isVariable: true)
    let shortest = profile.refreshRate.interval
    var error: Int64 = 0
    for number: UInt64 in 1...4000 {
      let told = grid.told(ofVBlank: number)
      #expect(model.observe(told) == .accepted)
      #expect(model.grid?.interval(at: told.timestamp) == Int64(number) - 1)
      let next = try #require(model.prediction(after: told.timestamp))
      #expect(next.timestamp - told.timestamp >= shortest - .milliseconds(2))
      error += abs((next.timestamp - grid.time(ofVBlank: number + 1)).count)
    }
    // Intervals are even within a sixth of 7 to 21 ms: who knows their mean is off by a tenth.
    #expect(error / 4000 < 1_900_000)
    #expect(model.observe(grid.told(ofVBlank: 4000)) == .duplicate)
    #expect(model.observe(grid.told(ofVBlank: 3990)) == .backward)
  }

  private func at(_ milliseconds: Int64) -> MonotonicTime { .zero + .milliseconds(milliseconds) }
}
