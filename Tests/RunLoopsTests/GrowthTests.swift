import Glibc
import LinuxSystem
import LoopTestSupport
import Testing

@testable import RunLoops

/// What one of many items costs does not grow with their number.
@Suite struct GrowthTests {
  @Test func aDelayedPerformerCostsTheSameAmongMany() throws {
    try expectNoGrowth { count in
      let scenario = Scenario()
      for index in 0..<count { try scenario.loop.perform(after: .microseconds(Int64(index))) {} }
      scenario.run(until: 1_000)
      #expect(scenario.words.description == "→finished")
    }
  }

  @Test func aCommonItemCostsTheSameAmongMany() throws {
    try expectNoGrowth { count in
      let scenario = Scenario()
      let timers = (0..<count).map { _ in FrameLoop.Timer(fireTime: .distantFuture, .onLoop { _ in }) }
      for timer in timers { scenario.loop.add(timer, to: .common) }
      // The order that an array likes least.
      for timer in timers.reversed() { timer.invalidate() }
      scenario.run(until: 1)
      #expect(scenario.words.description == "→finished")
    }
  }

  /// Measures the thread's own processor time, which other programs do not lengthen. Sixteen times as many items may cost five
  /// times as much each, for the caches' sake; what looks at all of them for each costs sixteen times as much.
  private func expectNoGrowth(_ body: (Int) throws -> Void) throws {
    let few = try cost(of: 1_000, body)
    let many = try cost(of: 16_000, body)
    #expect(many < 5 * few, "\(few) ns each of 1,000, \(many) ns each of 16,000")
  }

  /// Nanoseconds of processor time for each item; the least of three.
  private func cost(of count: Int, _ body: (Int) throws -> Void) throws -> Int {
    try (0..<3).map { _ in
      let start = threadTime()
      try body(count)
      return (threadTime() - start) / count
    }.min() ?? 0
  }

  private func threadTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
