import Foundation
import Framepace
import Metering
import Testing

@testable import FramepaceCLI

/// `framepace soak`: a long run, which says at its end what has grown.
struct SoakCommandTests {
  private static func soak(_ more: String...) throws -> Finished {
    try framepace(["soak", "orbit", "--size", "64x64", "--simulate", "steady", "--fast"] + more)
  }

  /// Ten simulated seconds: a line in every two, none wider than a terminal, and a sentence at the end.
  @Test func aSteadyRunIsSaidToBeOne() throws {
    let result = try Self.soak("--duration", "10s", "--every", "2s")
    #expect(result.status == 0, "\(result.output)\(result.error)")
    let lines = result.output.split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 80 })
    #expect(lines.contains { $0.hasPrefix("   0:00:02") })
    #expect(lines.contains { $0.hasPrefix("   0:00:08") })
    let summary = result.output.replacing("\n", with: " ")
    #expect(summary.contains("The run was too short to tell whether anything leaks. 30 minutes are needed"), "\(summary)")
    #expect(
      summary.contains("No drift of the frames was found in 0:00:05 after the warm-up") && !summary.contains("No leak"))
  }

  /// Memory that grows by 1 MB in each hundredth of the run: after minutes the summary says that they are too few to tell a leak
  /// from a cache.
  @Test(arguments: [(minutes: 5.0, isShort: true), (minutes: 60, isShort: false)])
  func aShortRunIsNoProofOfALeak(minutes: Double, isShort: Bool) throws {
    let process = try ProcessFigures.read()
    func judgement(leak: Int, lateFrom: Int) throws -> SoakJudgement {
      let samples = (0...100).map { index in
        var process = process
        process.residentMemory = 50_000_000 + leak * index
        return SoakSample(
          time: .seconds(Double(index) * minutes * 0.6), process: process, presented: index * 100,
          late: index * max(index - lateFrom, 0), wanted: index * 100)
      }
      return try #require(SoakJudgement(samples))
    }
    func summary(_ judgement: SoakJudgement) -> String {
      SoakText.summary(
        judgement, of: FrameReport(nominalRefreshRate: .hertz60), hangs: nil, time: .seconds(minutes * 60), width: 79
      )
      .replacing("\n", with: " ")
    }
    let leak = summary(try judgement(leak: 1_000_000, lateFrom: 1000))
    let grows = leak.contains("memory grows by")
    #expect(grows && leak.contains("too short to tell") == isShort && leak.contains("Found") == !isShort, "\(leak)")
    let late = summary(try judgement(leak: 0, lateFrom: 0))
    #expect(late.contains("more frames are late") && !late.contains("cache"), "\(late)")
    let both = summary(try judgement(leak: 1_000_000, lateFrom: 0))
    #expect(both.contains("more frames are late") && both.contains("too short to tell") == isShort, "\(both)")
    #expect(!both.contains("No leak") && !leak.contains("No leak"))
    let steady = summary(try judgement(leak: 0, lateFrom: 1000))
    #expect(
      steady.contains("No leak and no drift") != isShort && steady.contains("too short to tell") == isShort, "\(steady)")
  }

  /// Nothing asks for frames but the first: the run ends in time all the same.
  @Test func aSceneThatStandsStillEndsInTime() throws {
    let result = try framepace(
      "soak", "still", "--size", "64x64", "--simulate", "steady", "--fast", "--duration", "12s", "--every", "4s")
    #expect(result.status == 0, "\(result.output)\(result.error)")
    #expect(result.output.contains("1 seen, 0 late"), "\(result.output)")
    let summary = result.output.replacing("\n", with: " ")
    #expect(summary.contains("too short to tell whether anything leaks") && !summary.contains("No "), "\(result.output)")
  }

  @Test func aRunThatWasTooShortIsNotJudged() throws {
    let run = try Running(["soak", "still", "--size", "64x64", "--display", "fallback", "--hours", "1"])
    // SIGINT may be ignored in these tests: a shell begins what runs in the background so.
    run.waitUntilHandled(SIGTERM)
    run.send(SIGTERM)
    let ended = run.finish()
    #expect(ended.status == 2, "\(ended.output)\(ended.error)")
    #expect(ended.output.contains("was too short to be judged"))
    #expect(ended.output.contains(" turns of 2 s or more, "), "\(ended.output)")
  }

  /// The status tells a run that failed, and arguments that are not accepted, from one that found something.
  @Test func aRunThatFailsIsNoFinding() throws {
    let failed = try framepace("soak", "missing.scene", "--hours", "1")
    #expect(failed.status == 2 && failed.error.contains("No such file"), "\(failed)")
    #expect(try framepace("soak", "still", "--hours", "0").status == 64)
    // Figures that nobody reads.
    let unread = try shell("framepace soak still --simulate steady --fast --duration 12s >/dev/full")
    #expect(unread.status == 2 && unread.error.contains("No space left on device"), "\(unread)")
  }

  /// The reader's end ends the run, and nobody reads the summary: the status says that there is no judgement.
  @Test func theStatusTellsWithoutAReader() throws {
    let result = try shell(
      "{ framepace soak still --display fallback --hours 1 --size 64x64; echo \"status $?\" >&2; } | true")
    #expect(result.error == "status 2\n")
  }

  @Test func aSceneMayBeAnOptionAndTheTimeHours() throws {
    let result = try framepace(
      "soak", "--scene", "still", "--hours", "0.0034", "--size", "64x64", "--simulate", "steady", "--fast")
    #expect(result.status == 0, "\(result.output)\(result.error)")
    let summary = result.output.replacing("\n", with: " ")
    #expect(summary.contains("too short to tell whether anything leaks"), "\(result.output)")
    #expect(summary.contains(" Frames were not judged: in a"), "\(result.output)")
  }

  /// Columns for which there is no room are left out.
  @Test func aNarrowTerminalHasFewerColumns() throws {
    let terminal = try PseudoTerminal(columns: 50)
    let run = try Running(
      ["soak", "still", "--size", "64x64", "--simulate", "steady", "--fast", "--duration", "12s"], terminal: terminal)
    let output = terminal.read()
    #expect(run.finish().status == 0)
    #expect(output.contains("      time     memory  files  frames/s   late\r\n"), "\(output)")
    for line in output.split(whereSeparator: \.isNewline) { #expect(line.count <= 50, "\(line)") }
  }
}
