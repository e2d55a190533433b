import FrameTiming
import LinuxSystem
import Simulation
import Testing

@Suite struct VBlankRecordingTests {
  private static let text = """
    framepace vblanks 1
    display HDMI-A-1
    rate 60000/1001
    81273645000 4711
    81290328333 4712

    """

  private func vblank(_ nanoseconds: Int64, _ sequence: UInt64) -> VBlank {
    VBlank(timestamp: MonotonicTime(nanoseconds: nanoseconds), sequence: sequence)
  }

  @Test func aRecordingIsWrittenAsDocumented() throws {
    let rate = RefreshRate.hertz(60000, over: 1001)
    let recording = VBlankRecording(
      displayName: "HDMI-A-1", refreshRate: rate, vblanks: [vblank(81_273_645_000, 4711), vblank(81_290_328_333, 4712)])
    #expect(recording.description == Self.text)
    #expect(try VBlankRecording(parsing: Self.text) == recording)
    #expect(recording.header + recording.vblanks.map { VBlankRecording.line(for: $0) }.joined() == Self.text)
  }

  /// A clock's recording says so; one of an older version names the clock as a display.
  @Test func aClockIsNotADisplay() throws {
    let text = Self.text.replacing("display HDMI-A-1", with: "clock fallback clock 60.00 Hz: asked for")
    let recording = try VBlankRecording(parsing: text)
    #expect(recording.isFallback && recording.displayName == "fallback clock 60.00 Hz: asked for")
    #expect(recording.description == text)
    #expect(try !VBlankRecording(parsing: Self.text).isFallback)
  }

  /// Version 2 has arrivals. A text of version 1 is still read, and has none.
  @Test func arrivalsAreWrittenAsDocumented() throws {
    let text = Self.text.replacing("vblanks 1", with: "vblanks 2").replacing("4711", with: "4711 81273692113")
      .replacing("4712", with: "4712 81290371402")
    let recording = try VBlankRecording(parsing: text)
    #expect(recording.arrivals.map(\.nanoseconds) == [81_273_692_113, 81_290_371_402])
    #expect(recording.deliveries == recording.arrivals)
    #expect(recording.description == text)
    #expect(try VBlankRecording(parsing: Self.text).arrivals.isEmpty)
  }

  /// Time does not go back in a replay, and does not end.
  @Test func deliveriesAreInOrder() throws {
    let rate = RefreshRate.hertz60
    func deliveries(_ stamps: [Int64], _ arrivals: [Int64] = []) -> [Int64] {
      VBlankRecording(
        displayName: "", refreshRate: rate, vblanks: stamps.map { vblank($0, 0) },
        arrivals: arrivals.map { MonotonicTime(nanoseconds: $0) }
      ).deliveries.map(\.nanoseconds)
    }
    let interval = rate.interval.count
    // One that came twice, one a little early, one long ago.
    let stamps = [interval, 2 * interval, 2 * interval, 2 * interval - 5, 3 * interval, 0, 4 * interval, 5 * interval]
    let times = [interval, 2 * interval, 2 * interval, 2 * interval, 3 * interval, 4 * interval, 4 * interval, 5 * interval]
    #expect(deliveries(stamps) == times)
    #expect(deliveries([5, 100_000_000_000, 60]) == [5, 5 + interval, 5 + 2 * interval])
    #expect(deliveries([5, 9, 13], [50, 40, 60]) == [50, 50, 60])
    #expect(deliveries([1], [.max]) == [.max / 2])
    #expect(deliveries([]) == [])
  }

