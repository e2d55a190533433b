import LinuxSystem
import RunLoops
import Simulation
import XCTest

@testable import FrameTiming

/// Several displays on one loop, each with its deadlines: those that lie near each other share a wake-up.
final class SharedWakeUpTests: ManualLoopCase {
  func testOnlyDeadlinesThatAreNearShareAWakeUp() {
    for (apart, distance) in [(300, 0), (700, 0.7)] as [(Int64, Double)] {
      let stage = Stage()
      let show = Show(stage, apart: .microseconds(apart))
      for pair in show.pairs {
        XCTAssertEqual(pair.first.delivered, pair.first.start)
        XCTAssertEqual(pair.second.delivered, pair.second.start, "it is begun when it is delivered")
        let passed = pair.second.delivered - pair.first.delivered
        XCTAssertEqual(passed.milliseconds, distance, accuracy: distance == 0 ? 0 : 0.05)
      }
      XCTAssertEqual(show.turnsWithTicks, (distance == 0 ? 1 : 2) * show.pairs.count)
    }
  }

  /// One that is away, or whose frames are never made, costs the other nothing.
  func testNoneHoldsTheOther() {
    let stage = Stage()
    let show = Show(stage, apart: .microseconds(300), secondIsOff: true)
    XCTAssertEqual(show.second.ticks.count, 0)
    XCTAssertGreaterThan(show.first.ticks.count, 80)
    for tick in show.first.ticks.dropFirst(20) {
      XCTAssertGreaterThan(tick.start, tick.timestamp)
      XCTAssertEqual(tick.delivered, tick.start)
    }
    XCTAssertEqual(show.turnsWithTicks, show.first.ticks.count - 20)
  }
}

/// Two displays at 100 Hz, the second a little after the first, with the same work: so are their deadlines.
@MainActor
private final class Show {
  @MainActor
  final class Display {
    let source: SimulatedVBlankSource
    var ticks: [DisplayLink.Tick] { log.ticks }
    private let ticker: DisplayTicker
    private let log: ManualLoopCase.TickLog

    init(_ stage: ManualLoopCase.Stage) {
      source = SimulatedVBlankSource(refreshRate: .hundred, clock: stage.clock)
      let ticker = DisplayTicker(source: source)
      ticker.learnShortFrames()
      self.ticker = ticker
      (_, log) = stage.link(to: ticker)
    }

    func end() { ticker.invalidate() }
  }

  let first: Display
  let second: Display
  private(set) var turnsWithTicks = 0
  /// The ticks of both, once both are put off.
  private(set) var pairs: [(first: DisplayLink.Tick, second: DisplayLink.Tick)] = []

  init(_ stage: ManualLoopCase.Stage, apart: Nanoseconds, secondIsOff: Bool = false) {
    first = Display(stage)
    stage.run(apart)
    second = Display(stage)
    second.source.isOn = !secondIsOff
    stage.run(.milliseconds(209) - apart)
    let skipped = (first.ticks.count, second.ticks.count)
    XCTAssertGreaterThanOrEqual(skipped.0, 20)
    var before = skipped
    let observer = FrameLoop.Observer(
      .beforeWaiting,
      .onMain { [unowned self] _, _ in
        if (first.ticks.count, second.ticks.count) != before { turnsWithTicks += 1 }
        before = (first.ticks.count, second.ticks.count)
      })
    stage.loop.add(observer, to: .default)
    stage.run(.milliseconds(800))
    observer.invalidate()
    pairs = Array(zip(first.ticks.dropFirst(skipped.0), second.ticks.dropFirst(skipped.1)))
    if !secondIsOff { XCTAssertEqual(pairs.count, 80) }
    first.end()
    second.end()
  }
}
