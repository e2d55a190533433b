import Foundation
import FrameTiming
import LinuxSystem
import Metering
import TestLength
import Testing

@testable import Framepace
@testable import FramepaceCLI

/// `framepace profile FILE` with a file that a program wrote for `FRAMEPACE_PROFILE`.
struct RecordedRunTests {
  /// Missed intervals belong to no frame: the verdict names them and the longest time without a new picture.
  @Test func theVerdictNamesMissedIntervals() throws {
    let folder = try TemporaryFolder()
    for (simulation, misses) in [("overloaded", true), ("steady", false)] {
      let run = "framepace run orbit --simulate \(simulation) --fast --duration 5s --size 64x64 --quiet"
      #expect(try shell("FRAMEPACE_PROFILE=a.profile \(run)", in: folder.path).status == 0)
      let result = try framepace(["profile", "a.profile", "--json", "-"], in: folder.path)
      let figures = try #require(try JSONLines(result.output).objects.first)
      let statistics = try #require(figures["statistics"] as? [String: Any])
      let missed = try #require(statistics["missed"] as? Int)
      #expect((missed > 1) == misses)
      let verdict = try #require(figures["verdict"] as? String)
      #expect(verdict.contains("; \(missed) intervals missed") == misses, "\(verdict)")
      #expect(verdict.contains("; a picture stood for up to ") == misses, "\(verdict)")
      let causes = try #require(figures["missedCauses"] as? [String: Int])
      #expect(causes.values.reduce(0, +) == missed, "\(causes)")
    }
  }

