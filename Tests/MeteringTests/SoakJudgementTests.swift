import Glibc
import LinuxSystem
import TestLength
import Testing

@testable import Metering

/// The judge of long runs, on series that were made up.
@Suite struct SoakJudgementTests {
  /// A run of an hour with a sample in every six seconds, at 60 Hz. Values that are not named stay as they are.
  private func judge(
    count: Int = 600, memory: (Int) -> Double = { _ in 100e6 }, descriptors: (Int) -> Int = { _ in 30 },
    threads: (Int) -> Int = { _ in 8 }, lost: (Int) -> Int = { _ in 0 },
    late: (Int) -> Int = { _ in 0 }
  ) -> SoakJudgement? {
    SoakJudgement(
      (0..<count).map { index in
        SoakSample(
          time: .seconds(Double(index) * 6),
          process: ProcessFigures(
            residentMemory: Int(memory(index)), descriptors: descriptors(index), descriptorLimit: 1024,
            threads: threads(index), processorTime: .zero),
          presented: index * 360 - lost(index), late: late(index), wanted: index * 360)
      })
  }

  @Test func aSteadyRunHasNoFindings() throws {
    let judgement = try #require(judge())
    #expect(judgement.findings.isEmpty)
    #expect(judgement.memoryPerHour == 0)
    #expect(abs(judgement.span.seconds - 3240) < 12)
  }

