import Foundation
import TestLength
import Testing

/// `framepace run --simulate`: a run on a simulated screen that depends on its seed alone.
struct SimulationTests {
  private static func run(_ profile: String, _ more: String...) throws -> Finished { try run(profile, more) }

  private static func run(_ profile: String, _ more: [String]) throws -> Finished {
    try framepace(["run", "--simulate", profile, "--size", "64x64"] + more)
  }

  private static func summary(_ result: Finished) throws -> [String: Any] {
    let last = try #require(try JSONLines(result.output).objects.last)
    var figures = try #require(last["summary"] as? [String: Any])
    figures.merge(last.filter { $0.key != "summary" }) { figure, _ in figure }
    return figures
  }

  @Test(arguments: ["steady", "noisy", "drifting", "overloaded", "vrr", "flaky"])
  func theSeedDeterminesTheRun(profile: String) throws {
    func run(_ seed: String) throws -> String {
      let result = try Self.run(profile, "--seed", seed, "--duration", "2s", "--fast", "--json")
      #expect(result.status == 0, "\(result.error)")
      return result.output
    }
    let first = try run("7")
    #expect(first.contains("simulated display, \(profile), seed 7"))
    #expect(try run("7") == first)
    #expect(try run("8").replacing("seed 8", with: "seed 7") != first)
    // Each simulated second has its line, although all lines come at once.
    let times = try JSONLines(first).objects.dropFirst().compactMap { $0["time"] as? Double }
    #expect(times.map { $0.rounded() } == [1, 2])
  }

  /// Overlays are in no figure.
  @Test func overlaysChangeNoFigure() throws {
    func run(_ more: [String]) throws -> String {
      let result = try Self.run("noisy", ["orbit", "--duration", "2s", "--fast", "--json"] + more)
      #expect(result.status == 0, "\(result.error)")
      return result.output
    }
    #expect(try run(["--show", "damage,borders,reasons,overdraw,meter"]) == run([]))
  }

  @Test func nothingIsLateOnASteadyDisplay() throws {
    let summary = try Self.summary(try Self.run("steady", "--duration", "20s", "--fast", "--json"))
    #expect(summary["late"] as? Int == 0)
    #expect(summary["missed"] as? Int == 0)
    #expect(try #require(summary["frames"] as? Int) > 1190)
    #expect((summary["lateCauses"] as? [String: Any])?.isEmpty == true)
    // The profile's work takes 3 ± 0.6 ms and begins at the vblank.
    #expect(abs(try #require(summary["workP50"] as? Double) - 3) < 0.1)
    #expect(abs(try #require(summary["workP99"] as? Double) - 4.4) < 0.2)
    // A frame is visible an interval after its vblank, and it begins about 60 µs after that vblank.
    #expect(abs(try #require(summary["latencyP50"] as? Double) - 16.61) < 0.03)
  }

  /// With a late start frames are visible sooner after they begin, and only slow frames are late.
  @Test func aLateStartShortensTheWayToTheScreen() throws {
    let result = try Self.run("noisy", "--policy", "late", "--duration", "30s", "--fast", "--json")
    #expect(try JSONLines(result.output).objects.first?["policy"] as? String == "late")
    let summary = try Self.summary(result)
    let frames = try #require(summary["frames"] as? Int)
    // The 99th percentile of usual work is 4.4 ms; 2 ms are added to it.
    #expect(try #require(summary["latencyP50"] as? Double) < 6.4)
    // Two frames in a hundred take 9 ms; half a frame in a hundred may be late for other reasons.
    #expect(Double(try #require(summary["late"] as? Int)) < Double(frames) * 0.025 + 10, "\(summary)")
  }

