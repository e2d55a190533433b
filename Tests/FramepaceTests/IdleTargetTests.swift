import Framepace
import FramepaceTesting
import Simulation
import XCTest

/// The targets of frames out of idle, on a display whose rate is not quite the one that its mode says.
final class IdleTargetTests: XCTestCase {
  /// However long the pause: the frame is made for the vblank that shows it.
  func testATargetAfterAPauseIsARealVBlank() throws {
    try onMain {
      let frames = try Self.framesOutOfIdle(tells: true)
      for frame in frames {
        XCTAssertLessThan(abs(frame.lateness.count), 100_000, "\(frame)")
        XCTAssertNotEqual(frame.lateness, .zero, "the target was not a prediction")
        XCTAssertLessThanOrEqual((frame.presented - frame.submitted).count, 16_800_000)
      }
    }
  }

  /// A source that cannot tell its newest vblank: no target is claimed that the frame could be late for, until enough stamps
  /// have told the display's own rate.
  func testWithoutAGridNoFrameIsLate() throws {
    try onMain {
      let frames = try Self.framesOutOfIdle(tells: false)
      XCTAssertEqual(frames.first?.lateness, .zero)
      for frame in frames {
        XCTAssertFalse(frame.isLate(interval: RefreshRate.hertz60.interval), "\(frame)")
        XCTAssertLessThan(abs(frame.lateness.count), 5_000_000, "\(frame)")
      }
    }
  }

  /// The interval in which it was made, not the one before: the points of a 60 Hz grid are no whole nanoseconds.
  func testAFrameAfterAPauseBearsTheNumberOfItsInterval() throws {
    try onMain {
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
  }

  /// The first frame after each of 100 pauses of one to twenty seconds.
  @MainActor
  private static func framesOutOfIdle(tells: Bool) throws -> [FrameRecord] {
    let clock = ManualClock(start: MonotonicTime(nanoseconds: 1_000_000_000))
    let loop = FrameLoop(clock: .manual(clock))
    let source = try InexactSource(clock: .manual(clock), tells: tells)
    let display = try VirtualDisplay(width: 16, height: 16, source: source, reason: "a test", clock: .manual(clock))
    let root = Layer()
    let engine = Engine(display: display, root: root, loop: loop)
    var shown: [FrameRecord] = []
    engine.output.observe { if case .presented(let frame) = $0 { shown.append(frame) } }.keep()
    loop.run(mode: .default, until: clock.now + .milliseconds(100))

    let seed: UInt64 = 11
    var random = SplitMix64(seed: seed)
    var frames: [FrameRecord] = []
    for round in 0..<100 {
      shown = []
      let pause = Nanoseconds(Int64.random(in: 1_000_000_000...20_000_000_000, using: &random))
      let timer = FrameLoop.Timer(
        fireTime: clock.now + pause,
        .onMain { _ in
          Transaction.withoutActions { root.backgroundColor = round.isMultiple(of: 2) ? .white : .black }
        })
      loop.add(timer, to: .default)
      loop.run(mode: .default, until: clock.now + pause + .milliseconds(100))
      frames.append(try XCTUnwrap(shown.first, "seed \(seed), round \(round)"))
    }
    engine.invalidate()
    return frames
  }
}

/// A display that says 60 Hz and refreshes 59.8 times a second.
@MainActor
private final class InexactSource: VBlankSource {
  let name = "inexact"
  let refreshRate = RefreshRate.hertz60
  private let display: SimulatedVBlankSource
  private let tells: Bool

  init(clock: SystemClock, tells: Bool) throws {
    display = SimulatedVBlankSource(refreshRate: try XCTUnwrap(RefreshRate(hertz: 59.8)), clock: clock)
    // So that no stamp is exactly where it was predicted.
    display.faults.noise = .microseconds(5)
    self.tells = tells
  }

  var onVBlank: (@MainActor (VBlank) -> Void)? {
    get { display.onVBlank }
    set { display.onVBlank = newValue }
  }

  func requestVBlank() { display.requestVBlank() }
  func newestVBlank() -> VBlank? { tells ? display.newestVBlank() : nil }
  func add(to loop: FrameLoop, mode: FrameLoop.Mode) { display.add(to: loop, mode: mode) }
  func remove(from loop: FrameLoop, mode: FrameLoop.Mode) { display.remove(from: loop, mode: mode) }
  func invalidate() { display.invalidate() }
}
