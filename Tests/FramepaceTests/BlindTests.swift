import Compositing
import FrameTiming
import Framepace
import FramepaceTesting
import Metering
import RenderTree
import Simulation
import TestLength
import XCTest

/// The profiler's answer for programs that it does not know, in each of which one thing is wrong.
@preconcurrency @MainActor final class BlindTests: XCTestCase {
  func testTheReportNamesWhatIsWrong() throws {
    var found = BlindMatrix()
    let first = UInt64(runSeed.magnitude) * 1000
    for seed in first..<first + 200 {
      let trial = try BlindTrial(seed: seed)
      let reported = trial.play()
      XCTAssertEqual(trial.profiled, reported, "seed \(seed): the meter and the profile do not agree")
      found.add(reported, of: trial.fault)
      if reported != trial.fault.finding {
        print("seed \(seed): \(trial.fault.name) was reported as \(reported.name); \(trial.counts)")
      }
    }
    print("blind test, trials \(first) to \(first + 199), what was done and what was reported:\n\(found)")
    for fault in BlindFault.allCases { XCTAssertGreaterThan(found.total(of: fault), 5, "\(fault)") }
    XCTAssertGreaterThanOrEqual(found.right * 100, 95 * 200)
  }
}

/// The things that are wrong with a program, its machine or its display.
enum BlindFault: CaseIterable {
  case slowCallback, slowLayout, slowDraw, slowWorker, overdraw, cacheThrash, schedulerStall, displayLoss

  /// The cause that is to be reported; nil for lost frames.
  var cause: FrameRecord.Cause? {
    switch self {
    case .slowCallback: .phase(.callbacks)
    case .slowLayout: .phase(.layout)
    case .slowDraw: .phase(.display)
    case .slowWorker: .phase(.wait)
    case .overdraw: .overdraw
    case .cacheThrash: .missedPictures
    case .schedulerStall: .machineBusy
    case .displayLoss: nil
    }
  }

  var finding: BlindFinding { cause.map(BlindFinding.late) ?? .lost }

  var name: String {
    switch self {
    case .slowCallback: "slow callback"
    case .slowLayout: "slow layout"
    case .slowDraw: "slow draw"
    case .slowWorker: "slow worker"
    case .overdraw: "overdraw"
    case .cacheThrash: "cache thrash"
    case .schedulerStall: "scheduler stall"
    case .displayLoss: "display loss"
    }
  }
}

/// The answer of a report about most frames that were not seen in time.
enum BlindFinding: Equatable {
  case nothing, lost
  case late(FrameRecord.Cause)

  init(lost: Int, late causes: [LateCount]) {
    let first = causes.first
    self = lost > first?.frames ?? 0 ? .lost : first.map { .late($0.cause) } ?? .nothing
  }

  var name: String {
    switch self {
    case .nothing: "nothing"
    case .lost: "lost"
    case .late(let cause): cause.name
    }
  }
}

/// How often each cause was reported for each fault.
private struct BlindMatrix: CustomStringConvertible {
  private var counts: [BlindFault: [String: Int]] = [:]
  private(set) var right = 0

  mutating func add(_ finding: BlindFinding, of fault: BlindFault) {
    counts[fault, default: [:]][finding.name, default: 0] += 1
    if finding == fault.finding { right += 1 }
  }

  func total(of fault: BlindFault) -> Int { counts[fault]?.values.reduce(0, +) ?? 0 }

  var description: String {
    let expected = BlindFault.allCases.map(\.finding.name)
    let others = Set(counts.values.flatMap(\.keys)).subtracting(expected).sorted()
    func line(_ title: String, _ cells: [String]) -> String {
      let cells = cells.map { String(repeating: " ", count: max(1, 14 - $0.count)) + $0 }
      return title + String(repeating: " ", count: max(0, 16 - title.count)) + cells.joined()
    }
    let columns = expected + others
    let rows = BlindFault.allCases.map { fault in
      line(fault.name, columns.map { "\(counts[fault]?[$0] ?? 0)" })
    }
    let all = BlindFault.allCases.reduce(0) { $0 + total(of: $1) }
    return ([line("", columns)] + rows + ["\(right) of \(all) right"]).joined(separator: "\n")
  }
}

/// A program of random layers with random work below its budget, to which one thing happens now and then, from its first frames on
/// or later. Its time is simulated: painting costs by what the compositor has painted.
@MainActor
private final class BlindTrial {
  let fault: BlindFault

  private static let size = 32
  private static let ticks = 100

  private let clock = ManualClock(start: .zero + .seconds(1))
  private let loop: FrameLoop
  private let display: FaultyDisplay<SimulatedScreen>
  private let engine: Engine
  private let meter: FPSMeter
  private var profile: PhaseProfile
  private var random: SplitMix64
  private let interval: Nanoseconds
  private let busy: BusyLayer
  private let worker: WorkerLayer?
  private let renderer: PricedRenderer
  /// Moves at each tick.
  private let mover = Layer()
  /// Its blur changes now and then, in a program whose pictures are cheap.
  private let innocentBlur: Layer?
  private let pile = Layer()
  private var pictures: [Layer] = []
  private let usual: FrameRecord.PhaseDurations
  private let usualWait: Nanoseconds
  /// How long a frame with the fault takes longer.
  private let extra: Nanoseconds
  /// How often the fault comes, and from which tick on.
  private let share: Double
  private let firstFault: Int
  private var tick = 0
  private var link: DisplayLink?
  private var waking: FrameLoop.Observer?
  /// How long the thread is not woken next time, for want of a processor.
  private var sleep = Nanoseconds.zero
  /// The ticks for which the display stays away.
  private var absence = 0

