import Framepace
import FramepaceTesting
import Simulation
import XCTest

/// Frames on displays whose clock is not the loop's, and on outputs slower than their display.
@preconcurrency @MainActor final class StampOffsetTests: XCTestCase {
  private static let interval = RefreshRate.hertz60.interval

  /// Stamps of the display's flips and of the ticker's vblanks that date frames are both put on the loop's clock.
  func testFramesAreDatedOnTheLoopsClock() throws {
    for distance in [-34, -17, 5000] as [Int64] {
      for isDatedByTheTicker in [false, true] {
        let clock = ManualClock(start: .zero + .seconds(100))
        let loop = FrameLoop(clock: .manual(clock))
        let source = SimulatedVBlankSource(refreshRate: .hertz60, clock: .manual(clock))
        source.faults.stampOffset = .milliseconds(distance)
        let display: any Display =
          isDatedByTheTicker
          ? try VirtualDisplay(width: 8, height: 8, source: source, reason: "a test", clock: .manual(clock))
          : try SimulatedScreen(width: 8, height: 8, vblanks: source, clock: .manual(clock))
        let frames = Self.frames(on: display, loop: loop, for: .seconds(2)).dropFirst(30)
        let name = "\(distance) ms, dated by the ticker: \(isDatedByTheTicker)"
        XCTAssertGreaterThan(frames.count, 80, name)
        for frame in frames {
          XCTAssertEqual(frame.presented.nanoseconds, frame.target.nanoseconds, accuracy: 1_000_000, name)
          XCTAssertGreaterThan(frame.presented, frame.submitted, name)
        }
      }
    }
  }

  /// An output at half the display's rate promises two intervals: a frame that takes them is in time.
  func testASlowerOutputIsLateByItsOwnPromise() throws {
    for work in [2, 20] as [Int64] {
      let clock = ManualClock(start: .zero + .seconds(100))
      let loop = FrameLoop(clock: .manual(clock))
      let source = SimulatedVBlankSource(refreshRate: .hertz60, clock: .manual(clock))
      let screen = try SimulatedScreen(width: 8, height: 8, vblanks: source, clock: .manual(clock))
      let frames = Self.frames(on: screen, loop: loop, for: .seconds(2), rate: 30) {
        clock.advance(by: .milliseconds(work))
      }
      XCTAssertEqual(frames.count, 60, accuracy: 2)
      XCTAssertFalse(frames.contains { $0.isLate(interval: Self.interval) }, "\(work) ms")
      XCTAssertFalse(frames.contains { $0.isEarly(interval: Self.interval) }, "\(work) ms")
    }
  }

  private static func frames(
    on display: any Display, loop: FrameLoop, for duration: Nanoseconds, rate: Double? = nil,
    work: @escaping @MainActor () -> Void = {}
  ) -> [FrameRecord] {
    let root = Layer()
    let engine = Engine(display: display, root: root, loop: loop)
    let range = rate.map { FrameRateRange(minimum: 0, maximum: $0) } ?? .default
    engine.output.displayLink?.preferredFrameRateRange = range
    let link = engine.makeDisplayLink { link in
      work()
      Transaction.withoutActions { root.backgroundColor = Color(red: Double(link.frameNumber % 7) / 7, green: 0, blue: 0) }
    }
    link.preferredFrameRateRange = range
    var frames: [FrameRecord] = []
    engine.output.observe { if case .presented(let frame) = $0 { frames.append(frame) } }.keep()
    loop.run(mode: .default, until: loop.clock.now + duration)
    link.invalidate()
    engine.invalidate()
    return frames
  }
}
