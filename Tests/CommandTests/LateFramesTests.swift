import Framepace
import FramepaceTesting
import XCTest

@testable import FramepaceCLI

/// The text of `--diagram` about late frames.
final class LateFramesTests: XCTestCase {
  /// The work would fit into the interval: the time was lost before the frame began, or in the middle of it.
  func testTheTextNamesTheLostTime() throws {
    try onMain {
      for (delay, pause, expected) in [
        (9, 1, "begun 9.00 ms after it was due"), (0, 12, "held up for 12.00 ms"),
      ] as [(Int64, Int64, String)] {
        let start = MonotonicTime.zero + .seconds(100)
        let late = LateFrames(start: start)
        let interval = Nanoseconds.milliseconds(16)
        late.record(
          tick: DisplayLink.Tick(
            timestamp: start + .seconds(1), targetTimestamp: start + .seconds(1) + interval, duration: interval,
            frameNumber: 7, delivered: start + .seconds(1), missed: 0))
        var frame = FrameRecord()
        frame.frameNumber = 7
        frame.tickTimestamp = start + .seconds(1)
        frame.start = frame.tickTimestamp
        frame.target = frame.tickTimestamp + interval
        frame.delivered = frame.start + .milliseconds(delay)
        frame.phases[.composite] = .milliseconds(7)
        frame.submitted = frame.delivered + .milliseconds(pause + 7)
        frame.presented = frame.target + interval
        let causes = try XCTUnwrap(frame.causes(interval: interval))
        XCTAssertEqual(causes.main, .scheduling)
        late.record(presented: frame, causes: causes)
        let text = late.text(causes: [causes.main], width: 200)
        XCTAssertTrue(text.hasPrefix("scheduling: frame 7 at 1.000 s, 16.00 ms late: \(expected)\n"), text)
      }
    }
  }
}