  init(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let fault = BlindFault.allCases.randomElement(using: &random) ?? .slowCallback
    self.fault = fault
    loop = FrameLoop(clock: .manual(clock))
    let rate = try XCTUnwrap(RefreshRate(hertz: [30, 60, 90, 120].randomElement(using: &random) ?? 60))
    let interval = rate.interval
    func part(_ range: ClosedRange<Double>) -> Nanoseconds {
      Nanoseconds.seconds(interval.seconds * Double.random(in: range, using: &random))
    }
    let vblanks = SimulatedVBlankSource(refreshRate: rate, clock: .manual(clock))
    let screen = try SimulatedScreen(
      width: Self.size, height: Self.size, vblanks: vblanks, buffering: random.chance(0.5) ? .double : .triple,
      clock: .manual(clock))
    display = FaultyDisplay(screen, clock: clock)

    var usual = FrameRecord.PhaseDurations()
    for phase in [FrameRecord.Phase.callbacks, .layout, .display] { usual[phase] = part(0...0.11) }
    let hasWorker = fault == .slowWorker || random.chance(0.5)
    usualWait = hasWorker ? part(0...0.11) : .zero
    // Too much whatever the rest of the frame takes.
    let least = interval * 11 / 10 - (usual.total + usualWait) / 2
    extra = least + part(0...1.2)
    share = .random(in: 0.04...0.5, using: &random)
    firstFault = random.chance(0.3) ? 3 : 30

    // A pixel of the whole screen costs up to 5 % of the budget, and a picture that is not kept up to 8 %.
    let screenPart = Double.random(in: 0.02...0.05, using: &random)
    let pictureCount = Int.random(in: 3...8, using: &random)
    let renderer = PricedRenderer(
      clock: clock, pixel: .seconds(interval.seconds * screenPart / Double(Self.size * Self.size)),
      picture: fault == .cacheThrash ? extra / Int64(pictureCount) : part(0.02...0.08))
    let workers = WorkerPool(simulatedThreads: 1, worksWhenAwaited: true)
    let root = Layer()
    var wake: (@MainActor () -> Void)?
    let waking = FrameLoop.Observer([.afterWaiting], order: ObserverOrder.turnBegin, .onMain { _, _ in wake?() })
    loop.add(waking, to: .common)
    engine = Engine(
      display: display, root: root, scale: nil, loop: loop, workers: workers, renderThreads: nil,
      makeRenderer: { renderer })
    engine.measuresThreads = true
    engine.output.policy = random.chance(0.5) ? .vblank : .lateStart
    meter = FPSMeter(refreshRate: rate)
    profile = PhaseProfile(refreshRate: rate)

    func add(_ layer: Layer, alpha: Double) {
      let side = Double(Self.size)
      layer.frame = Rect(
        x: .random(in: 0...side / 2, using: &random), y: .random(in: 0...side / 2, using: &random),
        width: .random(in: 1...side / 2, using: &random), height: .random(in: 1...side / 2, using: &random))
      layer.backgroundColor = Color(red: 0.2, green: 0.4, blue: 0.8, alpha: alpha)
      root.addSublayer(layer)
    }
    for _ in 0..<Int.random(in: 0...5, using: &random) { add(Layer(), alpha: random.chance(0.5) ? 1 : 0.5) }
    add(mover, alpha: 0.7)
    innocentBlur = fault != .cacheThrash && random.chance(0.5) ? Layer() : nil
    if let innocentBlur {
      innocentBlur.blurRadius = 1
      add(innocentBlur, alpha: 1)
    }
    if fault == .cacheThrash {
      pictures = (0..<pictureCount).map { _ in Layer() }
      for picture in pictures {
        picture.blurRadius = 1
        add(picture, alpha: 1)
      }
    }
    pile.frame = Rect(x: 0, y: 0, width: Double(Self.size), height: Double(Self.size))
    pile.isHidden = true
    if fault == .overdraw {
      // As many as take so long, each over all of the screen.
      for _ in 0..<Int((extra.seconds / interval.seconds / screenPart).rounded(.up)) {
        let layer = Layer(frame: pile.bounds)
        layer.backgroundColor = Color(red: 1, green: 1, blue: 1, alpha: 0.02)
        pile.addSublayer(layer)
      }
    }
    root.addSublayer(pile)
    busy = BusyLayer(clock: clock)
    busy.setNeedsDisplay()
    root.addSublayer(busy)
    worker = hasWorker ? WorkerLayer(clock: clock) : nil
    if let worker {
      worker.setNeedsDisplay()
      root.addSublayer(worker)
    }
    (self.random, self.interval, self.usual, self.waking, self.renderer) = (random, interval, usual, waking, renderer)

    wake = { [unowned self] in
      clock.advance(by: sleep, thread: .runnable)
      sleep = .zero
    }
    engine.output.observe { [unowned self] event in
      meter.record(event)
      if case .presented(let frame) = event { profile.add(frame) }
      if case .lost = event { profile.addLost() }
    }.keep()
  }

