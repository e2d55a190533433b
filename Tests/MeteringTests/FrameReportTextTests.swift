import FrameTiming
import LinuxSystem
import Metering
import Testing

/// The text of a report of invented figures.
struct FrameReportTextTests {
  /// A run at 60 Hz of so many frames, shown each 16.67 ms, but for each hundredth.
  private func report(frames: Int) throws -> FrameReport {
    let meter = FPSMeter(refreshRate: .hertz60)
    let interval = RefreshRate.hertz60.interval
    var time = MonotonicTime.zero + interval
    for number in 1...frames {
      var frame = FrameRecord()
      (frame.frameNumber, frame.tickTimestamp, frame.start, frame.delivered) = (UInt64(number), time, time, time)
      (frame.target, frame.animationTime) = (time + interval, time + interval)
      frame.phases[.layout] = .milliseconds(3)
      frame.submitted = time + .milliseconds(3)
      frame.presented = frame.target + (number % 100 == 0 ? .milliseconds(9) : .zero)
      meter.record(
        .tick(
          DisplayLink.Tick(
            timestamp: time, targetTimestamp: time + interval, duration: interval, frameNumber: UInt64(number),
            delivered: time, missed: 0)))
      meter.record(.committed(frame))
      meter.record(.presented(frame))
      time += interval
    }
    return meter.report()
  }

  @Test func theBudgetMayBeAnother() throws {
    var report = try report(frames: 300)
    report.budget = .milliseconds(6)
    #expect(report.workShare == 0.5)
    #expect(report.description.contains("budget    6.00 ms, the display tells 60 Hz, 50 % used at the median"))
  }

  /// A summary of a run explains its budget, as a profile does.
  @Test func theBudgetHasItsSource() throws {
    func budget(_ interval: Nanoseconds, every distance: Int64 = 1) -> String? {
      let meter = FPSMeter(refreshRate: .hertz60)
      for number in 0..<50 as Range<Int64> {
        var frame = FrameRecord()
        frame.frameNumber = UInt64(number * distance)
        frame.tickTimestamp = .zero + .seconds(1) + interval * number * distance
        (frame.intervalsPerTick, frame.promised) = (Int(distance), frame.tickTimestamp + interval * distance)
        frame.phases[.layout] = .milliseconds(5)
        meter.record(.committed(frame))
        frame.presented = frame.tickTimestamp + interval * distance
        meter.record(.presented(frame))
      }
      return meter.report().text(width: 79).split(separator: "\n").first { $0.hasPrefix("budget") }.map(String.init)
    }
    #expect(budget(.microseconds(16_700)) == "budget    16.67 ms, the display tells 60 Hz, 30 % used at the median")
    #expect(
      budget(.microseconds(16_700), every: 2)
        == "budget    33.33 ms, 2 refresh intervals, the display tells 60 Hz,")
    #expect(budget(.milliseconds(25)) == "budget    25.00 ms, measured, the display tells 60 Hz, 20 % used at the median")
  }

  /// The budget is that of most frames, whatever rate the display has at the end.
  @Test func theBudgetDoesNotFollowTheLastRate() throws {
    let meter = FPSMeter(refreshRate: .hertz60)
    var profile = PhaseProfile(refreshRate: .hertz60)
    var time = MonotonicTime.zero + .seconds(1)
    for number in 0..<1000 as Range<UInt64> {
      if number == 900 { meter.refreshRate = try #require(RefreshRate(numerator: 144, denominator: 1)) }
      let interval = meter.refreshRate.interval
      var frame = FrameRecord()
      (frame.frameNumber, frame.tickTimestamp, frame.delivered) = (number, time, time)
      (frame.target, frame.promised, frame.presented) = (time + interval, time + interval, time + interval)
      frame.phases[.layout] = .milliseconds(5)
      meter.record(.committed(frame))
      meter.record(.presented(frame))
      profile.add(frame)
      time += interval
    }
    let report = meter.report()
    #expect(report.budget == RefreshRate.hertz60.interval && report.budget == profile.budget)
    let text = report.text(width: 79).replacing("\n          ", with: " ")
    #expect(
      text.contains(
        "budget    16.67 ms, at the rate of most frames, the display told 60 Hz at the beginning, 30 % used at the median"),
      "\(text)")
  }

  @Test func theWholeSummaryAt80Columns() throws {
    let text = try report(frames: 1500).description
    #expect(
      text == """
        frames    1500 made, 1500 presented, 15 late, 0 missed, 0 idle
        late by   15 prediction
        a second  refresh 60.00, tick 60.00, frame 60.00, presented 60.00
        lows      38.96/s in 1 % of the time, 38.96/s in 0.1 %
        intervals 1.0 % over 16.7 ms, none over 33.3 ms
        budget    16.67 ms, the display tells 60 Hz, 18 % used at the median
        hitches   5.4 ms/s, warning

        ms                    p50     p95     p99   p99.9     max      sd
        frame interval      16.67   16.68   16.86   25.67   25.67    1.25
        work                 3.00    3.00    3.00    3.00    3.00    0.00
        latency             16.67   16.68   16.77   25.67   25.67    0.90
        animation error      0.00    0.00    9.00    9.00    9.00    1.24
        prediction error     0.00    0.00    0.09    9.00    9.00    0.90
        """, "\(text)")
  }

  @Test(arguments: [
    (1, nil), (2, "p50 (2 needed), p95 (20), p99 and 1 % low (100), p99.9 and 0.1 % low (1000)"),
    (20, "p95 (20 needed), p99 and 1 % low (100), p99.9 and 0.1 % low (1000)"),
    (100, "p99 and 1 % low (100 needed), p99.9 and 0.1 % low (1000)"),
    (101, "p99.9 and 0.1 % low (1000 needed)"), (1001, nil),
  ])
  func figuresThatNeedMoreFramesAreNamed(frames: Int, missing: String?) throws {
    for width in [39, 59, 79, 199] {
      let text = try report(frames: frames).text(width: width)
      let sentence = text.split(separator: "\n").drop { !$0.hasPrefix("not enough frames for") }.joined(separator: " ")
      #expect(sentence == (missing.map { "not enough frames for \($0)" } ?? ""), "\(text)")
      for line in text.split(separator: "\n") { #expect(line.count <= width, "\(line)") }
    }
  }
}
