import Framepace
import FramepaceTesting
import Presentation
import RenderTree
import Simulation
import TestLength
import XCTest

@testable import Metering

/// The causes of late frames, compared with what the simulation did to them.
@preconcurrency @MainActor final class BlameTests: XCTestCase {
  /// One thing goes wrong at a time in otherwise perfect pacing: the first frame that it makes late names it.
  func testSingleCauses() throws {
    var found = Confusion()
    for seed in some(8, of: 0..<40 as Range<UInt64>) { try Run(seed: seed).play(found: &found) }
    XCTAssertGreaterThan(found.counts.map(\.1).min() ?? 0, 10, "\n\(found)")
    XCTAssertEqual(found.counts.count, Run.causes.count)
    XCTAssertGreaterThanOrEqual(found.right * 100, found.total * 99, "\n\(found)")
    XCTAssertEqual(found.strange, 0, "\n\(found)")
  }
}

/// The causes that were named for each thing done.
private struct Confusion: CustomStringConvertible {
  typealias Cause = FrameRecord.Cause

  /// The first late frame after each injection.
  private(set) var named: [Cause: [Cause: Int]] = [:]
  /// The late frames that followed it.
  private(set) var later: [Cause: [Cause: Int]] = [:]

  mutating func add(_ causes: [Cause], of truth: Cause) {
    guard let first = causes.first else { return }
    named[truth, default: [:]][first, default: 0] += 1
    for cause in causes.dropFirst() { later[truth, default: [:]][cause, default: 0] += 1 }
  }

  /// The frames that were late first, for each thing done.
  var counts: [(Cause, Int)] { named.map { ($0.key, $0.value.values.reduce(0, +)) } }
  var total: Int { counts.reduce(0) { $0 + $1.1 } }
  var right: Int { named.reduce(0) { $0 + ($1.value[$1.key] ?? 0) } }
  /// Frames that followed, and were named neither for what was done nor for the queue that it left.
  var strange: Int {
    var count = 0
    for (done, counts) in later {
      for (cause, frames) in counts where cause != done && cause != .stuffing { count += frames }
    }
    return count
  }

  var description: String {
    func row(_ counts: [Cause: Int]?) -> String {
      (counts ?? [:]).sorted { $0.value > $1.value }.map { "\($0.key.name) \($0.value)" }.joined(separator: ", ")
    }
    return named.keys.sorted { $0.name < $1.name }.map { "\($0.name): \(row(named[$0])); then \(row(later[$0]))" }
      .joined(separator: "\n") + "\n\(right) of \(total)"
  }
}

/// An application on a display without faults, to which things happen one by one.
@MainActor
private final class Run {
  static let causes: [FrameRecord.Cause] = [
    .phase(.callbacks), .phase(.layout), .phase(.display), .phase(.present), .scheduling, .machineBusy, .commitMissed,
    .prediction, .scanOut, .stopped,
  ]

