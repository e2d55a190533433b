import LinuxSystem
import RunLoops
import Simulation
import XCTest

@testable import FrameTiming

/// Properties of the tick machine, and of a ticker around it, under anything that can happen.
final class TickMachineTests: ManualLoopCase {
  /// Whatever happens: one request at a time, no request in a loop, ticks that go forward, and no state that waits for nothing.
  func testAnyEvents() {
    for seed: UInt64 in 0..<300 {
      var player = Player(seed: seed)
      for _ in 0..<400 { player.step() }
      XCTAssertEqual(player.faults, [], "seed \(seed)")
      XCTAssertGreaterThan(player.ticks, 10, "seed \(seed)")
    }
  }

  /// A program that treats its display badly, in every callback: ticks go forward all the same, each wake-up brings an event
  /// or a tick, and while nobody wants ticks nothing comes.
  func testAnUnkindProgram() {
    for profile in DisplayProfile.all {
      for seed: UInt64 in 0..<3 {
        let stage = Stage()
        let ticks = stage.ticks(profile, seed: seed)
        XCTAssertGreaterThan(ticks.count, 150, "\(profile.name), seed \(seed)")
        XCTAssertTrue(
          zip(ticks, ticks.dropFirst()).allSatisfy {
            $0.timestamp < min($1.timestamp, $0.targetTimestamp) && $0.frameNumber < $1.frameNumber
          },
          "\(profile.name), seed \(seed)")
      }
    }
  }

  /// Once the last link has gone nobody waits for the vblank that was requested for it.
  func testNobodyAwaitsAVBlankWithoutALink() {
    let stage = Stage()
    let ticker = DisplayTicker(source: SimulatedVBlankSource(.steady, clock: stage.clock, seed: 1))
    let (link, _) = stage.link(to: ticker)
    stage.run(.milliseconds(50))
    XCTAssertTrue(ticker.forecast.isAwaitingVBlank)
    link.invalidate()
    XCTAssertFalse(ticker.forecast.isAwaitingVBlank)
    XCTAssertFalse(ticker.forecast.isTickDue(at: ticker.forecast.vblank(after: stage.time.now) + .milliseconds(1)))
  }

  /// A vblank has had its tick, also one that came a little before its place and is not believed. A frame that waited for another tick
  /// of the same interval would never be made.
  func testNoTickIsDueTwice() {
    let start = MonotonicTime(nanoseconds: 1_000_000_000)
    var machine = TickMachine(TickMachine.Source(refreshRate: .hundred, isVariable: false, isDisplay: true))
    _ = machine.handle(.wanted(true), at: start)
    for k in 1...80 as ClosedRange<Int64> {
      let vblank = start + .milliseconds(10) * k - (k == 80 ? .microseconds(300) : .zero)
      let delivered = vblank + .microseconds(20)
      _ = machine.handle(.vblank(VBlank(timestamp: vblank, sequence: 0), .hundred), at: delivered)
      _ = machine.handle(.delivered, at: delivered)
      XCTAssertFalse(machine.forecast.isTickDue(at: vblank + .microseconds(400)), "\(k)")
    }
    XCTAssertTrue(machine.forecast.isTickDue(at: start + .microseconds(810_001)))
  }

  /// The source is asked for its newest vblank once a request, also at the moment of the request; a question before that does not
  /// count.
  func testAPastVBlankIsAskedForOnceARequest() {
    let start = MonotonicTime(nanoseconds: 1_000_000_000)
    var machine = TickMachine(TickMachine.Source(refreshRate: .hundred, isVariable: false, isDisplay: true))
    _ = machine.handle(.wanted(true), at: start)
    for k in 1...3 as ClosedRange<Int64> {
      let vblank = start + .milliseconds(10) * k
      _ = machine.handle(.vblank(VBlank(timestamp: vblank, sequence: UInt64(k)), .hundred), at: vblank)
      _ = machine.handle(.newest(nil), at: vblank)
      _ = machine.handle(.delivered, at: vblank)
      XCTAssertTrue(machine.hasMissed(vblank))
      _ = machine.handle(.newest(nil), at: vblank)
      XCTAssertFalse(machine.hasMissed(vblank))
    }
  }

