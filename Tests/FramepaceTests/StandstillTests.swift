import Framepace
import FramepaceTesting
import Metering
import Simulation
import TestLength
import XCTest

/// The causes of missed intervals, compared with what the simulation did to them.
@preconcurrency @MainActor final class StandstillTests: XCTestCase {
  /// The loop, other processes or the display take a vblank of the link and one after it: no frame is late, and the one that ends the
  /// standstill names the cause. So it does with a thread that composites.
  func testEachCause() throws {
    for (seed, variant) in zip(some(4, of: 0..<32 as Range<UInt64>), 0...) {
      let isOnThread = variant % 2 == 1
      let faults: [(Fault, FrameRecord.StandstillCause)] = [
        (.otherWork, .frame(.scheduling)), (.noProcessor, .frame(.machineBusy)), (.lostVBlanks, .lostVBlank),
      ]
      for (fault, cause) in faults {
        let stage = try StandstillStage(seed: seed, isOnThread: isOnThread)
        stage.play(fault)
        let text =
          "seed \(seed), \(isOnThread): \(cause.name), \(stage.profile.missedCauses), \(stage.profile.lateCauses)"
        XCTAssertEqual(stage.profile.missedCauses.map(\.cause), [.standstill(cause)], text)
        let missed = stage.profile.missedCauses.reduce(0) { $0 + $1.intervals }
        XCTAssertEqual(missed, stage.meter.report().missed, text)
        // The main thread may wait for a processor when a frame is ready that the other one has composited: that is late.
        let late = stage.profile.lateCauses
        XCTAssertEqual(late.map(\.cause), isOnThread && fault == .noProcessor && !late.isEmpty ? [.machineBusy] : [], text)
        XCTAssertGreaterThanOrEqual(missed + stage.profile.lateFrames, StandstillStage.times, text)
        XCTAssertEqual(stage.profile.worstFrames.first?.longestCause, cause, text)
      }
    }
  }

  /// A frame is handed over in time, and then the loop is held up until a little after the vblank, for less than half an interval: it
  /// asks for the next one too late. The rest of the interval it waits, which is no cause.
  func testATurnThatEndsAfterTheVBlank() throws {
    for (seed, every) in zip(some(4, of: 0..<32 as Range<UInt64>), [1, 2, 1, 3] as [Int64]) {
      for (fault, cause) in [(Fault.otherWorkAtTheEnd, FrameRecord.Cause.scheduling), (.noProcessorAtTheEnd, .machineBusy)] {
        let stage = try StandstillStage(seed: seed, isOnThread: false)
        stage.work = stage.interval * every - stage.interval * 3 / 10
        stage.slowDown(to: every)
        stage.play(fault)
        let text = "seed \(seed), every \(every): \(cause.name), \(stage.profile.missedCauses)"
        XCTAssertEqual(
          stage.profile.missedCauses,
          [MissedCount(cause: .standstill(.frame(cause)), intervals: StandstillStage.times)], text)
        XCTAssertEqual(stage.profile.lateFrames, 0, text)
        // At a slower rate a frame is made for an earlier vblank than promised, and its time until then is no hitch.
        let hitch = stage.interval * every * Int64(StandstillStage.times)
        XCTAssertEqual(stage.meter.report().hitchTime.milliseconds, hitch.milliseconds, accuracy: 0.01, text)
      }
    }
  }

  /// Frames that take two intervals each are late, and account for the intervals without a tick.
  func testLateFramesAccountForMissedIntervals() throws {
    for isOnThread in [false, true] {
      let stage = try StandstillStage(seed: 0, isOnThread: isOnThread)
      stage.work = stage.interval * 3 / 2
      stage.run(intervals: 100)
      XCTAssertGreaterThan(stage.meter.report().missed, 40, "\(isOnThread)")
      XCTAssertGreaterThan(stage.profile.lateFrames, 40, "\(isOnThread)")
      XCTAssertLessThanOrEqual(stage.profile.missedCauses.reduce(0) { $0 + $1.intervals }, 1, "\(isOnThread)")
      stage.invalidate()
    }
  }

  /// A thread that composites, and waits for a processor before: what it was late by is no time of compositing.
  func testAThreadThatIsNotBegun() throws {
    let stage = try StandstillStage(seed: 0, isOnThread: true)
    stage.run(intervals: 50)
    for _ in 0..<5 {
      stage.threadSleep = stage.interval * 5 / 4
      stage.run(intervals: 20)
    }
    XCTAssertEqual(stage.profile.lateCauses, [LateCount(cause: .machineBusy, frames: 5)])
    let late = try XCTUnwrap(stage.profile.worstFrames.first?.record)
    XCTAssertEqual(late.runDelay, stage.interval * 5 / 4)
    XCTAssertEqual(late.startDelay, .zero)
    XCTAssertEqual(late.blockedTime, .zero)
    stage.invalidate()
  }
}

private enum Fault { case otherWork, noProcessor, lostVBlanks, otherWorkAtTheEnd, noProcessorAtTheEnd }

/// A program whose frames fit, on a display without faults, to which things happen one by one.
@MainActor
private final class StandstillStage {
  static let times = 10

