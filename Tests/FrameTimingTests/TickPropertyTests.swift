import LinuxSystem
import Testing

@testable import FrameTiming

/// What holds on every display, however bad. A scenario that breaks it is printed at its smallest.
@Suite struct TickPropertyTests {
  #if DEBUG
    static let ticks: UInt64 = 100_000
  #else
    static let ticks: UInt64 = 1_000_000
  #endif

  /// Stamps strictly increase, no interval is ticked twice, ticks and misses are the display's intervals, and nothing is
  /// predicted in the past.
  @Test func ticksAreTheDisplaysIntervals() {
    var ticks: UInt64 = 0
    var misses: UInt64 = 0
    var seed: UInt64 = 0
    while ticks < Self.ticks {
      let scenario = DisplayScenario.random(seed: seed, steps: 20)
      let result = scenario.play()
      ticks += result.ticks
      misses += result.misses
      if !result.isGood {
        let small = scenario.shrunk()
        Issue.record("\(small)\n\(small.play())")
        return
      }
      seed += 1
    }
    #expect(misses > ticks / 20, "the displays were too good")
  }
}