  /// A source may change its rate although its vblanks come as before. The next tick but one has the new duration.
  func testAnotherNominalRateIsNoticed() {
    let other = RefreshRate.hertz(5997, over: 100)
    let stage = Stage()
    let source = SimulatedVBlankSource(.steady, clock: stage.clock, seed: 1)
    let ticker = DisplayTicker(source: source)
    let (link, _) = stage.link(to: ticker) { link in
      if link.frameNumber == 100 { source.setRate(other, actual: source.refreshRate) }
      if link.frameNumber > 101 { XCTAssertEqual(link.duration, other.interval) }
    }
    stage.run(.seconds(3))
    XCTAssertGreaterThan(link.frameNumber, 150)
    link.invalidate()
  }
}

/// Plays random events to a machine, as a source, links and a clock.
private struct Player {
  private(set) var faults: [String] = []
  private(set) var ticks = 0
  private var machine: TickMachine
  private var random: SplitMix64
  private var now = MonotonicTime(nanoseconds: 1_000_000_000)
  private var interval: Nanoseconds { source.refreshRate.interval }
  private var source = TickMachine.Source(refreshRate: .hundred, isVariable: false, isDisplay: true)
  private var isWanted = false
  private var isOutstanding = false
  private var isDelivering = false
  private var last: DisplayLink.Tick?
  /// Requests since the last tick, pause or change of the source.
  private var requests: [MonotonicTime] = []

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    machine = TickMachine(source)
    if seed.isMultiple(of: 2) { machine.pacer.learnShortFrames() }
  }

  mutating func step() {
    now += Nanoseconds(Int64.random(in: 0...interval.count / 3, using: &random))
    if isDelivering, random.chance(0.7) {
      isDelivering = false
      return send(.delivered)
    }
    if let wakeUp = machine.wakeUp, wakeUp.time <= now { return send(.wakeUp) }
    switch Int.random(in: 0..<40, using: &random) {
    case 0, 1:
      isWanted.toggle()
      send(.wanted(isWanted))
    case 2: send(.phaseLost)
    case 3:
      let rate = [RefreshRate.hundred, .hertz60][Int.random(in: 0...1, using: &random)]
      source = TickMachine.Source(refreshRate: rate, isVariable: random.chance(0.2), isDisplay: random.chance(0.5))
      (isOutstanding, requests) = (false, [])
      send(.sourceChanged(source))
    case 4: send(.wanted(isWanted), slept: .seconds(Double.random(in: 0...1, using: &random)))
    case 5: send(.newest(vblank()))
    case 6 where !isOutstanding: send(.vblank(vblank(), source.refreshRate))
    default:
      guard isOutstanding else { return }
      isOutstanding = false
      send(.vblank(vblank(), source.refreshRate))
    }
  }

  /// A vblank on a grid, mostly the newest; some have another stamp, or none.
  private mutating func vblank() -> VBlank {
    let newest = source.refreshRate.intervals(in: now - MonotonicTime.zero)
    let number = newest - (random.chance(0.3) ? Int64.random(in: 0...3, using: &random) : 0)
    var stamp = MonotonicTime.zero + source.refreshRate.offset(ofInterval: number)
    if random.chance(0.05) { stamp += Nanoseconds(Int64.random(in: -interval.count...interval.count * 3, using: &random)) }
    return VBlank(timestamp: random.chance(0.03) ? .zero : stamp, sequence: random.chance(0.1) ? 0 : UInt64(number))
  }

  private mutating func send(_ event: TickMachine.Event, slept: Nanoseconds? = nil) {
    switch machine.handle(event, at: now, slept: slept) {
    case .none: break
    case .request:
      if isOutstanding { faults.append("\(event): requested again") }
      if isDelivering { faults.append("\(event): requested inside callbacks") }
      isOutstanding = true
      if case .vblank = event {} else if case .wakeUp = event {} else { requests = [] }
      requests.append(now)
      // The first repetition is at once.
      if requests.count > 2, let before = requests.dropLast().last, now - before < interval / 2 {
        faults.append("\(event): requested \((now - before).count) ns after the last")
      }
    case .deliver(let tick):
      if isDelivering { faults.append("\(event): a tick inside callbacks") }
      if let last, tick.timestamp <= last.timestamp || tick.frameNumber <= last.frameNumber {
        faults.append("\(event): \(tick) after \(last)")
      }
      if tick.delivered != now { faults.append("\(event): \(tick) at \(now)") }
      (isDelivering, last, requests) = (true, tick, [])
      ticks += 1
    case .delay: if random.chance(0.2) { return send(.delayIsNeedless) }
    }
    let isWaiting = isOutstanding || isDelivering || machine.wakeUp != nil
    if isWanted, !isWaiting { faults.append("\(event): nothing comes any more") }
    if !isWanted, machine.wakeUp != nil { faults.append("\(event): it wakes for nobody") }
  }
}

