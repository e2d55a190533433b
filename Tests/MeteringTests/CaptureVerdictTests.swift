import FrameTiming
import LinuxSystem
@testable import Metering
import Testing

/// The sentence in which the report of a capture begins, and the shares of long intervals, with numbers worked by hand.
@Suite struct CaptureVerdictTests {
  private func verdict(_ text: String) throws -> String {
    CaptureReport(try FrameCapture(Array(text.utf8)).streams[0]).verdict
  }

  // MARK: - Long intervals

  /// 20 + 4 + 6 + 3 + 3 + 1 + 3 = 40 intervals: 16 are longer than 17.5 ms, 7 than 35 ms, 3 than 52.5 ms.
  @Test func sharesOfLongIntervals() throws {
    let times: [(Double, Int)] = [(16.7, 20), (17.5, 4), (17.6, 6), (35, 3), (36, 3), (52.5, 1), (60, 3)]
    let values = times.flatMap { Array(repeating: Nanoseconds.seconds($0 / 1000), count: $1) }
    let expected = LongIntervals(over16: 0.4, over33: 0.175, over50: 0.075)
    #expect(LongIntervals(FrameStatistics(values)) == expected)
    var histogram = DurationHistogram()
    for value in values.reversed() { histogram.add(value) }
    #expect(LongIntervals(histogram) == expected)
    #expect(expected.items == ["40.0 % over 16.7 ms", "17.5 % over 33.3 ms", "7.5 % over 50 ms"])
    #expect(LongIntervals(FrameStatistics([])) == nil && LongIntervals(DurationHistogram()) == nil)
  }

  /// Stamps around 16.67 ms are no long intervals; each of 50 Hz is one; one of three thousand is no "0.0 %".
  @Test func theWordsOfLongIntervals() {
    func items(_ values: [Nanoseconds]) -> [String]? { LongIntervals(FrameStatistics(values))?.items }
    let steady = (0..<100).map { Nanoseconds.microseconds(16_667 + ($0 % 2 == 0 ? 800 : -800)) }
    #expect(items(steady) == ["none over 16.7 ms"])
    #expect(items([.milliseconds(20), .milliseconds(20)]) == ["100.0 % over 16.7 ms", "none over 33.3 ms"])
    let rare = Array(repeating: Nanoseconds.milliseconds(10), count: 2999) + [.milliseconds(40)]
    #expect(items(rare) == ["less than 0.1 % over 16.7 ms", "less than 0.1 % over 33.3 ms", "none over 50 ms"])
  }

  // MARK: - Files of other tools

  private static let presentMon = "Application,ProcessID,Dropped,msBetweenPresents,msBetweenDisplayChange\n"

