import LinuxSystem
import Testing

@testable import FrameTiming

@Suite struct RecentDurationsTests {
  @Test func keepsTheNewestInOrder() {
    for seed in 0..<20 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var durations = RecentDurations()
      var expected: [Int64] = []
      for _ in 0..<500 {
        switch Int.random(in: 0..<40, using: &random) {
        case 0:
          durations.keepNewest(3)
          expected = expected.suffix(3)
        case 1, 2:
          durations.removeOldest()
          expected = Array(expected.dropFirst())
        default:
          // Few values, so that many are equal.
          let value = Int64.random(in: 0...30, using: &random)
          durations.add(Nanoseconds(value))
          expected = (expected + [value]).suffix(64)
        }
        let sorted = (0..<durations.count).map { durations[$0].count }
        #expect(sorted == expected.sorted(), "seed \(seed)")
      }
    }
  }

  @Test func takesAnyDuration() {
    var durations = RecentDurations()
    durations.add(Nanoseconds(.max))
    durations.add(Nanoseconds(.min))
    #expect(durations[0] == .zero)
    #expect(durations[1] == .seconds(2))
  }
}
