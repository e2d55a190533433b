import FrameTiming
import Glibc
import LinuxSystem
import TestLength
import Testing

@testable import Metering

@Suite struct ProfileComparisonTests {
  private static let budget = Nanoseconds.microseconds(16_667)

  /// Frames of a scene on a machine: each phase has a time of its own, frames that follow each other are alike, the scene makes
  /// some phases longer for a while, and now and then a frame is held up.
  private static func run(_ seed: UInt64, frames: Int = 600, factors: [FrameRecord.Phase: Double] = [:])
    -> [FrameRecord.PhaseDurations]
  {
    var random = SplitMix64(seed: seed)
    func normal() -> Double {
      let (one, two) = (Double.random(in: 1e-12..<1, using: &random), Double.random(in: 0..<1, using: &random))
      return (-2 * log(one)).squareRoot() * cos(2 * .pi * two)
    }
    let usual: [FrameRecord.Phase: Double] = [
      .input: 0.1, .callbacks: 0.4, .layout: 0.2, .display: 0.9, .wait: 0.6, .animate: 0.2, .diff: 0.1, .composite: 4,
      .present: 0.1,
    ]
    var drift: [FrameRecord.Phase: Double] = [:]
    return (0..<frames).map { number in
      var durations = FrameRecord.PhaseDurations()
      for phase in FrameRecord.Phase.allCases {
        // The neighbour's deviation counts 0.8, so that frames ten apart are nearly independent.
        drift[phase] = 0.8 * (drift[phase] ?? 0) + 0.6 * normal()
        let scene = phase == .display ? 1 + 0.3 * sin(Double(number) / 40) : 1
        let stall = random.chance(0.01) ? 8.0 : 1
        let time = (usual[phase] ?? 0) * scene * exp(0.06 * (drift[phase] ?? 0)) * stall * (factors[phase] ?? 1)
        durations[phase] = .seconds(time / 1000)
      }
      return durations
    }
  }

  private static func compare(
    _ before: [FrameRecord.PhaseDurations], _ after: [FrameRecord.PhaseDurations], limit: Double = 0.05
  ) -> ProfileComparison {
    ProfileComparison(before: before, after: after, limit: limit, budget: budget)
  }

  /// Runs that are alike differ in at most 1 % of comparisons: 1,000 of them, in all phases together. (A short run takes 150.)
  @Test func falseAlarmsAreAsRareAsStated() {
    let count = isLongRun ? 1000 : 150
    let base = UInt64(isLongRun ? 0 : runSeed * 1000)
    var (differences, regressions) = (0, 0)
    for seed in 0..<UInt64(count) {
      let comparison = Self.compare(Self.run(base + 2 * seed), Self.run(base + 2 * seed + 1), limit: 0)
      // Most phases are too short for a change that counts: differences of any size do here.
      differences += comparison.rows.contains { $0.probability < ProfileComparison.level } ? 1 : 0
      regressions += comparison.regressions.isEmpty ? 0 : 1
    }
    print(
      "seed \(base): \(differences) differences and \(regressions) regressions in \(count) comparisons of runs that are alike"
    )
    // The expected number and four standard deviations.
    let most = Double(count) * 0.01 + 4 * (Double(count) * 0.01 * 0.99).squareRoot()
    #expect(Double(differences) <= most && Double(regressions) <= most)
  }

  /// A phase that takes 10 % longer is found in nearly all comparisons, and fails one with a limit of 5 % in most.
  @Test func aTenthMoreIsFound() {
    let count = isLongRun ? 300 : 50
    let base = UInt64(runSeed * 1000)
    var (found, failed, others) = (0, 0, 0)
    for seed in 0..<UInt64(count) {
      let comparison = Self.compare(
        Self.run(base + 2 * seed), Self.run(base + 2 * seed + 1, factors: [.composite: 1.1]))
      let composite = comparison.rows[Int(FrameRecord.Phase.composite.rawValue)]
      found += composite.change == .longer ? 1 : 0
      failed += composite.isRegression ? 1 : 0
      others += comparison.rows.contains { $0.phase != nil && $0.phase != .composite && $0.change.isFelt } ? 1 : 0
    }
    print("seed \(base): a tenth more was found in \(found), and failed \(failed), of \(count) comparisons")
    #expect(found * 100 >= count * 95 && failed * 100 >= count * 30 && others * 100 <= count * 8)
  }

