import CPeers
import Glibc
import Hangs
import LinuxSystem
import RunLoops
import Synchronization

/// Measures what a monitor of hangs costs the loop that it watches.
enum HangBenchmarks {
  static let all = Benchmark(name: "hangs", peers: ["beside"]) {
    let monitor = try HangMonitor()
    defer { monitor.stop() }
    let (plain, watched) = (try Turns(), try Turns())
    monitor.watch(watched.loop)
    let clock = Harness.perCall { for _ in 0..<$0 { Harness.blackHole(SystemClock.monotonic.now) } }
    var plainTurn = Double.nan
    // 0.5 to 1.3 were measured beside other work.
    let watching = Harness.best {
      var (plainTimes, differences): ([Double], [Double]) = ([], [])
      for _ in 0..<3 * Harness.rounds {
        plainTimes.append(plain.run())
        differences.append(watched.run() - (plainTimes.last ?? .nan) - clock)
      }
      plainTurn = Harness.median(plainTimes)
      return Result(
        name: "watching it, beside a reading of the clock", unit: .nanoseconds, ours: Harness.median(differences),
        peer: clock, limit: 4)
    }
    // The loops sleep now. The monitor has seen that at the time at which their last turn would have become slow.
    usleep(600_000)
    let before = monitor.counts.wakeUps
    usleep(1_000_000)
    let wakeUps = Double(monitor.counts.wakeUps - before)
    return [
      Result(name: "a turn of a loop", unit: .nanoseconds, ours: plainTurn, peer: nil, limit: nil), watching,
      Result(name: "wake-ups of the monitor in a second of sleep", unit: .count, ours: wakeUps, peer: nil, limit: 0),
      try Harness.best { try stop() },
      signal(),
    ]
  }

  /// A loop with a pipe that has something to read, so that each turn waits in the kernel and wakes.
  private final class Turns {
    let loop = FrameLoop(clock: .monotonic)
    private let (end, otherEnd): (Int32, Int32)
    private let left = Counter()
    private static let count = 20_000

    private final class Counter: Sendable {
      let value = Atomic<Int>(0)
    }

    init() throws {
      var ends: [Int32] = [-1, -1]
      var byte: UInt8 = 0
      guard pipe(&ends) == 0, write(ends[1], &byte, 1) == 1 else { throw BenchmarkError("a pipe: error \(errno)") }
      (end, otherEnd) = (ends[0], ends[1])
      let (loop, left) = (loop, left)
      let source = FrameLoop.DescriptorSource(
        descriptor: end, events: .readable,
        .onLoop { _, _ in
          let rest = left.value.load(ordering: .relaxed) - 1
          left.value.store(rest, ordering: .relaxed)
          if rest == 0 { loop.stop() }
        })
      loop.add(source, to: .common)
      _ = run()
    }

    deinit {
      close(end)
      close(otherEnd)
    }

    /// - Returns: the processor time of a turn.
    func run() -> Double {
      left.value.store(Self.count, ordering: .relaxed)
      return Harness.processorTime { loop.run() } / Double(Self.count)
    }
  }

  /// The longest stop of a thread that hangs in a deep recursion, for one of some 40 samples, beside a copy of as many bytes.
  private static func stop() throws -> Result {
    let longest = Longest()
    var configuration = HangMonitor.Configuration()
    configuration.limits = HangDetector.Limits(
      countsFrom: .milliseconds(5), reportsFrom: .milliseconds(50), sampleInterval: .milliseconds(5))
    configuration.onReport = { report in
      if report.isOver, !report.isWhole { longest.stop.store(report.longestStop.count, ordering: .relaxed) }
    }
    let monitor = try HangMonitor(configuration)
    let loop = FrameLoop(clock: .monotonic)
    monitor.watch(loop)
    let end = loop.clock.now + .milliseconds(200)
    deep(4_000) { while loop.clock.now < end {} }
    loop.run(mode: .default, for: .milliseconds(1))
    monitor.stop()
    let stop = longest.stop.load(ordering: .relaxed)
    guard stop > 0 else { throw BenchmarkError("the stack is deeper than a sample, and was sampled") }

    let bytes = 128 * 1024
    var (from, to) = ([UInt8](repeating: 1, count: bytes), [UInt8](repeating: 0, count: bytes))
    let copy = Harness.perCall { repeats in
      for _ in 0..<repeats {
        memcpy(&to, &from, bytes)
        Harness.blackHole(to[0])
      }
    }
    return Result(
      name: "thread stopped for a sample of 128 KB, beside a copy", unit: .nanoseconds, ours: Double(stop), peer: copy,
      limit: 10)
  }

  private final class Longest: Sendable {
    let stop = Atomic<Int64>(0)
  }

  @inline(never)
  private static func deep(_ depth: Int, _ body: () -> Void) {
    if depth == 0 { body() } else { deep(depth - 1, body) }
    withExtendedLifetime(self) {}
    Harness.blackHole(depth)
  }

  /// The time of a signal whose handler does nothing.
  private static func signal() -> Result {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in }
    sigaction(SIGUSR2, &action, nil)
    return Harness.time("the signal for it, which comes to that", repeats: 10_000) { raise(SIGUSR2) }
  }
}
