import Foundation
import FrameTiming
import Framepace
import Metering
import Simulation
import Testing

@testable import FramepaceCLI

/// The output of `framepace vblank` for invented vblanks.
struct VBlankTextTests {
  /// 101 vblanks at 60 Hz, 20 ppm fast, one of them missed. Stamps are 3 µs early and late in turn, and arrive after 40, 50
  /// … 130 µs.
  private static func measurement(display: String? = "HDMI-A-1 1920x1080@60.00 (i915)") -> VBlankMeasurement {
    let samples = (Int64(0)..<102).filter { $0 != 50 }.map { number in
      let offset = Double(number) * 1e9 / 60 / (1 + 20e-6) + (number % 2 == 0 ? 3000 : -3000)
      let time = MonotonicTime(nanoseconds: 7_000_000_000 + Int64(offset.rounded()))
      return VBlankReport.Sample(
        vblank: VBlank(timestamp: time, sequence: UInt64(number)), arrival: time + .microseconds(40 + number % 10 * 10))
    }
    return VBlankMeasurement(
      display: display, clock: display == nil ? "fallback clock 60.00 Hz: asked for" : "DRM vblank of HDMI-A-1",
      isFallback: display == nil, requested: 101, report: VBlankReport(samples, nominalRate: .hertz60))
  }

  @Test(arguments: [(36.3, "-39.5 %"), (60.7, "+1.2 %"), (60.5, "+8333.33 ppm")])
  func aDriftThatIsAnotherRate(hertz: Double, text: String) {
    let samples = (0..<100).map { number in
      let time = MonotonicTime(nanoseconds: 7_000_000_000 + Int64(Double(number) * 1e9 / hertz))
      return VBlankReport.Sample(
        vblank: VBlank(timestamp: time, sequence: UInt64(number + 1)), arrival: time + .microseconds(40))
    }
    let drift = VBlankText.drift(VBlankReport(samples, nominalRate: .hertz60))
    let isOther = text.hasSuffix("%")
    #expect(drift?.hasPrefix(isOther ? text : String(text.dropLast(4))) == true, "\(drift ?? "nil")")
    #expect(drift?.hasSuffix(isOther ? "%" : " ppm") == true, "\(drift ?? "nil")")
  }

