import FrameTiming
import Framepace
import FramepaceTesting
import Simulation
import XCTest

/// The targets of frames out of idle, on a display whose rate is not quite the one that its mode says.
@preconcurrency @MainActor final class IdleTargetTests: XCTestCase {
  /// However long the pause: the frame is made for the vblank that shows it.
  func testATargetAfterAPauseIsARealVBlank() throws {
    let frames = try Self.framesOutOfIdle(tells: true)
    for frame in frames {
      XCTAssertLessThan(abs(frame.lateness.count), 100_000, "\(frame)")
      XCTAssertNotEqual(frame.lateness, .zero, "the target was not a prediction")
      XCTAssertLessThanOrEqual((frame.presented - frame.submitted).count, 16_800_000)
    }
  }

  /// A source that cannot tell its newest vblank: no target is claimed that the frame could be late for, until enough stamps
  /// have told the display's own rate.
  func testWithoutAGridNoFrameIsLate() throws {
    let frames = try Self.framesOutOfIdle(tells: false)
    XCTAssertEqual(frames.first?.lateness, .zero)
    for frame in frames {
      XCTAssertFalse(frame.isLate(interval: RefreshRate.hertz60.interval), "\(frame)")
      XCTAssertLessThan(abs(frame.lateness.count), 5_000_000, "\(frame)")
    }
  }

  /// The interval in which it was made, not the one before: the points of a 60 Hz grid are no whole nanoseconds.
  func testAFrameAfterAPauseBearsTheNumberOfItsInterval() throws {
    let stage = try ManualStage(width: 16, height: 16, rate: .hertz60)
    let start = stage.clock.now
    stage.run(for: .milliseconds(100))
    var number: UInt64 = 0
    for round in 1...40 {
      // Into the middle of an interval, some after the last frame.
      let interval = Int64(round * 6 + [0, 1, 3][round % 3])
      stage.run(until: start + stage.display.ticker.refreshRate.offset(ofInterval: interval) + .milliseconds(8))
      let made = stage.frames.count
      Transaction.withoutActions { stage.root.backgroundColor = round.isMultiple(of: 2) ? .white : .black }
      stage.run(for: .milliseconds(34))
      let frame = try XCTUnwrap(stage.frames.dropFirst(made).first)
      // The first tick, number 1, was at the grid's point 1.
      XCTAssertEqual(frame.frameNumber, UInt64(interval), "round \(round)")
      XCTAssertGreaterThan(frame.frameNumber, number)
      number = frame.frameNumber
    }
    stage.engine.invalidate()
  }

  /// The first frame after each of 100 pauses of one to twenty seconds, on a display that says 60 Hz and refreshes 59.8 times a
  /// second.
  private static func framesOutOfIdle(tells: Bool) throws -> [FrameRecord] {
    let rate = try XCTUnwrap(RefreshRate(hertz: 59.8))
    let stage = try ManualStage { clock in
      let source = SimulatedVBlankSource(refreshRate: rate, clock: .manual(clock))
      source.setRate(.hertz60, actual: rate)
      // So that no stamp is exactly where it was predicted.
      source.faults.noise = .microseconds(5)
      return try VirtualDisplay(
        width: 16, height: 16, source: tells ? source : SilentSource(source), reason: "a test", clock: .manual(clock))
    }
    stage.run(for: .milliseconds(100))
    let seed: UInt64 = 11
    var random = SplitMix64(seed: seed)
    var frames: [FrameRecord] = []
    for round in 0..<100 {
      stage.run(for: Nanoseconds(Int64.random(in: 1_000_000_000...20_000_000_000, using: &random)))
      let made = stage.frames.count
      Transaction.withoutActions { stage.root.backgroundColor = round.isMultiple(of: 2) ? .white : .black }
      stage.run(for: .milliseconds(100))
      frames.append(try XCTUnwrap(stage.frames.dropFirst(made).first, "seed \(seed), round \(round)"))
    }
    stage.engine.invalidate()
    return frames
  }
}

/// A source that cannot tell its newest vblank.
@MainActor
private final class SilentSource: VBlankSource {
  private let source: SimulatedVBlankSource

  init(_ source: SimulatedVBlankSource) { self.source = source }

  var name: String { source.name }
  var refreshRate: RefreshRate { source.refreshRate }
  var onVBlank: (@MainActor (VBlank) -> Void)? {
    get { source.onVBlank }
    set { source.onVBlank = newValue }
  }
  func requestVBlank() { source.requestVBlank() }
  var loopItem: any FrameLoop.Item { source.loopItem }
  func invalidate() { source.invalidate() }
}