extension ManualLoopCase.Stage {
  /// The ticks of a program that is not kind to its display.
  fileprivate func ticks(_ profile: DisplayProfile, seed: UInt64) -> [DisplayLink.Tick] {
    var ticks: [DisplayLink.Tick] = []
    func makeSource(seed: UInt64) -> SimulatedVBlankSource { SimulatedVBlankSource(profile, clock: clock, seed: seed) }
    var source = makeSource(seed: seed)
    let ticker = DisplayTicker(source: source)
    var random = SplitMix64(seed: seed)
    var (wakeUps, events): (UInt64, UInt64) = (0, 0)
    let observer = FrameLoop.Observer([.afterWaiting], .onMain { _, _ in wakeUps += 1 })
    loop.add(observer, to: .default)
    let link = DisplayLink(ticker: ticker) { [self] link in
      guard let tick = link.tick else { return }
      ticks.append(tick)
      switch Int.random(in: 0..<100, using: &random) {
      case 0: ticker.losePhase()
      case 1:
        events += source.deliveredEvents
        source = makeSource(seed: random.next())
        ticker.change(to: source)
      case 2: time.advance(by: Nanoseconds(Int64.random(in: 0...90_000_000, using: &random)))
      case 3 where ticker.policy == .lateStart: ticker.policy = .vblank
      case 3: ticker.learnShortFrames()
      case 4: loop.run(mode: "nested", until: clock.now + .milliseconds(20))
      case 5: link.preferredFrameRateRange = random.chance(0.5) ? FrameRateRange(minimum: 20, maximum: 30) : .default
      case 6: ticker.refresh()
      default: break
      }
    }
    link.add(to: loop, mode: .default)
    link.add(to: loop, mode: "nested")
    for _ in 0..<10 {
      run(.milliseconds(1_000))
      link.isPaused = true
      // The vblank that was requested before the pause may still come.
      run(.milliseconds(Int64.random(in: 150...300, using: &random)))
      let (delivered, woken) = (source.deliveredEvents, wakeUps)
      run(.seconds(10))
      XCTAssertEqual(source.deliveredEvents, delivered, "\(profile.name), seed \(seed)")
      XCTAssertLessThanOrEqual(wakeUps - woken, 1, "the end of the run itself")
      link.isPaused = false
    }
    events += source.deliveredEvents
    XCTAssertLessThanOrEqual(wakeUps, events + UInt64(ticks.count) + 60, "\(profile.name), seed \(seed)")
    observer.invalidate()
    link.invalidate()
    return ticks
  }
}
