import Glibc
import LinuxSystem
import Testing

@testable import Hangs

struct HangReportTests {
  static var example: HangReport {
    var report = HangReport(
      kind: .hang, start: MonotonicTime(nanoseconds: 5_000_000_000), duration: .milliseconds(3_020), processorShare: 0.01,
      phase: .woken)
    (report.program, report.process, report.thread, report.loop) = ("kiosk", 77, 78, "main")
    (report.date, report.isOver, report.waitChannel, report.mode) = (1_790_000_000.25, true, "hrtimer_nanosleep", "tracking")
    (report.samples, report.share, report.excused, report.longestStop) = (56, 0.96, .milliseconds(20), .microseconds(7))
    report.starvedShare = 0.02
    report.facts = [HangReport.Fact("dirty layers", "12"), HangReport.Fact("transaction", "a\tb")]
    var inner = HangReport.Frame(address: 0x7f00_1234, share: 0.96)
    (inner.file, inner.offset) = ("/lib/libc.so.6", 0x1234)
    var outer = HangReport.Frame(address: 0x5500_4321, share: 1)
    (outer.file, outer.offset, outer.function) = ("/usr/bin/kiosk", 0x4321, "kiosk.load(file: String) -> ()")
    report.frames = [inner, outer]
    return report
  }

  @Test func aReportIsReadAsItWasWritten() throws {
    var expected = Self.example
    #expect(expected.starvedShare > 0)
    // A tab would end the field.
    expected.facts[1].value = "a b"
    let read = try HangReport(fileText: Self.example.fileText)
    #expect(read == expected)
    #expect(HangReport.isReport(Self.example.fileText.utf8) && !HangReport.isReport("Application,".utf8))
  }

