import Framepace
import FramepaceTesting
import Glibc

/// Measures what it costs a program to record its frames: the same frame with and without all that `FRAMEPACE_PROFILE` asks for, in turns, on
/// the machine's clock, since a manual one would leave out the readings of the thread's clock; and the parts of that by themselves.
@MainActor
enum RecordingBenchmarks {
  static let all = Benchmark(name: "recording") {
    let file = "/tmp/framepace-benchmark-\(getpid()).profile"
    let (plain, other) = (try Program(), try Program())
    setenv("FRAMEPACE_PROFILE", file, 1)
    let recorded = try Program()
    unsetenv("FRAMEPACE_PROFILE")
    defer {
      for program in [recorded, plain, other] { program.end() }
      unlink(file)
    }
    guard recorded.engine.measuresThreads, !plain.engine.measuresThreads else {
      throw BenchmarkError("one of the two programs is to be recorded")
    }
    return [
      frame(of: recorded, beside: plain), difference(of: recorded, beside: plain, "what recording takes"),
      difference(of: other, beside: plain, "the same of two that are not recorded"),
    ] + records(of: plain) + parts(of: recorded) + [
      Harness.allocations("allocations, recorded") { recorded.makeFrames(1) },
      Harness.allocations("allocations, not recorded") { plain.makeFrames(1) },
      try overlays([.meter, .damage], "a frame of 1920x1080 with the meter"),
      try overlays([.borders], "a frame of 1920x1080 with borders"),
    ]
  }

  /// The parts of a recording on the main thread, each by itself and over and over: the code and the data are in the caches. A frame pays for the copy of
  /// its events and for a call of `getrusage` when the loop wakes; a frame of 0.1 ms or more pays for a reading of the thread's clock, and
  /// every sixteenth, as each in which the thread was away, for one of the file.
  private static func parts(of program: Program) -> [Result] {
    let clock = SystemClock.monotonic
    var (usage, bytes) = (rusage(), [UInt8](repeating: 0, count: 64))
    let statistics = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)
    defer { close(statistics) }
    return [
      ring(of: program),
      Harness.time("getrusage, at each waking", repeats: 10_000) { getrusage(__rusage_who_t(1), &usage) },
      Harness.time("the thread's clock, in frames from 0.1 ms on", repeats: 10_000) {
        Harness.blackHole(clock.threadProcessorTime)
      },
      Harness.time("its run delay, every sixteenth frame", repeats: 10_000) { pread(statistics, &bytes, bytes.count, 0) },
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

  /// The processor time of a frame of each.
  private static func frame(of recorded: Program, beside plain: Program) -> Result {
    Harness.best {
      let times = turns(recorded.frameTime, plain.frameTime)
      return Result(
        name: "a small frame recorded, beside not", unit: .nanoseconds, ours: Harness.median(times.map(\.first)),
        peer: Harness.median(times.map(\.second)), limit: 1.5)
    }
  }

  /// The median of the differences of neighbours. The memory of two programs lies in different places, which makes a difference of
  /// some microseconds by itself where other programs use the caches.
  private static func difference(of first: Program, beside second: Program, _ name: String) -> Result {
    let times = turns(first.frameTime, second.frameTime)
    return Result(
      name: name, unit: .nanoseconds, ours: Harness.median(times.map { $0.first - $0.second }), peer: nil, limit: nil)
  }

  /// Two measurements in turns, each of them first as often as second.
  private static func turns(_ first: () -> Double, _ second: () -> Double) -> [(first: Double, second: Double)] {
    (0..<200).map { round in
      if round % 2 == 0 {
        let time = first()
        return (time, second())
      }
      let time = second()
      return (first(), time)
    }
  }

  /// One program with and without the records of its frames, in turns, so that both have the same memory: their events in a ring, with the times
  /// of its threads, and those times alone.
  private static func records(of program: Program) -> [Result] {
    var log = FrameLog(capacity: 32_768)
    func record() -> Observation { program.engine.output.observe { log.append($0) } }
    func results(_ name: String, _ begin: () -> Observation?) -> [Result] {
      func time(isOn: Bool) -> Double {
        program.engine.measuresThreads = isOn
        let observation = isOn ? begin() : nil
        defer {
          observation?.invalidate()
          program.engine.measuresThreads = false
        }
        return program.frameTime()
      }
      let times = turns({ time(isOn: true) }, { time(isOn: false) })
      return [
        Result(
          name: "\(name), on beside off", unit: .nanoseconds, ours: Harness.median(times.map(\.first)),
          peer: Harness.median(times.map(\.second)), limit: 1.25),
        Result(
          name: "\(name): what they take", unit: .nanoseconds,
          ours: Harness.median(times.map { $0.first - $0.second }), peer: nil, limit: nil),
      ]
    }
    let all = results("records", record) + results("thread times", { nil })
    program.engine.measuresThreads = true
    let observation = record()
    defer {
      observation.invalidate()
      program.engine.measuresThreads = false
    }
    return all + [Harness.allocations("allocations, records on") { program.makeFrames(1) }]
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

    /// The processor time that this thread takes for a frame, as the mean of twenty.
    func frameTime() -> Double { Harness.processorTime { makeFrames(20) } / 20 }

    func end() {
      link?.invalidate()
      engine.invalidate()
      display.invalidate()
    }
  }
}
