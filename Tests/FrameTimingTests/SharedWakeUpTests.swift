import LinuxSystem
import RunLoops
import Simulation
import XCTest

@testable import FrameTiming

/// Several displays on one loop, each with its deadlines: those that lie near each other share a wake-up.
final class SharedWakeUpTests: ManualLoopCase {
  func testDeadlinesThatAreNearShareAWakeUp() throws {
    try onMain { stage in
      let show = try Show(stage, apart: .microseconds(300))
      for pair in show.pairs {
        XCTAssertEqual(pair.first.delivered, pair.first.start, "the first comes at its deadline")
        XCTAssertEqual(pair.second.delivered, pair.first.delivered)
        XCTAssertEqual(pair.second.start, pair.first.start, "it is begun when it is delivered")
      }
      XCTAssertEqual(show.turnsWithTicks, show.pairs.count)
    }
  }

  func testThoseThatAreNotDoNot() throws {
    try onMain { stage in
      let show = try Show(stage, apart: .microseconds(700))
      for pair in show.pairs {
        XCTAssertEqual(pair.first.delivered, pair.first.start)
        XCTAssertEqual(pair.second.delivered, pair.second.start)
        let distance = pair.second.delivered - pair.first.delivered
        XCTAssertEqual(distance.milliseconds, 0.7, accuracy: 0.05)
      }
      XCTAssertEqual(show.turnsWithTicks, 2 * show.pairs.count)
    }
  }

  /// One that is away, or whose frames are never made, costs the other nothing.
  func testNoneHoldsTheOther() throws {
    try onMain { stage in
      let show = try Show(stage, apart: .microseconds(300), secondIsOff: true)
      XCTAssertEqual(show.second.ticks.count, 0)
      XCTAssertGreaterThan(show.first.ticks.count, 80)
      for tick in show.first.ticks.dropFirst(20) {
        XCTAssertGreaterThan(tick.start, tick.timestamp)
        XCTAssertEqual(tick.delivered, tick.start)
      }
      XCTAssertEqual(show.turnsWithTicks, show.first.ticks.count - 20)
    }
  }
}

/// Two displays at 100 Hz, the second a little after the first, with the same work: so are their deadlines.
@MainActor
private final class Show {
  @MainActor
  final class Display {
    private(set) var ticks: [DisplayLink.Tick] = []
    let source: SimulatedVBlankSource
    private let ticker: DisplayTicker
    private var link: DisplayLink?

    init(_ stage: ManualLoopCase.Stage) {
      source = SimulatedVBlankSource(refreshRate: .hundred, clock: stage.clock)
      ticker = DisplayTicker(source: source)
      ticker.learnShortFrames()
      let link = DisplayLink(ticker: ticker) { [unowned self] in if let tick = $0.tick { ticks.append(tick) } }
      link.add(to: stage.loop, mode: .default)
      self.link = link
    }

    func end() { ticker.invalidate() }
  }

  let first: Display
  let second: Display
  private(set) var turnsWithTicks = 0
  /// The ticks of both, once both are put off.
  private(set) var pairs: [(first: DisplayLink.Tick, second: DisplayLink.Tick)] = []

  init(_ stage: ManualLoopCase.Stage, apart: Nanoseconds, secondIsOff: Bool = false) throws {
    first = Display(stage)
    stage.run(apart)
    second = Display(stage)
    second.source.isOn = !secondIsOff
    stage.run(.milliseconds(209) - apart)
    let skipped = (first.ticks.count, second.ticks.count)
    XCTAssertGreaterThanOrEqual(skipped.0, 20)
    var before = (skipped.0, skipped.1)
    var turns = 0
    let observer = FrameLoop.Observer(
      .beforeWaiting,
      .onMain { [unowned self] _, _ in
        if (first.ticks.count, second.ticks.count) != before { turns += 1 }
        before = (first.ticks.count, second.ticks.count)
      })
    stage.loop.add(observer, to: .default)
    stage.run(.milliseconds(800))
    observer.invalidate()
    turnsWithTicks = turns
    pairs = Array(zip(first.ticks.dropFirst(skipped.0), second.ticks.dropFirst(skipped.1)))
    if !secondIsOff { XCTAssertEqual(pairs.count, 80) }
    first.end()
    second.end()
  }
}