  @Test func peopleReadTheCulpritFirst() {
    let text = Self.example.text()
    #expect(
      text.hasPrefix("main hung for 3.02 s, blocked in hrtimer_nanosleep, in kiosk.load(file: String) -> ()\n"), "\(text)")
    for line in [
      "  began        2026-09-21 14:13:20 UTC", "  loop         mode tracking, in what woke the loop",
      "  dirty layers 12", "  stack        56 samples; 96 % of the time was spent in this one",
      "    0   96 %  libc.so.6 + 0x1234", "    1  100 %  kiosk.load(file: String) -> ()  (kiosk)",
    ] {
      #expect(text.contains("\n" + line), "'\(line)' in\n\(text)")
    }
  }

  @Test func theStateIsThatOfMostOfTheTime() {
    var report = Self.example
    for (processor, starved, state, words) in [
      (0.01, 0, HangReport.State.blocked, "blocked in hrtimer_nanosleep"), (0.5, 0, .computing, "computing"),
      (0.3, 0.5, .starved, "starved of a processor"), (0.4, 0.3, .computing, "computing"),
      (0.2, 0.3, .blocked, "blocked in hrtimer_nanosleep"),
    ] {
      (report.processorShare, report.starvedShare) = (processor, starved)
      #expect(report.state == state && report.headline.contains("3.02 s, \(words), in "), "\(report.headline)")
      #expect(abs(report.blockedShare - (1 - processor - starved)) < 1e-9)
    }
    (report.processorShare, report.starvedShare) = (0.12, 0.87)
    #expect(
      report.text().contains("\n  processor    12 % of one, by the loop's thread; others had them for 87 % of the time\n"))
  }

  /// The compiler's own functions and the numbers of private names are left out.
  @Test func namesAreThosePeopleWrote() throws {
    var report = Self.example
    var glue = report.frames[1]
    glue.function = "partial apply forwarder for closure #1 () -> () in kiosk.start() -> ()"
    report.frames.insert(glue, at: 1)
    report.frames[2].function = "Kiosk.(Settings in _A9FE1986B2DBBA2EEEC3B09A6DBB7D67).load(MySwift.File) -> Swift.Int"
    #expect(report.culprit == report.frames[2])
    #expect(report.headline.hasSuffix(", in Kiosk.Settings.load(MySwift.File) -> Int"), "\(report.headline)")
    #expect(!report.text().contains("forwarder") && report.text().contains("    2  100 %  Kiosk.Settings.load("))
    // A helper that takes less than half of the time is no culprit.
    report.frames[0].function = "Kiosk.clock() -> ()"
    report.frames[0].file = report.frames[2].file
    report.frames[0].share = 0.4
    #expect(report.culprit == report.frames[2])
  }

  @Test func linesFitTheTerminal() {
    var report = Self.example
    let long = "closure #1 @MainActor () -> () in Kiosk.load(from: String, \(String(repeating: "x", count: 200)))"
    report.frames[1].function = long
    report.facts.append(HangReport.Fact("last frames", (0..<40).map { "\($0) ms" }.joined(separator: ", ")))
    func text(_ width: Int) -> (lines: [Substring], words: String) {
      let lines = report.text(width: width).split(separator: "\n")
      return (lines, lines.joined().filter { $0 != " " })
    }
    for width in 50...140 {
      let (lines, words) = text(width)
      #expect(lines.allSatisfy { $0.count <= width }, "\(width)")
      #expect(lines.last?.hasPrefix("    1  100 %  closure #1 @MainActor") == true)
      #expect(lines.last?.hasSuffix("…  (kiosk)") == true && words.contains("39ms") && words.contains("load(from:String"))
    }
    #expect(text(400).lines.last == "    1  100 %  \(long)  (kiosk)")
  }

  @Test(arguments: [
    ("kind: hang", "kind: sleep", 2, 7), ("start: 5000000000", "start: soon", 8, 8), ("loop: main", "loop main", 6, 1),
    ("\t0x1234\t", "\t1234\t", 26, 24), ("over: yes", "over: maybe", 11, 7),
  ])
  func damageIsFoundByLineAndColumn(_ change: (from: String, to: String, line: Int, column: Int)) throws {
    let text = Self.example.fileText.replacing(change.from, with: change.to)
    #expect(text != Self.example.fileText)
    do {
      _ = try HangReport(fileText: text)
      Issue.record("it was read")
    } catch {
      #expect((error.line, error.column) == (change.line, change.column), "\(error)")
    }
  }

  /// No damage traps, and what is cut off is not taken for a report unless its frames alone are missing.
  @Test func anyDamageIsHarmless() {
    let bytes = Array(Self.example.fileText.utf8)
    for count in bytes.indices {
      let text = String(decoding: bytes.prefix(count), as: UTF8.self)
      if let report = try? HangReport(fileText: text) { #expect(report.kind == .hang && !report.text().isEmpty) }
    }
    var random = SplitMix64(seed: 11)
    for _ in 0..<3_000 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        damaged[Int.random(in: 30..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let text = String(decoding: damaged, as: UTF8.self)
      if let report = try? HangReport(fileText: text) { #expect(!report.text().isEmpty && !report.fileText.isEmpty) }
    }
  }

  @Test func namesOfSwiftAreWrittenAsPeopleDo() {
    #expect(SwiftName.demangled("$sSa6appendyyxnF") == "Swift.Array.append(__owned A) -> ()")
    #expect(SwiftName.demangled("cairo_stroke") == "cairo_stroke")
  }

  @Test func aFileThatIsNoProgramHasNoNames() throws {
    let path = "/tmp/framepace-symbols-\(getpid())"
    defer { unlink(path) }
    var random = SplitMix64(seed: 3)
    let program = try OwnedDescriptor.contents(of: "/proc/self/exe", limit: 1 << 30).prefix(200_000)
    for _ in 0..<50 {
      var damaged = Array(program)
      for _ in 0..<20 { damaged[Int.random(in: 4..<4_000, using: &random)] = UInt8.random(in: 0...255, using: &random) }
      try AtomicFile.write(damaged, to: path)
      #expect(SymbolTable.names(at: [0, 0x1000, .max], inFile: path).count == 3)
    }
    #expect(SymbolTable.names(at: [1], inFile: "/nowhere") == [nil])
  }
}

struct ReportJournalTests {
  private func report(_ start: Int64, duration: Int64 = 2_500) -> HangReport {
    HangReport(
      kind: .hang, start: SimulatedTurns.time(start), duration: .milliseconds(duration), processorShare: 1, phase: .sources)
  }

  /// Ten thousand equal hangs become one file, which is written with each that is reported.
  @Test func aReportIsWrittenAtOnceAndAgainWithEqualOnes() {
    var journal = ReportJournal()
    for hang in 0..<10_000 as Range<Int64> {
      if hang % 100 == 0 {
        let written = journal.take(report(hang * 3_000), signature: [1])
        #expect(written.map(\.number) == [1] && written.map(\.report.count) == [Int(hang) + 1])
      } else {
        journal.count(report(hang * 3_000, duration: hang == 77 ? 9_000 : 2_500), signature: [1])
      }
    }
    let written = journal.take(report(90_000_000), signature: [2])
    #expect(written.map(\.number) == [1, 2] && written.map(\.report.count) == [10_000, 1])
    #expect(written.first?.report.longest == .seconds(9))
    // Nothing was counted since.
    #expect(journal.take(report(90_010_000), signature: [3]).map(\.number) == [3])
    #expect(journal.takeRest()?.number == nil)
    journal.count(report(90_020_000), signature: [3])
    #expect(journal.takeRest()?.report.count == 2 && journal.takeRest()?.number == nil)
  }

  /// A hang that was kept while it lasted is one hang when it ends.
  @Test func aHangThatWasKeptIsCountedOnce() {
    var journal = ReportJournal()
    _ = journal.take(report(0, duration: 10_000), signature: [1])
    let written = journal.take(report(0, duration: 12_000), signature: [1])
    #expect(written.map(\.report.count) == [1] && written.map(\.report.duration) == [.seconds(12)])
  }

  @Test func aFolderIsBounded() throws {
    let path = "/tmp/framepace-hangs-\(getpid())"
    defer {
      for file in (try? ReportFolder(path: path, limit: 1))?.reports ?? [] { unlink(file) }
      unlink("\(path)/notes.txt")
      rmdir(path)
    }
    let folder = try ReportFolder(path: path, limit: 3)
    try AtomicFile.write([1], to: "\(path)/notes.txt")
    for number in 1...10 {
      var report = HangReportTests.example
      report.date = 1_790_000_000 + Double(number)
      let file = try folder.write(report, number: number, date: report.date)
      #expect(folder.reports.last == file)
    }
    #expect(folder.reports.map { $0.suffix(9) } == ["0008.hang", "0009.hang", "0010.hang"])
    #expect(access("\(path)/notes.txt", F_OK) == 0)
    #expect(throws: SystemError.self) { try ReportFolder(path: "\(path)/notes.txt", limit: 1) }
    #expect(throws: SystemError.self) { try ReportFolder(path: "/nowhere/hangs", limit: 1) }
  }
}