  private let clock = ManualClock(start: .zero + .seconds(1))
  private let loop: FrameLoop
  private let vblanks: SimulatedVBlankSource
  private let display: LateDisplay
  private let engine: Engine
  private let layer: BusyLayer
  private var waking: FrameLoop.Observer?
  /// How long the thread is not woken next time, for want of a processor.
  private var sleep = Nanoseconds.zero
  private let usual: FrameRecord.PhaseDurations
  private let interval: Nanoseconds
  private var link: DisplayLink?
  private var random: SplitMix64
  /// Done to the next frame in its callbacks.
  private var injection: (@MainActor (DisplayLink.Tick) -> Void)?
  private var resumed: MonotonicTime?
  private var late = LateCauses()
  private var named: [FrameRecord.Cause] = []

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    loop = FrameLoop(clock: .manual(clock))
    let hertz = [24, 60, 90, 144][Int.random(in: 0..<4, using: &random)] as Double
    vblanks = SimulatedVBlankSource(refreshRate: RefreshRate(hertz: hertz) ?? .hertz60, clock: .manual(clock))
    interval = vblanks.refreshRate.interval
    let screen = try SimulatedScreen(
      width: 8, height: 8, vblanks: vblanks, buffering: random.chance(0.5) ? .double : .triple, clock: .manual(clock))
    display = LateDisplay(screen, clock: clock)
    let root = Layer()
    var wake: (@MainActor () -> Void)?
    let waking = FrameLoop.Observer([.afterWaiting], order: ObserverOrder.turnBegin, .onMain { _, _ in wake?() })
    loop.add(waking, to: .common)
    engine = Engine(display: display, root: root, loop: loop)
    engine.measuresThreads = true
    engine.output.policy = random.chance(0.5) ? .vblank : .lateStart
    var usual = FrameRecord.PhaseDurations()
    for phase in [FrameRecord.Phase.callbacks, .layout, .display] {
      usual[phase] = interval * Int64.random(in: 2...10, using: &random) / 100
    }
    self.usual = usual
    layer = BusyLayer(clock: clock)
    layer.setNeedsDisplay()
    root.addSublayer(layer)
    self.waking = waking
    wake = { [unowned self] in
      clock.advance(by: sleep, thread: .runnable)
      sleep = .zero
    }
    link = engine.makeDisplayLink { [unowned self] link in
      layer.work = usual
      if let tick = link.tick, let injection {
        self.injection = nil
        injection(tick)
      }
      clock.advance(by: layer.work[.callbacks])
      layer.setNeedsLayout()
      layer.setNeedsDisplay()
    }
    engine.output.observe { [unowned self] event in
      guard case .presented(let frame) = event else { return }
      if let causes = late.add(frame, interval: interval, resumed: resumed) { named.append(causes.main) }
    }.keep()
  }

  func play(found: inout Confusion) {
    run(intervals: 100)
    for _ in 0..<50 {
      // A rest ends what the last one left in the queue of three buffers.
      link?.isPaused = true
      run(intervals: 5)
      link?.isPaused = false
      run(intervals: Int64.random(in: 30...40, using: &random))
      named = []
      let cause = Self.causes[Int.random(in: 0..<Self.causes.count, using: &random)]
      inject(cause)
      run(intervals: 12)
      found.add(named, of: cause)
    }
    link?.invalidate()
    waking?.invalidate()
    engine.invalidate()
  }

  private func run(intervals: Int64) { loop.run(mode: .default, until: clock.now + interval * intervals) }

  /// So many hundredths of an interval.
  private func part(_ range: ClosedRange<Int64>) -> Nanoseconds { interval * Int64.random(in: range, using: &random) / 100 }

  private func inject(_ cause: FrameRecord.Cause) {
    switch cause {
    case .phase(.present):
      let time = part(100...260)
      injection = { [display] _ in display.time = time }
    case .phase(let phase):
      let time = part(100...260)
      injection = { [layer] _ in layer.work[phase] += time }
    case .scheduling:
      // Something else has the loop when the vblank comes.
      let next = vblanks.grid.time(ofVBlank: vblanks.grid.vblank(after: clock.now))
      let time = interval - usual.total * Int64.random(in: 5...95, using: &random) / 100
      loop.add(
        FrameLoop.Timer(
          fireTime: next + interval * 95 / 100,
          .onMain { [clock, interval] _ in clock.advance(by: interval * 5 / 100 + time) }),
        to: .default)
    case .machineBusy where random.chance(0.5):
      sleep = part(120...260)
    case .machineBusy:
      let time = part(100...260)
      injection = { [clock] _ in clock.advance(by: time, thread: .runnable) }
    case .commitMissed:
      injection = { [clock, layer, usual] tick in
        layer.work[.callbacks] += tick.targetTimestamp - .microseconds(250) - clock.now - usual.total
      }
    case .prediction:
      // The display's vblanks move.
      let hertz = vblanks.refreshRate.hertz / (1 + Double.random(in: 0.55...0.7, using: &random))
      vblanks.setRate(vblanks.refreshRate, actual: RefreshRate(hertz: hertz) ?? .hertz60)
      let grid = vblanks.grid
      loop.run(mode: .default, until: grid.time(ofVBlank: grid.vblank(after: clock.now)))
      vblanks.setRate(vblanks.refreshRate, actual: vblanks.refreshRate)
    case .scanOut: display.losesVBlank = true
    case .stopped:
      let time = part(150...900)
      injection = { [unowned self] _ in
        clock.advance(by: time)
        resumed = clock.now
      }
    case .overdraw, .missedPictures, .stuffing: break
    }
  }
}

/// A display that takes its time to accept a frame, or shows it a vblank after the one that it was in time for.
@MainActor
private final class LateDisplay: Display, Presenter {
  private let inner: SimulatedScreen
  private let clock: ManualClock
  private var loop: FrameLoop?
  private var isWaiting = false
  /// The time that handing the next frame over takes.
  var time = Nanoseconds.zero
  /// True if the next frame is shown late.
  var losesVBlank = false

  init(_ inner: SimulatedScreen, clock: ManualClock) {
    self.inner = inner
    self.clock = clock
  }

  var name: String { inner.name }
  var reason: String { inner.reason }
  var ticker: DisplayTicker { inner.ticker }
  var observers: Observers<DisplayEvent> { inner.observers }
  var presenter: any Presenter { self }
  var width: Int { inner.presenter.width }
  var height: Int { inner.presenter.height }
  var onEvent: (@MainActor (PresenterEvent) -> Void)? {
    get { inner.presenter.onEvent }
    set { inner.presenter.onEvent = newValue }
  }

  func acquireBuffer() -> PresentationBuffer? { isWaiting ? nil : inner.presenter.acquireBuffer() }

  func present(_ buffer: PresentationBuffer, damage: DamageRegion, target: MonotonicTime?) throws {
    clock.advance(by: time)
    time = .zero
    guard losesVBlank else { return try inner.presenter.present(buffer, damage: damage, target: target) }
    (losesVBlank, isWaiting) = (false, true)
    let grid = inner.vblanks.grid
    let timer = FrameLoop.Timer(
      fireTime: grid.time(ofVBlank: grid.vblank(after: clock.now)) + .microseconds(1),
      .onMain { [weak self] _ in
        self?.isWaiting = false
        try? self?.inner.presenter.present(buffer, damage: damage, target: target)
      })
    loop?.add(timer, to: .default)
  }

  func add(to loop: FrameLoop, mode: FrameLoop.Mode) {
    self.loop = loop
    inner.add(to: loop, mode: mode)
  }

  func invalidate() { inner.invalidate() }
}