  /// A growth that just reaches the limit fails as rarely as none.
  @Test func theLimitItselfDoesNotFail() {
    let count = isLongRun ? 1000 : 100
    let base = UInt64(runSeed * 1000)
    let failed = (0..<UInt64(count)).count { seed in
      let after = Self.run(base + 2 * seed + 1, factors: [.composite: 1.05])
      return Self.compare(Self.run(base + 2 * seed), after).rows[7].isRegression
    }
    #expect(failed <= count / 25, "seed \(base)")
  }

  @Test func theSameRunTwice() {
    let run = Self.run(7)
    let comparison = Self.compare(run, run, limit: 0)
    #expect(comparison.rows.allSatisfy { $0.change == .same && $0.superiority == 0.5 && $0.growth == 0 && !$0.isRegression })
    #expect(
      comparison.rows.map(\.name) == [
        "input", "callbacks", "layout", "display", "async wait", "animate", "diff", "composite", "present", "all",
      ])
  }

  @Test func shorterIsNoRegression() {
    let comparison = Self.compare(Self.run(1), Self.run(2, factors: [.composite: 0.5]))
    #expect(comparison.rows[7].change == .shorter && comparison.rows[9].change == .shorter)
    #expect(comparison.regressions.isEmpty)
  }

  /// Twice of 10 µs is no difference in a frame of 16.7 ms.
  @Test func whatNobodyFeelsIsNoDifference() {
    func flat(_ time: Nanoseconds) -> [FrameRecord.PhaseDurations] {
      (0..<200).map { number in
        var durations = FrameRecord.PhaseDurations()
        durations[.layout] = time + Nanoseconds(Int64(number))
        return durations
      }
    }
    let small = Self.compare(flat(.microseconds(10)), flat(.microseconds(20)))
    #expect(small.rows[2].change == .tooSmall && small.regressions.isEmpty && small.rows[2].probability < 1e-6)
    let large = Self.compare(flat(.microseconds(200)), flat(.microseconds(400)))
    #expect(large.rows[2].change == .longer && large.regressions.map(\.name) == ["layout", "all"])
  }

  @Test func blocksAreMedians() {
    #expect(ProfileComparison.blocks((0..<207).map(Double.init)) == (0..<20).map { Double($0) * 10 + 4.5 })
  }

  // MARK: - The test

  /// Worked by hand: 3, 4, 2, 6, 2, 5 and 9, 7, 5, 10, 6, 8 have the rank sums 23 and 55 of 78, so that 34 of 36 pairs are won.
  @Test func ranksWorkedByHand() {
    let test = RankTest([3, 4, 2, 6, 2, 5], [9, 7, 5, 10, 6, 8])
    #expect(test.superiority == 34.0 / 36)
    // Three pairs of ties: the variance is 3 · (13 - 18/132).
    let variance: Double = 3 * (13 - 18.0 / 132)
    let deviations: Double = 15.5 / variance.squareRoot()
    #expect(abs(test.probability - erfc(deviations / 2.0.squareRoot())) < 1e-12)
    #expect(abs(test.probabilityOfIncrease - test.probability / 2) < 1e-12)
    #expect(RankTest([1, 1], [1, 1]) == RankTest([2], [2]))
    #expect(RankTest([1, 2, 3], [4, 5, 6]).superiority == 1 && RankTest([4, 5, 6], [1, 2, 3]).superiority == 0)
  }

  /// Holm: the smallest times the number of tests, the next times one less, and none below the one before.
  @Test func correctionWorkedByHand() {
    #expect(RankTest.corrected([0.01, 0.04, 0.03, 0.005]) == [0.03, 0.06, 0.06, 0.02])
    #expect(RankTest.corrected([0.5, 0.9]) == [1, 1] && RankTest.corrected([]) == [])
  }
}