  /// - Returns: the answer of the report.
  func play() -> BlindFinding {
    link = engine.makeDisplayLink { [unowned self] _ in Transaction.withoutActions { makeFrame() } }
    loop.run(mode: .default, until: clock.now + interval * Int64(Self.ticks))
    link?.invalidate()
    waking?.invalidate()
    engine.invalidate()
    let report = meter.report()
    XCTAssertEqual(report.frames, report.presented + report.discarded + report.lost + report.pending)
    XCTAssertEqual(report.lateCauses.reduce(0) { $0 + $1.frames }, report.late)
    return BlindFinding(lost: report.lost, late: report.lateCauses)
  }

  var profiled: BlindFinding { BlindFinding(lost: profile.lostFrames, late: profile.lateCauses) }
  var counts: String { meter.report().lateCauses.map { "\($0.frames) \($0.cause.name)" }.joined(separator: ", ") }

  private func makeFrame() {
    tick += 1
    // Each phase takes from half to five quarters of its usual time.
    for phase in FrameRecord.Phase.allCases {
      busy.work[phase] = usual[phase] * Int64.random(in: 50...125, using: &random) / 100
    }
    worker?.time = usualWait * Int64.random(in: 50...125, using: &random) / 100
    pile.isHidden = true
    if absence > 0 {
      absence -= 1
      if absence == 0 { display.isAway = false }
    } else if tick >= firstFault, random.chance(share) || [50, 70].contains(tick) {
      inject()
    }
    if random.chance(0.2) { clock.advance(by: interval * Int64.random(in: 0...4, using: &random) / 100, thread: .runnable) }
    clock.advance(by: busy.work[.callbacks])
    mover.position.x = Double(tick % Self.size)
    if let innocentBlur, tick % 9 == 0 { innocentBlur.blurRadius = Double(1 + tick % 2) }
    busy.setNeedsLayout()
    busy.setNeedsDisplay()
    guard let worker else { return }
    worker.setNeedsDisplay()
    engine.waitForDrawings(upTo: .seconds(60))
  }

  private func inject() {
    // The size of the fault differs from frame to frame.
    let time = extra * Int64.random(in: 100...130, using: &random) / 100
    switch fault {
    case .slowCallback: busy.work[.callbacks] += time
    case .slowLayout: busy.work[.layout] += time
    case .slowDraw: busy.work[.display] += time
    case .slowWorker: worker?.time += time
    case .overdraw: pile.isHidden = false
    case .cacheThrash:
      for picture in pictures { picture.blurRadius = Double(1 + tick % 3) }
    case .schedulerStall:
      switch Int.random(in: 0..<4, using: &random) {
      case 0: sleep = time
      case 1: clock.advance(by: time, thread: .runnable)
      case 2: renderer.stall = time
      default: busy.stall = time
      }
    case .displayLoss:
      display.isAway = true
      absence = Int.random(in: 1...10, using: &random)
    }
  }
}

/// A layer that is drawn by a worker, which takes time on a manual clock while the main thread waits.
private final class WorkerLayer: Layer {
  var time = Nanoseconds.zero
  private let clock: ManualClock

  init(clock: ManualClock) {
    self.clock = clock
    super.init()
    bounds = Rect(x: 0, y: 0, width: 1, height: 1)
  }

  override func makeDrawing() -> (any Drawing)? { Slow(clock: clock, time: time) }

  private struct Slow: Drawing {
    let clock: ManualClock
    let time: Nanoseconds

    func draw(in context: DrawingContext) { clock.advance(by: time, thread: .blocked) }
  }
}

/// A compositor that takes time on a manual clock, by what it has painted.
private final class PricedRenderer: Renderer {
  private(set) var work = RenderWork()
  private let compositor = Compositor()
  private let clock: ManualClock
  private let pixel: Nanoseconds
  private let picture: Nanoseconds
  /// How long a thread that shares the next frame's work has no processor.
  var stall = Nanoseconds.zero

  init(clock: ManualClock, pixel: Nanoseconds, picture: Nanoseconds) {
    (self.clock, self.pixel, self.picture) = (clock, pixel, picture)
  }

  func render(_ tree: TreeSnapshot, change: FrameChange, into target: any RenderTarget) -> RenderFence {
    let fence = compositor.render(tree, change: change, into: target)
    work = compositor.work
    work.pictureTime = picture * Int64(work.missedPictures)
    work.runDelay = stall
    clock.advance(by: stall, thread: .blocked)
    stall = .zero
    clock.advance(by: work.pictureTime + pixel * Int64(work.layerPixels))
    return fence
  }
}
