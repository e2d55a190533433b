import Framepace
import FramepaceTesting
import XCTest

/// The record that an output writes of a frame: the plan, and what became of it.
@preconcurrency @MainActor final class FrameRecordTests: XCTestCase {
  private static let interval = Nanoseconds.milliseconds(10)

  /// The loop serves something else first: the frame was to be begun at the vblank and was begun later.
  func testAFrameThatATickAskedFor() throws {
    let stage = try ManualStage(width: 16, height: 16, rate: RefreshRate(hertz: 100) ?? .hertz60)
    stage.run(for: .milliseconds(35))
    // From 1 ms before each vblank to 2 ms after it.
    let busy = FrameLoop.Timer(
      fireTime: stage.clock.now + .milliseconds(4), interval: Self.interval,
      .onMain { _ in stage.clock.advance(by: .milliseconds(3)) })
    stage.loop.add(busy, to: .default)
    // Due meanwhile, it comes before the vblank in its turn.
    let earlier = FrameLoop.Timer(
      fireTime: stage.clock.now + .microseconds(4_500), interval: Self.interval,
      .onMain { _ in stage.clock.advance(by: .milliseconds(1)) })
    stage.loop.add(earlier, to: .default)
    stage.engine.makeDisplayLink { link in
      stage.clock.advance(by: .milliseconds(1))
      Transaction.withoutActions { stage.root.backgroundColor = link.frameNumber % 2 == 0 ? .white : .black }
    }
    let first = stage.frames.count
    stage.run(for: .milliseconds(65))
    busy.invalidate()
    earlier.invalidate()
    // The output itself ticks from its first frame on.
    let frames = stage.frames.dropFirst(first + 1)
    XCTAssertGreaterThan(frames.count, 3)
    for frame in frames {
      XCTAssertEqual(frame.start, frame.tickTimestamp, "\(frame)")
      XCTAssertEqual(frame.delivered, frame.start + .milliseconds(3), "\(frame)")
      XCTAssertEqual(frame.target, frame.tickTimestamp + Self.interval, "\(frame)")
      XCTAssertEqual(frame.submitted, frame.delivered + .milliseconds(1), "\(frame)")
      XCTAssertEqual(frame.presented, frame.target, "\(frame)")
      XCTAssertTrue(frame.isTargetKnown, "\(frame)")
      XCTAssertNil(frame.causes(interval: Self.interval), "\(frame)")
    }
    stage.engine.invalidate()
  }

  /// The first frame of all has no grid to be made for; one after a pause has.
  func testAFrameWithoutATick() throws {
    let stage = try ManualStage(width: 16, height: 16, rate: RefreshRate(hertz: 100) ?? .hertz60)
    stage.run(for: .milliseconds(203))
    let made = stage.clock.now
    Transaction.withoutActions { stage.root.backgroundColor = .white }
    stage.run(for: .milliseconds(30))
    XCTAssertEqual(stage.frames.map(\.isTargetKnown), [false, true])
    let frame = try XCTUnwrap(stage.frames.last)
    XCTAssertEqual(frame.delivered, made)
    XCTAssertEqual(frame.submitted, made)
    XCTAssertEqual(frame.target, made + .milliseconds(7))
    XCTAssertEqual(frame.tickTimestamp, made - .milliseconds(3))
    XCTAssertEqual(frame.start, made, "nothing was due before")
    stage.engine.invalidate()
  }
}