  /// 118 · 16.5 + 50 = 1997 ms, in which 119 frames were seen.
  @Test func framesThatWereSeen() throws {
    let rows = (0..<120).map { "a,1,\($0 == 7 ? 1 : 0),16,\($0 == 7 ? "0" : $0 == 60 ? "50" : "16.5")" }
    let text = Self.presentMon + rows.joined(separator: "\n")
    #expect(
      try verdict(text)
        == "59.59 frames a second seen; 1 of 119 frame intervals longer than 1.5 times the median; a picture stood for up to 50.00 ms; 1 more was never seen"
    )
    let even = Self.presentMon + Array(repeating: "a,1,0,10,10", count: 50).joined(separator: "\n")
    #expect(try verdict(even) == "100.00 frames a second seen; no frame interval longer than 1.5 times the median")
    // 24 ms are 1.5 times the median, and not longer.
    let border = Self.presentMon + (0..<20).map { "a,1,0,16,\($0 == 9 ? 24 : 16)" }.joined(separator: "\n")
    #expect(try verdict(border) == "60.98 frames a second seen; no frame interval longer than 1.5 times the median")
  }

  /// Calls that present frames show nothing; 72 ms are too short a time for a rate.
  @Test func framesThatWerePresented() throws {
    let text = "fps,frametime\n62.5,16\n62.5,16\n25,40\n"
    #expect(
      try verdict(text) == "1 of 3 frame intervals longer than 1.5 times the median; the longest took 40.00 ms")
    #expect(try verdict("fps,frametime\n62.5,16\n") == "fewer than two frame intervals: there is nothing to judge")
  }

  @Test func samplesAreNamedSo() throws {
    let lines = (0..<50).map { "100,10,4,50,\($0 * 100_000_000)" }
    let text = "fps,frametime,cpu_load,gpu_load,elapsed\n" + lines.joined(separator: "\n")
    #expect(
      try verdict(text)
        == "100.00 frames a second presented; no frame interval longer than 1.5 times the median; the rows are samples, not one for each frame"
    )
  }

  // MARK: - Frame logs

  /// 150 frames at 100 Hz, each of which promises the vblank so many intervals later, and two that are late by one.
  ///
  /// - Parameter freeze: the intervals that were missed before frame 100.
  private func log(
    work: Nanoseconds, every distance: Int64 = 1, late: [FrameRecord.Cause] = [], lost: Int = 0, freeze: Int64 = 0
  ) -> String {
    var bytes = FrameLogFormat.csv.header
    let interval = Nanoseconds.milliseconds(10)
    var last: FrameRecord?
    for number in 0..<150 + lost {
      var record = FrameRecord()
      record.frameNumber = UInt64(number) * UInt64(distance)
      record.tickTimestamp = .zero + .seconds(7) + interval * (Int64(number) * distance + (number >= 100 ? freeze : 0))
      record.promised = record.tickTimestamp + interval * distance
      record.delivered = record.tickTimestamp
      record.phases[.display] = work
      if number >= 150 {
        FrameLogFormat.csv.append(LoggedFrame(record: record, outcome: .lost), to: &bytes)
        continue
      }
      let isLate = number % 50 == 40 && number / 50 < late.count
      record.presented = record.tickTimestamp + interval * distance + (isLate ? interval : .zero)
      record.animationTime = record.presented
      var frame = LoggedFrame(record: record, outcome: .presented)
      frame.step = last.flatMap { FrameStep(from: $0, to: record) }
      if isLate { frame.causes = FrameRecord.Causes(main: late[number / 50]) }
      FrameLogFormat.csv.append(frame, to: &bytes)
      last = record
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The words are those of a profile: (10 − 3) / 10 ms are to spare.
  @Test func aFrameLogHasTheVerdictOfAProfile() throws {
    #expect(try verdict(log(work: .milliseconds(3))) == "fits 100 Hz with 70 % to spare; no frame late")
    #expect(
      try verdict(log(work: .milliseconds(3), late: [.phase(.display), .phase(.display)], lost: 3))
        == "fits 100 Hz with 70 % to spare; 2 of 150 frames late: both in display; 3 more were never seen: the display was away, or refused them"
    )
    #expect(
      try verdict(log(work: .milliseconds(12), late: [.scheduling, .phase(.layout), .scheduling]))
        == "does not fit 100 Hz: the median frame takes 12.00 of 10.00 ms; 3 of 150 frames late: 2 by scheduling, 1 in layout"
    )
  }

  /// The figures that the verdict is about are the report's: the work of the frames that were seen, and their budget.
  @Test func aFrameLogHasABudget() throws {
    let stream = try FrameCapture(Array(log(work: .milliseconds(12), lost: 3).utf8)).streams[0]
    let report = CaptureReport(stream)
    #expect(report.budget == .milliseconds(10) && report.framesOverBudget == 150 && report.missed == 0)
    #expect(stream.work.count == 150 && report.work.count == 150)
    let other = CaptureReport(try FrameCapture(Array("fps,frametime\n62.5,16\n".utf8)).streams[0])
    #expect(other.budget == nil && other.framesOverBudget == nil && other.missed == nil)
  }

  /// A log of an earlier program has no rate and no missed intervals: the rate is that of its ticks.
  @Test func anEarlierLogHasAVerdict() throws {
    let text = Self.columns(of: log(work: .milliseconds(3)), before: "intervalsPerTick")
    #expect(text.hasSuffix(",0") && !text.contains("refreshRate"))
    #expect(try verdict(text) == "fits 100 Hz with 70 % to spare; no frame late")
    // It does not count what was missed, nor tell the display's rate.
    let frozen = Self.columns(
      of: log(work: .milliseconds(3), late: [.scheduling], freeze: 30), before: "intervalsPerTick")
    #expect(
      try verdict(frozen)
        == "fits 100 Hz with 70 % to spare; 1 of 150 frames late: by scheduling; a picture stood for up to 310.00 ms")
    let report = CaptureReport(try FrameCapture(Array(frozen.utf8)).streams[0])
    #expect(report.missed == nil && report.missedCauses == nil)
    let table = report.text(width: 80)
    #expect(table.contains("1 late\n") && table.contains("budget    10.00 ms, by its ticks, 30 % used"), "\(table)")
  }

  /// A log without ticks does not tell when frames were due, but which of them were late. Two were seen at one vblank: 148 intervals in 1790 ms.
  @Test func aLogWithoutTicksTellsLateFrames() throws {
    let text = Self.columns(of: log(work: .milliseconds(3), late: [.scheduling], freeze: 30), before: "intervalsPerTick")
      .replacing("promised", with: "another")
    #expect(
      try verdict(text)
        == "82.68 frames a second seen; 1 of 150 frames late: by scheduling; a picture stood for up to 310.00 ms")
  }

  /// The first columns of a log.
  private static func columns(of log: String, before last: String) -> String {
    let lines = log.split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    let count = lines[0].firstIndex { $0 == last } ?? 0
    return lines.map { $0.prefix(count).joined(separator: ",") }.joined(separator: "\n")
  }

  /// A promise without a tick is no time from a tick to the next.
  @Test func aPromiseNeedsItsTick() throws {
    let text = """
      number,outcome,tick,promised,delivered,presented,work,frameInterval,cause,animationError,refreshRate
      1,presented,,90010000000,90000000000,90010000000,3000000,,,,100
      2,presented,,90020000000,90010000000,90020000000,3000000,10000000,,,100
      """
    #expect(try verdict(text) == "fits 100 Hz with 70 % to spare; no frame late")
  }

  /// The largest numbers that a log may have are in its report, and those above are none: no figure of them overflows.
  @Test func numbersOfAnySize() throws {
    let (time, duration) = (Int64(1) << 60, Int64(1) << 53)
    func log(time: Int64, duration: Int64, signed: Int64) -> String {
      (0..<30).map { number in
        """
        {"number":\(number),"outcome":"presented","tick":\(-time),"promised":\(time),"delivered":\(-time),"presented":\(time),\
        "work":\(duration),"frameInterval":\(duration),"cause":null,"animationError":\(signed),"refreshRate":"60",\
        "intervals":4294967296,"intervalTime":\(signed),"ticks":-4294967296,"missed":4294967296,"idle":-4294967296,\
        "early":1,"hitchTime":\(duration),"predictionError":\(signed),"budget":\(duration)}

        """
      }.joined()
    }
    for signed in [duration, -duration] {
      let text = log(time: time, duration: duration, signed: signed)
      let report = CaptureReport(try FrameCapture(Array(text.utf8)).streams[0])
      #expect(report.text(width: 80).contains("30 early") && report.verdict.hasPrefix("fits "), "\(report.verdict)")
      #expect(report.work.maximum == Nanoseconds(duration))
    }
    #expect(throws: CaptureError.self) { try FrameCapture(Array(log(time: time + 1, duration: duration, signed: 0).utf8)) }
    #expect(throws: CaptureError.self) { try FrameCapture(Array(log(time: time, duration: duration + 1, signed: 0).utf8)) }
    #expect(throws: CaptureError.self) {
      try FrameCapture(Array(log(time: time, duration: duration, signed: -duration - 1).utf8))
    }
  }

  /// Numbers tell layers apart: ten of one name, each of which made a frame late, are ten, and one whose name changes is one.
  @Test(arguments: FrameLogFormat.allCases)
  func layersHaveNumbers(format: FrameLogFormat) throws {
    func verdict(layer: (UInt32) -> UInt32, name: (UInt32) -> String) throws -> String {
      var bytes = format.header
      for number in 0..<10 as Range<UInt32> {
        var record = FrameRecord()
        record.tickTimestamp = .zero + .seconds(1) + .milliseconds(10) * Int64(number)
        record.promised = record.tickTimestamp + .milliseconds(10)
        record.presented = record.tickTimestamp + .milliseconds(20)
        record.phases[.display] = .milliseconds(12)
        record.layerTimes.add(
          FrameRecord.LayerTime(layer: layer(number), phase: .display, time: .milliseconds(12)))
        var frame = LoggedFrame(record: record, outcome: .presented)
        frame.causes = FrameRecord.Causes(main: .phase(.display))
        frame.layerName = name(number)
        format.append(frame, to: &bytes)
      }
      return CaptureReport(try FrameCapture(bytes).streams[0]).verdict
    }
    let ten = try verdict(layer: { $0 }, name: { _ in "TextLayer in chart" })
    #expect(ten.hasSuffix("; 10 of 10 frames late: all in display"), "\(ten)")
    let counter = try verdict(layer: { _ in .max }, name: { "“\($0)”" })
    #expect(counter.hasSuffix("; 10 of 10 frames late: all in display of layer '“9”'"), "\(counter)")
  }

  /// Ticks at every second vblank leave 20 ms: (20 − 12) / 20 are to spare, and a picture that stands for 20 ms is as usual.
  @Test func theBudgetFollowsTheTicks() throws {
    #expect(
      try verdict(log(work: .milliseconds(12), every: 2)) == "fits 50 Hz with 40 % to spare; no frame late")
  }
}
