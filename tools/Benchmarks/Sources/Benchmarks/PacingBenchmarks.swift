import FrameTiming
import Framepace
import FramepaceTesting
import LinuxSystem

/// What late start gains and what it costs beside a start at the vblank, in simulated time: always the same figures.
@MainActor
enum PacingBenchmarks {
  static let all = Benchmark(name: "pacing", peers: ["at vblank", "sorting 64"]) {
    let loads = [
      Load("steady", .steady, frames: 1_000_000, limits: (median: 6.4e6, missesInThousand: 5)),
      Load("noisy", .noisy, frames: 100_000, limits: (median: 6.4e6, missesInThousand: 5)),
      Load("drifting", .drifting, frames: 100_000, limits: (median: 6.4e6, missesInThousand: 5)),
      Load("overloaded", .overloaded, frames: 100_000, limits: nil),
      Load("flaky", .flaky, frames: 100_000, limits: nil),
    ]
    return try loads.flatMap(results) + [cost(), allocations(), try wholeFrame()]
  }

  /// Work of 3 ± 0.6 ms, and spikes of 9 ms in 2 % of the frames, at 60 Hz.
  private struct Load {
    let name: String
    let profile: SimulatedDisplay.Profile
    let frames: Int
    /// In nanoseconds: the 99th percentile of work without spikes, which is 4.4 ms, and 2 ms.
    let limits: (median: Double, missesInThousand: Double)?

    init(
      _ name: String, _ profile: SimulatedDisplay.Profile, frames: Int,
      limits: (median: Double, missesInThousand: Double)?
    ) {
      self.name = name
      self.profile = profile
      self.frames = frames
      self.limits = limits
    }

    func frames(_ policy: FramePolicy) -> SimulatedFrames {
      var grid = SimulatedGrid(rate: profile.actualRate, start: .zero + .seconds(1000), seed: 2026)
      grid.faults = profile.faults
      let work = SimulatedWork(
        mean: .milliseconds(3), deviation: .microseconds(600), spikes: 0.02, spike: .milliseconds(9), seed: 7)
      return SimulatedFrames(policy: policy, grid: grid, nominalRate: profile.refreshRate, work: work)
    }
  }

  private struct Outcome {
    /// From the start that was planned to the vblank that showed the frame, of frames without a spike.
    var latency: [Double] = []
    /// Frames without a spike, and those of them that were late.
    var plain = 0.0
    var missed = 0.0
    /// Ticks that were not later than the one before.
    var doubled = 0.0
  }

  private static func play(_ load: Load, _ policy: FramePolicy) -> Outcome {
    var frames = load.frames(policy)
    let interval = frames.nominalRate.interval
    var outcome = Outcome()
    outcome.latency.reserveCapacity(load.frames)
    var last = MonotonicTime.zero
    for _ in 0..<load.frames {
      let isSpike = frames.work.isSpike(frame: frames.count)
      let frame = frames.next()
      if frame.tick <= last { outcome.doubled += 1 }
      last = frame.tick
      guard !isSpike else { continue }
      outcome.plain += 1
      if frame.isLate(interval: interval) { outcome.missed += 1 }
      outcome.latency.append(Double((frame.presented - frame.start).count))
    }
    return outcome
  }

  private static func results(_ load: Load) -> [Result] {
    let (late, atVBlank) = (play(load, .lateStart), play(load, .vblank))
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
      result("doubled ticks", .count, limit: 0) { $0.doubled },
    ]
  }

  private static let records: [FrameRecord] = {
    var frames = Load("steady", .steady, frames: 0, limits: nil).frames(.lateStart)
    return (0..<100_000).map { _ in frames.next() }
  }()

  /// All that the pacer does for a frame. The rival sorts the last 64 frames' work for a percentile, and no more.
  private static func cost() -> Result {
    let records = records
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

  private static func allocations() -> Result {
    let records = records
    var pacer = FramePacer(policy: .lateStart)
    var index = 0
    return Harness.allocations("allocations in that", frames: 10_000) {
      pace(records[index], by: &pacer, interval: RefreshRate.hertz60.interval)
      index += 1
    }
  }

  /// A frame that is begun late, with all that an engine does for it.
  private static func wholeFrame() throws -> Result {
    let stage = try ManualStage(width: 64, height: 64, rate: .hertz60)
    stage.engine.output.policy = .lateStart
    stage.engine.output.onPresented = nil
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
    let start = pacer.start(for: record.target, vblank: record.tick, now: record.tick, interval: interval)
    pacer.tickWasDelivered(at: record.delivered, start: record.start, wasDelayed: start > record.tick)
    pacer.observe(record, interval: interval)
  }
}

/// A rival: a percentile of the last 64, sorted when it is asked for.
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
