import Foundation
import Testing

@testable import FramepaceCLI

/// `framepace run`, the default command: a scene on a display.
struct RunCommandTests {
  private static let small = ["--size", "64x64", "--display", "fallback"]

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGQUIT])
  func endsWithASummaryOnASignal(signal: Int32) throws {
    let run = try Running(["--fps", "--json", "--scene", "still"] + Self.small)
    // The first line names the clock. Once it is printed, the loop handles signals.
    let first = try #require(run.readLine())
    #expect(first.contains("fallback clock 60.00 Hz"))
    run.send(signal)
    let ended = run.finish()
    #expect(ended.status == 0)
    #expect(ended.output.contains("\"summary\""))
    let name = [SIGTERM: "SIGTERM", SIGINT: "SIGINT", SIGHUP: "SIGHUP", SIGQUIT: "SIGQUIT"][signal]
    #expect(try JSONLines(ended.output).objects.last?["endedBy"] as? String == name, "\(ended.output)")
  }

  /// Figures of a part of a run are not taken for those of all of it.
  @Test func aRunThatASignalEndsSaysSo() throws {
    let run = try Running(["--fps", "--scene", "still", "--duration", "30s"] + Self.small)
    run.waitUntilHandled(SIGTERM)
    run.send(SIGTERM)
    let text = run.finish().output
    #expect(text.contains(/\nended     by SIGTERM after 0\.\d of 30\.0 s\n/), "\(text)")
    let whole = try framepace(["--json", "--scene", "still", "--duration", "50ms"] + Self.small)
    #expect(try JSONLines(whole.output).objects.last?["endedBy"] is NSNull, "\(whole.output)")
  }

  /// A scene has the name that it has for `render` and `dump`.
  @Test(arguments: [["run", "still"], ["still"], ["--fps", "still"], ["--scene", "still"]])
  func aSceneIsNamedAsForOtherCommands(arguments: [String]) throws {
    let result = try framepace(arguments + ["--json", "--duration", "50ms"] + Self.small)
    #expect(try JSONLines(result.output).objects.first?["scene"] as? String == "still", "\(result.error)")
  }

  /// The signals are heard on another thread, which wakes the loop.
  @Test func theFirstSignalEndsARunAtRest() throws {
    let run = try Running(["--scene", "still", "--quiet"] + Self.small)
    run.waitUntilHandled(SIGTERM)
    run.waitUntilAtRest()
    run.send(SIGTERM)
    #expect(run.finish().status == 0)
  }

  /// A callback that keeps the loop busy does not keep the process: the second signal ends it.
  @Test func aSecondSignalEndsARunThatIsStuck() throws {
    let run = try Running(["--scene", "stress", "--work", "10s"] + Self.small)
    run.waitUntilHandled(SIGTERM)
    let start = Date()
    while run.process.isRunning {
      run.send(SIGTERM)
      usleep(20_000)
    }
    #expect(run.finish().status == 128 + SIGTERM)
    #expect(Date().timeIntervalSince(start) < 10)
  }

  /// The user learns what keeps the run, and what else to do.
  @Test func aStuckRunSaysSoAfterTheFirstSignal() throws {
    let run = try Running(["--scene", "stress", "--work", "10s"] + Self.small)
    // The scene keeps the start busy too.
    run.waitUntilHandled(SIGINT)
    run.send(SIGINT)
    let line = run.readErrorLine() ?? ""
    #expect(line == "framepace: a callback or a picture is still running; to end the process, signal again", "\(line)")
    run.send(SIGINT)
    #expect(run.finish().status == 128 + SIGINT)
  }

  /// The vblanks that were missed while the process was stopped are told apart.
  @Test func aStoppedRunNamesItsPause() throws {
    for arguments in [["--json"], ["--fps"]] {
      let run = try Running(arguments + Self.small)
      for _ in 0..<(arguments == ["--json"] ? 2 : 6) { _ = run.readLine() }
      run.send(SIGSTOP)
      usleep(400_000)
      run.send(SIGCONT)
      // The next line comes after a tick.
      _ = run.readLine()
      run.send(SIGTERM)
      let ended = run.finish()
      if arguments == ["--fps"] {
        #expect(ended.output.contains("missed by ") && ended.output.contains(" stopped"), "\(ended.output)")
      } else {
        let last = try #require(try JSONLines(ended.output).objects.last)
        let missed = try #require((last["summary"] as? [String: Any])?["missed"] as? Int)
        let whileStopped = try #require(last["missedWhileStopped"] as? Int)
        #expect(whileStopped > 10 && whileStopped <= missed, "\(last)")
      }
    }
  }

  /// `timeout` and systemd send SIGCONT after SIGTERM, also to a process that was never stopped.
  @Test func aSignalToGoOnIsNoStop() throws {
    let run = try Running(["--json", "--scene", "stress", "--work", "40ms"] + Self.small)
    for _ in 0..<2 { _ = run.readLine() }
    for signal in [SIGCONT, SIGTERM, SIGCONT, SIGCONT] { run.send(signal) }
    let last = try #require(try JSONLines(run.finish().output).objects.last)
    #expect(last["missedWhileStopped"] as? Int == 0, "\(last)")
    let causes = try #require(last["missedCauses"] as? [String: Int]),
      late = try #require(last["lateCauses"] as? [String: Int])
    #expect(causes["stopped"] == nil && late["stopped"] == nil && !late.isEmpty, "\(last)")
  }

  /// A run in which nothing was seen is not praised, and says by how much it was longer than asked for.
  @Test func aRunWithoutAFrameThatWasSeenIsNotPraised() throws {
    let arguments = ["--scene", "stress", "--work", "300ms", "--duration", "100ms"] + Self.small
    // On a busy machine the first frame may be seen before the run's end is noticed.
    func output(_ options: [String] = [], of unseen: String) throws -> String {
      var output = ""
      for _ in 0..<10 where !output.contains(unseen) { output = try framepace(arguments + options).output }
      return output
    }
    let text = try output(of: " 0 presented")
    #expect(text.contains("hitches   not enough frames"), "\(text)")
    #expect(text.contains(" s more than --duration"), "\(text)")
    let objects = try JSONLines(try output(["--json"], of: "\"presented\":0,")).objects
    let summary = try #require(objects.last?["summary"] as? [String: Any])
    #expect(summary["hitchTimeRatio"] is NSNull)
    #expect(try #require(summary["missed"] as? Int) >= 30, "\(summary)")
    #expect(try #require(objects.last?["overrun"] as? Double) >= 0.4)
    #expect(objects.dropFirst().dropLast().compactMap { $0["missed"] as? Int }.reduce(0, +) == summary["missed"] as? Int)
  }

  /// `nohup` ignores SIGHUP in this way.
  @Test func goesOnAfterASignalThatIsIgnored() throws {
    let script =
      "trap '' HUP; exec '\(try executable().path)' --json --duration 1s --scene still \(Self.small.joined(separator: " "))"
    let run = try Running("/bin/sh", ["-c", script])
    _ = try #require(run.readLine())
    run.send(SIGHUP)
    let ended = run.finish()
    #expect(ended.status == 0, "\(ended.error)")
    let summary = try #require(try JSONLines(ended.output).objects.last?["summary"] as? [String: Any])
    #expect(try #require(summary["time"] as? Double) >= 1)
  }

  /// A terminal that was stopped with Ctrl-S does not stop the run, and signals still end it.
  @Test func aTerminalThatIsStoppedDoesNotStopTheRun() throws {
    let terminal = try PseudoTerminal(columns: 80)
    terminal.stop()
    let run = try Running(["--fps"] + Self.small, terminal: terminal)
    run.waitUntilHandled(SIGTERM)
    // This is more than a second of frames.
    run.waitUntilAsleep(times: 150)
    // The first signal ends the run. The summary then waits for the terminal until the next signal ends the process.
    while run.process.isRunning {
      run.send(SIGTERM)
      usleep(20_000)
    }
    #expect([SIGTERM, 128 + SIGTERM].contains(run.finish().status), "it had to be killed")
  }

  @Test func quietPrintsNothingWhateverElseIsAskedFor() throws {
    let result = try framepace(["--fps", "--json", "--quiet", "--duration", "100ms"] + Self.small)
    #expect(result.status == 0, "\(result.error)")
    #expect(result.output.isEmpty)
    #expect(result.error.isEmpty)
  }

  @Test func optionsOfAScreenAreNamedWhereThereIsNone() throws {
    guard access("/dev/dri", F_OK) != 0 else { return }
    let result = try framepace(["--vrr", "--tearing", "--duration", "50ms", "--size", "64x64"])
    #expect(result.status == 0, "\(result.error)")
    #expect(result.output.contains("--vrr and --tearing ignored: there is no screen"), "\(result.output)")
  }

  /// The error says why and what to do, before a window is opened.
  @Test(arguments: [
    ("--vrr", "--vrr has no effect on a window: the desktop decides whether its screens wait for frames. Switch"),
    (
      "--tearing",
      "--tearing has no effect on a window: the desktop decides when frames are shown. For tearing, use --display kms"
    ),
    (
      "--rotate 90", "--rotate has no effect on a window: the desktop turns its screens. Turn the screen in its settings, or"
    ),
  ])
  func optionsOfAScreenAreRefusedForAWindow(option: String, sentence: String) throws {
    let result = try framepace(["--display", "wayland"] + option.split(separator: " ").map(String.init))
    #expect(result.status == 64 && result.error.replacing("\n", with: " ").contains(sentence), "\(result.error)")
  }

  /// The lines add up to the summary, the last partial line included. Every line has the same keys.
  @Test func linesOfJSONAddUpToTheSummary() throws {
    let result = try framepace(["--json", "--duration", "1.3s"] + Self.small)
    #expect(result.status == 0, "\(result.error)")
    let objects = try JSONLines(result.output).objects
    #expect(
      objects.first.map { Set($0.keys) } == [
        "scene", "display", "clock", "policy", "animation", "interval", "mirrors", "unused", "refused", "metrics",
      ])
    let summary = try #require(objects.last?["summary"] as? [String: Any])
    let lines = objects.dropFirst().dropLast()
    #expect(!lines.isEmpty)
    for line in lines { #expect(Set(line.keys) == Set(summary.keys)) }
    // There are too few frames for this percentile, so it is null.
    #expect(summary["frameIntervalP99"] is NSNull)
    for key in ["ticks", "frames", "late", "missed", "idle"] {
      let counts = try lines.map { try #require($0[key] as? Int) }
      #expect(counts.reduce(0, +) == summary[key] as? Int, "\(key): \(counts)")
    }
    let times = try lines.map { try #require($0["time"] as? Double) }
    #expect(times == times.sorted() && times.last ?? 0 >= 1.3, "\(times)")
  }

  /// The rest of the last second also gets a line.
  @Test func linesCoverTheWholeRun() throws {
    let result = try framepace(["--fps", "--duration", "0.4s"] + Self.small)
    #expect(result.status == 0, "\(result.error)")
    #expect(!result.output.contains("\u{1B}"))
    let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
    let header = try #require(lines.firstIndex { $0.contains("frames/s") })
    let rows = lines[(header + 1)...].prefix { !$0.isEmpty }
    #expect(rows.count == 1, "\(result.output)")
  }

  /// The live line always fits the terminal, which may become narrower, and its table stays complete.
  @Test func theLiveLineFitsTheTerminal() throws {
    let terminal = try PseudoTerminal(columns: 60)
    let run = try Running(["--fps"] + Self.small, terminal: terminal)
    let beginning = terminal.read(upTo: "\u{1B}[K")
    terminal.resize(columns: 40)
    var rest = terminal.read(upTo: "frames/s")
    run.send(SIGTERM)
    rest += terminal.read()
    #expect(run.finish().status == 0)

    #expect(beginning.contains("frames/s") && beginning.contains("missed") && !beginning.contains("idle"))
    for line in Self.lines(beginning) { #expect(line.count < 60, "\(line)") }
    let table = Self.lines(rest).drop { !$0.contains("frames/s") }
    for line in table { #expect(line.count < 40, "\(line)") }
    #expect(table.first?.contains("missed") == true && table.first?.contains("refresh") == false)
    #expect(table.dropFirst().first?.contains(".") == true, "no figures under the header: \(rest)")
  }

  @Test func aTerminalThatCannotOverwriteGetsLines() throws {
    let terminal = try PseudoTerminal(columns: 80, kind: "dumb")
    let run = try Running(["--fps", "--duration", "1.1s"] + Self.small, terminal: terminal)
    let output = terminal.read()
    #expect(run.finish().status == 0)
    #expect(output.contains("frames/s") && !output.contains("\u{1B}"))
  }

  /// Figures with too few frames are left out.
  @Test func theSummaryOfOneFrameIsWithoutHoles() throws {
    let result = try framepace(["--scene", "still", "--duration", "1s"] + Self.small)
    #expect(result.output.contains("1 made"))
    #expect(!result.output.contains("–"), "\(result.output)")
  }

  private static func lines(_ text: String) -> [String] {
    text.replacing("\u{1B}[K", with: "").split { $0.isNewline || $0 == "\r" }.map(String.init)
  }
}

struct RefusedFramesTests {
  @Test func onlyRefusalsInARowCount() {
    var refused = RefusedFrames()
    for _ in 0..<100 {
      for _ in 0..<RefusedFrames.limit {
        let isTooMany = refused.refused()
        #expect(!isTooMany)
      }
      refused.accepted()
    }
    for _ in 0..<RefusedFrames.limit { _ = refused.refused() }
    let isTooMany = refused.refused()
    #expect(isTooMany)
  }
}

/// The objects that `--json` prints.
struct JSONLines {
  var objects: [[String: Any]]

  init(_ text: String) throws {
    objects = try text.split(separator: "\n").map { line in
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
    }
  }
}
