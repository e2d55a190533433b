import Framepace
import FramepaceTesting
import Simulation
import XCTest

/// The effect of two and three buffers, on a display at 100 Hz that takes frames up to 2 ms before each vblank.
@preconcurrency @MainActor final class BufferingTests: XCTestCase {
  /// A frame takes 9 of 10 ms, and so misses the vblank that it was made for. With two buffers the next one is begun when it
  /// is seen, 20 ms after it was begun itself; with three at the next tick. That 8.2 ms are as long, since this display takes
  /// frames early, is learned from the first that miss.
  func testThreeBuffersKeepTheRateOfFramesThatTakeAWholeInterval() throws {
    for (work, lost) in [(9_000, 0), (8_200, 5)] as [(Int64, Int)] {
      for (buffering, expected) in [(Buffering.double, 50), (.triple, 100)] {
        let stage = try Stage(buffering)
        stage.run(.seconds(2), work: { .microseconds(work) })
        let count = buffering == .triple ? 2 * expected - lost : 2 * expected
        XCTAssertEqual(stage.presented.count, count, accuracy: 3, "\(buffering), \(work) us")
        // Once it is in step, every one of three buffers is made for the vblank that shows it.
        if buffering == .triple {
          for frame in stage.presented.dropFirst(lost == 0 ? 3 : 40) { XCTAssertEqual(frame.presented, frame.target) }
        }
        stage.expectMatched()
      }
    }
  }

  /// Frames that wait behind each other do so no more soon after they are short again.
  func testNoFrameWaitsBehindAnotherWhenWorkIsShortAgain() throws {
    let stage = try Stage(.triple)
    let end = stage.loop.clock.now + .seconds(2)
    stage.run(.seconds(4), work: { [clock = stage.loop.clock] in .milliseconds(clock.now < end ? 9 : 2) })
    let late = stage.presented.filter { $0.tickTimestamp > end && $0.isLate(interval: .milliseconds(10)) }
    XCTAssertLessThan(late.count, 64)
    XCTAssertGreaterThan(stage.presented.count, 396)
    stage.expectMatched()
  }

  /// A frame that is in time with two buffers is seen no later with three, whatever else turns the loop in between.
  func testThreeBuffersDoNotDelayFramesThatAreInTime() throws {
    for buffering in [Buffering.double, .triple] {
      let stage = try Stage(buffering)
      let other = FrameLoop.Timer(fireTime: stage.loop.clock.now, interval: .milliseconds(3), .onMain { _ in })
      stage.loop.add(other, to: .common)
      stage.run(.seconds(1), work: { .milliseconds(2) })
      other.invalidate()
      XCTAssertEqual(stage.presented.count, 100, accuracy: 3, "\(buffering)")
      for frame in stage.presented.dropFirst(3) {
        XCTAssertEqual(frame.lateness, .zero, "\(buffering)")
        XCTAssertEqual(frame.presented - frame.tickTimestamp, .milliseconds(10), "\(buffering)")
      }
      stage.expectMatched()
    }
  }

  /// Work of 3 ms and the display's 2 are learned; then every frame is in time, for the next vblank, and late.
  func testLateStartLearnsWorkAndDisplay() throws {
    for buffering in [Buffering.double, .triple] {
      let stage = try Stage(buffering)
      stage.engine.output.policy = .lateStart
      stage.run(.seconds(3), work: { .milliseconds(3) })
      let frames = stage.presented.dropFirst(100)
      XCTAssertGreaterThan(frames.count, 180, "\(buffering)")
      for frame in frames {
        XCTAssertEqual(frame.lateness, .zero, "\(buffering): \(frame)")
        XCTAssertEqual(frame.target - frame.tickTimestamp, .milliseconds(10), "\(buffering)")
        XCTAssertLessThan(frame.presented - frame.start, .microseconds(5_600), "\(buffering)")
        XCTAssertEqual(frame.delivered, frame.start, "\(buffering)")
      }
      XCTAssertGreaterThanOrEqual(
        stage.display.ticker.pacer.commitMargin.value, .milliseconds(2), "\(buffering)")
      stage.expectMatched()
    }
  }

  /// A change between a vblank and the deadline is in the frame of the deadline; there is one frame an interval.
  func testAChangeBeforeTheDeadlineWaitsForIt() throws {
    let stage = try Stage(.double)
    stage.engine.output.policy = .lateStart
    let input = FrameLoop.Timer(
      fireTime: stage.loop.clock.now + .milliseconds(1), interval: .milliseconds(10),
      .onMain { [root = stage.engine.root] timer in
        let isOdd = timer.nextFireTime.nanoseconds / 10_000_000 % 2 == 1
        Transaction.withoutActions { root.opacity = isOdd ? 1 : 0.5 }
      })
    stage.loop.add(input, to: .common)
    stage.run(.seconds(2), work: { .milliseconds(1) })
    input.invalidate()
    let frames = stage.presented.dropFirst(100)
    XCTAssertGreaterThan(frames.count, 80)
    for (frame, next) in zip(frames, frames.dropFirst()) where next.presented - frame.presented < .milliseconds(50) {
      XCTAssertEqual(next.presented - frame.presented, .milliseconds(10))
    }
    for frame in frames.prefix(80) {
      XCTAssertGreaterThan(frame.start - frame.tickTimestamp, .milliseconds(4), "\(frame)")
    }
    stage.engine.invalidate()
  }

