import LinuxSystem
import RunLoops
import Simulation
import XCTest

@testable import FrameTiming

/// A tick that was expected comes before the model learns from it. Nobody may notice.
final class ExpectedTickTests: ManualLoopCase {
  /// Whatever a callback asks first, the answer is that of a model that has seen the tick.
  func testACallbackFindsWhatItsTickHasTaught() {
    onMain { stage in
      let ticker = DisplayTicker(source: SimulatedVBlankSource(.steady, clock: stage.clock, seed: 1))
      var last: DisplayLink.Tick?
      let link = DisplayLink(ticker: ticker) { link in
        guard let tick = link.tick else { return }
        defer { last = tick }
        switch tick.frameNumber % 4 {
        case 0: XCTAssertEqual(ticker.lastVBlank?.timestamp, tick.timestamp)
        case 1: XCTAssertEqual(ticker.model.last?.timestamp, tick.timestamp)
        case 2: XCTAssertEqual(ticker.frameNumber(at: tick.timestamp), tick.frameNumber)
        default: XCTAssertGreaterThan(ticker.predictedVBlank(after: tick.timestamp), tick.timestamp + .milliseconds(10))
        }
      }
      link.add(to: stage.loop, mode: .default)
      stage.run(.seconds(5))
      XCTAssertEqual(last?.frameNumber, 300)
      link.invalidate()
    }
  }

  /// On a display that trembles a target that was predicted before its tick's stamp is not quite the one after it.
  func testMostTicksAreExpected() {
    onMain { stage in
      let ticker = DisplayTicker(source: SimulatedVBlankSource(.noisy, clock: stage.clock, seed: 1))
      var (ticks, expected) = (0, 0)
      let link = DisplayLink(ticker: ticker) { link in
        let after = ticker.predictedVBlank(after: link.timestamp + link.duration / 2)
        XCTAssertLessThan(max(after - link.targetTimestamp, link.targetTimestamp - after), .milliseconds(1))
        ticks += 1
        if after != link.targetTimestamp { expected += 1 }
      }
      link.add(to: stage.loop, mode: .default)
      stage.run(.seconds(10))
      XCTAssertGreaterThan(ticks, 500)
      XCTAssertGreaterThan(expected, ticks * 3 / 4)
      link.invalidate()
    }
  }

  /// A source that answers at once, and with what it has told already.
  func testAnExpectedTickIsMadeOnce() {
    onMain { stage in
      let source = EchoingSource(clock: stage.clock)
      let ticker = DisplayTicker(source: source)
      var numbers: [UInt64] = []
      let link = DisplayLink(ticker: ticker) { numbers.append($0.frameNumber) }
      link.add(to: stage.loop, mode: .default)
      for _ in 0..<100 {
        source.send(on: stage.loop)
        stage.time.advance(by: .milliseconds(10))
      }
      XCTAssertGreaterThan(source.echoes, 20)
      XCTAssertEqual(numbers, Array(1...100))
      link.invalidate()
    }
  }

  /// The last words of a ticker that is invalidated in a callback are of that tick.
  func testATickerThatEndsHasLearned() {
    onMain { stage in
      let ticker = DisplayTicker(source: SimulatedVBlankSource(.steady, clock: stage.clock, seed: 1))
      let link = DisplayLink(ticker: ticker) { if $0.frameNumber == 100 { ticker.invalidate() } }
      link.add(to: stage.loop, mode: .default)
      stage.run(.seconds(5))
      XCTAssertEqual(link.frameNumber, 100)
      XCTAssertEqual(ticker.lastVBlank?.timestamp, link.timestamp)
    }
  }

  /// A source may say another rate although its vblanks come as before: that is seen at the next tick but one.
  func testAnotherNominalRateIsNoticed() throws {
    let other = try XCTUnwrap(RefreshRate(hertz: 59.97))
    onMain { stage in
      let source = SimulatedVBlankSource(.steady, clock: stage.clock, seed: 1)
      let ticker = DisplayTicker(source: source)
      let link = DisplayLink(ticker: ticker) { link in
        if link.frameNumber == 100 { source.setRate(other, actual: source.refreshRate) }
        if link.frameNumber > 101 { XCTAssertEqual(link.duration, other.interval) }
      }
      link.add(to: stage.loop, mode: .default)
      stage.run(.seconds(3))
      XCTAssertGreaterThan(link.frameNumber, 150)
      link.invalidate()
    }
  }