  let clock = ManualClock(start: .zero + .seconds(1))
  let interval: Nanoseconds
  let meter: FPSMeter
  private(set) var profile: PhaseProfile
  /// The time that each frame's callbacks take.
  var work: Nanoseconds
  private let loop: FrameLoop
  private let vblanks: SimulatedVBlankSource
  private let engine: Engine
  private var observers: [FrameLoop.Observer] = []
  private var link: DisplayLink?
  private var sleep = Nanoseconds.zero
  /// How long the next frame waits for the thread that composites.
  var threadSleep = Nanoseconds.zero
  private var isChanged = false
  /// The state of the thread once the next frame is handed over, until the link's next vblank and `endTime` longer.
  private var stateAtTheEnd: ManualClock.ThreadState?
  private var endTime = Nanoseconds.zero
  private var random: SplitMix64

  init(seed: UInt64, isOnThread: Bool) throws {
    random = SplitMix64(seed: seed)
    loop = FrameLoop(clock: .manual(clock))
    let rate = RefreshRate(hertz: [24, 60, 90, 144][Int(seed / 4 % 4)]) ?? .hertz60
    vblanks = SimulatedVBlankSource(refreshRate: rate, clock: .manual(clock))
    interval = rate.interval
    (meter, profile, work) = (FPSMeter(refreshRate: rate), PhaseProfile(refreshRate: rate), rate.interval / 10)
    let screen = try SimulatedScreen(width: 8, height: 8, vblanks: vblanks, clock: .manual(clock))
    var wake: (@MainActor () -> Void)?
    let waking = FrameLoop.Observer([.afterWaiting], order: ObserverOrder.turnBegin, .onMain { _, _ in wake?() })
    loop.add(waking, to: .common)
    let threads = isOnThread ? WorkerPool(simulatedThreads: 1) : nil
    engine = Engine(
      display: screen, root: Layer(), scale: nil, loop: loop, workers: WorkerPool(threads: 1), renderThreads: threads)
    engine.measuresThreads = true
    let turnEnd = FrameLoop.Observer(
      [.beforeWaiting], order: ObserverOrder.turnEnd,
      .onMain { [unowned self] _, _ in
        if isChanged { clock.advance(by: threadSleep, thread: .runnable) }
        (isChanged, threadSleep) = (false, isChanged ? .zero : threadSleep)
        while threads?.runNextJob() == true {}
      })
    loop.add(turnEnd, to: .common)
    observers = [waking, turnEnd]
    wake = { [unowned self] in
      clock.advance(by: sleep, thread: .runnable)
      sleep = .zero
    }
    engine.output.observe { [unowned self] event in
      meter.record(event)
      if case .committed = event, let stateAtTheEnd, let link {
        self.stateAtTheEnd = nil
        clock.advance(by: link.targetTimestamp - clock.now + endTime, thread: stateAtTheEnd)
      }
      if case .presented(let frame) = event { profile.add(frame) }
    }.keep()
    var isWhite = false
    link = engine.makeDisplayLink { [unowned self] _ in
      clock.advance(by: work)
      isWhite.toggle()
      isChanged = true
      Transaction.withoutActions { engine.root.backgroundColor = isWhite ? .white : .black }
    }
  }

  /// Lets frames be made at every so many vblanks.
  func slowDown(to count: Int64) {
    let rate = 1 / (interval * count).seconds
    link?.preferredFrameRateRange = FrameRateRange(minimum: 0, maximum: rate, preferred: rate)
    engine.output.displayLink?.preferredFrameRateRange = FrameRateRange(minimum: 0, maximum: rate, preferred: rate)
  }

  func run(intervals: Int64) { loop.run(mode: .default, until: clock.now + interval * intervals) }

  func play(_ fault: Fault) {
    run(intervals: 50)
    for _ in 0..<Self.times {
      inject(fault)
      run(intervals: 20)
    }
    // So that the last frame is seen.
    vblanks.faults.lostEvents = 0
    run(intervals: 10)
    invalidate()
  }

  func invalidate() {
    link?.invalidate()
    for observer in observers { observer.invalidate() }
    engine.invalidate()
  }

  private func inject(_ fault: Fault) {
    // A vblank of the link and so much of the interval after the last that its frame still fits.
    let time = interval * Int64.random(in: 105...160, using: &random) / 100
    let next = vblanks.grid.time(ofVBlank: vblanks.grid.vblank(after: clock.now))
    switch fault {
    case .otherWork:
      let timer = FrameLoop.Timer(
        fireTime: next - interval / 20, .onMain { [clock, interval] _ in clock.advance(by: interval / 20 + time) })
      loop.add(timer, to: .default)
    case .noProcessor: sleep = time
    case .lostVBlanks: vblanks.faults.lostEvents = 0.2
    case .otherWorkAtTheEnd, .noProcessorAtTheEnd:
      stateAtTheEnd = fault == .noProcessorAtTheEnd ? .runnable : .running
      endTime = interval * Int64.random(in: 3...15, using: &random) / 100
    }
  }
}
