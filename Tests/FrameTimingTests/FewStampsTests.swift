import LinuxSystem
import Simulation
import Testing

@testable import FrameTiming

/// The model while it has few stamps.
@Suite struct FewStampsTests {
  /// The grid jumps after one stamp, or after two: as many stamps on the other grid are enough to believe it.
  @Test(arguments: [1, 2] as [UInt64]) func asManyStampsAsTheGridStandsOnMoveIt(_ count: UInt64) throws {
    for part in [0.15, 0.3, 0.45] {
      let grid = SimulatedGrid(rate: .hertz5995, start: at(1000), seed: 4)
      let jump = Nanoseconds.seconds(part / 59.95)
      var model = VBlankModel(refreshRate: .hertz60)
      var wrong = 0
      for number: UInt64 in 1...12 {
        var told = grid.told(ofVBlank: number)
        if number > count { told.timestamp += jump }
        model.observe(told)
        guard number > count else { continue }
        let truth = grid.time(ofVBlank: number + 1) + jump
        let prediction = try #require(model.prediction(after: truth - .milliseconds(8)))
        if abs((prediction.timestamp - truth).count) > 150_000 { wrong += 1 }
      }
      #expect(wrong < count, "\(part)")
    }
  }

  /// One jump by a twentieth after five stamps, when the noise is hardly known.
  @Test func anEarlyJumpDoesNotBendThePeriod() {
    var errors: [Int64] = []
    for seed: UInt64 in 0..<50 {
      var grid = SimulatedGrid(rate: .hertz60, start: at(1000), seed: seed)
      grid.faults.noise = .microseconds(35)
      var model = VBlankModel(refreshRate: .hertz60)
      for number: UInt64 in 1...45 {
        var told = grid.told(ofVBlank: number)
        if number > 5 { told.timestamp += RefreshRate.hertz60.interval / 20 }
        model.observe(told)
      }
      errors.append(Int64(abs(model.period - RefreshRate.hertz60.exactInterval)))
    }
    #expect(errors.sorted()[25] < 1_500)
  }

  /// The first stamp, or one of the first, lies 40 % of an interval off: only what was predicted from it alone is wrong.
  @Test(arguments: [1, 2, 3] as [UInt64]) func anEarlyWildStampCostsOnePrediction(_ wild: UInt64) throws {
    for part in [-0.4, 0.4] {
      for isCounted in [true, false] {
        let grid = SimulatedGrid(rate: .hertz5995, start: at(1000), seed: 4)
        var model = VBlankModel(refreshRate: .hertz60)
        var wrong = 0
        for number: UInt64 in 1...12 {
          var stamp = grid.told(ofVBlank: number)
          if !isCounted { stamp.sequence = 0 }
          if number == wild { stamp.timestamp += .seconds(part / 59.95) }
          model.observe(stamp)
          let truth = grid.time(ofVBlank: number + 1)
          let prediction = try #require(model.prediction(after: truth - .milliseconds(8)))
          if abs((prediction.timestamp - truth).count) > 150_000 { wrong += 1 }
          if number > 3 { #expect(model.grid?.interval(at: prediction.timestamp + .milliseconds(1)) == Int64(number)) }
        }
        #expect(wrong <= 1, "\(part), counted \(isCounted)")
      }
    }
  }

  /// A display that runs at its nominal rate: a second ahead a period that was measured from few stamps is not better.
  @Test func theNominalRateHoldsUntilTheMeasuredOneIsBetter() throws {
    var errors: [Int64] = []
    for seed: UInt64 in 0..<50 {
      var grid = SimulatedGrid(rate: .hertz60, start: at(1000), seed: seed)
      grid.faults.noise = .microseconds(35)
      var model = VBlankModel(refreshRate: .hertz60)
      for number: UInt64 in 1...20 { model.observe(grid.told(ofVBlank: number)) }
      let truth = grid.time(ofVBlank: 80)
      errors.append(abs((try #require(model.prediction(after: truth - .milliseconds(8))).timestamp - truth).count))
    }
    #expect(errors.sorted()[47] < 130_000)
  }

  /// Some stamps of whole milliseconds in a row may be as even as those of a steady display at another rate. What is predicted from
  /// them is off by no more than eight times what it says.
  @Test func roundedStampsAreNotTakenForEvenOnes() throws {
    var worst = 0.0
    for (seed, hertz) in [24, 60, 75, 120, 144, 165].enumerated() {
      for part in [-0.002, -0.001, 0, 0.001, 0.002] {
        let nominal = RefreshRate.hertz(Int64(hertz))
        let actual = try #require(RefreshRate(hertz: Double(hertz) * (1 + part)))
        var grid = SimulatedGrid(rate: actual, start: at(1000) + .microseconds(130 * Int64(seed)), seed: UInt64(seed))
        grid.faults.stampStep = .milliseconds(1)
        var model = VBlankModel(refreshRate: nominal)
        for number: UInt64 in 1...60 {
          model.observe(grid.told(ofVBlank: number))
          guard number > 3 else { continue }
          for ahead in [1, 10, 100, 300] as [UInt64] {
            let interval = try #require(model.interval(of: grid.told(ofVBlank: number))) + Int64(ahead)
            let prediction = try #require(model.grid?.prediction(ofInterval: interval))
            // On average a stamp is half a step early.
            let truth = grid.time(ofVBlank: number + ahead) - .microseconds(500)
            worst = max(worst, Double((prediction.timestamp - truth).count.magnitude) / Double(prediction.uncertainty.count))
          }
        }
      }
    }
    #expect(worst < 8)
  }

  private func at(_ milliseconds: Int64) -> MonotonicTime { .zero + .milliseconds(milliseconds) }
}
