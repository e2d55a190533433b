import Framepace
import FramepaceTesting
import Metering
import Simulation
import TestLength
import XCTest

/// The causes of missed intervals, compared with what the simulation did to them.
@preconcurrency @MainActor final class StandstillTests: XCTestCase {
  /// The loop, other processes or the display take two vblanks and a part of the next interval: no frame is late, and the one that ends the
  /// standstill names the cause.
  func testEachCause() throws {
    for seed in some(4, of: 0..<24 as Range<UInt64>) {
      let faults: [(Fault, FrameRecord.StandstillCause)] = [
        (.otherWork, .frame(.scheduling)), (.noProcessor, .frame(.machineBusy)), (.lostVBlanks, .lostVBlank),
      ]
      for (fault, cause) in faults {
        let stage = try StandstillStage(seed: seed)
        stage.play(fault)
        let text = "seed \(seed): \(cause.name), \(stage.profile.missedCauses), \(stage.profile.lateCauses)"
        XCTAssertEqual(stage.profile.missedCauses.map(\.cause), [cause], text)
        let missed = stage.profile.missedCauses.reduce(0) { $0 + $1.intervals }
        XCTAssertEqual(missed, stage.meter.report().missed, text)
        XCTAssertGreaterThanOrEqual(missed, StandstillStage.times, text)
        XCTAssertEqual(stage.profile.worstFrames.first?.longestCause, cause, text)
      }
    }
  }

  /// Frames that take two intervals each are late, and account for the intervals without a tick.
  func testLateFramesAccountForMissedIntervals() throws {
    let stage = try StandstillStage(seed: 0)
    stage.work = stage.interval * 3 / 2
    stage.run(intervals: 100)
    XCTAssertGreaterThan(stage.meter.report().missed, 40)
    XCTAssertGreaterThan(stage.profile.lateFrames, 40)
    XCTAssertLessThanOrEqual(stage.profile.missedCauses.reduce(0) { $0 + $1.intervals }, 1)
    stage.invalidate()
  }
}

private enum Fault { case otherWork, noProcessor, lostVBlanks }

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
  private var waking: FrameLoop.Observer?
  private var link: DisplayLink?
  private var sleep = Nanoseconds.zero
  private var random: SplitMix64

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    loop = FrameLoop(clock: .manual(clock))
    let rate = RefreshRate(hertz: [24, 60, 90, 144][Int(seed % 4)]) ?? .hertz60
    vblanks = SimulatedVBlankSource(refreshRate: rate, clock: .manual(clock))
    interval = rate.interval
    (meter, profile, work) = (FPSMeter(refreshRate: rate), PhaseProfile(refreshRate: rate), rate.interval / 10)
    let screen = try SimulatedScreen(width: 8, height: 8, vblanks: vblanks, clock: .manual(clock))
    var wake: (@MainActor () -> Void)?
    let waking = FrameLoop.Observer([.afterWaiting], order: ObserverOrder.turnBegin, .onMain { _, _ in wake?() })
    loop.add(waking, to: .common)
    engine = Engine(display: screen, root: Layer(), loop: loop)
    engine.measuresThreads = true
    self.waking = waking
    wake = { [unowned self] in
      clock.advance(by: sleep, thread: .runnable)
      sleep = .zero
    }
    engine.output.observe { [unowned self] event in
      meter.record(event)
      if case .presented(let frame) = event { profile.add(frame) }
    }.keep()
    var isWhite = false
    link = engine.makeDisplayLink { [unowned self] _ in
      clock.advance(by: work)
      isWhite.toggle()
      Transaction.withoutActions { engine.root.backgroundColor = isWhite ? .white : .black }
    }
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
    waking?.invalidate()
    engine.invalidate()
  }

  private func inject(_ fault: Fault) {
    // Two vblanks and so much of the interval after them that its frame still fits.
    let time = interval * Int64.random(in: 105...160, using: &random) / 100
    let next = vblanks.grid.time(ofVBlank: vblanks.grid.vblank(after: clock.now))
    switch fault {
    case .otherWork:
      let timer = FrameLoop.Timer(
        fireTime: next - interval / 20, .onMain { [clock, interval] _ in clock.advance(by: interval / 20 + time) })
      loop.add(timer, to: .default)
    case .noProcessor: sleep = time
    case .lostVBlanks: vblanks.faults.lostEvents = 0.2
    }
  }
}
