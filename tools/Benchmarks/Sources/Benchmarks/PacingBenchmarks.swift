import FrameTiming
import Framepace
import FramepaceTesting
import LinuxSystem
import Simulation

/// Compares the late start of frames with a start at the vblank: gains and costs in simulated time. The figures are the same
/// in every run.
@MainActor
enum PacingBenchmarks {
  static let all = Benchmark(name: "pacing", peers: ["at vblank", "sorting 64"], isSimulated: true) {
    let loads = [
      Load("steady", .steady, limits: (median: 6.4e6, missesInThousand: 5)),
      Load("noisy", .noisy, limits: (median: 6.4e6, missesInThousand: 5)),
      Load("drifting", .drifting, limits: (median: 6.4e6, missesInThousand: 5)),
      Load("overloaded", .overloaded, limits: nil),
      Load("flaky", .flaky, limits: nil),
    ]
    let records = try paced()
    return try loads.flatMap(results) + automaticInterval()
      + [cost(records), allocations(records), try wholeFrame()]
  }

  private static let frames = 100_000

  /// The work of frames at 60 Hz: 3 ± 0.6 ms with 9 ms in 2 % of the frames, or the overload of a simulated profile.
  private struct Load {
    let name: String
    let profile: DisplayProfile
    /// The limit of the median is the 99th percentile of work without spikes, which is 4.4 ms, plus 2 ms; in nanoseconds.
    let limits: (median: Double, missesInThousand: Double)?

    init(_ name: String, _ profile: DisplayProfile, limits: (median: Double, missesInThousand: Double)?) {
      self.name = name
      self.profile = profile
      self.limits = limits
    }

    @MainActor
    func stage(_ policy: FramePolicy) throws -> SimulatedStage {
      var work = SimulatedWork.spiky
      work.overload = profile.work.overload
      work.seed = 7
      return try SimulatedStage(policy, profile, work: work, seed: 2026)
    }
  }

  private struct Outcome {
    /// The time from the planned start to the vblank that showed the frame, for frames without a spike.
    var latency: [Double] = []
    /// The number of frames without a spike, and the number of late frames among them.
    var plain = 0.0
    var missed = 0.0
  }

  private static func play(_ load: Load, _ policy: FramePolicy) throws -> Outcome {
    let stage = try load.stage(policy)
    defer { stage.invalidate() }
    let interval = load.profile.refreshRate.interval
    let work = stage.application.work
    var outcome = Outcome()
    outcome.latency.reserveCapacity(frames)
    stage.run(frames: frames) { frame in
      guard !work.isSpike(frame: frame.frameNumber) else { return }
      outcome.plain += 1
      if frame.missedTarget(interval: interval) { outcome.missed += 1 }
      outcome.latency.append(Double((frame.presented - frame.start).count))
    }
    return outcome
  }

  private static func results(_ load: Load) throws -> [Result] {
    let (late, atVBlank) = (try play(load, .lateStart), try play(load, .vblank))
    func result(_ name: String, _ unit: Result.Unit, limit: Double?, _ figure: (Outcome) -> Double) -> Result {
      Result(
        name: "\(load.name), \(name)", unit: unit, ours: figure(late), peers: [figure(atVBlank)],
        gates: limit.map { [Gate(peer: nil, limit: $0)] } ?? [])
    }
    return [
      result("latency, median", .nanoseconds, limit: load.limits?.median) {
        Harness.percentile(50, of: $0.latency)
      },
      result("latency, p99", .nanoseconds, limit: nil) { Harness.percentile(99, of: $0.latency) },
      result("missed of 1000", .count, limit: load.limits?.missesInThousand) {
        $0.missed / $0.plain * 1000
      },
    ]
  }

