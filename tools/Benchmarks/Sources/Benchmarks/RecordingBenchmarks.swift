import Framepace
import FramepaceTesting
import Glibc

/// Measures what it costs a program to record its frames: the same frame with and without all that `FRAMEPACE_PROFILE` asks for, in turns, on
/// the machine's clock, since a manual one would leave out the readings of the thread's clock.
@MainActor
enum RecordingBenchmarks {
  static let all = Benchmark(name: "recording") {
    let file = "/tmp/framepace-benchmark-\(getpid()).profile"
    setenv("FRAMEPACE_PROFILE", file, 1)
    let recorded = try Program()
    unsetenv("FRAMEPACE_PROFILE")
    let plain = try Program()
    defer {
      for program in [recorded, plain] { program.end() }
      unlink(file)
    }
    guard recorded.engine.measuresThreads, !plain.engine.measuresThreads else {
      throw BenchmarkError("one of the two programs is to be recorded")
    }
    let clock = SystemClock.monotonic
    return pair(recorded, plain) + records(of: plain) + [
      ring(of: recorded),
      Harness.allocations("allocations, recorded") { recorded.makeFrames(1) },
      Harness.allocations("allocations, not recorded") { plain.makeFrames(1) },
      Harness.time("a reading of the thread's clock", repeats: 10_000) { Harness.blackHole(clock.threadProcessorTime) },
      try overlays([.meter, .damage], "a frame of 1920x1080 with the meter"),
      try overlays([.borders], "a frame of 1920x1080 with borders"),
    ]
  }

  /// A frame with overlays, beside one without.
  private static func overlays(_ overlays: Set<FrameOverlay>, _ name: String) throws -> Result {
    func stage(_ overlays: Set<FrameOverlay>) throws -> (ManualStage<VirtualDisplay>, DisplayLink) {
      let scene = MovingScene(count: 500)
      let stage = try ManualStage(
        width: MovingScene.width, height: MovingScene.height, root: scene.root, rate: .hertz60,
        workers: WorkerPool(threads: 2))
      stage.recordsFrames = false
      try stage.engine.show(overlays)
      let link = stage.engine.makeDisplayLink { _ in scene.moveOne() }
      stage.run(for: .seconds(3))
      return (stage, link)
    }
    let (with, without) = (try stage(overlays), try stage([]))
    defer {
      for (stage, link) in [with, without] {
        link.invalidate()
        stage.engine.invalidate()
      }
    }
    let interval = RefreshRate.hertz60.interval
    return Harness.compare(name, repeats: 200, ours: { with.0.run(for: interval) }, peer: { without.0.run(for: interval) })
  }

  /// The events of a frame in a log as long as a recording's, beside the bare copy of their bytes to memory as large.
  private static func ring(of program: Program) -> Result {
    var events: [FrameEvent] = []
    let observation = program.engine.output.observe { events.append($0) }
    program.makeFrames(1)
    observation.invalidate()
    let (frame, capacity) = (events, 32_768)
    var log = FrameLog(capacity: capacity)
    let bytes = MemoryLayout<FrameEvent>.size
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity * bytes, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    defer { memory.deallocate() }
    var place = 0
    return Harness.compare(
      "the events of a frame in the ring", repeats: capacity, limit: 2,
      ours: { for event in frame { log.append(event) } },
      peer: {
        for event in frame {
          let room = UnsafeMutableRawBufferPointer(rebasing: memory[place..<place + bytes])
          withUnsafeBytes(of: event) { room.copyMemory(from: $0) }
          place = place + 2 * bytes <= memory.count ? place + bytes : 0
        }
      })
  }

  /// The processor time of a frame of each, and the median of the differences of neighbours. The two programs' memory lies in different places, which
  /// makes a difference of some microseconds by itself where other programs use the caches.
  private static func pair(_ recorded: Program, _ plain: Program) -> [Result] {
    var differences: [Double] = []
    let frames = Harness.best {
      var times: [(recorded: Double, plain: Double)] = []
      for round in 0..<16 {
        let first = round % 2 == 0 ? recorded.frameTime() : plain.frameTime()
        times.append(round % 2 == 0 ? (first, plain.frameTime()) : (recorded.frameTime(), first))
      }
      differences = times.map { $0.recorded - $0.plain }
      return Result(
        name: "a small frame recorded, beside not", unit: .nanoseconds, ours: Harness.median(times.map(\.recorded)),
        peer: Harness.median(times.map(\.plain)), limit: 1.5)
    }
    return [
      frames,
      Result(
        name: "median of the differences", unit: .nanoseconds, ours: Harness.median(differences), peer: nil, limit: nil),
    ]
  }

