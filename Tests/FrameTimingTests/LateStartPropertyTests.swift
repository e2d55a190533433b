import LinuxSystem
import RunLoops
import Simulation
import TestLength
import XCTest

@testable import FrameTiming

/// Properties of late start on displays with faults, in loops that are busy, for links that pause as they like.
final class LateStartPropertyTests: ManualLoopCase {
  func testTicksAreTheDisplaysIntervals() {
    var ticks = 0
    var delayed = 0
    let seeds = some(12, of: 0..<60 as Range<UInt64>)
    for seed in seeds {
      let rehearsal = Rehearsal(seed: seed)
      rehearsal.run(ticks: 400)
      ticks += rehearsal.ticks
      delayed += rehearsal.delayed
      if let fault = rehearsal.fault { return XCTFail("seed \(seed), after \(rehearsal.ticks) ticks: \(fault)") }
    }
    XCTAssertGreaterThan(ticks, seeds.count * 160)
    XCTAssertGreaterThan(delayed * 3, ticks, "too few were put off")
  }
}

/// A display, a link that works, and what disturbs both.
@MainActor
private final class Rehearsal {
  private(set) var ticks = 0
  private(set) var delayed = 0
  /// The first that went wrong.
  private(set) var fault: String?

  private let stage = ManualLoopCase.Stage()
  private let display: SimulatedVBlankSource
  private let ticker: DisplayTicker
  private var link: DisplayLink?
  private var random: SplitMix64
  private let interval: Nanoseconds
  private var last: (tick: DisplayLink.Tick, vblank: UInt64)?
  /// Since the last tick.
  private var wasPaused = false
  private var pending: FrameRecord?
  private var wakeUps: UInt64 = 0
  /// The tick that is put off, as it was seen when the loop last went to sleep.
  private var seen: DisplayLink.Tick?
  /// How often one was put off, and those that were delivered or dropped.
  private var armings = 0
  private var intervalsArmed: Set<UInt64> = []
  private var runs: UInt64 = 0

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    let hertz: [Int64] = [24, 50, 60, 120, 144, 240]
    let rate = RefreshRate.hertz(hertz[Int.random(in: 0..<hertz.count, using: &random)])
    interval = rate.interval
    display = SimulatedVBlankSource(refreshRate: rate, clock: stage.clock, seed: seed)
    var faults = DisplayFaults()
    faults.noise = interval / 500
    faults.duplicateEvents = Double.random(in: 0...0.1, using: &random)
    faults.lostEvents = Double.random(in: 0...0.1, using: &random)
    faults.latestDelivery = interval / Int64.random(in: 4...100, using: &random)
    faults.lateWakeUps = Double.random(in: 0...0.05, using: &random)
    faults.latestWakeUp = interval * 4
    display.faults = faults
    ticker = DisplayTicker(source: display)
    ticker.policy = .lateStart
  }

  func run(ticks limit: Int) {
    let observer = FrameLoop.Observer(.afterWaiting, .onMain { [unowned self] _, _ in wakeUps += 1 })
    stage.loop.add(observer, to: .default)
    let armed = FrameLoop.Observer(.beforeWaiting, .onMain { [unowned self] _, _ in lookAtDeadline() })
    stage.loop.add(armed, to: .default)
    let link = DisplayLink(ticker: ticker) { [unowned self] in tick($0) }
    self.link = link
    link.add(to: stage.loop, mode: .default)
    while ticks < limit, fault == nil {
      runs += 1
      stage.run(Nanoseconds(Int64.random(in: 1...interval.count * 20, using: &random)))
      disturb(link)
    }
    observer.invalidate()
    armed.invalidate()
    ticker.invalidate()
    if armings > intervalsArmed.count { fail("put off \(armings) times in \(intervalsArmed.count) intervals") }
    // An event, a deadline or the end of a run each wakes the loop once. Nothing else does.
    let most = display.deliveredEvents + UInt64(ticks) + 2 * runs
    if wakeUps > most { fail("woke \(wakeUps) times, for \(most)") }
  }

  private func disturb(_ link: DisplayLink) {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: stage.time.advance(by: Nanoseconds(Int64.random(in: 0...interval.count * 5, using: &random)))
    case 1, 2:
      link.isPaused = true
      wasPaused = true
      let isLong = random.chance(0.1)
      stage.run(Nanoseconds(Int64.random(in: 0...interval.count * (isLong ? 300 : 3), using: &random)))
      link.isPaused = false
    case 3: ticker.policy = random.chance(0.2) ? .vblank : .lateStart
    default: break
    }
  }

  /// The tick that was delayed in this turn: to a time that is still to come, as it was asked for, and once an interval.
  private func lookAtDeadline() {
    let tick = ticker.delayedTick
    defer { seen = tick }
    guard let tick, tick != seen else { return }
    armings += 1
    intervalsArmed.insert(tick.frameNumber)
    if tick.start <= stage.time.now { fail("put off to a time that is over at \(stage.time.now): \(tick)") }
    if tick.start >= tick.targetTimestamp { fail("put off to beyond its target: \(tick)") }
  }

  private func tick(_ link: DisplayLink) {
    guard let tick = link.tick else { return }
    ticks += 1
    let now = stage.time.now
    if tick.start > tick.timestamp, tick.delivered >= tick.start { delayed += 1 }
    if let frame = pending, frame.presented <= now { ticker.observe(frame) }
    pending = nil

    if tick.delivered != now { fail("delivered at \(now): \(tick)") }
    if tick.start > max(now, tick.timestamp) { fail("begun before its start: \(tick)") }
    if tick.start < tick.timestamp - interval / 50 { fail("to be begun before its vblank: \(tick)") }
    let slack = interval / 50
    if tick.targetTimestamp <= now - slack { fail("made for the past: \(tick)") }
    let next = display.grid.vblank(after: tick.timestamp)
    let isNextNearer =
      display.grid.time(ofVBlank: next) - tick.timestamp < tick.timestamp - display.grid.time(ofVBlank: next - 1)
    let vblank = isNextNearer ? next : next - 1
    if let last {
      if tick.timestamp <= last.tick.timestamp { fail("\(tick) after \(last.tick)") }
      if vblank <= last.vblank { fail("vblank \(vblank) twice: \(tick) after \(last.tick)") }
      let passed = tick.frameNumber - last.tick.frameNumber
      if passed != vblank - last.vblank { fail("\(vblank - last.vblank) intervals counted as \(passed): \(tick)") }
      if tick.missed != (wasPaused ? 0 : passed - 1) { fail("\(tick.missed) missed of \(passed)") }
    }
    last = (tick, vblank)
    wasPaused = false
    work(tick)
  }

  private func work(_ tick: DisplayLink.Tick) {
    let spike = random.chance(0.02)
    let part = spike ? Double.random(in: 0.5...3, using: &random) : Double.random(in: 0.1...0.3, using: &random)
    stage.time.advance(by: .seconds(interval.seconds * part))
    var frame = FrameRecord()
    (frame.tickTimestamp, frame.target, frame.start) = (tick.timestamp, tick.targetTimestamp, tick.start)
    (frame.delivered, frame.submitted) = (tick.delivered, stage.time.now)
    frame.presented = display.grid.timestamp(ofVBlank: display.grid.vblank(after: frame.submitted + .microseconds(800)))
    pending = frame
  }

  private func fail(_ sentence: String) {
    if fault == nil { fault = sentence }
  }
}
