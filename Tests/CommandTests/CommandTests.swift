import Foundation
import Testing

/// The command as a user runs it: a process with output and a status.
struct CommandTests {
  @Test func listsScenes() throws {
    let result = try framepace("scenes")
    #expect(result.status == 0)
    let names = result.output.split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(
      names == [
        "orbit", "clock", "dashboard", "springs", "cards", "onboarding", "swarm", "departures", "gallery", "story",
        "confetti", "feed", "still", "stress",
      ])
  }

  @Test func tellsItsVersion() throws {
    let result = try framepace("--version")
    #expect(result.status == 0)
    #expect(result.output.split(separator: ".").count == 3)
  }

  /// Every line of the help pages fits into 80 columns.
  @Test(arguments: [
    ["--help"], ["help", "run"], ["help", "render"], ["help", "dump"], ["help", "profile"], ["help", "view"],
    ["help", "vblank"],
    ["help", "displays"], ["help", "input"], ["help", "capture"], ["help", "scenes"],
  ])
  func helpFits(arguments: [String]) throws {
    let result = try framepace(arguments)
    #expect(result.status == 0)
    #expect(result.output.contains("USAGE: framepace"))
    for line in result.output.split(separator: "\n") {
      #expect(line.count <= 80, "\(line)")
    }
    // Examples are indented; a broken example would continue at the left edge.
    let broken = result.output.split(separator: "\n").filter { $0.hasPrefix("framepace") }
    #expect(broken.isEmpty, "\(broken)")
    // So would the text of a table, after whose name it stands.
    let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
    for (line, next) in zip(lines, lines.dropFirst()) where line.hasPrefix("  ") {
      #expect(next.isEmpty || next.hasPrefix(" "), "\(line)\n\(next)")
    }
    let text = result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(!text.contains(/\(default: [^)]*\) \(default:/), "a default is said twice")
  }

  /// On a machine without a screen each command says what it needs, and what can be done without.
  @Test(
    .enabled(if: access("/dev/dri", F_OK) != 0),
    arguments: [
      (["capture"], "render makes pictures of scenes"), (["vblank", "--mode", "64x64"], "a clock is measured"),
      (["vblank", "--display", "kms"], "a clock is measured"), (["--display", "kms"], "scenes are shown on a clock"),
    ])
  func aMissingScreenIsExplained(arguments: [String], way: String) throws {
    let result = try framepace(arguments)
    #expect(result.status == 1)
    let sentence = result.error.replacing("\n", with: " ")
    #expect(sentence.hasPrefix("framepace: no DRM device: the machine has no graphics card"), "\(sentence)")
    #expect(sentence.contains(way), "\(sentence)")
  }

  /// A failed write is an error for every kind of output.
  @Test(arguments: [
    "scenes", "--version", "--help", "--json --duration 0.2s --size 64x64 --display fallback",
    "--duration 0.1s --size 64x64 --display fallback", "profile orbit --frames 5 --size 64x64 --display fallback",
    "profile orbit --frames 5 --size 64x64 --display fallback --json -", "displays", "input --list",
    "vblank --display fallback --count 5", "vblank --display fallback --count 5 --json",
  ])
  func outputThatCannotBeWrittenIsAnError(arguments: String) throws {
    let full = try shell("framepace \(arguments) >/dev/full")
    #expect(full.status == 1)
    #expect(full.error == "framepace: write to standard output: No space left on device (28)\n")
    let closed = try shell("framepace \(arguments) >&-")
    #expect(closed.status == 1)
    #expect(closed.error == "framepace: write to standard output: Bad file descriptor (9)\n")
  }

  /// A reader that stops early ends the run without an error.
  @Test(arguments: [
    "--json --display fallback", "--fps --display fallback", "--display fallback",
    "--simulate steady --fast --duration 1000h", "--diagram --display fallback",
  ])
  func aReaderThatIsGoneEndsTheRun(arguments: String) throws {
    let result = try shell(
      "{ framepace \(arguments) --size 64x64; echo \"status $?\" >&2; } | head -n 1 | wc -l")
    #expect(result.output.trimmingCharacters(in: .whitespacesAndNewlines) == "1")
    #expect(result.error == "status 0\n")
  }
}