  /// Two programs that differ in that one asks its ticker something in each callback: they have the same ticks, whatever else
  /// they do.
  func testAskingChangesNothing() {
    for profile in DisplayProfile.all {
      for seed: UInt64 in 0..<6 {
        var (quiet, asking): ([DisplayLink.Tick], [DisplayLink.Tick]) = ([], [])
        onMain { stage in quiet = stage.ticks(profile, seed: seed, asks: false) }
        onMain { stage in asking = stage.ticks(profile, seed: seed, asks: true) }
        XCTAssertGreaterThan(quiet.count, 300, "\(profile.name), seed \(seed)")
        XCTAssertEqual(quiet, asking, "\(profile.name), seed \(seed)")
        XCTAssertTrue(
          zip(quiet, quiet.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp && $0.frameNumber < $1.frameNumber },
          "\(profile.name), seed \(seed)")
      }
    }
  }
}

extension ManualLoopCase.Stage {
  /// The ticks of a program that is not kind to its display.
  fileprivate func ticks(_ profile: DisplayProfile, seed: UInt64, asks: Bool) -> [DisplayLink.Tick] {
    var ticks: [DisplayLink.Tick] = []
    func makeSource(seed: UInt64) -> SimulatedVBlankSource { SimulatedVBlankSource(profile, clock: clock, seed: seed) }
    var source = makeSource(seed: seed)
    var actual = source.refreshRate
    let ticker = DisplayTicker(source: source)
    var random = SplitMix64(seed: seed)
    let link = DisplayLink(ticker: ticker) { [self] link in
      guard let tick = link.tick else { return }
      if asks { ask(ticker, tick) }
      ticks.append(tick)
      switch Int.random(in: 0..<200, using: &random) {
      case 0: ticker.losePhase()
      case 1:
        source = makeSource(seed: random.next())
        ticker.change(to: source)
      case 2: time.advance(by: Nanoseconds(Int64.random(in: 0...90_000_000, using: &random)))
      case 3 where ticker.policy == .lateStart: ticker.policy = .vblank
      case 3: ticker.learnShortFrames()
      case 4: loop.run(mode: "nested", until: clock.now + .milliseconds(20))
      case 5: link.preferredFrameRateRange = random.chance(0.5) ? FrameRateRange(minimum: 20, maximum: 30) : .default
      case 6:
        let hertz = source.refreshRate.hertz * Double.random(in: 0.999...1.001, using: &random)
        guard let rate = RefreshRate(hertz: hertz) else { break }
        if random.chance(0.5) { actual = rate }
        source.setRate(rate, actual: actual)
      default: break
      }
    }
    link.add(to: loop, mode: .default)
    link.add(to: loop, mode: "nested")
    for _ in 0..<20 {
      run(.milliseconds(1_000))
      link.isPaused = true
      run(.milliseconds(Int64.random(in: 0...300, using: &random)))
      link.isPaused = false
    }
    link.invalidate()
    return ticks
  }

  /// Something, another thing each time.
  private func ask(_ ticker: DisplayTicker, _ tick: DisplayLink.Tick) {
    switch tick.frameNumber % 6 {
    case 0: _ = ticker.model
    case 1: _ = ticker.lastVBlank
    case 2: _ = ticker.isTickDue(at: clock.now)
    case 3: _ = ticker.sourceFault
    case 4: ticker.policy = ticker.policy
    default: _ = ticker.name
    }
  }
}

/// On an exact grid of 100 Hz; each vblank is told when it is sent, and once more when the next is asked for.
@MainActor
private final class EchoingSource: VBlankSource {
  let name = "echoing source"
  let refreshRate = RefreshRate.hundred
  var onVBlank: (@MainActor (VBlank) -> Void)?
  private(set) var echoes = 0
  private let clock: SystemClock
  private var last: VBlank?
  private var isEchoing = false

  init(clock: SystemClock) { self.clock = clock }

  func requestVBlank() {
    guard let last, !isEchoing else { return }
    isEchoing = true
    echoes += 1
    onVBlank?(last)
    isEchoing = false
  }

  func add(to loop: FrameLoop, mode: FrameLoop.Mode) {}
  func remove(from loop: FrameLoop, mode: FrameLoop.Mode) {}
  func invalidate() { onVBlank = nil }

  /// Tells the vblank of this time, inside a run.
  func send(on loop: FrameLoop) {
    let vblank = VBlank(timestamp: clock.now, sequence: UInt64(clock.now.nanoseconds / 10_000_000))
    let timer = FrameLoop.Timer(
      fireTime: clock.now,
      .onMain { [self] _ in
        last = vblank
        onVBlank?(vblank)
      })
    loop.add(timer, to: .default)
    loop.run(mode: .default, until: clock.now + Nanoseconds(1))
  }
}
