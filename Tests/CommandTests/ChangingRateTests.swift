import FrameTiming
import LinuxSystem
import Metering
import Testing

@testable import Framepace
@testable import FramepaceCLI

/// The report of a run in which the display's refresh rate changed.
struct ChangingRateTests {
  /// The table has the parts of which the verdict tells the rest, and JSON tells how many frames had other rates.
  @Test @MainActor func whatIsToSpareIsInTheTable() throws {
    func events(_ intervals: [Nanoseconds]) -> [FrameEvent] {
      var time = MonotonicTime.zero + .seconds(1)
      return intervals.enumerated().map { number, interval in
        var frame = FrameRecord()
        (frame.frameNumber, frame.tickTimestamp, frame.start, frame.delivered) = (UInt64(number), time, time, time)
        frame.target = time + interval
        (frame.promised, frame.presented) = (frame.target, frame.target)
        frame.phases[.layout] = interval / 2
        time += interval
        return .presented(frame)
      }
    }
    func run(_ intervals: [Nanoseconds]) -> RecordedRun {
      RecordedRun(RecordedRunTests.profile(events(intervals)), budget: nil)
    }
    func figures(_ intervals: [Nanoseconds]) -> ProfileFigures { run(intervals).figures }
    let changing = figures(Array(repeating: .milliseconds(25), count: 60) + Array(repeating: .milliseconds(10), count: 60))
    #expect(changing.verdict.hasPrefix("fits the rates that the display had with 50 % to spare; the refresh rate changed"))
    let text = changing.text(width: 80)
    let sentences = text.replacing("\n", with: " ")
    #expect(text.contains("\nown budget     50 %      50 %      50 %     50 %\n"), "\(text)")
    #expect(sentences.contains("of that moment; to spare is what its p99 leaves of 100 % "), "\(text)")
    #expect(
      sentences.contains("(measured; at the rate of most frames; the display told 60 Hz at the beginning)"), "\(text)")
    #expect(changing.json.line.contains(#""ownBudget":{"p50":0.5000,"p95":0.5000,"p99":0.5000,"max":0.5000}"#))
    #expect(changing.json.line.contains(#""framesAtOtherRates":0"#))
    // The report of its log has them too.
    let stream = try FrameCapture(
      run(Array(repeating: .milliseconds(25), count: 60) + Array(repeating: .milliseconds(10), count: 60)).frameLog
    ).streams[0]
    let view = CaptureText.text(CaptureReport(stream), of: stream, file: "f.csv", format: .frameLog, width: 80)
    #expect(view.contains("\nown budget           50 %    50 %    50 %    50 %"), "\(view)")
    #expect(view.replacing("\n", with: " ").contains("of that moment; to spare is what its p99 leaves of 100 % "), "\(view)")
    for line in view.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    let steady = figures(Array(repeating: .milliseconds(25), count: 50))
    #expect(steady.text(width: 80).contains("\nto spare: what the max of all phases leaves of the budget\n"))
    #expect(!steady.text(width: 80).contains("own budget") && steady.json.line.contains(#""ownBudget":null"#))
    // Twelve rates: eight are listed, and the frames of the others counted.
    let many = figures((0..<12).flatMap { Array(repeating: .milliseconds(5 + 3 * $0), count: 10) })
    #expect(many.profile.rates.count == 8)
    #expect(many.json.line.contains(#""framesAtOtherRates":40"#))
  }
}