  /// One program with and without the records of its frames, in turns, so that both have the same memory: their events in a ring, with the times
  /// of its threads, and those times alone.
  private static func records(of program: Program) -> [Result] {
    var log = FrameLog(capacity: 32_768)
    func record() -> Observation { program.engine.output.observe { log.append($0) } }
    func turns(_ name: String, _ begin: () -> Observation?) -> [Result] {
      func time(isOn: Bool) -> Double {
        program.engine.measuresThreads = isOn
        let observation = isOn ? begin() : nil
        defer {
          observation?.invalidate()
          program.engine.measuresThreads = false
        }
        return program.frameTime()
      }
      let times = (0..<32).map { round in
        let first = time(isOn: round % 2 == 0), second = time(isOn: round % 2 != 0)
        return round % 2 == 0 ? (on: first, off: second) : (on: second, off: first)
      }
      return [
        Result(
          name: "\(name), on beside off", unit: .nanoseconds, ours: Harness.median(times.map(\.on)),
          peer: Harness.median(times.map(\.off)), limit: 1.25),
        Result(
          name: "\(name): median of the differences", unit: .nanoseconds,
          ours: Harness.median(times.map { $0.on - $0.off }), peer: nil, limit: nil),
      ]
    }
    let results = turns("records", record) + turns("thread times", { nil })
    program.engine.measuresThreads = true
    let observation = record()
    defer {
      observation.invalidate()
      program.engine.measuresThreads = false
    }
    return results + [Harness.allocations("allocations, records on") { program.makeFrames(1) }]
  }

  /// Fifty layers, one of which moves, at 1000 Hz.
  @MainActor
  private final class Program {
    let engine: Engine
    private let display: VirtualDisplay
    private let loop = FrameLoop(clock: .monotonic)
    private let mover: Layer
    private var link: DisplayLink?
    private var step = 0
    /// The frame at which the loop stops.
    private var last: UInt64 = 0
    private var watching: Observation?

    init() throws {
      guard let rate = RefreshRate(hertz: 1000) else { throw BenchmarkError("1000 Hz is a refresh rate") }
      let root = Layer(frame: Rect(x: 0, y: 0, width: 320, height: 180))
      root.backgroundColor = Color(hex: 0x20_3040)
      for index in 0..<50 {
        let layer = Layer(frame: Rect(x: Double(index % 10) * 30, y: Double(index / 10) * 30, width: 20, height: 20))
        layer.backgroundColor = Color(hex: UInt32(index * 4001) & 0xFF_FFFF)
        root.addSublayer(layer)
      }
      mover = root.sublayers[25]
      display = try VirtualDisplay(width: 320, height: 180, refreshRate: rate, reason: "a benchmark")
      engine = Engine(display: display, root: root, loop: loop, workers: WorkerPool(threads: 2))
      link = engine.makeDisplayLink { [unowned self] _ in
        step += 1
        Transaction.withoutActions { mover.position.x = Double(150 + step % 16) }
      }
      watching = engine.output.observe { [unowned self] _ in if display.shownFrames >= last { loop.stop() } }
      makeFrames(200)
    }

    /// Runs until so many more frames were shown.
    func makeFrames(_ count: UInt64) {
      last = display.shownFrames + count
      while display.shownFrames < last { loop.run(mode: .default, until: loop.clock.now + .seconds(1)) }
    }

    /// The processor time that this thread takes for a frame, as the mean of a hundred.
    func frameTime() -> Double { Harness.processorTime { makeFrames(100) } / 100 }

    func end() {
      link?.invalidate()
      engine.invalidate()
      display.invalidate()
    }
  }
}
