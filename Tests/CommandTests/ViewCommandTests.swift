import Foundation
import Testing

/// `framepace view`: captures as a user reads them.
struct ViewCommandTests {
  private static let header =
    "Application,ProcessID,SwapChainAddress,Runtime,Dropped,msBetweenPresents,msBetweenDisplayChange"

  /// A capture of PresentMon 1 with 120 frames of one program, and a few of another where `others` says so.
  private func capture(others: Int = 0) -> String {
    let frames = (0..<120).map { "game.exe,41,0xA0,DXGI,\($0 == 7 ? 1 : 0),16,\($0 == 7 ? "0" : $0 == 60 ? "50" : "16.5")" }
    let rest = (0..<others).map { "\"other, inc.exe\",42,0xB\($0),DXGI,0,16,20" }
    return ([Self.header] + frames + rest).joined(separator: "\n") + "\n"
  }

  private func folder(_ text: String) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/c.csv"))
    return folder
  }

  /// A row of the table has the name that its figure has in JSON, of a run as of its log.
  @Test func figuresHaveOneName() throws {
    let folder = try TemporaryFolder()
    let run = ["run", "orbit", "--simulate", "overloaded", "--duration", "5s", "--fast", "--size", "64x64"]
    let summary = try framepace(run + ["--frame-log", "x.csv"], in: folder.path)
    let view = try framepace(["view", "x.csv"], in: folder.path)
    let json = [
      try #require(try JSONLines(try framepace(run + ["--json"]).output).objects.last),
      try #require(try JSONLines(try framepace(["view", "x.csv", "--json"], in: folder.path).output).objects.last),
    ]
    for (text, object) in zip([summary.output, view.output], json) {
      let rows = text.split(separator: "\n", omittingEmptySubsequences: false).drop { !$0.hasPrefix("ms ") }.dropFirst()
        .prefix { $0.first?.isLetter == true }
      let names = rows.map { $0.prefix(17).split(separator: " ") }
      #expect(names.contains(["latency"]) && names.contains(["animation", "error"]), "\(text)")
      let statistics = (object["summary"] ?? object["statistics"]) as? [String: Any] ?? [:]
      for name in names {
        let key = name.dropFirst().reduce(String(name[0])) { $0 + $1.capitalized } + "P50"
        #expect(object[key] is Double || statistics[key] is Double, "\(key) in \(object.keys.sorted())")
      }
    }
  }

  @Test func reportsACapture() throws {
    let folder = try folder(capture())
    let result = try framepace(["view", "c.csv", "--json", "f.json"], in: folder.path)
    #expect(result.status == 0, "\(result.error)")
    for part in [
      "c.csv: PresentMon 1\ngame.exe, process 41, swap chain 0xA0\n\n59.59 frames a second seen; 1 of 119 frame",
      "intervals 0.8 % over 16.7 ms, 0.8 % over 33.3 ms, none over 50 ms\n",
      "over 16.7, 33.3, 50 ms: intervals that are longer",
      "120 in the file, 119 seen, 1 never seen",
      "lows      20.00/s in 1 % of the time", "not enough frames for p99.9 and 0.1 % low (1000 needed)",
      "percentile P: linear", "1 % low: the rate of the interval",
    ] {
      #expect(result.output.contains(part), "\(part) in \(result.output)")
    }
    for line in result.output.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    let object = try #require(try JSONSerialization.jsonObject(with: folder.contents(of: "f.json")) as? [String: Any])
    #expect(object["format"] as? String == "PresentMon 1" && object["application"] as? String == "game.exe")
    #expect(object["frames"] as? Int == 120 && object["neverSeen"] as? Int == 1 && object["late"] is NSNull)
    #expect(object["frameIntervalP50"] as? Double == 16.5 && object["frameIntervalMax"] as? Double == 50)
    #expect((object["verdict"] as? String)?.hasPrefix("59.59 frames a second seen; ") == true)
    #expect(object["frameIntervalOver16"] as? Double == 0.0084 && object["frameIntervalOver50"] as? Double == 0)
    #expect(object["onePercentLow"] as? Double == 20 && object["tenthPercentLow"] is NSNull)
  }

  /// The command waits for the writer of a pipe: for one that opens it later, and for the rest of what is written.
  @Test func readsAPipe() throws {
    let folder = try folder(capture())
    for line in [
      "mkfifo p; framepace view p & exec 3>p; head -n 9 c.csv >&3; tail -n +10 c.csv >&3; exec 3>&-; wait $!",
      "cat c.csv | framepace view /dev/stdin", "cat c.csv | framepace view -",
      "{ echo another line; cat c.csv; } > d; { read x; framepace view -; } < d",
    ] {
      let result = try shell(line, in: folder.path)
      #expect(result.status == 0, "\(line): \(result.error)")
      #expect(result.output.contains("120 in the file, 119 seen, 1 never seen"), "\(line): \(result.output)")
    }
  }

  @Test func severalSwapChainsAreListed() throws {
    let folder = try folder(capture(others: 2))
    let result = try framepace(["view", "c.csv"], in: folder.path)
    #expect(result.status == 1 && result.output.isEmpty)
    #expect(result.error.contains("120 frames  game.exe, process 41, swap chain 0xA0\n"), "\(result.error)")
    #expect(result.error.contains("has frames of 3 swap chains"))
    for (options, title) in [
      (["--process", "game.exe"], "game.exe, process 41"), (["--process", "41"], "game.exe, process 41"),
      (["--process", "other, inc.exe", "--swap-chain", "0xb1"], "other, inc.exe, process 42, swap chain 0xB1"),
    ] {
      let chosen = try framepace(["view", "c.csv"] + options, in: folder.path)
      #expect(chosen.status == 0 && chosen.output.contains(title), "\(options): \(chosen.output)\(chosen.error)")
    }
    let none = try framepace(["view", "c.csv", "--process", "nothing"], in: folder.path)
    #expect(none.status == 1 && none.error.contains("has no frames of what --process and --swap-chain name"))
  }

  /// The log of a run has the figures that the run printed.
  @Test(arguments: ["csv", "jsonl"]) func aFrameLogHasTheFiguresOfItsRun(format: String) throws {
    let folder = try TemporaryFolder()
    let run = try framepace(
      [
        "--simulate", "overloaded", "--duration", "20s", "--fast", "--size", "64x64", "--json", "--frame-log", "x.\(format)",
      ],
      in: folder.path)
    #expect(run.status == 0, "\(run.error)")
    let last = try #require(try JSONLines(run.output).objects.last)
    let summary = try #require(last["summary"] as? [String: Any])
    let view = try framepace(["view", "x.\(format)", "--json", "-"], in: folder.path)
    #expect(view.status == 0, "\(view.error)")
    let figures = try #require(try JSONLines(view.output).objects.first)
    #expect(figures["late"] as? Int == summary["late"] as? Int)
    #expect(figures["lateCauses"] as? [String: Int] == last["lateCauses"] as? [String: Int])
    let statistics = try #require(figures["statistics"] as? [String: Any])
    for key in ["presentedRate", "frameIntervalP50", "frameIntervalP99", "frameIntervalMax", "onePercentLow"] {
      let (mine, theirs) = (try #require(figures[key] as? Double), try #require(summary[key] as? Double))
      #expect(mine == theirs, "\(key)")
    }
    // A log does not tell the first frame, which needs no tick, from those with one.
    let others = ["time", "ticks", "budget"]
    for (key, value) in summary where !key.hasPrefix("work") && !key.hasPrefix("tickLateness") && !others.contains(key) {
      #expect("\(statistics[key] ?? "missing")" == "\(value)", "\(key)")
    }
    for key in ["workP50", "workMax"] {
      let (mine, theirs) = (try #require(figures[key] as? Double), try #require(summary[key] as? Double))
      // The work of frames that were not seen is in that of a run, and not in that of a log.
      #expect(abs(mine - theirs) <= theirs / 256 + 0.001, "\(key): \(mine) and \(theirs)")
    }
  }

  /// A line that its writer did not end is left out, with its place; what is damaged elsewhere is refused.
  @Test(arguments: [1, 2, 6, 9, 23]) func aCutLineIsLeftOut(bytes: Int) throws {
    let folder = try folder(String(capture().dropLast(bytes)))
    let result = try framepace(["view", "c.csv"], in: folder.path)
    // A line that lacks only the end of its last cell is read, with a warning.
    let isReadable = bytes < 6
    let frames = isReadable ? 120 : 119
    #expect(result.status == 0 && result.output.contains("\(frames) in the file, "), "\(result.output)\(result.error)")
    let place = "line 121, column \("game.exe,41,0xA0,DXGI,0,16,16.5\n".count - bytes + 1)"
    #expect(
      result.error.replacing("\n", with: " ")
        == (isReadable
          ? "framepace: 'c.csv' ends within a line, at \(place): the last number may be cut "
          : "framepace: 'c.csv' is cut at \(place): its last line is left out, and 119 frames are read "))
    let damaged = try self.folder(String(capture().dropLast(bytes)).replacing("41,0xA0,DXGI,1", with: "41,0xA0,DXGI"))
    let refused = try framepace(["view", "c.csv"], in: damaged.path)
    #expect(refused.status == 1 && refused.error.contains("line 9, column "), "\(refused.error)")
  }

  /// A capture of MangoHud names no program that could be chosen.
  @Test func aCaptureWithoutProcesses() throws {
    let folder = try folder("fps,frametime\n60,16\n60,16\n")
    let result = try framepace(["view", "c.csv", "--process", "game.exe"], in: folder.path)
    #expect(result.status == 1)
    #expect(
      result.error.replacing("\n", with: " ")
        == "framepace: 'c.csv' is a file of MangoHud, which names no process: leave out --process and --swap-chain ",
      "\(result.error)")
  }

  /// Notes are broken at the terminal's width, as errors are.
  @Test func notesFitTheTerminal() throws {
    let folder = try folder(String(capture().dropLast(9)))
    let terminal = try PseudoTerminal(columns: 50)
    let run = try Running(
      "/bin/sh", ["-c", "exec '\(executable().path)' view '\(folder.path)/c.csv' 2>&1"], terminal: terminal)
    let output = terminal.read()
    #expect(run.finish().status == 0)
    #expect(output.contains("is cut at line 121"), "\(output)")
    // The path has no space.
    for line in output.split(whereSeparator: \.isNewline) where line.contains(" ") { #expect(line.count < 50, "\(line)") }
  }

  @Test func aCutLogOfJSONIsRead() throws {
    let line = "{\"outcome\":\"presented\",\"delivered\":1,\"presented\":2,\"work\":3,\"frameInterval\":4,\"cause\":null,"
    let whole = line + "\"animationError\":0}\n"
    let folder = try folder(whole + whole + line)
    let result = try shell("framepace view - < c.csv", in: folder.path)
    #expect(result.status == 0 && result.output.contains("2 in the file"), "\(result.output)\(result.error)")
    let place = "line 3, column \(line.count + 1)"
    #expect(
      result.error.replacing("\n", with: " ")
        == "framepace: '-' is cut at \(place): its last line is left out, and 2 frames are read ")
    // An object is whole without a line break.
    let ended = try shell("printf %s '\(whole.dropLast())' | framepace view -", in: folder.path)
    #expect(
      ended.status == 0 && ended.error.isEmpty && ended.output.contains("1 in the file"), "\(ended.output)\(ended.error)")
  }

  @Test func damageIsExplained() throws {
    let folder = try folder(capture().replacing("41,0xA0,DXGI,1", with: "41,0xA0,DXGI,yes"))
    let result = try framepace(["view", "c.csv"], in: folder.path)
    #expect(result.status == 1 && result.output.isEmpty)
    let sentence = result.error.replacing("\n", with: " ")
    #expect(sentence.contains("cannot read 'c.csv': line 9, column 23: 'yes' where 0 or 1 is expected"), "\(result.error)")
    #expect(try framepace(["view", "missing.csv"], in: folder.path).error.contains("cannot read 'missing.csv'"))
  }
}
