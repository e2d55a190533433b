import LinuxSystem
import TestLength
import Testing

@testable import FrameTiming

@Suite struct FallbackGridTests {
  @Test(arguments: [RefreshRate.hertz(60), .hertz(60000, over: 1001), .hertz(24000, over: 1001), .hertz(144)])
  func ticksDoNotDrift(_ rate: RefreshRate) {
    let count = isLongRun ? 1_000_000 : 50_000
    let start = MonotonicTime(nanoseconds: 123_456_789)
    var grid = FallbackGrid(rate: rate, start: start)
    var now = start
    var last = VBlank(timestamp: start, sequence: 0)
    var wrong = 0
    for _ in 0..<count {
      // The timer is up to 0.8 intervals late, and a request comes up to that late.
      guard let fireTime = grid.request(now: now) else { break }
      now = fireTime + Nanoseconds(rate.interval.count * Int64(last.sequence % 9) / 10)
      guard let vblank = grid.fire(now: now) else { break }
      if vblank.sequence != last.sequence + 1 || vblank.timestamp > now { wrong += 1 }
      last = vblank
    }
    #expect(wrong == 0)
    #expect(last.sequence == count)
    // n intervals are n · denominator / numerator seconds, to the nearest nanosecond.
    let exact = Int128(count) * Int128(rate.denominator) * 1_000_000_000
    let drift = Int128((last.timestamp - start).count) * Int128(rate.numerator) - exact
    #expect(abs(drift) * 2 <= Int128(rate.numerator))
  }

  /// A late timer reports the ideal stamp, a stall gives the latest point and no burst, and an early timer does not tick twice.
  @Test(arguments: [(19, 1, 20), (57, 5, 60), (9, 1, 20)] as [(Int64, Int64, Int64)])
  func aTimerThatIsNotOnTime(_ fired: Int64, _ point: Int64, _ next: Int64) {
    var grid = FallbackGrid(rate: .hundred, start: .zero)
    #expect(grid.request(now: .zero) == at(10))
    #expect(grid.fire(now: at(fired)) == VBlank(timestamp: at(10 * point), sequence: UInt64(point)))
    #expect(grid.fire(now: at(fired)) == nil)
    #expect(grid.request(now: at(fired)) == at(next))
    #expect(grid.request(now: at(fired)) == nil)
    #expect(grid.fire(now: at(next)) == VBlank(timestamp: at(next), sequence: UInt64(next / 10)))
  }

  private func at(_ milliseconds: Int64) -> MonotonicTime { .zero + .milliseconds(milliseconds) }
}
