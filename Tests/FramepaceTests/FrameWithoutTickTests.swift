import Framepace
import FramepaceTesting
import XCTest

/// Frames that no tick asks for: changes after a pause, on a display at 100 Hz to which handing a frame over takes 3 ms.
@preconcurrency @MainActor final class FrameWithoutTickTests: XCTestCase {
  /// Begun 8 ms after a vblank it cannot be ready for the next one. It is made for the one after, where it is known how long
  /// frames take; else it is late for its work, and not for when it was begun.
  func testAFrameIsMadeForAVBlankThatItCanMeet() throws {
    for knownFrames in [20, 2] {
      let stage = try Self.makeStage()
      for _ in 0..<knownFrames { _ = try stage.change(after: .milliseconds(100)) }
      let frame = try stage.change(after: .milliseconds(108))
      let made = frame.delivered
      XCTAssertEqual(frame.start, made)
      XCTAssertEqual(frame.submitted, made + .milliseconds(3))
      XCTAssertEqual(frame.presented, made + .milliseconds(12))
      XCTAssertTrue(frame.isTargetKnown)
      if knownFrames == 20 {
        XCTAssertEqual(frame.target, frame.presented)
      } else {
        XCTAssertEqual(frame.target, made + .milliseconds(2))
        XCTAssertEqual(frame.causes(interval: .milliseconds(10))?.main, .phase(.present))
      }
      // Early in an interval there is time enough.
      let early = try stage.change(after: .milliseconds(91))
      XCTAssertEqual(early.target, early.delivered + .milliseconds(9))
      XCTAssertEqual(early.presented, early.target)
      stage.engine.invalidate()
    }
  }

  /// A frame that is ready a vblank sooner than could be counted on does not keep the next tick from its frame.
  func testAnEarlyFrameIsFollowedAtOnce() throws {
    let stage = try Self.makeStage()
    for _ in 0..<20 { _ = try stage.change(after: .milliseconds(100)) }
    stage.display.time = .milliseconds(1)
    stage.run(for: .milliseconds(106))
    let count = stage.frames.count
    Transaction.withoutActions { stage.root.opacity = 0.5 }
    let link = stage.fadeAtEveryTick()
    stage.run(for: .milliseconds(60))
    link.invalidate()
    let frames = stage.frames.dropFirst(count)
    let first = try XCTUnwrap(frames.first)
    XCTAssertEqual(first.target - first.presented, .milliseconds(10))
    for (frame, next) in zip(frames, frames.dropFirst()) {
      XCTAssertEqual(next.presented - frame.presented, .milliseconds(10))
    }
    XCTAssertGreaterThan(frames.count, 3)
    stage.engine.invalidate()
  }

  /// A moving scene whose first frame takes long to hand over, as it does where that switches a screen on: no tick's link has
  /// frames before it, and none that passes meanwhile is idle.
  func testAMovingSceneIsNotIdleWhileItsScreenIsSwitchedOn() throws {
    let stage = try ManualStage(hertz: 100, time: .milliseconds(300))
    stage.root.backgroundColor = .white
    let meter = FPSMeter(refreshRate: stage.display.ticker.refreshRate)
    stage.engine.output.observe { event in
      meter.record(event)
      guard case .committed = event else { return }
      stage.display.time = .milliseconds(3)
    }.keep()
    _ = stage.fadeAtEveryTick()
    // Keeps the loop from its first commit until the scene's link has had a tick.
    let source = FrameLoop.Source(.onMain { _ in stage.clock.advance(by: .milliseconds(25)) })
    stage.loop.add(source, to: .default)
    source.signal()
    stage.run(for: .seconds(1))
    let report = meter.report(at: stage.clock.now)
    XCTAssertEqual(report.idle, 0)
    XCTAssertEqual(report.leftOut, 29, accuracy: 2)
    XCTAssertGreaterThan(report.ticks, 60)
    stage.engine.invalidate()
  }

  /// With three buffers what changes while a frame pends is in the next one, seen a vblank later: it is made for that vblank, also
  /// where it could not be ready for an earlier one.
  func testWhatPendsIsNotCountedTwice() throws {
    let stage = try Self.makeStage(.triple)
    for _ in 0..<20 { _ = try stage.change(after: .milliseconds(100)) }
    let root = stage.root
    for time in [3, 1] as [Int64] {
      let count = stage.frames.count
      stage.display.time = .milliseconds(time)
      stage.run(for: .milliseconds(101))
      Transaction.withoutActions { root.backgroundColor = .white }
      stage.run(for: .milliseconds(7))
      Transaction.withoutActions { root.backgroundColor = .black }
      stage.run(for: .milliseconds(42))
      let frames = stage.frames.dropFirst(count)
      XCTAssertEqual(frames.map(\.target), frames.map(\.presented), "\(time)")
      XCTAssertEqual(frames.map(\.animationTime), frames.map(\.presented), "\(time)")
      let (first, second) = (try XCTUnwrap(frames.first), try XCTUnwrap(frames.last))
      XCTAssertEqual(frames.count, 2)
      XCTAssertEqual(second.delivered - first.delivered, .milliseconds(7))
      XCTAssertEqual(second.presented - first.presented, .milliseconds(10))
    }
    stage.engine.invalidate()
  }

  private static func makeStage(_ buffering: Buffering = .double) throws -> ManualStage<FaultyDisplay<VirtualDisplay>> {
    let stage = try ManualStage(hertz: 100, buffering, time: .milliseconds(3))
    // Vblanks are at whole hundredths of a second; so is the end of this.
    stage.run(for: .milliseconds(100))
    return stage
  }
}

extension ManualStage {
  /// Changes the picture after a pause, and waits for the end of the hundredth of a second in which it is seen.
  fileprivate func change(after pause: Nanoseconds) throws -> FrameRecord {
    run(for: pause)
    let count = frames.count
    Transaction.withoutActions { root.backgroundColor = root.backgroundColor == .white ? .black : .white }
    run(for: .milliseconds(40))
    run(for: .milliseconds(10 - clock.now.nanoseconds / 1_000_000 % 10))
    XCTAssertEqual(frames.count, count + 1)
    return try XCTUnwrap(frames.last)
  }
}