  /// The frames that end a standstill are among the worst, with the same intervals and cause in text, JSON and page.
  @Test func theWorstFramesEndAStandstill() throws {
    let folder = try TemporaryFolder()
    let run = "framepace run orbit --simulate flaky --fast --duration 5s --size 64x64 --quiet"
    #expect(try shell("FRAMEPACE_PROFILE=a.profile \(run)", in: folder.path).status == 0)
    let result = try framepace(["profile", "a.profile", "--json", "p.json", "--html", "p.html"], in: folder.path)
    let figures = try #require(try JSONSerialization.jsonObject(with: folder.contents(of: "p.json")) as? [String: Any])
    #expect(figures["late"] as? Int == 0)
    let missed = try #require((figures["statistics"] as? [String: Any])?["missed"] as? Int)
    #expect(missed > 5 && figures["missedCauses"] as? [String: Int] == ["lost vblank": missed])
    let worst = try #require(figures["worst"] as? [[String: Any]])
    #expect(worst.allSatisfy { $0["missed"] as? Int ?? 0 > 0 && $0["cause"] as? String == "lost vblank" })
    let page = try PageTests.json(folder.contents(of: "p.html"))
    let shown = try #require(page["worst"] as? [[String: Any]])
    #expect(shown.map { $0["missed"] as? Int } == worst.map { $0["missed"] as? Int })
    #expect(shown.map { $0["cause"] as? String } == worst.map { $0["cause"] as? String })
    let lines = result.output.components(separatedBy: "\n")
    let table = try #require(lines.firstIndex { $0.hasPrefix("worst ") })
    for (line, frame) in zip(lines[(table + 1)...], worst) {
      #expect(line.contains("\(try #require(frame["missed"] as? Int))  lost vblank"), "\(line)")
    }
    // The numbers are those of the log, and the page's are the same.
    let numbers = try #require((page["frames"] as? [String: Any])?["number"] as? [Int]).reduce(into: [Int]()) {
      numbers, step in
      numbers.append((numbers.last ?? 0) + step)
    }
    for (frame, shown) in zip(worst, shown) {
      #expect(frame["number"] as? Int == numbers[try #require(shown["index"] as? Int)])
    }
  }

  /// Page, trace, log and JSON have the same frames as the program's own log; the trace has no tracks of loop and workers, which is said.
  @Test func writesAllThatARunOfASceneWrites() throws {
    let folder = try TemporaryFolder()
    let run = try shell(
      "FRAMEPACE_PROFILE=a.profile framepace run orbit --display fallback --rate 200 --size 64x36 --duration 0.4s --quiet "
        + "--frame-log own.csv",
      in: folder.path)
    #expect(run.status == 0, "\(run.error)")
    let result = try framepace(
      ["profile", "a.profile", "--html", "p.html", "--trace", "t.json", "--csv", "f.csv", "--json", "p.json"],
      in: folder.path)
    #expect(result.status == 0, "\(result.error)")
    let text = result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(text.contains("'t.json' has no tracks of the loop and of workers"), "\(result.output)")
    #expect(result.output.hasSuffix("\n\nwrote p.json, t.json, p.html and f.csv\n"), "\(result.output)")
    let piped = try framepace(["profile", "a.profile", "--html", "p.html", "--json", "-"], in: folder.path)
    #expect(!piped.output.contains("wrote"))
    #expect(try folder.contents(of: "f.csv") == folder.contents(of: "own.csv"))

    let figures = try #require(try JSONSerialization.jsonObject(with: folder.contents(of: "p.json")) as? [String: Any])
    let frames = try #require(figures["frames"] as? Int)
    let page = try #require(try PageTests.json(folder.contents(of: "p.html"))["frames"] as? [String: Any])
    #expect(page["count"] as? Int == frames && frames > 0)
    let trace = TraceChecker(try folder.contents(of: "t.json"))
    #expect(trace.violations == [])
    #expect(
      trace.slices(of: "actual frames", depth: 0).count { $0.arguments["outcome"] as? String == "presented" } == frames)
    #expect(trace.process == "orbit on virtual display 64x36@200.00")
    #expect(!trace.tracks.values.contains("loop") && !trace.tracks.values.contains("workers"))
  }

  static func profile(_ events: [FrameEvent]) -> RecordedProfile {
    var profile = RecordedProfile(
      program: "a program", display: "a display", clock: "a clock", width: 64, height: 36, refreshRate: .hertz60,
      environment: RunEnvironment(processor: "a processor", cores: 2, kernel: "6", build: "debug", version: "1"))
    profile.began = ClockReading(wall: .seconds(1_800_000_000), loop: .zero + .seconds(1))
    profile.events = events
    return profile
  }

  private static func events(_ frames: Int) -> [FrameEvent] {
    PageTests.frames(frames).flatMap { frame -> [FrameEvent] in
      var committed = frame
      committed.presented = .zero
      return [.committed(committed), .presented(frame)]
    }
  }

  /// When it was measured, and what is not in the file, is said in the report and on the page.
  @Test @MainActor func saysWhenItWasAndWhatIsMissing() throws {
    var profile = Self.profile(Self.events(3))
    profile.lostEvents = 12
    let run = RecordedRun(try RecordedProfile(profile.bytes), budget: nil)
    let heading = run.figures.subject.heading(width: 200)
    #expect(
      heading.hasPrefix(
        "a program on a display\na clock\na processor, 2 cores, kernel 6, framepace 1, debug build, measured 2027-01-1"))
    #expect(heading.contains("the frames of 12 events before"))
    let facts = try #require(try PageTests.json(Data(run.page))["environment"] as? [[String]])
    #expect(facts.contains { $0[0] == "measured" && $0[1].hasPrefix("2027-01-1") })
    #expect(facts.contains { $0[0] == "note" && $0[1].contains("12 events before") })

    profile.scene = "a scene \"of it\""
    #expect(RecordedRun(try RecordedProfile(profile.bytes), budget: nil).figures.subject.scene == "a scene \"of it\"")
    (profile.scene, profile.began) = (nil, nil)
    let older = RecordedRun(try RecordedProfile(profile.bytes), budget: nil)
    #expect(!older.figures.subject.heading(width: 79).contains("measured"))
  }

  /// The file has which times a desktop has not told, and the report and the verdict say that they are assumed.
  @Test @MainActor func timesThatAreAssumedAreSaid() throws {
    let events = PageTests.frames(20).map { frame in
      var seen = frame
      seen.isPresentedKnown = false
      return FrameEvent.presented(seen)
    }
    let figures = RecordedRun(try RecordedProfile(Self.profile(events).bytes), budget: nil).figures
    #expect(figures.verdict.hasSuffix("; when frames were seen is assumed: the desktop does not tell"), "\(figures.verdict)")
    let text = figures.text(width: 80)
    #expect(text.contains("\nassumed   when frames were seen, as the desktop does not tell\n"), "\(text)")
    #expect(figures.json.line.contains("\"assumed\":20"))
  }

  /// Percentiles of a profile are read from histograms, and its footnote says so.
  @Test @MainActor func theFootnoteSaysHowExactPercentilesAre() throws {
    let text = RecordedRun(Self.profile(Self.events(200)), budget: nil).figures.text(width: 400)
    #expect(
      text.contains("needs 100/(100 - P) values (p99: 100); read from a histogram, which is exact to 1/512"), "\(text)")
  }

  /// A program was told 60 Hz, and its desktop has 40: the budget and what is late are by that.
  @Test @MainActor func theRateOfARecordingIsThatOfItsTicks() throws {
    let (interval, start) = (Nanoseconds.milliseconds(25), MonotonicTime.zero + .seconds(1))
    var events: [FrameEvent] = []
    for number in 1...40 as ClosedRange<UInt64> {
      let time = start + interval * Int64(number)
      var frame = FrameRecord()
      (frame.frameNumber, frame.tickTimestamp, frame.start, frame.delivered) = (number, time, time, time)
      frame.target = time + interval
      (frame.promised, frame.animationTime) = (frame.target, frame.target)
      frame.phases[.layout] = .milliseconds(20)
      frame.submitted = time + .milliseconds(20)
      // Late by 10 ms: more than half of 16.67, and less than half of 25.
      frame.presented = frame.target + (number % 10 == 0 ? .milliseconds(10) : .zero)
      let tick = DisplayLink.Tick(
        timestamp: time, targetTimestamp: frame.target, duration: interval, frameNumber: number, delivered: time, missed: 0)
      events += [.tick(tick), .committed(frame), .presented(frame)]
    }
    let figures = RecordedRun(try RecordedProfile(Self.profile(events).bytes), budget: nil).figures
    #expect(figures.verdict == "fits the measured 40 Hz with 20 % to spare; no frame late", "\(figures.verdict)")
    #expect(figures.report.late == 0 && figures.profile.currentRate.interval == interval)
    #expect(figures.text(width: 200).contains("with a budget of 25.00 ms (measured; the display tells 60 Hz)\n"))
    let json = figures.json.line
    #expect(json.contains(#""refreshRate":60.000,"budget":25.000,"budgetSource":"measured","#), "\(json.prefix(600))")
    #expect(json.contains(#""rates":[{"rate":40.000,"frames":40,"told":false}]"#))
    let given = RecordedRun(try RecordedProfile(Self.profile(events).bytes), budget: .milliseconds(10)).figures
    #expect(given.verdict.hasPrefix("does not fit 10.00 ms: ") && given.json.line.contains(#""budgetSource":"given""#))
  }

  /// A window that is hidden ticks once a second, which is no rate of its display: neither while it is hidden, nor after it.
  @Test @MainActor func aWindowThatIsHiddenKeepsItsRate() throws {
    let interval = Nanoseconds.milliseconds(25)
    func tick(_ number: UInt64, at time: MonotonicTime, _ duration: Nanoseconds) -> DisplayLink.Tick {
      DisplayLink.Tick(
        timestamp: time, targetTimestamp: time + duration, duration: duration, frameNumber: number, delivered: time,
        missed: 0)
    }
    for (isShownAgain, name) in [(true, "in the middle"), (false, "at the end")] {
      var (events, time, number) = ([FrameEvent](), MonotonicTime.zero + .seconds(1), UInt64(0))
      func show(_ count: Int) {
        for index in 0..<count {
          (time, number) = (time + interval, number + 1)
          // It wanders by nanoseconds.
          let tick = tick(number, at: time, interval + Nanoseconds(Int64(index % 3)))
          var frame = FrameRecord()
          (frame.frameNumber, frame.tickTimestamp, frame.start, frame.delivered) = (number, time, time, time)
          (frame.target, frame.promised) = (time + interval, time + interval)
          frame.phases[.layout] = .milliseconds(20)
          frame.submitted = time + .milliseconds(20)
          frame.presented = frame.target + (index == 1 ? interval : .zero)
          // The first frame after it is handed over before the tick.
          let isFirst = index == 0 && !events.isEmpty
          events +=
            isFirst
            ? [.committed(frame), .tick(tick), .presented(frame)] : [.tick(tick), .committed(frame), .presented(frame)]
        }
      }
      show(40)
      for _ in 0..<3 {
        (time, number) = (time + .seconds(1), number + 1)
        events.append(.tick(tick(number, at: time, .seconds(1))))
      }
      if isShownAgain { show(40) }
      var recorded = Self.profile(events)
      recorded.ended = time + (isShownAgain ? .zero : .milliseconds(500))
      let figures = RecordedRun(recorded, budget: nil).figures
      let report = figures.report
      #expect(figures.profile.currentRate.interval == interval, "\(name)")
      #expect(report.nominalRefreshRate.interval == interval && abs((report.refreshRate ?? 0) - 40) < 0.1, "\(name)")
      #expect(figures.profile.budget == interval && report.late == (isShownAgain ? 2 : 1), "\(name)")
      #expect(report.missed == 0 && report.hitchTime == interval * Int64(report.late), "\(name) \(report)")
    }
  }

  /// Processor time that exceeds that of the phases is explained where it is seen.
  @Test @MainActor func aProcessorTimeAboveAllIsExplained() throws {
    func text(processor: Nanoseconds) -> String {
      let events = Self.events(40).map { event -> FrameEvent in
        guard case .presented(var frame) = event else { return event }
        frame.processorTime = frame.work + processor
        return .presented(frame)
      }
      return RecordedRun(Self.profile(events), budget: nil).figures.text(width: 400)
    }
    #expect(text(processor: .microseconds(40)).contains("; here it is 40 us more at the median: it also counts what"))
    #expect(!text(processor: .microseconds(-40)).contains("here it is"))
  }

  /// Intervals that were missed before the end of the run are missed in its profile too, and idle ones are idle.
  @Test @MainActor func aRunEndsWhereItsProgramDid() throws {
    for isIdle in [false, true] {
      var profile = Self.profile(Self.events(20) + (isIdle ? [.idle] : []))
      let last = try #require(PageTests.frames(20).last)
      profile.ended = last.presented + .milliseconds(102)
      let recorded = try RecordedProfile(profile.bytes)
      #expect(recorded.ended == profile.ended)
      let run = RecordedRun(recorded, budget: nil)
      let meter = FPSMeter(refreshRate: profile.refreshRate)
      for event in profile.events { meter.record(event) }
      let report = meter.report(at: profile.ended)
      #expect(report.intervals > meter.report().intervals)
      #expect((run.figures.report.missed, run.figures.report.idle) == (report.missed, report.idle))
    }
  }

  /// An earlier program gave the arrival of input the name that its phase has now.
  @Test func aFileOfAnEarlierProgramHasItsInput() throws {
    var frame = try #require(PageTests.frames(1).first)
    (frame.input, frame.phases[.input]) = (frame.delivered - .milliseconds(5), .milliseconds(1))
    let text = String(decoding: Self.profile([.presented(frame)]).bytes, as: UTF8.self)
    let former = text.replacing("\"input\"", with: "\"inputDelivery\"").replacing("\"inputArrival\"", with: "\"input\"")
    for text in [text, former] {
      guard case .presented(let read)? = try RecordedProfile(Array(text.utf8)).events.first else {
        Issue.record("no frame was seen")
        continue
      }
      #expect(read.input == frame.input && read.phases[.input] == .milliseconds(1))
    }
  }

  /// An earlier program wrote no time of animations: its file is read, says so, and is compared with none that has it.
  @Test @MainActor func aFileOfAnEarlierProgramSaysWhatItLacks() throws {
    let bytes = Self.profile(Self.events(20)).bytes
    #expect(try RecordedProfile(bytes).missingPhases.isEmpty)
    // The program of the file does not know a column of another name.
    let older = String(decoding: bytes, as: UTF8.self).replacing("\"animate\"", with: "\"another\"")
    let recorded = try RecordedProfile(Array(older.utf8))
    #expect(recorded.missingPhases == [.animate])
    let figures = RecordedRun(recorded, budget: nil).figures
    #expect(figures.phases.allSatisfy { $0[.animate] == .zero && $0[.layout] > .zero })
    #expect(figures.subject.notes.contains { $0.contains("the time of animate was a part of other phases") })
    let folder = try TemporaryFolder()
    try Data(older.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/a.profile"))
    #expect {
      try ProfileFile("\(folder.path)/a.profile")
    } throws: { "\($0)".contains("it has no 'animate', as an earlier framepace recorded it. Record it anew.") }
  }

  /// The meter and the profile know the stops of the process that are recorded.
  @Test @MainActor func aRecordedStopIsTheCauseOfALateFrame() throws {
    var late = try #require(PageTests.frames(3).last)
    late.submitted = late.delivered + .milliseconds(80)
    late.presented = late.delivered + .milliseconds(100)
    var profile = Self.profile(Self.events(2) + [.committed(late), .presented(late)])
    profile.stops = [FrameLog.Stop(index: 4, end: late.submitted - .milliseconds(1))]
    let figures = RecordedRun(try RecordedProfile(profile.bytes), budget: nil).figures
    let count = LateCount(cause: .stopped, frames: 1)
    #expect(figures.profile.lateCauses.contains(count) && figures.report.lateCauses.contains(count))
    // A stop that ended before the frame was due.
    profile.stops = [FrameLog.Stop(index: 4, end: late.start - .milliseconds(1))]
    let others = RecordedRun(try RecordedProfile(profile.bytes), budget: nil).figures
    #expect(!others.profile.lateCauses.contains(count) && !others.report.lateCauses.contains(count))
  }

  /// Frames that were handed over and never seen are in no time of work: the table of phases and that of the run say the same.
  @Test @MainActor func allTablesHaveTheSameWork() throws {
    var events = Self.events(40)
    for index in events.indices where index % 4 == 0 {
      guard case .committed(var frame) = events[index] else { continue }
      frame.phases[.layout] = .milliseconds(9)
      events[index] = .committed(frame)
    }
    for frame in PageTests.frames(60).suffix(20) {
      var pending = frame
      (pending.presented, pending.phases[.composite]) = (.zero, .milliseconds(12))
      events.append(.committed(pending))
    }
    let figures = RecordedRun(Self.profile(events), budget: .milliseconds(5)).figures
    let (work, all) = (figures.report.work, figures.profile.total)
    #expect(work.count == 40 && work.p50 == all.p50 && work.p95 == all.p95 && work.maximum == all.maximum)
    #expect(figures.report.workShare == all.p50.map { Double($0.count) / 5_000_000 })
  }

  /// A recording that ends anywhere after its first frame is read as far as its lines go.
  @Test func aRecordingThatIsCutIsRead() throws {
    let bytes = Self.profile(Self.events(20)).bytes
    let header = try #require(bytes.firstIndex(of: 10))
    for end in stride(from: header + 3, to: bytes.count, by: 37) {
      let cut = Array(bytes[..<end])
      let lines = cut[(header + 1)...].split(separator: 10)
      // A line that lacks its line break alone is whole.
      let isCut = cut.last != 10 && cut.last != UInt8(ascii: "]")
      let recorded = try RecordedProfile(cut)
      #expect((recorded.cut != nil) == isCut && recorded.events.count == lines.count - (isCut ? 1 : 0), "\(end)")
      guard lines.count > 1 else { continue }
      var damaged = cut
      damaged[header + 2] = 0x20
      #expect(throws: CaptureError.self, "\(end)") { try RecordedProfile(damaged) }
    }
  }

  /// Whatever a file says, its figures end no process, and page and trace keep their rules.
  @Test @MainActor func filesOfAnyKind() throws {
    let bytes = Self.profile(Self.events(20)).bytes
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix64(seed: seed)
    var read = 0
    for _ in 0..<(isLongRun ? 2_000 : 100) {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: 400..<damaged.count, using: &random)
        damaged[place] = Array("0123456789".utf8)[Int.random(in: 0..<10, using: &random)]
      }
      guard let recorded = try? RecordedProfile(damaged) else { continue }
      read += 1
      let run = RecordedRun(recorded, budget: nil)
      _ = (run.figures.text(width: 79), run.frameLog)
      _ = try PageTests.json(Data(run.page))
      var trace: [UInt8] = []
      try FrameTrace(title: "any", facts: [], timeline: run.timeline, interval: recorded.refreshRate.interval)
        .write { (piece) throws(SystemError) in trace += piece }
      // A flow goes back in time where a file's stamps do.
      let broken = TraceChecker(trace).violations.filter { !$0.hasSuffix("goes back in time") }
      #expect(broken == [], "seed \(seed)")
    }
    #expect(read > 20, "seed \(seed)")
  }

  /// Pixels are shown where a bitmap was drawn on the main thread, and nowhere else is there a column without a figure.
  @Test func layersHavePixelsWhereSomethingWasDrawn() {
    func row(_ work: LayerCosts.Work, pixels: Int) -> LayerCosts.Row {
      LayerCosts.Row(
        id: 1, layer: "a layer", work: work, count: 2, pixels: pixels, time: .milliseconds(2), maximum: .milliseconds(1))
    }
    func lines(_ rows: [LayerCosts.Row], width: Int) -> [String] {
      LayerText.table(LayerCosts.Summary(rows: rows), frames: 2, budget: .milliseconds(10), width: width)
        .split(separator: "\n").map(String.init)
    }
    let texts = [row(.display, pixels: 0)]
    for width in [79, 59] {
      let shown = lines(texts, width: width)
      #expect(shown[0].split(separator: " ") == ["layer", "work", "times", "us", "each", "of", "budget"], "\(shown)")
      #expect(
        shown[1].hasSuffix("displayed      2    1000.0     10.0 %") && shown.allSatisfy { $0.count <= width }, "\(shown)")
    }
    // A long name is cut only where there is no room for it.
    let name = "the temperatures of all the boilers"
    var long = row(.display, pixels: 0)
    long.layer = name
    #expect(lines([long], width: 79)[1].hasPrefix(name))
    #expect(lines([long], width: 59)[1].hasPrefix("the temperatures o… "))
    #expect(lines([long, row(.drawing, pixels: 600)], width: 99).contains { $0.hasPrefix(name) })
    let drawn = lines(texts + [row(.drawing, pixels: 600)], width: 79)
    #expect(drawn[0].contains("pixels") && drawn.contains { $0.contains(" 300 ") } && drawn.contains { $0.contains("–") })
    #expect(lines(texts + [row(.drawing, pixels: 600)], width: 59).allSatisfy { $0.count <= 59 && !$0.contains("%") })
  }
}
