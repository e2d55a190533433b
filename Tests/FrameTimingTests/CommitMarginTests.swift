import FrameTiming
import LinuxSystem
import Testing

@Suite struct CommitMarginTests {
  private let interval = Nanoseconds.milliseconds(16)

  /// Nobody asks a display to take a frame within a millisecond, and none needs more than an interval.
  @Test func leadsThatSayNothing() {
    var margin = CommitMargin()
    for lead in [Nanoseconds(-1), .zero, .microseconds(999), interval, .seconds(10)] {
      for _ in 0..<5 { margin.observe(lead: lead, isMissed: true, interval: interval) }
    }
    #expect(margin.value == .milliseconds(1))
    for _ in 0..<3 { margin.observe(lead: interval - Nanoseconds(1), isMissed: true, interval: interval) }
    #expect(margin.value == .microseconds(1_125))
  }

  /// As often as they like, and longer than any display needs: nothing overflows.
  @Test func missesAtEveryLead() {
    var margin = CommitMargin()
    for round in 0..<100_000 as Range<Int64> {
      margin.observe(lead: .microseconds(1_000 + round % 50 * 1_000), isMissed: true, interval: .seconds(1))
    }
    #expect(margin.value == .milliseconds(48))
  }

  @Test func whatWasLearnedIsTriedAgain() {
    var margin = CommitMargin()
    for _ in 0..<4 { margin.observe(lead: .milliseconds(9), isMissed: true, interval: interval) }
    #expect(margin.value == .microseconds(1_250))
    for expected in [1_250, 1_125, 1_000, 1_000] as [Int64] {
      #expect(margin.value == .microseconds(expected))
      for _ in 0..<4_096 { margin.observe(lead: .milliseconds(9), isMissed: false, interval: interval) }
    }
  }

  /// Whole intervals that a display is late by now and then, whenever frames are handed over: a larger margin would not help.
  @Test(arguments: [60, 144, 240] as [Double]) func hiccupsLeaveIt(hertz: Double) throws {
    let interval = try #require(RefreshRate(hertz: hertz)).interval
    for part in [0.001, 0.005, 0.01, 0.02, 0.05] {
      for spread in [0.0, 0.02, 0.15] {
        for seed in 0..<2 as Range<UInt64> {
          var random = SplitMix64(seed: seed)
          var margin = CommitMargin()
          var raised = 0
          for _ in 0..<5_000 {
            let lead = margin.value + .seconds(interval.seconds * spread * Double.random(in: 0...1, using: &random))
            margin.observe(lead: lead, isMissed: random.chance(part), interval: interval)
            if margin.value > .microseconds(1_125) { raised += 1 }
          }
          #expect(raised == 0, "\(hertz) Hz, \(part) of the frames, leads to \(spread), seed \(seed): \(raised) frames")
        }
      }
    }
  }

  /// A display that misses what is handed over later than it needs, and hiccups too.
  @Test(arguments: [24, 60, 144, 240, 360, 500] as [Double]) func whatADisplayNeedsIsLearned(hertz: Double) throws {
    let interval = try #require(RefreshRate(hertz: hertz)).interval
    for part in [0.2, 0.4, 0.6, 0.8, 0.9] {
      let needed = Nanoseconds.seconds(interval.seconds * part)
      for spread in [0.0, 0.02, 0.1] {
        for seed in 0..<2 as Range<UInt64> {
          var random = SplitMix64(seed: seed)
          var margin = CommitMargin()
          var early = 0
          var late = 0
          for frame in 0..<4_500 {
            let lead = margin.value + .seconds(interval.seconds * spread * Double.random(in: 0...1, using: &random))
            let isMissed = lead < needed
            margin.observe(lead: lead, isMissed: isMissed || random.chance(0.001), interval: interval)
            if isMissed, frame < 500 { early += 1 } else if isMissed { late += 1 }
          }
          let name = "\(hertz) Hz, needs \(needed), leads to \(spread), seed \(seed)"
          #expect(early <= 60, "\(name): \(early) of the first 500")
          #expect(late <= 4_000 / 100, "\(name): \(late) later")
          #expect(margin.value <= max(needed + needed / 7, .milliseconds(1)), "\(name): \(margin.value)")
        }
      }
    }
  }
}