  /// Every figure is worked out by hand, except for the prediction error, which depends on the model.
  @Test func summaryAt80Columns() {
    var lines = VBlankText.summary(Self.measurement(), width: 79).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[7].hasPrefix("prediction error  ") && lines[7].count == 58)
    lines[7] = "prediction error"
    #expect(
      lines.joined(separator: "\n") == """
        vblanks   101 in 1.68 s, 1 missed
        rate      60.0012 Hz, nominally 60.0000 Hz
        drift     +20.10 ± 1.22 ppm

                              p50 µs    p95 µs    p99 µs    max µs
        jitter of stamps        3.00      3.10      3.11      3.11
        arrival                80.00    130.00    130.00    130.00
        prediction error

        stamps, from an even grid, in µs
          -4 – -3  █████████████████████████████▎                                    16
          -3 – -2  ████████████████████████████████████████████████████████████████  35
          -2 – -1                                                                     0
          -1 –  0                                                                     0
           0 –  1                                                                     0
           1 –  2                                                                     0
           2 –  3  ███████████████████████████████▏                                  17
           3 –  4  ████████████████████████████████████████████████████████████▍     33

        arrival, after the stamp, in µs
           40 –  50  ████████████████████████████████████████████████████████▍       10
           50 –  60  ██████████████████████████████████████████████████████████████  11
           60 –  70  ████████████████████████████████████████████████████████▍       10
           70 –  80  ████████████████████████████████████████████████████████▍       10
           80 –  90  ████████████████████████████████████████████████████████▍       10
           90 – 100  ████████████████████████████████████████████████████████▍       10
          100 – 110  ████████████████████████████████████████████████████████▍       10
          110 – 120  ████████████████████████████████████████████████████████▍       10
          120 – 130  ████████████████████████████████████████████████████████▍       10
          130 – 140  ████████████████████████████████████████████████████████▍       10

        percentile P: linear interpolation at P/100 x (N - 1) of the sorted values;
        needs 100/(100 - P) values (p99: 100)
        """, "\(lines.joined(separator: "\n"))")
  }

  @Test(arguments: [59, 79, 199])
  func linesFit(width: Int) {
    for display in [nil, "HDMI-A-1 1920x1080@60.00 (i915)"] {
      let text = VBlankText.summary(Self.measurement(display: display), width: width)
      for line in text.split(separator: "\n") { #expect(line.count <= width, "\(line)") }
      #expect(text.contains("The stamps are a clock's") == (display == nil))
    }
  }

  @Test func fewVBlanksAreSaidToBeFew() {
    let samples = [VBlankReport.Sample(vblank: VBlank(timestamp: .zero, sequence: 0), arrival: .zero)]
    var measurement = Self.measurement()
    measurement.report = VBlankReport(samples, nominalRate: .hertz60)
    let text = VBlankText.summary(measurement, width: 79)
    #expect(text.contains("rate      – Hz") && !text.contains("drift"))
    #expect(text.contains("arrival                    –         –         –      0.00"), "\(text)")
    measurement.report = VBlankReport([], nominalRate: .hertz60)
    #expect(VBlankText.summary(measurement, width: 79).contains("vblanks   0 in 0.00 s, 0 missed"))
  }

  @Test func jsonHasEveryKeyThatTheHelpNames() throws {
    let object = try #require(try JSONLines(VBlankText.json(Self.measurement()).line).objects.first)
    var keys = [
      "display", "clock", "isFallback", "requested", "count", "missed", "rejected", "time", "nominalRate",
      "nominalRateFraction", "rate", "drift", "driftUncertainty", "deviationHistogram", "arrivalHistogram", "ticks",
      "missedTicks", "swallowed",
    ]
    for name in ["jitter", "arrival", "prediction", "target"] { keys += ["P50", "P95", "P99", "Max"].map { name + $0 } }
    #expect(Set(object.keys) == Set(keys))
    #expect(object["count"] as? Int == 101 && object["missed"] as? Int == 1)
    #expect(object["isFallback"] as? Bool == false)
    #expect(object["nominalRateFraction"] as? String == "60/1")
    #expect(object["arrivalP95"] as? Double == 130)
    #expect(abs(try #require(object["rate"] as? Double) - 60.0012) < 0.0002)
    let histogram = try #require(object["arrivalHistogram"] as? [String: Any])
    #expect(Set(histogram.keys) == ["start", "width", "below", "counts", "above"])
    #expect((histogram["counts"] as? [Int])?.reduce(0, +) == 101)
    let help = try framepace("help", "vblank").output
    for key in keys where !["jitter", "arrivalP", "prediction", "target"].contains(where: { key.hasPrefix($0) }) {
      #expect(key == "arrivalMax" || help.contains(key), "\(key) is not in the help")
    }
  }

  @Test func aPictureHasPaperAndBars() throws {
    for display in [nil, "HDMI-A-1 1920x1080@60.00 (i915)"] {
      let image = try VBlankPlot().image(Self.measurement(display: display))
      #expect(image.width == PlotStyle.size.width && image.height == PlotStyle.size.height && image.isOpaque)
      let blue = (0..<image.height).map { y in
        let row = image.row(y).assumingMemoryBound(to: UInt32.self)
        return (0..<image.width).count { row[$0] == 0xFF2F_81F7 }
      }
      let bars = blue.reduce(0, +)
      #expect(bars > 20_000, "only \(bars) pixels of bars")
      #expect(
        blue.firstIndex { $0 > 0 } == 184 && blue.lastIndex { $0 > 0 } == 563, "the highest bar is as high as the plot")
    }
  }
}

/// `framepace vblank` as a process, on the fallback clock.
struct VBlankCommandTests {
  private static let fallback = ["vblank", "--display", "fallback", "--rate", "200"]

  @Test func measuresTheFallbackAndSaysSo() throws {
    let result = try framepace(Self.fallback + ["--count", "40"])
    #expect(result.status == 0, "\(result.error)")
    #expect(result.output.hasPrefix("fallback clock 200.00 Hz: asked for\nmeasuring 40 vblanks\n\nvblanks   40 in "))
    #expect(result.output.contains("rate      200.0000 Hz"))
    #expect(result.output.contains("nothing about a display"))
    #expect(result.error.isEmpty)
  }

