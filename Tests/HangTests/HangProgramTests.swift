import Foundation
import LinuxSystem
import Testing

@testable import Hangs

/// Real hangs, in processes of their own.
@Suite(.serialized) struct HangProgramTests {
  @Test func aProgramThatComputesIsReportedOnceWithItsFunctionOnTop() throws {
    let end = try hang("spin")
    #expect(end.counts == "hangs 1, reports 1, loads 0")
    let report = try #require(end.reports.first)
    #expect(end.reports.count == 1)
    #expect(report.duration.seconds >= 2.9, "\(report.text())")
    #expect(report.frames.first?.function?.contains("spin(for:") == true, "\(report.text())")
    #expect(report.frames.last?.function == "_start", "\(report.text())")
    #expect(
      report.state != .blocked && report.isWhole && report.isOver && report.phase == .woken && report.mode == "default")
    #expect(report.facts == [HangReport.Fact("test", "spin")])
    #expect(end.lines.first?.hasPrefix("main hung for ") == true)
  }

  @Test func aProgramThatWaitsIsReportedOnceWithItsFunctionOnTop() throws {
    let end = try hang("block")
    #expect(end.counts == "hangs 1, reports 1, loads 0")
    let report = try #require(end.reports.first)
    #expect(report.state == .blocked && report.culprit?.function?.contains("block(for:") == true, "\(report.text())")
    #expect(end.lines.contains { $0.contains("blocked") && $0.contains("block(for:") }, "\(end.lines)")
    #expect(report.isWhole)
    // 56 samples, of a thread that is stopped for the first alone, unless it is found to have run since.
    let line = try #require(end.lines.first { $0.hasPrefix("interrupted ") })
    #expect(try #require(Int(line.dropFirst("interrupted ".count))) <= 3)
  }

  /// Three other threads compute on the only processor that the loop's thread may have.
  @Test func aProgramWithoutAProcessorIsReportedAsStarved() throws {
    let end = try hang("starved")
    let report = try #require(end.reports.first)
    #expect(report.state == .starved && report.starvedShare > 0.5 && report.blockedShare < 0.2, "\(report.text())")
    #expect(report.excused > report.duration, "\(report.text())")
    #expect(end.lines.contains { $0.contains(", starved of a processor, in ") && $0.contains("spin(for:") }, "\(end.lines)")
  }

  /// The program's handlers stay, and get no signal that the program does not send.
  @Test func theProgramsHandlersAreKept() throws {
    let end = try hang("handlers")
    #expect(end.lines.contains("handled 3"), "\(end.lines)")
    #expect(end.counts == "hangs 2, reports 2, loads 0")
    #expect(end.reports.map(\.frames.isEmpty) == [false, true])
  }

  /// Cairo's frames have no frame pointers. Its Swift caller is found by unwind tables.
  @Test func aHangInALibraryNamesItsCaller() throws {
    let end = try hang("cairo")
    let report = try #require(end.reports.first)
    let files = report.frames.map { $0.file.split(separator: "/").last ?? "" }
    let library = try #require(files.firstIndex { $0.contains("cairo") || $0.contains("pixman") }, "\(report.text())")
    let caller = try #require(report.frames.firstIndex { $0.function?.contains("stroke(for:") == true }, "\(report.text())")
    #expect(library < caller)
    #expect(report.culprit == report.frames[caller], "\(report.text())")
  }

  @Test func aHangBeforeTheLoopRunsIsReported() throws {
    let end = try hang("start")
    #expect(end.reports.first?.phase == .notRunning)
    #expect(end.reports.first?.culprit?.function?.contains("block(for:") == true)
  }

  @Test func theLoopOfAnotherThreadIsWatched() throws {
    let end = try hang("thread")
    let report = try #require(end.reports.first { $0.loop == "decoder" })
    #expect(report.thread != report.process && report.culprit?.function?.contains("block(for:") == true, "\(report.text())")
  }

  /// A hang that does not end is in its file when the process is killed in it.
  @Test func aHangThatIsKilledLeavesItsReport() throws {
    let end = try hang("kill")
    let report = try #require(end.reports.first)
    #expect(!report.isOver && report.culprit?.function?.contains("block(for:") == true)
  }

  @Test func aStoppedProcessIsNotReported() throws {
    #expect(try hang("stopped").counts == "hangs 0, reports 0, loads 0")
  }

  @Test func aLoadIsReported() throws {
    let end = try hang("load")
    let report = try #require(end.reports.first { $0.kind == .load })
    #expect(report.processorShare >= 0.02, "\(report.text())")
    #expect(report.frames.contains { $0.function?.contains("spin(for:") == true }, "\(report.text())")
    #expect(end.counts.hasPrefix("hangs 0"))
  }

  /// One when the turn begins, and one when it would be slow; none for the rest of the sleep.
  @Test func theMonitorSleepsWhileTheLoopDoes() throws {
    let line = try #require(try hang("idle").lines.first { $0.hasPrefix("wake-ups ") })
    let count = try #require(Int(line.dropFirst("wake-ups ".count)))
    #expect(count <= 4)
  }

  // MARK: -

  private struct End {
    var lines: [String]
    var reports: [HangReport]
    var counts: String { lines.last ?? "" }
  }

  private func hang(_ name: String) throws -> End {
    let folder = NSTemporaryDirectory() + "framepace-hanging-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("hanging")
    process.arguments = [name, folder]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == (name == "kill" ? SIGKILL : 0))
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    return End(
      lines: text.split(separator: "\n").map(String.init),
      reports: try files.map { try HangReport(fileText: String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)) })
  }
}