  /// The work would have fitted, but something else kept the loop past the deadline.
  func testABusyLoopIsScheduling() throws {
    let stage = try Stage(.double)
    stage.engine.output.policy = .lateStart
    // From 5 ms before a vblank to the vblank, once in 0.2 s.
    let busy = FrameLoop.Timer(
      fireTime: stage.loop.clock.now + .milliseconds(95), interval: .milliseconds(200),
      .onMain { [clock = stage.stage.clock] _ in clock.advance(by: .microseconds(4_500)) })
    stage.loop.add(busy, to: .common)
    stage.run(.seconds(3), work: { .milliseconds(2) })
    busy.invalidate()
    let late = stage.presented.dropFirst(100).filter { $0.isLate(interval: .milliseconds(10)) }
    XCTAssertGreaterThan(late.count, 8)
    for frame in late { XCTAssertEqual(frame.causes(interval: .milliseconds(10))?.main, .scheduling, "\(frame)") }
    stage.expectMatched()
  }

  /// Work of any length, and a display that now and then refuses what it has: every flip belongs to one frame, in order.
  func testEveryFlipBelongsToOneFrame() throws {
    let seed = UInt64.random(in: 0...999_999)
    print("seed \(seed)")
    for buffering in [Buffering.double, .triple] {
      var random = SplitMix64(seed: seed)
      let stage = try Stage(buffering)
      stage.display.refusesLate = { random.chance(0.05) }
      var other = SplitMix64(seed: seed + 1)
      stage.run(.seconds(20), work: { .microseconds(Int64.random(in: 0...25_000, using: &other)) })
      XCTAssertGreaterThan(stage.errors, 10)
      XCTAssertGreaterThan(stage.presented.count, 400)
      stage.expectMatched()
    }
  }
}

/// A stage on such a display, whose one link works for a while and then paints another colour.
@MainActor
private final class Stage {
  let stage: ManualStage<FaultyDisplay<SimulatedScreen>>
  private(set) var committed: [FrameRecord] = []
  private(set) var errors = 0
  private var color: UInt32 = 0
  /// The colour that each frame was made with, by the order of commits; without those that were refused.
  private var colors: [UInt32] = []

  init(_ buffering: Buffering) throws {
    let rate = try XCTUnwrap(RefreshRate(hertz: 100))
    stage = try ManualStage { clock in
      let vblanks = SimulatedVBlankSource(refreshRate: rate, clock: .manual(clock))
      let screen = try SimulatedScreen(
        width: 16, height: 16, vblanks: vblanks, takeOverTime: .milliseconds(2), buffering: buffering, clock: .manual(clock))
      return FaultyDisplay(screen, clock: clock)
    }
    engine.output.observe { [weak self] event in
      guard let self else { return }
      switch event {
      case .committed(let frame):
        committed.append(frame)
        colors.append(color)
      case .refused:
        // The pending frames will not be seen.
        errors += 1
        committed.removeLast(committed.count - presented.count)
        colors.removeLast(colors.count - presented.count)
      case .presented, .tick, .idle, .lost, .discarded: break
      }
    }.keep()
    Transaction.withoutActions { engine.root.backgroundColor = .black }
  }

  var engine: Engine { stage.engine }
  var loop: FrameLoop { stage.loop }
  var display: FaultyDisplay<SimulatedScreen> { stage.display }
  var presented: [FrameRecord] { stage.frames }

  func run(_ duration: Nanoseconds, work: @escaping @MainActor () -> Nanoseconds) {
    let link = engine.makeDisplayLink { [weak self] _ in
      guard let self else { return }
      stage.clock.advance(by: work())
      color = (color + 1) & 0xFF_FFFF
      Transaction.withoutActions { self.stage.root.backgroundColor = Color(hex: self.color) }
    }
    stage.run(for: duration)
    link.invalidate()
    stage.run(for: .milliseconds(100))
  }

  /// Every record is of the frame that was seen then.
  func expectMatched(file: StaticString = #filePath, line: UInt = #line) {
    XCTAssertEqual(presented.map(\.submitted), committed.map(\.submitted), file: file, line: line)
    XCTAssertEqual(presented.map(\.presented), display.shown.map(\.feedback.timestamp), file: file, line: line)
    XCTAssertEqual(colors, display.shown.map { $0.pixel & 0xFF_FFFF }, file: file, line: line)
    engine.invalidate()
  }
}