  /// An application at 60 Hz. Its frames take 4 ms, then 20 ms for ten seconds. A second application takes about as long as
  /// an interval leaves, so that half of its frames are a little too slow, for a minute.
  private static func automaticInterval() throws -> [Result] {
    let second = 1e9
    let stage = try SimulatedStage(.vblank, .steady, work: SimulatedWork(mean: .milliseconds(4)), seed: 2026)
    defer { stage.invalidate() }
    let output = stage.engine.output
    output.automaticInterval = AutomaticInterval()
    var last = output.automaticInterval?.intervals
    var changes: [MonotonicTime] = []
    stage.onFrame = { [clock = stage.clock] _ in
      guard output.automaticInterval?.intervals != last else { return }
      last = output.automaticInterval?.intervals
      changes.append(clock.now)
    }
    func timeToChange(_ work: SimulatedWork) -> Double {
      changes.removeAll()
      stage.application.work = work
      let begun = stage.clock.now
      stage.run(for: .seconds(10))
      return changes.count == 1 ? Double((changes[0] - begun).count) : .infinity
    }
    stage.run(for: .seconds(5))
    let down = timeToChange(SimulatedWork(mean: .milliseconds(20)))
    let up = timeToChange(SimulatedWork(mean: .milliseconds(4)))
    changes.removeAll()
    stage.application.work = SimulatedWork(mean: .microseconds(14_600), deviation: .microseconds(800))
    stage.run(for: .seconds(60))
    return [
      Result(
        name: "interval, slower after", unit: .nanoseconds, ours: down, peers: [],
        gates: [Gate(peer: nil, limit: second)]),
      Result(
        name: "interval, faster after", unit: .nanoseconds, ours: up, peers: [],
        gates: [Gate(peer: nil, limit: second)]),
      Result(
        name: "interval, changes in 60 s", unit: .count, ours: Double(changes.count), peers: [],
        gates: [Gate(peer: nil, limit: 1)]),
    ]
  }

  private static func paced() throws -> [FrameRecord] {
    var records: [FrameRecord] = []
    let stage = try Load("steady", .steady, limits: nil).stage(.lateStart)
    stage.run(frames: 10_000) { records.append($0) }
    stage.invalidate()
    return records
  }

  /// Measures everything that the pacer does for a frame. The rival only sorts the last 64 values of work for a percentile.
  private static func cost(_ records: [FrameRecord]) -> Result {
    let interval = RefreshRate.hertz60.interval
    var pacer = FramePacer(policy: .lateStart)
    var sorted = SortedWork()
    func median(_ body: () -> Void) -> Double {
      Harness.median((0..<Harness.rounds).map { _ in Harness.processorTime(body) / Double(records.count) })
    }
    let ours = median { for record in records { pace(record, by: &pacer, interval: interval) } }
    let rival = median {
      for record in records {
        sorted.add(record.work)
        Harness.blackHole(sorted.percentile95)
      }
    }
    return Result(
      name: "the pacer, a frame", unit: .nanoseconds, ours: ours, peers: [nil, rival],
      gates: [Gate(peer: 1, limit: 1)])
  }

  private static func allocations(_ records: [FrameRecord]) -> Result {
    var pacer = FramePacer(policy: .lateStart)
    var index = 0
    return Harness.allocations("allocations in that", frames: 5_000) {
      pace(records[index % records.count], by: &pacer, interval: RefreshRate.hertz60.interval)
      index += 1
    }
  }

  /// Measures a frame with a late start, including all that an engine does for it.
  private static func wholeFrame() throws -> Result {
    let stage = try ManualStage(width: 64, height: 64, rate: .hertz60)
    stage.engine.output.policy = .lateStart
    stage.recordsFrames = false
    var delayed = 0
    let link = DisplayLink(ticker: stage.display.ticker) { link in
      if let tick = link.tick, tick.start > tick.timestamp { delayed += 1 }
      stage.clock.advance(by: .milliseconds(3))
      Transaction.withoutActions { stage.root.backgroundColor = link.frameNumber % 2 == 0 ? .white : .black }
    }
    link.add(to: stage.loop, mode: .common)
    defer {
      link.invalidate()
      stage.engine.invalidate()
    }
    let result = Harness.allocations("allocations, a late frame", warmUp: 200, frames: 1_000) {
      stage.run(for: RefreshRate.hertz60.interval)
    }
    guard delayed > 900 else { throw BenchmarkError("\(delayed) ticks of 1000 were put off") }
    return result
  }

  private static func pace(_ record: FrameRecord, by pacer: inout FramePacer, interval: Nanoseconds) {
    let start = pacer.start(for: record.target, vblank: record.tickTimestamp, now: record.tickTimestamp, interval: interval)
    pacer.tickWasDelivered(at: record.delivered, start: record.start, wasDelayed: start > record.tickTimestamp)
    pacer.observe(record, interval: interval)
  }
}

/// A rival: a percentile of the last 64 values, which are sorted when it is read.
private struct SortedWork {
  private var recent: [Nanoseconds] = []
  private var next = 0

  mutating func add(_ work: Nanoseconds) {
    guard recent.count == 64 else { return recent.append(work) }
    recent[next] = work
    next = (next + 1) % 64
  }

  var percentile95: Nanoseconds {
    let sorted = recent.sorted()
    return sorted[sorted.count * 95 / 100]
  }
}