  @Test func writesRecordAndPicture() throws {
    let folder = try TemporaryFolder()
    let result = try framepace(
      Self.fallback + ["--count", "20", "--record", "stamps", "--plot", "plot.png", "--json"], in: folder.path)
    #expect(result.status == 0, "\(result.error)")
    #expect(try folder.files == ["plot.png", "stamps"])
    let object = try #require(try JSONLines(result.output).objects.first)
    #expect(object["count"] as? Int == 20 && object["isFallback"] as? Bool == true)
    #expect(object["jitterP99"] is NSNull && object["display"] is NSNull)
    let text = try String(decoding: folder.contents(of: "stamps"), as: UTF8.self)
    let recording = try VBlankRecording(parsing: text)
    #expect(recording.vblanks.count == 20)
    #expect(recording.refreshRate.hertz == 200)
    let image = try PNG.read(path: folder.path + "/plot.png")
    #expect(image.width == PlotStyle.size.width)
  }

  /// A replay has the same figures as the measurement that was recorded: all of them, to the last digit.
  @Test func aReplayHasTheFiguresOfTheMeasurement() throws {
    let folder = try TemporaryFolder()
    let live = try framepace(Self.fallback + ["--count", "150", "--record", "stamps", "--json"], in: folder.path)
    #expect(live.status == 0, "\(live.error)")
    let replay = try framepace(["vblank", "--replay", "stamps", "--plot", "x.png", "--json"], in: folder.path)
    #expect(replay.status == 0, "\(replay.error)")
    func figures(_ result: Finished) throws -> [String: Any] {
      var object = try #require(try JSONLines(result.output).objects.first)
      object["clock"] = nil
      return object
    }
    let (expected, found) = (try figures(live), try figures(replay))
    #expect(expected["ticks"] as? Int ?? 0 > 100 && expected["targetP99"] is Double)
    #expect(NSDictionary(dictionary: expected) == NSDictionary(dictionary: found), "\(expected)\n\(found)")
    #expect(try folder.files == ["stamps", "x.png"])
    let text = try framepace(["vblank", "--replay", "stamps"], in: folder.path)
    #expect(
      text.output.hasPrefix("fallback clock 200.00 Hz: asked for\nreplaying 150 vblanks of stamps\n\nvblanks   150 in "))
    #expect(text.output.contains("\nticks     ") && text.output.contains("\ntarget error  "), "\(text.output)")
    #expect(text.output.replacing("\n", with: " ").hasSuffix("and nothing about a display. "), "\(text.output)")
  }

  /// An old recording has no arrivals: nothing is said of them. Its ticks are those of the model and the ticker.
  @Test func anOldRecordingIsReplayed() throws {
    let folder = try TemporaryFolder()
    var text = "framepace vblanks 1\ndisplay DP-1\nrate 60\n"
    // A vblank is lost, and another one is delivered twice.
    for number in 1...400 where number != 300 {
      let line = "\(1_000_000_000 + number * 16_666_667) \(number)\n"
      text += number == 200 ? line + line : line
    }
    try text.write(toFile: folder.path + "/old", atomically: true, encoding: .utf8)
    let result = try framepace(["vblank", "--replay", "old"], in: folder.path)
    #expect(result.status == 0, "\(result.error)")
    #expect(result.output.contains("replaying 400 vblanks of old, which has no arrivals"), "\(result.output)")
    #expect(result.output.contains("vblanks   399 in 6.65 s, 1 missed, 1 rejected"), "\(result.output)")
    #expect(result.output.contains("ticks     399, 1 missed, 1 swallowed"), "\(result.output)")
    #expect(!result.output.contains("arrival  ") && !result.output.contains("after the stamp"))
    let json = try JSONLines(try framepace(["vblank", "--replay", "old", "--json"], in: folder.path).output).objects
    #expect(json.first?["arrivalP50"] is NSNull && json.first?["jitterP50"] as? Double == 0)
    let cutText = String(text.dropLast(4))
    try cutText.write(toFile: folder.path + "/cut", atomically: true, encoding: .utf8)
    let cut = try framepace(["vblank", "--replay", "cut"], in: folder.path)
    #expect(cut.status == 0 && cut.output.contains("replaying 399 vblanks of cut"), "\(cut.output)")
    let cutLine = try #require(cutText.split(separator: "\n").last)
    let place = "line 403, column \(cutLine.count + 1)"
    #expect(
      cut.error.replacing("\n", with: " ")
        == "framepace: 'cut' is cut at \(place): its last line is left out, and 399 vblanks are read ")
    // The last number may be another one: 40 for 400.
    try String(text.dropLast(2)).write(toFile: folder.path + "/open", atomically: true, encoding: .utf8)
    let open = try framepace(["vblank", "--replay", "open"], in: folder.path)
    #expect(open.status == 0 && open.output.contains("replaying 400 vblanks of open"), "\(open.output)")
    #expect(
      open.error.replacing("\n", with: " ")
        == "framepace: 'open' ends within a line, at line 403, column \(cutLine.count + 3): the last number may be cut ")
    for (name, bytes, reason) in [
      ("other", "x", "line 1: not a recording of vblanks"),
      ("bad", "framepace vblanks 1\nrate x\n", "line 2: 'x' is no refresh"),
      ("none", "framepace vblanks 1\ndisplay x\nrate 60\n", "figures take 2 vblanks or more, and there are 0"),
      ("one", "framepace vblanks 1\ndisplay x\nrate 60\n1 2\n", "figures take 2 vblanks or more, and there is 1"),
    ] {
      try bytes.write(toFile: "\(folder.path)/\(name)", atomically: true, encoding: .utf8)
      let bad = try framepace(["vblank", "--replay", name], in: folder.path)
      #expect(bad.status == 1 && bad.output.isEmpty)
      #expect(
        bad.error.replacing("\n", with: " ").hasPrefix("framepace: cannot replay '\(name)': \(reason)"), "\(bad.error)")
    }
    try "".write(toFile: folder.path + "/empty", atomically: true, encoding: .utf8)
    let empty = try framepace(["vblank", "--replay", "empty"], in: folder.path)
    #expect(empty.status == 1 && empty.error.hasPrefix("framepace: cannot read 'empty': it is empty"), "\(empty.error)")
    let missing = try framepace("vblank", "--replay", "/nonexistent/x")
    #expect(missing.status == 1 && missing.error.contains("cannot read '/nonexistent/x': No such file"), "\(missing.error)")
  }

  /// Ctrl-C ends the measurement and prints the figures so far.
  @Test(arguments: [SIGINT, SIGTERM])
  func aSignalEndsItWithASummary(signal: Int32) throws {
    let run = try Running(Self.fallback + ["--count", "1000000"])
    run.waitUntilHandled(signal)
    run.waitUntilAsleep(times: 10)
    run.send(signal)
    let result = run.finish()
    #expect(result.status == 0, "\(result.error)")
    #expect(result.output.contains("vblanks   ") && result.output.contains("arrival"))
  }

  @Test func aScreenThatIsNotThereIsNamed() throws {
    let result = try framepace("vblank", "--display", "kms:DSI-99", "--count", "5")
    #expect(result.status == 1)
    #expect(result.error.contains("no DRM device") || result.error.contains("DSI-99"), "\(result.error)")
    #expect(result.output.isEmpty)
  }
}

struct VBlankSilenceTests {
  /// A source is given up after three seconds without a vblank, also if it delivered some before.
  @Test func silenceIsGivenUpAfterAWhile() {
    var silence = VBlankSilence(rate: .hertz60)
    for count in [0, 0, 0, 0, 0, 30, 60, 60, 60, 60, 60, 60] {
      let isTooLong = silence.isTooLong(count: count)
      #expect(!isTooLong)
    }
    let isTooLong = silence.isTooLong(count: 60)
    #expect(isTooLong)
  }

  /// A display of 1 Hz gets ten seconds.
  @Test func slowDisplaysHaveMoreTime() throws {
    var silence = VBlankSilence(rate: try #require(RefreshRate(hertz: 1)))
    let looks = (1...30).first { _ in silence.isTooLong(count: 0) }
    #expect(looks == 20)
  }
}
