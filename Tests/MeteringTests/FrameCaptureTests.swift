import Foundation
import FrameTiming
import LinuxSystem
@testable import Metering
import TestLength
import Testing

/// Captures of other tools, and frame logs that are read back.
@Suite struct FrameCaptureTests {
  static func file(_ name: String) throws -> [UInt8] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Captures")
    return Array(try Data(contentsOf: folder.appendingPathComponent(name)))
  }

  static let mangoHud = """
    os,cpu,gpu,ram,kernel,driver,cpuscheduler
    Arch Linux,A processor,"A card, of two",32768,6.12.1,Mesa,performance
    fps,frametime,cpu_load,gpu_load,elapsed
    62.5,16.0,4,50,1000000
    50,20.0,4,50,21000000
    100,10,4,50,31000000

    """

  private func milliseconds(_ values: [Nanoseconds]) -> [Double] { values.map(\.milliseconds) }

  private func fault(in text: String) -> CaptureError? {
    do throws(CaptureError) { _ = try FrameCapture(Array(text.utf8)) } catch { return error }
    return nil
  }

  // MARK: - PresentMon

  /// The expected figures were computed from the files by another program: (file, frames, shown, intervals, p50, p95, longest).
  @Test(arguments: [
    ("presentmon-2_v1.csv", FrameCapture.Format.presentMon1, 57, 56, 56, 16.68455, 50.059, 400.3309),
    ("presentmon-2_v2.csv", .presentMon2, 56, 55, 55, 16.6852, 53.39514, 400.3309),
    ("presentmon-2.csv", .presentMon2, 56, 55, 55, 16.6852, 53.39514, 400.3309),
  ])
  func readsEachVersionOfPresentMon(
    name: String, format: FrameCapture.Format, frames: Int, shown: Int, intervals: Int, p50: Double, p95: Double,
    longest: Double
  ) throws {
    let capture = try FrameCapture(Self.file(name))
    #expect(capture.format == format && capture.streams.count == 4)
    let stream = try #require(capture.streams.first { $0.name == "dwm.exe" })
    #expect(stream.processID == "1300" && stream.swapChain.hasSuffix("296989CD030"))
    let report = CaptureReport(stream)
    #expect(report.frames == frames && report.neverSeen == frames - shown && report.late == nil)
    #expect(report.frameInterval.count == intervals && report.intervalKind == .displayed)
    #expect(abs(try #require(report.frameInterval.p50).milliseconds - p50) < 0.0001)
    #expect(abs(try #require(report.frameInterval.p95).milliseconds - p95) < 0.0001)
    #expect(abs(try #require(report.frameInterval.maximum).milliseconds - longest) < 0.0001)
    // 55 are too few.
    #expect(report.frameInterval.p99 == nil && report.onePercentLow == nil)
    #expect(report.text(width: 80).contains("not enough frames for p99 and 1 % low (100 needed)"))
  }

  /// The newest columns and those of 2.0 have the same latencies and errors of animations under other names.
  @Test func latencyAndAnimationErrorOfPresentMon2() throws {
    for name in ["presentmon-2_v2.csv", "presentmon-2.csv"] {
      let stream = try #require(try FrameCapture(Self.file(name)).streams.first { $0.name == "dwm.exe" })
      let report = CaptureReport(stream)
      #expect(report.latency.count == 55 && report.animationError.count == 54)
      #expect(abs(try #require(report.latency.p50).milliseconds - 32.6308) < 0.0001)
      #expect(abs(try #require(report.latency.maximum).milliseconds - 433.3392) < 0.0001)
      #expect(abs(try #require(report.animationError.p50).milliseconds - 0.69025) < 0.0001)
      #expect(abs(try #require(report.animationError.maximum).milliseconds - 317.0286) < 0.0001)
      #expect(report.work.count == 56)
    }
  }

  @Test func programsAndSwapChainsAreToldApart() throws {
    let text = """
      Application,ProcessID,SwapChainAddress,Runtime,Dropped,msBetweenPresents,msBetweenDisplayChange
      "A, and ""B"".exe",1,0xA,DXGI,0,1,16.5
      b.exe,2,0xA,DXGI,0,1,33
      "A, and ""B"".exe",1,0xB,DXGI,1,1,0
      b.exe,2,0xA,DXGI,0,1,34
      """
    let streams = try FrameCapture(Array(text.utf8)).streams
    #expect(
      streams.map(\.title) == [
        "A, and \"B\".exe, process 1, swap chain 0xA", "b.exe, process 2, swap chain 0xA",
        "A, and \"B\".exe, process 1, swap chain 0xB",
      ])
    #expect(streams.map { milliseconds($0.intervals) } == [[16.5], [33, 34], []])
    #expect(streams.map(\.neverSeen) == [0, 0, 1])
    // Lines may end as on Windows, and the last one not at all.
    let windows = try FrameCapture(Array(text.replacing("\n", with: "\r\n").utf8)).streams
    #expect(windows.map(\.title) == streams.map(\.title) && windows.map(\.intervals) == streams.map(\.intervals))
  }

  /// Without columns about the display the calls are what there is.
  @Test func withoutDisplayTrackingIntervalsLieBetweenCalls() throws {
    let text = """
      Application,ProcessID,SwapChainAddress,PresentRuntime,FrameTime,CPUBusy
      a,1,0x1,DXGI,8.25,NA
      a,1,0x1,DXGI,8,4
      """
    let stream = try #require(try FrameCapture(Array(text.utf8)).streams.first)
    #expect(stream.intervalKind == .presentCalls && stream.neverSeen == nil)
    #expect(milliseconds(stream.intervals) == [8.25, 8] && milliseconds(stream.work) == [4])
    #expect(CaptureReport(stream).frameRate == nil, "16 ms are no time for a rate")
  }

  /// A file may tell which frames were seen, and not when.
  @Test func framesSeenAtUnknownTimes() throws {
    let lines = (0..<40).map { "a,1,\($0 % 4 == 0 ? 1 : 0),16" }
    let text = "Application,ProcessID,Dropped,msBetweenPresents\n" + lines.joined(separator: "\n") + "\n"
    let report = CaptureReport(try FrameCapture(Array(text.utf8)).streams[0]).text(width: 400)
    #expect(
      report.contains("40 in the file, 30 seen, 10 never seen") && !report.contains("when they were seen"), "\(report)")
    #expect(report.contains("presented; the time from one that was seen to the next is not in the file"))
  }

  // MARK: - MangoHud

  @Test func readsMangoHud() throws {
    for text in [
      Self.mangoHud,
      "v1\n0.7.2\n---SYSTEM INFO---\n" + Self.mangoHud.replacing("fps,", with: "---FRAME METRICS---\nfps,"),
      // Old versions have microseconds.
      Self.mangoHud.replacing("16.0", with: "16000").replacing("20.0", with: "20000").replacing(",10,", with: ",10000,"),
      String(Self.mangoHud.split(separator: "\n").dropFirst(2).joined(separator: "\n")),
    ] {
      let capture = try FrameCapture(Array(text.utf8))
      #expect(capture.format == .mangoHud && capture.streams.count == 1)
      #expect(milliseconds(capture.streams[0].intervals) == [16, 20, 10], "\(text)")
      #expect(capture.streams[0].coverage == 1 && capture.streams[0].intervalKind == .presentCalls)
      #expect(CaptureReport(capture.streams[0]).hasEveryFrame)
    }
  }

  /// With an interval of its own, MangoHud writes some frames and not the others.
  @Test func samplesAreToldFromFrames() throws {
    let lines = (0..<50).map { "100,10,4,50,\($0 * 100_000_000)" }
    let text = "fps,frametime,cpu_load,gpu_load,elapsed\n" + lines.joined(separator: "\n")
    let report = CaptureReport(try FrameCapture(Array(text.utf8)).streams[0])
    let coverage = try #require(report.coverage)
    #expect(!report.hasEveryFrame && abs(coverage - 0.1) < 0.001)
    #expect(report.text(width: 400).contains("their times fill 10 % of the file's; other frames are in no figure"))
  }

  // MARK: - Frame logs

  private func log(_ format: FrameLogFormat) -> [UInt8] {
    var bytes = format.header
    func frame(_ number: Int64, _ outcome: LoggedFrame.Outcome, change: (inout LoggedFrame) -> Void = { _ in }) {
      var record = FrameRecord()
      // Stamps of a machine that has been running for months.
      record.delivered = MonotonicTime(nanoseconds: 20_000_000_000_000_000 + number * 10_000_000)
      record.phases[.layout] = .milliseconds(2 + number)
      if outcome == .presented { record.presented = record.delivered + .milliseconds(15) }
      var logged = LoggedFrame(record: record, outcome: outcome)
      change(&logged)
      format.append(logged, to: &bytes)
    }
    frame(0, .presented)
    frame(1, .presented) { frame in
      frame.record.input = frame.record.delivered - .milliseconds(4)
      frame.causes = FrameRecord.Causes(main: .commitMissed)
      frame.step = FrameStep(from: Self.record(at: 0, animated: 0), to: Self.record(at: 20, animated: 17))
    }
    frame(2, .discarded)
    frame(3, .lost)
    frame(4, .pending)
    return bytes
  }

  private static func record(at time: Int64, animated: Int64) -> FrameRecord {
    var record = FrameRecord()
    record.presented = .zero + .milliseconds(time)
    record.animationTime = .zero + .milliseconds(animated)
    return record
  }

  @Test(arguments: FrameLogFormat.allCases) func readsItsOwnLog(_ format: FrameLogFormat) throws {
    let capture = try FrameCapture(log(format))
    #expect(capture.format == .frameLog)
    let stream = capture.streams[0]
    #expect(stream.frames == 5 && stream.neverSeen == 2 && stream.pending == 1)
    #expect(stream.lateFrames == [LateCount(cause: .commitMissed, frames: 1)])
    #expect(milliseconds(stream.intervals) == [20] && milliseconds(stream.animationErrors) == [-3])
    // Two frames were seen.
    #expect(milliseconds(stream.work) == [2, 3] && milliseconds(stream.latencies) == [15, 15])
    #expect(milliseconds(stream.inputLatencies) == [19])
    let report = CaptureReport(stream)
    #expect(report.late == 1 && report.animationError.maximum == .milliseconds(3))
    #expect(report.inputLatency.count == 1 && report.inputLatency.maximum == .milliseconds(19))
    let text = report.text(width: 80)
    #expect(text.contains("5 in the file, 2 seen, 1 pending, 2 never seen, 1 late"))
    #expect(text.contains("\ninput latency ") && text.contains("19.00"), "\(text)")
    // Logs of earlier programs give the arrival of input the name that its phase has now, or have neither.
    let own = String(decoding: log(format), as: UTF8.self)
    let former = own.replacing("input", with: "inputDelivery").replacing("inputDeliveryArrival", with: "input")
    #expect(CaptureReport(try FrameCapture(Array(former.utf8)).streams[0]).inputLatency == report.inputLatency)
    let older = own.replacing("input", with: "other")
    let earlier = CaptureReport(try FrameCapture(Array(older.utf8)).streams[0])
    #expect(earlier.inputLatency.count == 0 && earlier.latency == report.latency)
  }

  // MARK: - Figures

  /// 198 frames of 10 ms and two of 60 ms last 2.1 s: the longest one alone is more than 1 % of it.
  @Test func lowsAndRatesWorkedByHand() throws {
    let times = Array(repeating: 10.0, count: 198) + [60, 60]
    let text = "fps,frametime\n" + times.map { "\(1000 / $0),\($0)" }.joined(separator: "\n")
    let report = CaptureReport(try FrameCapture(Array(text.utf8)).streams[0])
    let rate = try #require(report.frameRate)
    #expect(report.time == .milliseconds(2100) && abs(rate - 200 / 2.1) < 1e-9)
    let low = try #require(report.onePercentLow)
    #expect(abs(low - 1000 / 60) < 1e-9 && report.tenthPercentLow == nil)
    // Position 0.99 · 199 = 197.01 of the sorted ones, counted from 0: a hundredth of the way from 10 ms to 60 ms.
    let p99 = try #require(report.frameInterval.p99)
    #expect(p99 == .microseconds(10_500) && report.frameInterval.p999 == nil)
  }

  // MARK: - Damage

  @Test(arguments: [
    ("", 1, 1, "a capture"),
    ("name,value\n1,2\n", 1, 1, "the first line of a PresentMon file"),
    ("Application,ProcessID,Other\n", 1, 1, "a column such as msBetweenDisplayChange"),
    ("Application,ProcessID,Dropped,FrameTime\n", 2, 1, "the line of a frame"),
    ("Application,ProcessID,Dropped,FrameTime\na,1,2,3\n", 2, 5, "0 or 1"),
    ("Application,ProcessID,Dropped,FrameTime\nä,1,0,fast\n", 2, 7, "milliseconds"),
    ("Application,ProcessID,Dropped,FrameTime\na,1,0,-1\n", 2, 7, "milliseconds"),
    ("Application,ProcessID,Dropped,FrameTime\na,1,0\n", 2, 6, "column 4 of 4, FrameTime"),
    ("Application,ProcessID,Dropped,FrameTime\na,1,0,1,2\n", 2, 9, "the end of the line after 4 columns"),
    ("Application,ProcessID,Dropped,FrameTime\n\"a,1,0,1\n", 2, 9, "the closing quote"),
    ("Application,ProcessID,Dropped,FrameTime\na,1,0,99999999999\n", 2, 7, "milliseconds"),
    ("fps,frametime,elapsed\n60,16,5\n60,16,4\n", 3, 7, "not before the line above"),
    ("fps,frametime\n60,\n", 2, 4, "milliseconds"),
    ("os,cpu\nx,y\n", 3, 1, "fps,frametime"),
    // The fault is in the line of names, whatever follows it.
    ("os,cpu\nx,y\nfps,cpu_load\n1,2\n1,2\n1,2\n1,2\n1,2\n1,2\n", 3, 5, "the column 'frametime'"),
    ("os,cpu\nx,y\nfps,Frametime,cpu_load\n1,2,3\n", 3, 5, "the column 'frametime'"),
    ("os,cpu\nx,y\nFPS,frametime\n1,2\n", 3, 1, "the column 'fps'"),
    ("os,cpu\nx,y\nframetime,cpu_load\n1,2\n", 3, 1, "the column 'fps'"),
    ("os,cpu\nx,y\nfps\n1\n1\n1\n1\n1\n1\n1\n", 3, 4, "the column 'frametime'"),
    ("os,cpu\nx,y\n1\n1\n1\n1\n1\n1\n1\n", 7, 1, "fps,frametime"),
    ("{\"outcome\":\"presented\"}", 1, 24, "'delivered'"),
    ("{\"outcome\":\"presented\"", 1, 23, "',' or '}'"),
    ("{\"outcome\":perhaps}", 1, 12, "a JSON value"),
  ])
  func damageHasAPlace(text: String, line: Int, column: Int, expected: String) throws {
    let error = try #require(fault(in: text))
    #expect(error.line == line && error.column == column && error.expected.contains(expected), "\(error)")
    #expect("\(error)".hasPrefix("line \(line), column \(column): "))
  }

  /// Each column of a frame log has values of its own; in JSON a rate or a name that is no text is wrong too.
  @Test(arguments: [
    ("missed", "x", "a whole number from"), ("missed", "-1", "a whole number from"),
    ("intervalsPerTick", "0", "a whole number from"), ("layer", "-1", "a whole number"),
    ("layer", "4294967296", "a whole number"), ("number", "1.5", "a whole number"),
    ("tick", "x", "a whole number of nanoseconds"), ("tick", "\(Int64.max)", "a whole number of nanoseconds"),
    ("hitchTime", "\(Int64.max)", "a whole number of nanoseconds from 0 to 9007199254740992"),
    ("idle", "-4294967297", "a whole number from -4294967296 to 4294967296"),
    ("predictionError", "\(Int64.min)", "a whole number of nanoseconds"), ("early", "2", "a whole number from 0 to 1"),
    ("budget", "-1", "a whole number of nanoseconds"),
    ("refreshRate", "0", "a rate from 1 to 1000 Hz"), ("refreshRate", "60/1/1", "a rate from 1 to 1000 Hz"),
    ("standstillCause", "x", "one of "),
  ])
  func wrongValuesOfAFrameLog(column: String, value: String, expected: String) throws {
    let isText = ["refreshRate", "standstillCause"].contains(column)
    let number = column == "number" ? value : "1"
    let text = "number,outcome,delivered,presented,work,frameInterval,cause,animationError,promised,\(column)\n"
    let error = try #require(fault(in: text + "\(number),presented,1,2,3,4,,,2,\(value)\n"))
    #expect(error.line == 2 && error.expected.contains(expected), "\(error)")
    let figures = #""delivered":1,"presented":2,"work":3,"frameInterval":4,"cause":null,"animationError":null,"promised":2"#
    for value in isText ? ["\"\(value)\"", "60", "true"] : [value == "x" ? "\"x\"" : value] {
      let error = try #require(fault(in: #"{"outcome":"presented",\#(figures),"\#(column)":\#(value)}"#))
      #expect(error.expected.contains(expected), "\(error)")
    }
    #expect(
      fault(in: #"{"outcome":"presented",\#(figures),"layerName":3}"#)?.expected.contains("a name as 'layerName'") == true)
    #expect(fault(in: #"{"outcome":"presented",\#(figures),"\#(column)":null}"#) == nil)
  }

  @Test func theErrorSaysWhatIsThere() throws {
    let error = try #require(fault(in: "Application,ProcessID,Dropped,FrameTime\na,1,0,fast\u{1B}[m\n"))
    #expect("\(error)" == "line 2, column 7: 'fast [m' where milliseconds, such as 16.667, or NA are expected")
  }

  static var samples: [(name: String, bytes: [UInt8])] {
    get throws {
      // The line of names and some lines of frames.
      func head(_ name: String) throws -> [UInt8] {
        let lines = try file(name).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return Array(lines.prefix(5).joined(separator: [UInt8(ascii: "\n")]))
      }
      let tests = FrameCaptureTests()
      return [
        ("PresentMon 1", try head("presentmon-2_v1.csv")), ("PresentMon 2.0", try head("presentmon-2_v2.csv")),
        ("PresentMon", try head("presentmon-2.csv")), ("MangoHud", Array(mangoHud.utf8)),
        ("CSV log", tests.log(.csv)), ("JSON log", tests.log(.jsonl)),
      ]
    }
  }

  /// The error of these bytes; nil if they are a capture. Its place is in the file, and a capture has no more frames than lines.
  private func outcome(_ bytes: [UInt8], _ what: String) -> CaptureError? {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    do throws(CaptureError) {
      let capture = try FrameCapture(bytes)
      let frames = capture.streams.reduce(0) { $0 + $1.frames }
      #expect(frames > 0 && frames <= lines.count, "\(what)")
      for stream in capture.streams { _ = CaptureReport(stream).text(width: 80) + CaptureReport(stream).verdict }
      return nil
    } catch {
      let length = error.line <= lines.count ? lines[error.line - 1].count : 0
      #expect(
        error.line >= 1 && error.line <= lines.count + 1 && error.column >= 1 && error.column <= length + 1,
        "\(what): \(error)")
      return error
    }
  }

  /// A file that ends too early is a capture with fewer frames, or wrong at its end.
  @Test func everyTruncation() throws {
    for (name, bytes) in try Self.samples {
      for count in bytes.indices {
        let part = Array(bytes.prefix(count))
        guard let error = outcome(part, "\(name), \(count) bytes") else { continue }
        let lines = part.count { $0 == UInt8(ascii: "\n") } + 1
        let isEmptyEnd = part.last == UInt8(ascii: "\n") || part.isEmpty
        #expect(error.line >= lines - (isEmptyEnd ? 1 : 0), "\(name), \(count) bytes: \(error)")
      }
    }
  }

  @Test func everyFlippedBit() throws {
    for (name, bytes) in try Self.samples {
      // A prime step visits other bits of other bytes.
      for bit in stride(from: 0, to: bytes.count * 8, by: isLongRun ? 1 : 13) {
        var flipped = bytes
        flipped[bit / 8] ^= 1 << (bit % 8)
        _ = outcome(flipped, "\(name), bit \(bit)")
      }
    }
  }

  /// Bytes of any kind, pieces of captures put together, deep and wide ones.
  @Test func anyBytes() throws {
    var random = SplitMix64(seed: UInt64(runSeed))
    let pieces = try Self.samples.map(\.bytes)
    for _ in 0..<(isLongRun ? 20_000 : 200) {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let piece = pieces.randomElement(using: &random) ?? []
        let start = Int.random(in: 0...piece.count, using: &random)
        bytes += piece[start..<Int.random(in: start...piece.count, using: &random)]
        bytes += (0..<Int.random(in: 0...3, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      }
      _ = outcome(bytes, "\(String(decoding: bytes, as: UTF8.self).debugDescription)")
    }
    let deep = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
    #expect(outcome(Array("{\"a\":".utf8) + deep, "deep")?.expected.contains("64 deep") == true)
    #expect(outcome([UInt8](repeating: UInt8(ascii: ","), count: 1_000_000), "wide") != nil)
    #expect(outcome([UInt8](repeating: UInt8(ascii: "\n"), count: 1_000_000), "long") != nil)
  }

  @Test(arguments: [
    ("0", 6, 0), ("16.667", 6, 16_667_000), ("50.14450000000000", 6, 50_144_500), ("-0.5", 0, -1), ("1.4999999", 0, 1),
    ("1e3", 0, 1000), ("1.5e-05", 6, 15), (".5", 1, 5), ("5.", 1, 50), ("0.0000005", 6, 1),
    ("1000000000", 6, 1_000_000_000_000_000),
  ])
  func numbersAreExact(text: String, decimals: Int, expected: Int) throws {
    let number = Array(text.utf8).withUnsafeBufferPointer { DecimalNumber.parse($0, in: $0.indices, decimals: decimals) }
    #expect(number == Int64(expected))
  }

  @Test(arguments: [
    "", ".", "-", "+1", "1.2.3", "0x10", "1e", "nan", "inf", "1 ", "1000000001", "1e300", "9223372036854775808",
  ])
  func whatIsNoNumber(text: String) {
    let number = Array(text.utf8).withUnsafeBufferPointer { DecimalNumber.parse($0, in: $0.indices, decimals: 6) }
    #expect(number == nil)
  }
}
