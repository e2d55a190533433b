import LinuxSystem
import RunLoops
import XCTest

@testable import FrameTiming

final class DisplayLinkTests: ManualLoopCase {
  func testManyLinksShareOneRequestAndTickInTheOrderOfTheirCreation() {
    let stage = Stage()
    let (source, ticker) = stage.countingTicker()
    var order: [Int] = []
    let links = (0..<5).map { index in DisplayLink(ticker: ticker) { _ in order.append(index) } }
    for link in links.reversed() { link.add(to: stage.loop, mode: .default) }
    XCTAssertEqual(source.requests, 1)
    for k in 1...3 as ClosedRange<Int64> { stage.send(source, at: at(k * 10), UInt64(k)) }
    XCTAssertEqual(order, [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4])
    XCTAssertEqual(source.requests, 4)
  }

  func testNothingIsRequestedWhileNobodyWantsFrames() {
    let stage = Stage()
    let (source, ticker) = stage.countingTicker()
    var ticks: [DisplayLink.Tick] = []
    let link = DisplayLink(ticker: ticker) { link in
      if let tick = link.tick { ticks.append(tick) }
      if ticks.count == 2 { link.isPaused = true }
    }
    link.isPaused = true
    XCTAssertEqual(source.requests, 0)
    link.add(to: stage.loop, mode: .default)
    XCTAssertEqual(source.requests, 0)
    link.isPaused = false
    XCTAssertEqual(source.requests, 1)
    stage.send(source, at: at(10), 1)
    stage.send(source, at: at(20), 2)
    // Its own handler paused it: there is no further request, and a vblank without a request ticks nobody.
    XCTAssertEqual(source.requests, 2)
    stage.send(source, at: at(30), 3)
    XCTAssertEqual(ticks.count, 2)
    XCTAssertEqual(source.requests, 2)
    XCTAssertEqual(ticker.lastVBlank, VBlank(timestamp: at(20), sequence: 2))
    // After an idle time frame numbers have advanced, and nothing was missed.
    stage.time.advance(to: at(500))
    link.isPaused = false
    XCTAssertEqual(source.requests, 3)
    stage.send(source, at: at(510), 51)
    XCTAssertEqual(ticks.map(\.frameNumber), [1, 2, 51])
    XCTAssertEqual(ticks.map(\.missed), [0, 0, 0])
    link.invalidate()
    XCTAssertFalse(stage.loop.contains(source.loopItem, in: .default))
    stage.send(source, at: at(520), 52)
    XCTAssertEqual(source.requests, 4)
    XCTAssertEqual(ticks.count, 3)
  }

  func testALinkTicksOnlyInItsModes() {
    let stage = Stage()
    let ticker = stage.clockTicker()
    var log = ""
    let standard = DisplayLink(ticker: ticker) { _ in log += "d" }
    let tracking = DisplayLink(ticker: ticker) { _ in log += "t" }
    let common = DisplayLink(ticker: ticker) { _ in log += "c" }
    standard.add(to: stage.loop, mode: .default)
    tracking.add(to: stage.loop, mode: .tracking)
    common.add(to: stage.loop, mode: .common)
    stage.run(.milliseconds(25))
    log += " "
    stage.run(.milliseconds(20), mode: .tracking)
    log += " "
    // The mode becomes common while links are added: the common link ticks there too.
    stage.loop.addCommonMode(.tracking)
    stage.run(.milliseconds(20), mode: .tracking)
    log += " "
    common.remove(from: stage.loop, mode: .common)
    stage.run(.milliseconds(20))
    log += " "
    stage.run(.milliseconds(20), mode: .tracking)
    log += " "
    standard.remove(from: stage.loop, mode: .default)
    stage.run(.milliseconds(20))
    XCTAssertEqual(log, "dcdc tt tctc dd tt ")
  }

  func testLinksChangeInsideCallbacks() {
    let stage = Stage()
    let ticker = stage.clockTicker()
    var log: [String] = []
    var late: DisplayLink?
    var victim: DisplayLink?
    var tail: DisplayLink?
    // It was created first, and so is called first, although a later link's callback adds it.
    let early = DisplayLink(ticker: ticker) { link in log.append("early \(link.frameNumber)") }
    let doomed = DisplayLink(ticker: ticker) { link in log.append("doomed \(link.frameNumber)") }
    let sleeping = DisplayLink(ticker: ticker) { link in log.append("sleeping \(link.frameNumber)") }
    sleeping.isPaused = true
    let first = DisplayLink(ticker: ticker) { link in
      log.append("first \(link.frameNumber)")
      guard link.frameNumber == 1 else { return }
      early.add(to: stage.loop, mode: .default)
      late = DisplayLink(ticker: ticker) { link in log.append("late \(link.frameNumber)") }
      late?.add(to: stage.loop, mode: .default)
    }
    let killer = DisplayLink(ticker: ticker) { link in
      log.append("killer \(link.frameNumber)")
      doomed.invalidate()
      victim?.invalidate()
      sleeping.isPaused = false
      tail?.isPaused = false
      link.invalidate()
    }
    victim = DisplayLink(ticker: ticker) { _ in log.append("victim") }
    tail = DisplayLink(ticker: ticker) { link in log.append("tail \(link.frameNumber)") }
    tail?.isPaused = true
    for link in [first, doomed, sleeping, killer, victim, tail] { link?.add(to: stage.loop, mode: .default) }
    stage.run(.milliseconds(25))
    XCTAssertEqual(
      log,
      [
        "doomed 1", "first 1", "killer 1",
        "early 2", "sleeping 2", "first 2", "tail 2", "late 2",
      ])
  }

