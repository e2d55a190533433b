import LinuxSystem
import RunLoops
import XCTest

@testable import FrameTiming

/// Sequences that count two for each vblank. In interlaced modes the kernel counts fields, as the mode's rate does; for drivers that
/// tell it the lines of one field, such as vc4 of the Raspberry Pi, it halves the field again.
final class DoubledSequenceTests: ManualLoopCase {
  /// At the mode's rate the stamps tell how many vblanks there were, while a link ticks and after a pause.
  func testStampsTellTheNumberOfVBlanks() {
    for hertz: Int64 in [100, 99, 101] {
      let stage = Stage()
      let source = DoublingSource(actual: .hertz(hertz), clock: stage.clock)
      let ticker = DisplayTicker(source: source)
      let (link, log) = stage.link(to: ticker)
      stage.run(.seconds(2))
      log.ticks = []
      stage.run(.seconds(1))
      XCTAssertEqual(log.ticks.count, Int(hertz), accuracy: 1, "\(hertz) Hz")
      XCTAssertEqual(log.ticks.reduce(0) { $0 + $1.missed }, 0, "\(hertz) Hz")
      XCTAssertEqual(ticker.model.period * Double(hertz) / 1e9, 1, accuracy: 0.001, "\(hertz) Hz")

      guard let before = log.ticks.last else { return XCTFail("\(hertz) Hz") }
      link.isPaused = true
      stage.run(.seconds(1))
      link.isPaused = false
      stage.run(.seconds(1))
      guard let after = log.ticks.last else { return XCTFail("\(hertz) Hz") }
      XCTAssertEqual(
        Double(after.frameNumber - before.frameNumber),
        (after.timestamp - before.timestamp).seconds * Double(hertz), accuracy: 0.1, "\(hertz) Hz")
      link.invalidate()
    }
  }

  /// At a rate that nobody told the sequence is believed: each vblank ticks, and every other interval counts as missed.
  func testAtAnotherRateTheSequenceIsBelieved() {
    let stage = Stage()
    let ticker = DisplayTicker(source: DoublingSource(actual: .hertz(80), clock: stage.clock))
    let (link, log) = stage.link(to: ticker)
    stage.run(.seconds(2))
    log.ticks = []
    stage.run(.seconds(1))
    XCTAssertEqual(log.ticks.count, 80, accuracy: 1)
    XCTAssertEqual(log.ticks.reduce(0) { $0 + $1.missed }, UInt64(log.ticks.count))
    link.invalidate()
  }
}

/// Answers each request at the next vblank of a display, and counts two for each.
@MainActor
private final class DoublingSource: AnsweringSource {
  private let actual: RefreshRate
  private let start: MonotonicTime

  init(actual: RefreshRate, clock: SystemClock) {
    self.actual = actual
    start = clock.now
    super.init(name: "doubling", clock: clock)
  }

  override func answerTime() -> MonotonicTime? {
    start + actual.offset(ofInterval: actual.intervals(in: clock.now - start) + 1)
  }

  override func answer() {
    let k = actual.intervals(in: clock.now - start)
    onVBlank?(VBlank(timestamp: start + actual.offset(ofInterval: k), sequence: UInt64(2 * k + 2)))
  }
}
