import Foundation
import Testing

/// `framepace profile`: the table of phases.
struct ProfileCommandTests {
  private static let phases = [
    "input", "callbacks", "layout", "display", "async wait", "animate", "diff", "composite", "present",
  ]

  @Test func aSceneThatDoesNotMoveEnds() throws {
    let result = try framepace("profile", "still", "--display", "fallback", "--size", "64x64")
    #expect(result.status == 0, "\(result.error)")
    #expect(result.output.contains("\n\n1 frame, the first: ") && result.output.contains("after it\n\nphase "))
    #expect(!result.output.contains("%"), "\(result.output)")
    #expect(result.output.contains("ended after 1 of 600 frames: nothing moves any more"))
    #expect(result.output.contains("\npixels\ndirty          4096\npainted        4096\n"), "\(result.output)")
  }

  @Test func profilesIntoAFile() throws {
    let folder = try TemporaryFolder()
    let result = try framepace(
      [
        "profile", "orbit", "--frames", "20", "--display", "fallback", "--rate", "200", "--size", "160x90", "--json",
        "p.json",
      ],
      in: folder.path)
    #expect(result.status == 0, "\(result.error)")
    for phase in Self.phases { #expect(result.output.contains(phase)) }
    let object = try #require(try JSONSerialization.jsonObject(with: folder.contents(of: "p.json")) as? [String: Any])
    #expect((object["phases"] as? [[String: Any]])?.compactMap { $0["name"] as? String } == Self.phases)
    #expect(object["frames"] as? Int == 20)
  }

  /// As many frames as were asked for are handed over and seen, in all figures; the rate that was seen is that of the log.
  @Test(arguments: [50, 2]) func makesExactlySoManyFrames(count: Int) throws {
    let folder = try TemporaryFolder()
    let result = try framepace(
      [
        "profile", "dashboard", "--frames", "\(count)", "--display", "fallback", "--size", "320x180", "--json", "p.json",
        "--csv", "p.csv", "--html", "p.html",
      ],
      in: folder.path)
    #expect(result.status == 0, "\(result.error)")
    #expect(result.output.contains(" made, \(count) presented, ") && !result.output.contains("pending"))
    let object = try #require(try JSONSerialization.jsonObject(with: folder.contents(of: "p.json")) as? [String: Any])
    let statistics = try #require(object["statistics"] as? [String: Any])
    #expect(object["frames"] as? Int == count)
    // On a busy machine there may be work for no frame.
    let discarded = try #require(statistics["discarded"] as? Int)
    #expect(statistics["presented"] as? Int == count && statistics["frames"] as? Int == count + discarded)
    #expect(statistics["idle"] as? Int == 0)
    let rows = try String(decoding: folder.contents(of: "p.csv"), as: UTF8.self).split(separator: "\n").dropFirst()
    #expect(rows.filter { $0.contains(",presented,") }.count == count && !rows.contains { $0.contains(",pending,") })
    #expect((try PageTests.json(folder.contents(of: "p.html"))["frames"] as? [String: Any])?["count"] as? Int == count)
    guard count == 50 else { return }
    let view = try framepace(["view", "p.csv", "--json"], in: folder.path)
    let logged = try #require(try JSONLines(view.output).objects.first?["presentedRate"] as? Double)
    let measured = try #require(statistics["presentedRate"] as? Double)
    #expect(abs(logged - measured) < 0.01, "\(logged) and \(measured)")
  }

  /// The first frame is painted whole; those after it paint what two buffers lack of the few layers that move.
  @Test func tellsHowMuchIsPainted() throws {
    let result = try framepace(
      "profile", "orbit", "--frames", "30", "--display", "fallback", "--rate", "200", "--size", "160x90", "--json")
    #expect(result.status == 0, "\(result.error)")
    let pixels = try #require(try JSONLines(result.output).objects.first?["pixels"] as? [String: [String: Double]])
    let (dirty, painted) = (try #require(pixels["dirty"]), try #require(pixels["painted"]))
    #expect(dirty["max"] == 160 * 90 && painted["max"] == 160 * 90)
    #expect(try #require(dirty["p50"]) < #require(painted["p50"]) && #require(painted["p50"]) < 160 * 90)
    let (ratio, overdraw) = (try #require(pixels["paintedRatio"]?["p50"]), try #require(pixels["overdraw"]?["p50"]))
    #expect(ratio > 1 && ratio < 10 && overdraw > 1 && overdraw < 10, "\(pixels)")
  }

  /// With "-" the standard output has the JSON and nothing else.
  @Test func printsJSONInsteadOfTheTable() throws {
    let folder = try TemporaryFolder()
    let result = try framepace(
      ["profile", "orbit", "--frames", "5", "--display", "fallback", "--size", "64x64", "--json", "-"], in: folder.path)
    #expect(result.status == 0, "\(result.error)")
    let objects = try JSONLines(result.output).objects
    #expect(objects.count == 1 && objects[0]["frames"] as? Int == 5)
    // Five frames are too few for p99: the key has the value null.
    #expect((objects[0]["all"] as? [String: Any])?["p99"] is NSNull)
    #expect(try folder.files.isEmpty)
  }

  /// Every line of the table fits into a narrow terminal.
  @Test func theTableFitsTheTerminal() throws {
    let terminal = try PseudoTerminal(columns: 60)
    let run = try Running(
      ["profile", "orbit", "--frames", "5", "--display", "fallback", "--size", "64x64"], terminal: terminal)
    let output = terminal.read()
    #expect(run.finish().status == 0)
    #expect(output.contains("composite"))
    #expect(output.contains("  longest c"), "\(output)")
    for line in output.split(whereSeparator: \.isNewline) { #expect(line.count <= 60, "\(line)") }
  }

  /// A scene that asks for half the display's rate has the time of two intervals for a frame, in the verdict, the tables, JSON, page and trace.
  @Test func theBudgetIsThatOfTheScenesRate() throws {
    let folder = try TemporaryFolder()
    try Data(
      """
      size 64 64
      layer {
        layer {
          bounds 0 0 8 8; backgroundColor #FFF
          basic position.x { from 0; to 60; duration 1s; repeatCount infinity; preferredFrameRateRange 40 60 50 }
        }
      }
      """.utf8
    ).write(to: URL(fileURLWithPath: folder.path + "/half.scene"))
    let arguments = ["profile", "half.scene", "--frames", "12", "--display", "fallback", "--rate", "100"]
    let files = ["--json", "p.json", "--html", "p.html", "--trace", "p.trace"]
    for (budget, name, goal) in [(nil, "20.00", "50 Hz"), ("8ms", "8.00", "8.00 ms")] {
      let result = try framepace(arguments + files + (budget.map { ["--budget", $0] } ?? []), in: folder.path)
      #expect(result.status == 0, "\(result.error)")
      #expect(result.output.contains("work of a frame, with a budget of \(name) ms"), "\(result.output)")
      for line in result.output.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
      let figures = try #require(try JSONSerialization.jsonObject(with: folder.contents(of: "p.json")) as? [String: Any])
      #expect(
        try #require(figures["verdict"] as? String).contains("fit\(figures["overBudget"] as? Int == 0 ? "s" : "") \(goal)"))
      #expect(figures["budget"] as? Double == Double(name) && figures["refreshRate"] as? Double == 100)
      let statistics = try #require(figures["statistics"] as? [String: Any])
      // A busy machine misses more, and says why.
      let causes = (figures["missedCauses"] as? [String: Int])?.values.reduce(0, +) ?? 0
      #expect(statistics["missed"] as? Int == causes)
      let page = String(decoding: try folder.contents(of: "p.html"), as: UTF8.self)
      #expect(page.contains(#""budget":\#(name == "20.00" ? "20" : "8").000000,"#), "\(page.prefix(0))")
      let trace = try #require(try JSONSerialization.jsonObject(with: folder.contents(of: "p.trace")) as? [String: Any])
      #expect((trace["otherData"] as? [String: Any])?["budget"] as? String == "\(name) ms")
    }
  }

  /// The verdict stands first, and what it says is in the JSON too.
  @Test func theVerdictStandsFirst() throws {
    let folder = try TemporaryFolder()
    let result = try framepace(
      [
        "profile", "stress", "--work", "6ms", "--frames", "20", "--display", "fallback", "--size", "64x64", "--budget",
        "5ms",
        "--json", "p.json",
      ], in: folder.path)
    #expect(result.status == 0, "\(result.error)")
    let object = try #require(try JSONSerialization.jsonObject(with: folder.contents(of: "p.json")) as? [String: Any])
    let verdict = try #require(object["verdict"] as? String)
    #expect(verdict.hasPrefix("does not fit 5.00 ms: the median frame takes "), "\(verdict)")
    let text = result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let (place, table) = (try #require(text.range(of: verdict)), try #require(text.range(of: "phase p50")))
    #expect(place.upperBound < table.lowerBound)
    for line in result.output.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    #expect(object["overBudget"] as? Int ?? 0 >= 18 && object["budget"] as? Double == 5)
    #expect((object["worst"] as? [[String: Any]])?.count == 5)
    let durations = try #require(object["durations"] as? [String: [Int]])
    #expect(Set(durations.keys) == Set(Self.phases) && durations.values.allSatisfy { $0.count == 20 })
    let all = try #require(object["all"] as? [String: Any])
    let longest = (0..<20).map { index in durations.values.reduce(0) { $0 + $1[index] } }.max() ?? 0
    #expect(abs(Double(longest) / 1e6 - (try #require(all["max"] as? Double))) < 0.001)
    let environment = try #require(object["environment"] as? [String: Any])
    #expect(environment["cores"] as? Int ?? 0 > 0 && environment["kernel"] as? String != "")
  }

  @Test func measuresForATime() throws {
    let result = try framepace(
      "profile", "orbit", "--duration", "0.5s", "--display", "fallback", "--rate", "200", "--size", "64x64", "--json", "-")
    #expect(result.status == 0, "\(result.error)")
    let frames = try #require(try JSONLines(result.output).objects.first?["frames"] as? Int)
    #expect(frames > 1 && frames <= 101)
  }

  /// A file that cannot be written is told as by the options that write files, in lines that fit a terminal.
  @Test func aFileThatCannotBeWrittenIsTold() throws {
    let run = "run still --display fallback --size 64x64 --duration 0.1s"
    let result = try shell("FRAMEPACE_PROFILE=/nowhere/at/all/p framepace \(run)")
    #expect(
      result.error == "framepace: FRAMEPACE_PROFILE: frames are not recorded: cannot write to '/nowhere/at/all/p': "
        + "there is no folder /nowhere; make it (mkdir -p /nowhere/at/all)\n")
    let terminal = try PseudoTerminal(columns: 40)
    let program = try Running(
      "/bin/sh", ["-c", "export FRAMEPACE_PROFILE=/nowhere/p; exec '\(executable().path)' \(run) 2>&1"], terminal: terminal)
    let output = terminal.read()
    #expect(program.finish().status == 0)
    #expect(output.contains("framepace: FRAMEPACE_PROFILE: frames\r\nare not recorded:"), "\(output)")
    for line in output.split(whereSeparator: \.isNewline) { #expect(line.count < 40, "\(line)") }
  }

  /// The first frame alone is not judged: table, JSON and page say so in the same words.
  @Test func oneFrameIsNotJudged() throws {
    let folder = try TemporaryFolder()
    let result = try framepace(
      [
        "profile", "still", "--frames", "1", "--display", "fallback", "--size", "64x64", "--json", "a.json", "--html",
        "a.html",
      ],
      in: folder.path)
    #expect(result.status == 0, "\(result.error)")
    let sentence = "a budget is for the frames after it"
    #expect(
      result.output.replacing("\n", with: " ").contains(sentence) && !result.output.contains("fits"), "\(result.output)")
    let object = try JSONSerialization.jsonObject(with: folder.contents(of: "a.json")) as? [String: Any]
    let verdict = try #require(object?["verdict"] as? String)
    #expect(verdict.hasSuffix(sentence) && !verdict.contains("late"), "\(verdict)")
    #expect(try PageTests.verdict(folder.contents(of: "a.html")) == verdict)
  }

  /// A program whose environment names a file writes its frames there, and its figures are those of a run.
  @Test func reportsWhatAProgramRecorded() throws {
    let folder = try TemporaryFolder()
    let run = try shell(
      "export FRAMEPACE_PROFILE=a.profile; framepace run orbit --display fallback --rate 200 --size 64x64 --duration 0.4s --json",
      in: folder.path)
    #expect(run.status == 0, "\(run.error)")
    let table = try framepace(["profile", "a.profile"], in: folder.path)
    #expect(table.status == 0, "\(table.error)")
    #expect(table.output.hasPrefix("orbit on virtual display 64x64@200.00\nfallback clock 200.00 Hz: asked for\n"))
    #expect(table.output.contains(" cores, kernel ") && table.output.contains("composite"))
    for line in table.output.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    let json = try framepace(["profile", "a.profile", "--budget", "1ms", "--json", "-"], in: folder.path)
    let object = try #require(try JSONLines(json.output).objects.first)
    #expect(object["scene"] as? String == "orbit" && object["width"] as? Int == 64)
    #expect(object["budget"] as? Double == 1 && object["refreshRate"] as? Double == 200)
    let frames = try #require(object["frames"] as? Int)
    let summary = try #require(try JSONLines(run.output).objects.last?["summary"] as? [String: Any])
    #expect(frames == summary["presented"] as? Int)
    let statistics = try #require(object["statistics"] as? [String: Any])
    #expect(statistics["presented"] as? Int == frames)
    let seen = frames == 1 ? "frame is" : "frames are"
    #expect(run.error == "framepace: \(frames) \(seen) recorded: framepace profile a.profile\n")
    #expect(statistics["tenthPercentLow"] is NSNull)

    try recordsInNoOtherFile(in: folder)

    let refused = try framepace(["profile", "a.profile", "--frames", "5"], in: folder.path)
    #expect(refused.status != 0 && refused.error.contains("was recorded already"))
    let same = try framepace(["profile", "a.profile", "--html", "./a.profile"], in: folder.path)
    #expect(same.status != 0 && same.error.contains("is the file that is read"), "\(same.error)")
    try Data("{\"framepaceProfile\":".utf8).write(to: URL(fileURLWithPath: folder.path + "/b.profile"))
    let damaged = try framepace(["profile", "b.profile"], in: folder.path)
    #expect(damaged.status != 0 && damaged.error.contains("line 1, column"), "\(damaged.error)")
    try Data("x".utf8).write(to: URL(fileURLWithPath: folder.path + "/c.profile"))
    let other = try framepace(["profile", "c.profile"], in: folder.path)
    #expect(other.status != 0 && other.error.contains("no scene and no file that a program wrote"), "\(other.error)")
    let missing = try framepace(["profile", "missing.profile"], in: folder.path)
    #expect(missing.status != 0 && missing.error.contains("'missing.profile': No such file"), "\(missing.error)")
    let viewed = try framepace(["view", "a.profile"], in: folder.path)
    #expect(
      viewed.status != 0 && viewed.error.replacing("\n", with: " ").contains("framepace profile a.profile"),
      "\(viewed.error)")
  }

  /// A recording and an empty file are replaced; other files stay, and the run goes on.
  private func recordsInNoOtherFile(in folder: TemporaryFolder) throws {
    let run = "framepace run orbit --display fallback --rate 200 --size 64x64 --duration 0.2s --quiet"
    let first = try folder.contents(of: "a.profile")
    let again = try shell("export FRAMEPACE_PROFILE=a.profile; \(run)", in: folder.path)
    #expect(again.status == 0 && again.error == "")
    #expect(try folder.contents(of: "a.profile") != first)
    let before = "my diary\n"
    try Data(before.utf8).write(to: URL(fileURLWithPath: folder.path + "/diary"))
    let other = try shell(
      "export FRAMEPACE_PROFILE=diary; \(run); : > empty; export FRAMEPACE_PROFILE=empty; \(run)", in: folder.path)
    #expect(other.status == 0)
    #expect(
      other.error
        == "framepace: FRAMEPACE_PROFILE: frames are not recorded: 'diary' is another kind of file; name a new one, or remove it\n"
    )
    #expect(try folder.contents(of: "diary") == Data(before.utf8))
    #expect(try folder.contents(of: "empty").starts(with: Data("{\"framepaceProfile\":".utf8)))
  }
}
