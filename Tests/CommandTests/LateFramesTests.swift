import Framepace
import Testing

@testable import FramepaceCLI

/// The text of `--diagram` about late frames.
@Suite struct LateFramesTests {
  /// The work would fit into the interval: the time was lost before the frame began, or in the middle of it.
  @Test(
    arguments: [
      (9, 1, "begun 9.00 ms after it was due"), (0, 12, "held up for 12.00 ms"),
    ] as [(Int64, Int64, String)])
  func theTextNamesTheLostTime(delay: Int64, pause: Int64, expected: String) throws {
    let start = MonotonicTime.zero + .seconds(100)
    let meter = FPSMeter(refreshRate: try #require(RefreshRate(hertz: 62.5)))
    let interval = meter.refreshRate.interval
    let late = LateFrames(start: start, meter: meter)
    var frame = FrameRecord()
    frame.frameNumber = 7
    frame.tickTimestamp = start + .seconds(1)
    frame.start = frame.tickTimestamp
    frame.target = frame.tickTimestamp + interval
    frame.delivered = frame.start + .milliseconds(delay)
    frame.phases[.composite] = .milliseconds(7)
    frame.submitted = frame.delivered + .milliseconds(pause + 7)
    frame.presented = frame.target + interval
    let causes = try #require(meter.record(.presented(frame)))
    #expect(causes.main == .scheduling)
    late.record(.presented(frame), causes: causes)
    let text = late.text(causes: [causes.main], width: 200)
    #expect(text.hasPrefix("scheduling: frame 7 at 1.000 s, 16.00 ms late: \(expected)\n"), "\(text)")
  }
}