  /// At a variable rate the next vblank is unknown: no frame is late, and no frame has a late start.
  @Test func nothingIsLateAtAVariableRate() throws {
    let prompt = try Self.run("vrr", "--duration", "20s", "--fast", "--json")
    let summary = try Self.summary(prompt)
    #expect(try #require(summary["frames"] as? Int) > 1000)
    #expect(summary["late"] as? Int == 0, "\(summary)")
    #expect(summary["hitchTimeRatio"] as? Double == 0, "\(summary)")
    let late = try Self.run("vrr", "--policy", "late", "--duration", "20s", "--fast", "--json")
    let lines = (prompt.output.split(separator: "\n"), late.output.split(separator: "\n"))
    #expect(lines.0.dropFirst() == lines.1.dropFirst())
    #expect(try JSONLines(late.output).objects.first?["unused"] as? [String] == ["--policy"])
    let text = try Self.run("vrr", "--policy", "late", "--duration", "1s", "--fast")
    #expect(text.output.contains("--policy ignored: at a variable rate"))
  }

  /// Options that need a real screen are ignored, with the right reason.
  @Test func optionsOfARealScreenAreNamed() throws {
    let text = try Self.run("vrr", "--vrr", "--tearing", "--rotate", "90", "--duration", "1s", "--fast")
    #expect(text.status == 0, "\(text.error)")
    let words = text.output.replacing("\n", with: " ")
    #expect(
      words.contains("--vrr and --tearing and --rotate ignored: a simulated screen is what its profile says"),
      "\(text.output)")
    let json = try Self.run("vrr", "--vrr", "--duration", "1s", "--fast", "--json")
    #expect(try JSONLines(json.output).objects.first?["unused"] as? [String] == ["--vrr"])
  }

  /// After a missed frame smooth animation time is behind, and its steps differ from those of the vblanks until it catches
  /// up.
  @Test func theTimeOfAnimationsCanBeChosen() throws {
    func error(_ profile: String, _ animation: String) throws -> Double {
      let result = try Self.run(profile, "--animation", animation, "--duration", "5s", "--fast", "--json")
      let first = try #require(try JSONLines(result.output).objects.first)
      #expect(first["animation"] as? String == animation)
      #expect(first["unused"] as? [String] == (profile == "vrr" && animation == "smooth" ? ["--animation"] : []))
      return try #require(try Self.summary(result)["animationErrorP95"] as? Double)
    }
    #expect(try error("overloaded", "smooth") > 0.4)
    #expect(try error("overloaded", "presentation") < 0.1)
    #expect(try error("vrr", "smooth") == error("vrr", "presentation"))
  }

  /// Frames are late because of work in each phase and because of late wake-ups. The causes add up to the total.
  @Test func anOverloadedMachineSaysWhyFramesWereLate() throws {
    let summary = try Self.summary(try Self.run("overloaded", "--duration", "20s", "--fast", "--json"))
    let causes = try #require(summary["lateCauses"] as? [String: Int])
    #expect(Set(causes.keys).isSuperset(of: ["callbacks", "layout", "display", "scheduling"]), "\(causes)")
    #expect(causes.values.reduce(0, +) == summary["late"] as? Int)
    #expect(try #require(summary["animationErrorMax"] as? Double) > 16)
  }

  /// A frame is handed over after the last second has its line, at the end of the run or with little time to go.
  @Test(arguments: ["2s", "2.002s"])
  func linesOfJSONAddUpToTheSummary(duration: String) throws {
    let result = try Self.run("steady", "--duration", duration, "--fast", "--json")
    let lines = try JSONLines(result.output).objects.dropFirst().dropLast()
    let summary = try Self.summary(result)
    for key in ["ticks", "frames", "presented"] {
      let counts = try lines.map { try #require($0[key] as? Int) }
      #expect(counts.reduce(0, +) == summary[key] as? Int, "\(key): \(counts)")
    }
  }

  /// A scene from a file takes the profile's time while it is animated, and makes no frames afterwards.
  @Test func aFileTakesTheProfilesTimeWhileItMoves() throws {
    let folder = try TemporaryFolder()
    let text = "layer { layer { bounds 0 0 9 9; backgroundColor #F00; basic position.x { to 50; duration 2s } } }"
    try text.write(toFile: "\(folder.path)/a.scene", atomically: true, encoding: .utf8)
    let arguments = ["run", "a.scene", "--simulate", "steady", "--size", "64x64", "--duration", "5s", "--fast", "--json"]
    let summary = try Self.summary(try framepace(arguments, in: folder.path))
    #expect(try (119...122).contains(#require(summary["frames"] as? Int)), "\(summary)")
    #expect(abs(try #require(summary["workP50"] as? Double) - 3) < 0.2, "\(summary)")
    #expect(summary["late"] as? Int == 0, "\(summary)")
  }

  /// Without `--fast` simulated time passes like real time, and the figures stay the same.
  @Test func withoutFastItTakesItsTime() throws {
    let start = Date()
    let paced = try Self.run("overloaded", "--duration", "700ms", "--json")
    #expect(Date().timeIntervalSince(start) >= 0.69)
    let fast = try Self.run("overloaded", "--duration", "700ms", "--fast", "--json")
    #expect(paced.output == fast.output, "\(paced.error)")
  }

  /// A scene without changes produces no frames; time passes all the same, and a signal ends the run.
  @Test func anIdleSceneIsEndedByASignal() throws {
    let run = try Running(["run", "--simulate", "steady", "--scene", "still", "--size", "64x64", "--json"])
    _ = try #require(run.readLine())
    run.send(SIGINT)
    let ended = run.finish()
    #expect(ended.status == 0, "\(ended.error)")
    #expect(ended.output.contains("\"summary\""))
  }

  /// A simulation that takes longer than a second says on the terminal how far it is, until its summary takes the place.
  @Test func aLongSimulationShowsItsProgress() throws {
    let terminal = try PseudoTerminal(columns: 80)
    let command = "exec '\(try executable().path)' --simulate steady --fast --duration 1000h --size 64x64 2>&1"
    let run = try Running("/bin/sh", ["-c", command], terminal: terminal)
    let progress = terminal.read(upTo: " to go").split(separator: "\r").last ?? ""
    #expect(progress.contains(" of 3600000 s, ") && progress.contains(" min"), "\(progress)")
    run.send(SIGTERM)
    let rest = terminal.read()
    #expect(rest.contains("\u{1B}[Kframes "), "\(rest)")
    #expect(run.finish().status == 0)
  }

  // MARK: - Diagrams

  /// Each cause has one diagram, in the summary's order. None is wider than 80 columns, and the legend is printed once.
  @Test func eachCauseHasADiagram() throws {
    let result = try Self.run("overloaded", "--duration", "20s", "--fast", "--diagram")
    let lines = result.output.split(separator: "\n").map(String.init)
    for line in lines { #expect(line.count <= 80, "\(line)") }
    let counted = try #require(lines.firstIndex { $0.hasPrefix("late by") })
    // The list of causes may continue in an indented line.
    let list = lines[counted...].prefix { $0 == lines[counted] || $0.hasPrefix(" ") }.map { $0.dropFirst(10) }.joined()
    let causes = list.split(separator: ",").map { $0.drop { $0 == " " || $0.isNumber } }
    #expect(causes.count >= 4)
    let drawn = lines.drop { !$0.contains(": frame ") }.prefix { !$0.hasPrefix("missed:") }
    let titles = drawn.filter { $0.contains(": frame ") }
    #expect(titles.map { $0.prefix { $0 != ":" } } == causes, "\(titles)")
    for lane in ["vblank", "tick", "work", "commit", "flip"] {
      #expect(drawn.filter { $0.hasPrefix("\(lane)  ") }.count == causes.count, "\(lane)")
    }
    #expect(drawn.filter { $0.hasPrefix("flip") }.allSatisfy { $0.contains("x.") })
    #expect(lines.filter { $0.contains("|  a vblank") }.count == 1)
  }

  /// The diagrams that are shown to readers are those that the command draws.
  @Test func documentsShowRealDiagrams() throws {
    let drawn = try Self.run("overloaded", "--duration", "60s", "--fast", "--diagram").output
    let root = #filePath.dropLast("Tests/CommandTests/SimulationTests.swift".count)
    for (name, count) in [("README.md", 1), ("Sources/FrameTiming/FrameTiming.docc/Pacing.md", 2)] {
      let text = try String(contentsOfFile: root + name, encoding: .utf8).split(separator: "\n\n")
      let diagrams = text.map { $0.replacing("```", with: "").split(separator: "\n").joined(separator: "\n") }
        .filter { $0.contains(" ms late: ") }
      #expect(diagrams.count == count)
      for diagram in diagrams { #expect(drawn.contains("\n\(diagram)\n"), "\(name)\n\(diagram)\n\(drawn)") }
    }
  }

  /// The cells of the table in Pacing.md that begins with `header`.
  private static func table(_ header: String) throws -> [[String]] {
    let root = #filePath.dropLast("Tests/CommandTests/SimulationTests.swift".count)
    let text = try String(contentsOfFile: root + "Sources/FrameTiming/FrameTiming.docc/Pacing.md", encoding: .utf8)
    let lines = text.split(separator: "\n").drop { !$0.hasPrefix(header) }.dropFirst(2).prefix { $0.hasPrefix("|") }
    return lines.map { $0.dropFirst().split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
  }

  /// The figures that are shown to readers are those that the command prints.
  @Test func documentsShowRealFigures() throws {
    var rows: [(profile: String, policies: [String], figures: [Double?])] = []
    for cells in try Self.table("| display | policy |") {
      try #require(cells.count == 6)
      // A cell may go on in words.
      let figures = cells[2...].map { Double($0.prefix { $0.isNumber || $0 == "." }) }
      let policies = cells[1] == "both" ? ["vblank", "late"] : [cells[1]]
      rows.append((cells[0].isEmpty ? rows.last?.profile ?? "" : cells[0], policies, figures))
    }
    #expect(rows.count == 11)
    for row in some(2, of: rows) {
      for policy in row.policies {
        let result = try Self.run(row.profile, "--policy", policy, "--duration", "60s", "--fast", "--json")
        let summary = try Self.summary(result)
        let figures = ["presented", "late", "missed", "latencyP50"].map { summary[$0] as? Double }
        for (stated, measured) in zip(row.figures, figures) {
          let (stated, measured) = (try #require(stated), try #require(measured))
          #expect(abs(stated - measured) < 0.006, "\(row.profile), \(policy): \(figures), not \(row.figures)")
        }
      }
    }
  }

  /// So are those of the automatic interval in an overload.
  @Test func documentsShowWhatTheAutomaticIntervalGains() throws {
    let rows = try Self.table("| interval | frames seen |")
    #expect(rows.map(\.first) == ["1", "auto"])
    for row in some(1, of: rows) {
      try #require(row.count == 4)
      let arguments = ["--interval", row[0], "--duration", "60s", "--fast", "--json"]
      let summary = try Self.summary(try Self.run("overloaded", arguments))
      let causes = try #require(summary["lateCauses"] as? [String: Int])
      let own = ["callbacks", "layout", "display"].map { causes[$0, default: 0] }.reduce(0, +)
      let figures = [summary["presented"] as? Int, summary["late"] as? Int, own]
      #expect(figures == row[1...].map { Int($0) }, "\(row): \(causes)")
    }
  }

  /// The output for one seed, character by character.
  @Test func theLastFramesAreDrawnWhenNoneWasLate() throws {
    let result = try Self.run("steady", "--duration", "1s", "--fast", "--diagram")
    let diagram = try #require(result.output.split(separator: "\n\n").first { $0.hasPrefix("no frame was late") })
    #expect(
      diagram == """
        no frame was late; the last ones
        ms      0         10        20        30        40        50        60        70
        vblank  |                |               |                |                |
        tick    6                7               8                9
        work    666              77              88               999
        commit     6               7               8                 9
        flip    5                6               7                8                9
        """)
  }

  /// A lost vblank event makes no frame late, but it gets a diagram too.
  @Test func missedIntervalsAreDrawn() throws {
    let result = try Self.run("flaky", "--duration", "5s", "--fast", "--diagram")
    #expect(result.output.contains("missed: an interval before frame "), "\(result.output)")
  }

  /// Diagrams also work on a display that is not simulated.
  @Test func aClocksFramesAreDrawnToo() throws {
    let result = try framepace([
      "--scene", "stress", "--work", "20ms", "--duration", "1s", "--diagram", "--size", "64x64", "--display", "fallback",
    ])
    // The causes of late frames depend on what else the machine does.
    #expect(result.output.contains("\ncommit "), "\(result.output)")
  }
}