  /// 1 KiB a frame, under noise that is a hundred times as large as what a sample brings.
  @Test func aLeakOfAKibibyteAFrameIsFound() throws {
    for seed in 0..<UInt64(isLongRun ? 1000 : 50) {
      var random = SplitMix64(seed: seed)
      let judgement = try #require(
        judge(memory: { 100e6 + Double($0) * 360 * 1024 + .random(in: 0...30e6, using: &random) }))
      guard case .memory(let perHour)? = judgement.findings.first, judgement.findings.count == 1 else {
        Issue.record("seed \(seed): \(judgement.findings)")
        continue
      }
      // 221 MB an hour.
      #expect(abs(perHour / (3600 * 60 * 1024) - 1) < 0.05, "seed \(seed)")
    }
  }

  /// A run with 600 samples of memory, by the time in seconds.
  private func judge(length: Double, memory: (Double) -> Double) throws -> SoakJudgement {
    let samples = (1...600).map { index in
      let time = length * Double(index) / 600
      return SoakSample(
        time: .seconds(time),
        process: ProcessFigures(
          residentMemory: Int(memory(time)), descriptors: 30, descriptorLimit: 1024, threads: 8, processorTime: .zero),
        presented: index, late: 0, wanted: index)
    }
    return try #require(SoakJudgement(samples))
  }

  /// Growth in less than half an hour may be that of a cache: nothing is found, and nothing is called steady.
  @Test func growthInAShortRunIsUndecided() throws {
    for length in [30.0, 60, 600, 1500] {
      for megabytes in [2.0, 20, 2000] {
        let judgement = try judge(length: length) { 50e6 + $0 / length * megabytes * 1e6 }
        #expect(judgement.findings.isEmpty && judgement.undecided.count == 1, "\(megabytes) MB in \(length) s")
        // Soon full.
        let full = try judge(length: length) { 50e6 + min($0 / length * 2, 1) * megabytes * 1e6 }
        #expect(full.findings.isEmpty && full.undecided.isEmpty, "\(megabytes) MB in \(length) s")
      }
    }
    let steady = try judge(length: 60) { _ in 50e6 }
    #expect(steady.findings.isEmpty && steady.undecided.isEmpty)
  }

  /// Caches of any size that fill in the course of a run, ever more slowly or at one rate until they are full, with noise: none is a leak.
  @Test func aCacheThatFillsIsNoLeak() throws {
    for seed in 0..<UInt64(isLongRun ? 20_000 : 300) {
      var random = SplitMix64(seed: seed)
      let length = Double.random(in: 30...600, using: &random) * 60
      let size = pow(10, Double.random(in: 6...9, using: &random))
      let noise = size * pow(10, Double.random(in: -5 ... -2.5, using: &random))
      let time = length * pow(10, Double.random(in: -2...0, using: &random))
      let isSlowing = Bool.random(using: &random)
      let judgement = try judge(length: length) { now in
        let filled = isSlowing ? 1 - exp(-now / (time * 0.27)) : min(now / (time * 0.75), 1)
        return 50e6 + size * filled + .random(in: 0...noise, using: &random)
      }
      #expect(
        judgement.findings.isEmpty && judgement.undecided.isEmpty,
        "seed \(seed): \(size / 1e6) MB in \(time) s of \(length) s, slowing \(isSlowing): \(judgement.findings)")
    }
  }

  /// Steady leaks of 2 MB and more in a run, beside a cache that is full after a third of it, with noise: each is found.
  @Test func aSteadyLeakIsAlwaysFound() throws {
    for seed in 0..<UInt64(isLongRun ? 20_000 : 300) {
      var random = SplitMix64(seed: seed)
      let length = Double.random(in: 30...600, using: &random) * 60
      let leak = pow(10, Double.random(in: 6.3...9, using: &random))
      let noise = leak * pow(10, Double.random(in: -4 ... -0.5, using: &random))
      let cache = leak * Double.random(in: 0...4, using: &random)
      let judgement = try judge(length: length) { now in
        50e6 + leak * now / length + cache * min(now / length * 3, 1) + .random(in: 0...noise, using: &random)
      }
      guard case .memory(let perHour)? = judgement.findings.first else {
        Issue.record("seed \(seed): \(leak / 1e6) MB in \(length) s, noise \(noise / 1e6) MB")
        continue
      }
      #expect(perHour > 0.8 * leak / length * 3600, "seed \(seed)")
    }
  }

  /// A cache that fills and is emptied, whatever its period within a block.
  @Test func aSawtoothIsNoLeak() throws {
    for period in 5...45 {
      let judgement = try #require(judge(memory: { 100e6 + Double($0 % period) * 1e6 }))
      #expect(judgement.findings.isEmpty, "period \(period): \(judgement.findings)")
    }
  }

  /// A leak below a sawtooth is one.
  @Test func aLeakBelowASawtoothIsFound() throws {
    for period in 5...40 {
      let judgement = try #require(judge(memory: { 100e6 + Double($0 % period) * 1e6 + Double($0) * 100_000 }))
      #expect(judgement.findings.count == 1, "period \(period)")
    }
  }

  /// Memory that fills up and stays full is none: by then all that is kept is there.
  @Test func memoryThatFillsUpIsNoLeak() throws {
    #expect(try #require(judge(memory: { 100e6 + 50e6 * (1 - exp(-Double($0) / 80)) })).findings.isEmpty)
    #expect(try #require(judge(memory: { 100e6 + min(Double($0), 300) * 1e5 })).findings.isEmpty)
    // A step, such as a second scene that is loaded.
    #expect(try #require(judge(memory: { $0 < 300 ? 100e6 : 160e6 })).findings.isEmpty)
    #expect(try #require(judge(memory: { 100e6 + min(Double($0), 450) * 1e5 })).findings.isEmpty)
  }

  /// Noise alone: of a thousand such series, one may be taken for a leak in each of five figures.
  @Test func noiseIsNoLeak() throws {
    let runs = isLongRun ? 5000 : 300
    var alarms = 0
    for seed in 0..<UInt64(runs) {
      var random = SplitMix64(seed: seed)
      let judgement = try #require(judge(memory: { _ in 100e6 + .random(in: 0...40e6, using: &random) }))
      alarms += judgement.findings.count
    }
    #expect(Double(alarms) <= 2 + Double(runs) * 0.004)
  }

  @Test func growthBelowAMebibyteIsNotToldOf() throws {
    #expect(try #require(judge(memory: { 100e6 + Double($0) * 1000 })).findings.isEmpty)
  }

  @Test func aDescriptorLeakIsFound() throws {
    // One in five minutes, beside files that come and go.
    let judgement = try #require(judge(descriptors: { 30 + $0 / 50 + $0 % 3 }))
    guard case .descriptors(let perHour)? = judgement.findings.first else { return #expect(Bool(false)) }
    #expect(abs(perHour - 12) < 2)
    #expect(judgement.findings.count == 1)
    #expect(try #require(judge(descriptors: { 30 + $0 % 7 })).findings.isEmpty)
  }

  @Test func threadsThatAreLeftAreFound() throws {
    let judgement = try #require(judge(threads: { 8 + $0 / 60 }))
    guard case .threads? = judgement.findings.first else { return #expect(Bool(false)) }
  }

  /// A tenth of the frames is lost by the end.
  @Test func framesThatBecomeFewerAreFound() throws {
    let judgement = try #require(judge(lost: { $0 * $0 * 36 / 1200 }))
    guard case .frameRate(let first, let last)? = judgement.findings.first else { return #expect(Bool(false)) }
    #expect(first > 0.97 && last < 0.95)
    // A tenth is lost all the time: no drift.
    #expect(try #require(judge(lost: { $0 * 36 })).findings.isEmpty)
  }

  /// Frames are wanted all the time, and none is seen in the last fifth of it.
  @Test func framesThatEndAreFound() throws {
    let judgement = try #require(judge(lost: { max(0, $0 - 480) * 360 }))
    guard case .frameRate(_, let last)? = judgement.findings.first else { return #expect(Bool(false)) }
    #expect(judgement.judgesFrames && last == 0)
  }

  /// As many frames as ever, of which a tenth is late by the end.
  @Test func framesThatBecomeLaterAreFound() throws {
    let judgement = try #require(judge(late: { $0 * $0 * 36 / 1200 }))
    guard case .lateFrames(let first, let last)? = judgement.findings.first, judgement.findings.count == 1 else {
      return #expect(Bool(false), "\(judgement.findings)")
    }
    #expect(first < 0.03 && last > 0.05)
    #expect(judgement.findings[0].description.hasPrefix("more frames are late: "))
    // A tenth is late all the time: no drift.
    #expect(try #require(judge(late: { $0 * 36 })).findings.isEmpty)
  }

  /// In ten minutes nothing is wanted: nothing is said of frames, whatever they did.
  @Test func framesAreJudgedOnlyIfSomeWereWantedAllTheTime() throws {
    #expect(try #require(judge()).judgesFrames)
    let samples = (0..<600).map { index in
      let wanted = (index < 300 ? index : max(300, index - 100)) * 360
      return SoakSample(
        time: .seconds(Double(index) * 6),
        process: ProcessFigures(
          residentMemory: 100_000_000, descriptors: 30, descriptorLimit: 1024, threads: 8, processorTime: .zero),
        presented: wanted - index * index * 36 / 1200, late: 0, wanted: wanted)
    }
    let judgement = try #require(SoakJudgement(samples))
    #expect(!judgement.judgesFrames && judgement.findings.isEmpty)
  }

  @Test func tooFewSamplesAreNotJudged() {
    #expect(judge(count: 0) == nil)
    #expect(judge(count: 1) == nil)
    #expect(judge(count: 25) == nil)
    #expect(judge(count: 30) != nil)
  }

  /// A thread more in every second to fourth block, whatever block it begins in, is found: counts rise in steps.
  @Test(arguments: 2...4) func stepsOfCountsAreATrend(_ step: Int) {
    for phase in 0..<step {
      #expect(Trend(floors: (0..<12).map { Double(($0 + phase) / step) }).rises(by: 2), "from \(phase)")
    }
  }

  /// By hand: floors 0 to 11 have 66 pairs that rise; variance 12·11·29/18 = 212.67, z = 65/14.583 = 4.457.
  @Test func theTrendIsTheTextbooks() throws {
    let rising = Trend(floors: (0..<12).map(Double.init))
    #expect(rising.slope == 1)
    #expect(abs(rising.chance - 4.153e-6) < 1e-8)
    #expect(Trend(floors: [Double](repeating: 5, count: 12)).chance == 1)
    // The slopes of 1, 2, 9 and 4 are 1, 7, 4, -5, 1, 1: median 1.
    #expect(Trend.theilSen([1, 2, 9, 4]) == 1)
    // Ties: 1, 1, 2 has a score of 2 and a variance of (3·2·11 - 2·1·9)/18 = 2.667; z = 1/1.633 = 0.612.
    #expect(abs(Trend.mannKendall([1, 1, 2]) - 0.2701) < 1e-3)
  }
}
