import CPeers
import FrameTiming
import LinuxSystem
import Metering
import RunLoops

/// Measures the display link and the fallback clock on a loop.
@MainActor
enum LinkBenchmarks {
  static let all = Benchmark(name: "link") { [try tickLateness(), steadyFrame(), try drift()] }

  private static func rate(_ hertz: Double) throws -> RefreshRate {
    guard let rate = RefreshRate(hertz: hertz) else { throw BenchmarkError("\(hertz) Hz is no refresh rate") }
    return rate
  }

  /// The lateness of a tick, from its time on the grid to the link's handler, compared with a minimal loop: medians of five
  /// rounds of 60 ticks each at 120 Hz, in real time.
  private static func tickLateness() throws -> Result {
    let rate = try rate(120)
    let ticks = 60
    return try Harness.best {
      var ours: [Double] = []
      var peer: [Double] = []
      for _ in 0..<Harness.rounds {
        ours.append(Harness.median(linkLateness(ticks: ticks, rate: rate)))
        var lateness = [Int64](repeating: 0, count: ticks)
        let error = peer_tick_loop(rate.interval.count, Int32(ticks), &lateness)
        guard error == 0 else { throw SystemError(call: "timerfd", errno: error) }
        peer.append(Harness.median(lateness.map(Double.init)))
      }
      return Result(
        name: "tick lateness, 120 Hz", unit: .nanoseconds, ours: Harness.median(ours),
        peer: Harness.median(peer), limit: 1.35)
    }
  }

  private static func linkLateness(ticks: Int, rate: RefreshRate) -> [Double] {
    let loop = FrameLoop.main
    let clock = FallbackClock(refreshRate: rate, reason: "benchmark", clock: loop.clock)
    let ticker = DisplayTicker(source: clock)
    var lateness: [Double] = []
    lateness.reserveCapacity(ticks)
    let link = DisplayLink(ticker: ticker) { link in
      guard let tick = link.tick else { return }
      lateness.append(Double((tick.delivered - tick.timestamp).count))
      if lateness.count == ticks { loop.stop() }
    }
    link.add(to: loop, mode: .default)
    loop.run(mode: .default)
    link.invalidate()
    ticker.invalidate()
    return lateness
  }

  /// The allocations of a frame in loop, link, clock and meter, on manual time.
  private static func steadyFrame() -> Result {
    let manual = ManualClock(start: MonotonicTime(nanoseconds: 1_000_000_000))
    let loop = FrameLoop(clock: .manual(manual))
    guard let rate = RefreshRate(hertz: 60) else { preconditionFailure("60 Hz is a refresh rate") }
    let clock = FallbackClock(refreshRate: rate, reason: "benchmark", clock: loop.clock)
    let ticker = DisplayTicker(source: clock)
    let meter = FPSMeter(refreshRate: rate)
    let link = DisplayLink(ticker: ticker) { link in
      guard let tick = link.tick else { return }
      meter.record(.tick(tick))
      var record = FrameRecord()
      record.frameNumber = tick.frameNumber
      record.tickTimestamp = tick.timestamp
      record.target = tick.targetTimestamp
      record.presented = tick.targetTimestamp
      meter.record(.committed(record))
      meter.record(.presented(record))
    }
    link.add(to: loop, mode: .default)
    defer { ticker.invalidate() }
    return Harness.allocations("allocations: loop, link, meter", frames: 1_000) {
      loop.run(mode: .default, until: loop.clock.now + rate.interval)
    }
  }

  /// The distance of the fallback clock from its grid after a million ticks of 59.94 Hz, in nanoseconds.
  private static func drift() throws -> Result {
    let ticks: Int64 = 1_000_000
    guard let rate = RefreshRate(numerator: 60_000, denominator: 1_001) else { throw BenchmarkError("59.94 Hz is a rate") }
    let manual = ManualClock(start: MonotonicTime(nanoseconds: 123_456_789))
    let loop = FrameLoop(clock: .manual(manual))
    let clock = FallbackClock(refreshRate: rate, reason: "benchmark", clock: loop.clock)
    let ticker = DisplayTicker(source: clock)
    var count: Int64 = 0
    var last = MonotonicTime.zero
    let link = DisplayLink(ticker: ticker) { link in
      count += 1
      last = link.timestamp
      if count == ticks { loop.stop() }
    }
    link.add(to: loop, mode: .default)
    loop.run(mode: .default)
    ticker.invalidate()
    // The expected time is worked out by hand: 10⁶ × 1001 / 60000 s is 16 683 333 333 333⅓ ns.
    let expected: Int64 = 123_456_789 + 16_683_333_333_333
    return Result(
      name: "ns of drift, 10⁶ ticks at 59.94 Hz", unit: .count, ours: Double(abs(last.nanoseconds - expected)),
      peer: nil, limit: 0)
  }
}

/// A missing precondition of a benchmark.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