  func testALinkIsKeptWhileAddedAndLetGoAfterwards() {
    let stage = Stage()
    weak var weakLink: DisplayLink?
    weak var weakTicker: DisplayTicker?
    do {
      let ticker = stage.clockTicker()
      weakTicker = ticker
      var ticks = 0
      do {
        let link = DisplayLink(ticker: ticker) { _ in ticks += 1 }
        link.add(to: stage.loop, mode: .default)
        weakLink = link
      }
      stage.run(.milliseconds(25))
      XCTAssertEqual(ticks, 2)
      weakLink?.invalidate()
    }
    XCTAssertNil(weakLink)
    XCTAssertNil(weakTicker)
  }

  func testTheTickerPredictsAndNumbersByItsGrid() {
    let stage = Stage()
    let (source, ticker) = stage.countingTicker()
    XCTAssertEqual(ticker.forecast.vblank(after: at(3)), at(13))
    XCTAssertEqual(ticker.forecast.frameNumber(at: at(300)), 0)
    stage.link(to: ticker)
    for k in 1...3 as ClosedRange<Int64> { stage.send(source, at: at(k * 10 + 2), UInt64(k)) }
    for (time, next) in [(32, 42), (41, 42), (42, 52), (31, 32), (12, 22)] as [(Int64, Int64)] {
      XCTAssertEqual(ticker.forecast.vblank(after: at(time)), at(next))
    }
    for (time, number) in [(32, 3), (41, 3), (532, 53), (31, 2), (1, 0)] as [(Int64, UInt64)] {
      XCTAssertEqual(ticker.forecast.frameNumber(at: at(time)), number)
    }
  }

  func testAfterAPauseTheTickerCountsFromTheNewestVBlank() {
    let stage = Stage()
    let (source, ticker) = stage.countingTicker()
    XCTAssertFalse(ticker.forecast.isKnown(at: at(1)))
    let (link, _) = stage.link(to: ticker)
    stage.send(source, at: at(10), 1)
    func refreshed(at time: MonotonicTime) -> VBlankForecast {
      stage.time.advance(to: time)
      ticker.refresh()
      return ticker.forecast
    }
    XCTAssertEqual(refreshed(at: at(480)).vblank(after: at(490)), at(500))
    XCTAssertEqual(source.questions, 0, "the last vblank is near enough")

    // The source cannot tell: the answer is a guess.
    XCTAssertEqual(refreshed(at: at(1990)).vblank(after: at(1996)), at(2000))
    XCTAssertFalse(refreshed(at: at(1996)).isKnown(at: at(1996)))
    XCTAssertEqual(source.questions, 1, "it was asked again in the same interval")

    // 199 intervals later the display, which is slow, is 4 ms behind the nominal grid: an interval is 10.02 ms.
    source.newest = VBlank(timestamp: at(2004), sequence: 200)
    let forecast = refreshed(at: at(2006))
    let next = forecast.vblank(after: at(2006))
    XCTAssertEqual((next - at(2004)).milliseconds, 10.02, accuracy: 0.01)
    XCTAssertTrue(forecast.isKnown(at: at(2006)))
    XCTAssertEqual(forecast.frameNumber(at: at(2006)), 200)
    XCTAssertEqual((forecast.vblank(after: at(2016)) - next).milliseconds, 10.02, accuracy: 0.01)
    let questions = source.questions

    // The next tick goes on from there.
    stage.send(source, at: at(2024), 202)
    XCTAssertEqual(link.frameNumber, 202)
    XCTAssertEqual((ticker.forecast.vblank(after: at(2030)) - at(2034)).milliseconds, 0.03, accuracy: 0.03)

    // The rate is known now, and a grid is good for longer, but not for ever.
    XCTAssertTrue(refreshed(at: at(4980)).isKnown(at: at(5000)))
    XCTAssertEqual(source.questions, questions)
    // A stamp before the last tick's is no news.
    source.newest = VBlank(timestamp: .zero, sequence: 500)
    XCTAssertFalse(refreshed(at: at(100_000)).isKnown(at: at(100_000)))
    XCTAssertGreaterThan(source.questions, questions)
    link.invalidate()
  }

  /// For a driver the question for the newest vblank is a system call: it is asked once in an interval at most.
  func testASourceIsAskedOnceInAnInterval() {
    let stage = Stage()
    let (source, ticker) = stage.countingTicker()
    let (link, _) = stage.link(to: ticker)
    ticker.refresh()
    XCTAssertEqual(source.questions, 0, "before the first tick nobody relies on anything")
    source.send(VBlank(timestamp: stage.time.now, sequence: 1), on: stage.loop)
    stage.time.advance(by: .seconds(60))
    for _ in 0..<1000 {
      ticker.refresh()
      stage.time.advance(by: .milliseconds(1))
    }
    XCTAssertEqual(source.questions, 100)
    link.invalidate()
  }

  func testAnInvalidatedTickerIsSilent() {
    let stage = Stage()
    let ticker = stage.clockTicker()
    var ticks = 0
    let link = DisplayLink(ticker: ticker) { _ in
      ticks += 1
      if ticks == 2 { ticker.invalidate() }
    }
    var others = 0
    let other = DisplayLink(ticker: ticker) { _ in others += 1 }
    for link in [link, other] { link.add(to: stage.loop, mode: .default) }
    stage.run(.milliseconds(55))
    XCTAssertEqual(ticks, 2)
    XCTAssertEqual(others, 1, "of the delivery in which the ticker ended")
    link.isPaused = true
    link.isPaused = false
    link.invalidate()
  }
}

/// Milliseconds after the start of a stage's clock.
private func at(_ milliseconds: Int64) -> MonotonicTime {
  MonotonicTime(nanoseconds: 1_000_000_000) + .milliseconds(milliseconds)
}