  @Test func whatIsWrittenIsRead() throws {
    let seed: UInt64 = 17
    var random = SplitMix64(seed: seed)
    let names = [
      "", "DP-1", "a name with  spaces", "\n two\r\nlines\u{2028}\u{0} ", "Écran №1 🖥", "display", "# no comment",
    ]
    for round in 0..<300 {
      let rate = try #require(
        RefreshRate(
          numerator: Int64.random(in: 24_000...500_000, using: &random),
          denominator: [1000, 1001].randomElement(using: &random) ?? 1))
      var vblanks: [VBlank] = []
      for _ in 0..<Int.random(in: 0...20, using: &random) {
        let shift = UInt64.random(in: 0...63, using: &random)
        vblanks.append(vblank(Int64(bitPattern: random.next()) >> Int64(shift), random.next() >> shift))
      }
      let arrivals = round % 2 == 0 ? [] : vblanks.map { _ in MonotonicTime(nanoseconds: Int64(bitPattern: random.next())) }
      let recording = VBlankRecording(
        displayName: names[round % names.count], isFallback: round % 3 == 0, refreshRate: rate, vblanks: vblanks,
        arrivals: arrivals)
      #expect(try VBlankRecording(parsing: recording.description) == recording, "seed \(seed), round \(round)")
    }
  }

  @Test func spacesCommentsAndLineEndsDoNotMatter() throws {
    let loose =
      "# from a laptop\r\n\r\n  framepace vblanks 1 \r\nrate \t60 \r\n# between\r\n display\t eDP-1  \r\n 5\t6 \r\n-7 0"
    let recording = try VBlankRecording(parsing: loose)
    #expect(recording.displayName == "eDP-1")
    #expect(recording.refreshRate == .hertz60)
    #expect(recording.vblanks == [vblank(5, 6), vblank(-7, 0)])
  }

  @Test(arguments: [
    ("", 1, VBlankRecording.ParseError.Reason.notARecording),
    ("# nothing\n\n", 3, .notARecording),
    ("P6 640 480\n", 1, .notARecording),
    ("framepace vblanks 3\n", 1, .unknownVersion("3")),
    ("framepace vblanks 2\nrate 60\ndisplay x\n1 2\n", 4, .invalidStamp("1 2")),
    ("framepace vblanks 2\nrate 60\ndisplay x\n1 2 x\n", 4, .invalidStamp("1 2 x")),
    ("framepace vblanks\n", 1, .unknownVersion("")),
    ("framepace vblanks 1\n\n1 2\n", 3, .missing("display")),
    ("framepace vblanks 1\ndisplay x\n1 2\n", 3, .missing("rate")),
    ("framepace vblanks 1\nrate 60\n", 3, .missing("display")),
    ("framepace vblanks 1\ndisplay x", 2, .missing("rate")),
    ("framepace vblanks 1\ndisplay x\ndisplay y\n", 3, .repeated("display")),
    ("framepace vblanks 1\ndisplay x\nclock y\n", 3, .repeated("clock")),
    ("framepace vblanks 1\nrate 60\nrate 60\n", 3, .repeated("rate")),
    ("framepace vblanks 1\nrate\n", 2, .invalidRate("")),
    ("framepace vblanks 1\nrate 59.94\n", 2, .invalidRate("59.94")),
    ("framepace vblanks 1\nrate 60/0\n", 2, .invalidRate("60/0")),
    ("framepace vblanks 1\nrate 1/2/3\n", 2, .invalidRate("1/2/3")),
    ("framepace vblanks 1\nrate 2000\n", 2, .invalidRate("2000")),
    ("framepace vblanks 1\nrate 60\ndisplay x\n1 2\n# and\n12\n", 6, .invalidStamp("12")),
    ("framepace vblanks 1\nrate 60\ndisplay x\n1 2 3\n", 4, .invalidStamp("1 2 3")),
    ("framepace vblanks 1\nrate 60\ndisplay x\n1 -2\n", 4, .invalidStamp("1 -2")),
    ("framepace vblanks 1\nrate 60\ndisplay x\n99999999999999999999 1\n", 4, .invalidStamp("99999999999999999999 1")),
  ])
  func aBadTextIsRefusedWithItsLine(_ text: String, _ line: Int, _ reason: VBlankRecording.ParseError.Reason) {
    let error = #expect(throws: VBlankRecording.ParseError.self) { try VBlankRecording(parsing: text) }
    #expect(error?.line == line)
    #expect(error?.reason == reason)
    #expect(error?.description.hasPrefix("line \(line): ") == true)
  }

  /// Any bytes: an answer or an error, and never a trap.
  @Test func damagedTextsAreReadOrRefused() throws {
    let seed: UInt64 = 23
    var random = SplitMix64(seed: seed)
    let pieces = Array(Self.text.utf8)
    var refused = 0
    for _ in 0..<3000 {
      var bytes = pieces
      for _ in 0...Int.random(in: 0...6, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0...3, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.insert(pieces[Int.random(in: 0..<pieces.count, using: &random)], at: place)
        case 2: bytes.removeSubrange(place..<min(bytes.count - 1, place + 9))
        default: bytes += bytes[place...]
        }
        if bytes.isEmpty { bytes = pieces }
      }
      do {
        let recording = try VBlankRecording(parsing: String(decoding: bytes, as: UTF8.self))
        #expect(try VBlankRecording(parsing: recording.description) == recording, "seed \(seed)")
      } catch {
        refused += 1
      }
    }
    #expect(refused > 500 && refused < 3000)
  }
}
