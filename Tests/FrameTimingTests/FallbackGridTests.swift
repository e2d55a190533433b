import LinuxSystem
import Testing

@testable import FrameTiming

@Suite struct FallbackGridTests {
  @Test(arguments: [(60, 1), (60000, 1001), (24000, 1001), (144, 1)])
  func aMillionTicksDoNotDrift(_ fraction: (Int, Int)) throws {
    let rate = try #require(RefreshRate(numerator: Int64(fraction.0), denominator: Int64(fraction.1)))
    let start = MonotonicTime(nanoseconds: 123_456_789)
    var grid = FallbackGrid(rate: rate, start: start)
    var now = start
    var last = VBlank(timestamp: start, sequence: 0)
    var wrong = 0
    for _ in 0..<1_000_000 {
      // The timer is up to 0.8 intervals late, and a request comes up to that late.
      guard let fireTime = grid.request(now: now) else { break }
      now = fireTime + Nanoseconds(rate.interval.count * Int64(last.sequence % 9) / 10)
      guard let vblank = grid.fire(now: now) else { break }
      if vblank.sequence != last.sequence + 1 || vblank.timestamp > now { wrong += 1 }
      last = vblank
    }
    #expect(wrong == 0)
    #expect(last.sequence == 1_000_000)
    // 10⁶ intervals are 10⁶ · denominator / numerator seconds, to the nearest nanosecond.
    let exact = Int128(1_000_000) * Int128(rate.denominator) * 1_000_000_000
    let drift = Int128((last.timestamp - start).count) * Int128(rate.numerator) - exact
    #expect(abs(drift) * 2 <= Int128(rate.numerator))
  }

  @Test func aLateTimerReportsTheIdealStamp() throws {
    let rate = try #require(RefreshRate(numerator: 100, denominator: 1))
    var grid = FallbackGrid(rate: rate, start: .zero)
    #expect(grid.request(now: .zero) == at(10))
    #expect(grid.fire(now: at(19)) == VBlank(timestamp: at(10), sequence: 1))
    // The next request is for the next point of the grid, not for an interval after now.
    #expect(grid.request(now: at(19)) == at(20))
  }

  @Test func aStallGivesTheLatestPointAndNoBurst() throws {
    let rate = try #require(RefreshRate(numerator: 100, denominator: 1))
    var grid = FallbackGrid(rate: rate, start: .zero)
    _ = grid.request(now: .zero)
    #expect(grid.fire(now: at(57)) == VBlank(timestamp: at(50), sequence: 5))
    #expect(grid.fire(now: at(58)) == nil)
    #expect(grid.request(now: at(58)) == at(60))
    #expect(grid.request(now: at(58)) == nil)
    #expect(grid.fire(now: at(60)) == VBlank(timestamp: at(60), sequence: 6))
    #expect(grid.request(now: at(60)) == at(70))
  }

  @Test func aTimerThatIsEarlyDoesNotTickTwice() throws {
    let rate = try #require(RefreshRate(numerator: 100, denominator: 1))
    var grid = FallbackGrid(rate: rate, start: .zero)
    _ = grid.request(now: .zero)
    #expect(grid.fire(now: at(9)) == VBlank(timestamp: at(10), sequence: 1))
    #expect(grid.request(now: at(9)) == at(20))
  }

  private func at(_ milliseconds: Int64) -> MonotonicTime { .zero + .milliseconds(milliseconds) }
}
