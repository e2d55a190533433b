import Foundation
import Metering
import Testing

/// `--trace` of `framepace run` and of `framepace profile`.
struct TraceCommandTests {
  /// Traces of real runs keep the format's rules, and have every frame.
  @Test(arguments: ["steady", "noisy", "overloaded", "vrr", "flaky"]) func everySimulatedRun(_ simulation: String) throws {
    let folder = try TemporaryFolder()
    let result = try framepace(
      [
        "--simulate", simulation, "--duration", "4s", "--fast", "--size", "64x36", "--json", "--trace", "t.json",
        "--frame-log",
        "f.csv",
      ], in: folder.path)
    #expect(result.status == 0, "\(result.error)")
    let trace = TraceChecker(try folder.contents(of: "t.json"))
    #expect(trace.violations == [])
    let rows = String(decoding: try folder.contents(of: "f.csv"), as: UTF8.self).split(separator: "\n")
      .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    let (outcome, cause) = (try #require(rows[0].firstIndex(of: "outcome")), try #require(rows[0].firstIndex(of: "cause")))
    let actual = trace.slices(of: "actual frames", depth: 0)
    // A frame is named by its cause, or by its outcome.
    let frames = rows.dropFirst().filter { $0[outcome] != "noFrame" }
    #expect(actual.count == frames.count && actual.count > 100)
    let names = frames.map { row in
      row[cause].isEmpty ? row[outcome] == "presented" ? "in time" : String(row[outcome]) : "late: \(row[cause])"
    }
    #expect(actual.map(\.name).sorted() == names.sorted())
    // The loop runs in a mode, and sleeps in it.
    let loop = trace.slices(of: "loop")
    #expect(loop.first?.name == "mode default" && loop.contains { $0.name == "asleep" && $0.depth == 1 })
    #expect(Set(trace.counters.keys) == ["work ms", "late ms", "painted pixels"])
    #expect(trace.flows.count >= actual.filter { $0.name != "pending" }.count - 2)
  }

  @Test func ofAProfile() throws {
    let folder = try TemporaryFolder()
    let result = try framepace(
      [
        "profile", "orbit", "--frames", "30", "--display", "fallback", "--rate", "200", "--size", "160x90", "--trace",
        "t.json",
      ], in: folder.path)
    #expect(result.status == 0, "\(result.error)")
    #expect(result.output.contains("phase"))
    let trace = TraceChecker(try folder.contents(of: "t.json"))
    #expect(trace.violations == [])
    #expect(trace.slices(of: "actual frames", depth: 0).count >= 30)
    #expect(trace.process?.hasPrefix("orbit on virtual display") == true)
  }

  /// The dashboard's chart is drawn by workers: each drawing has its slice and its flow.
  @Test func ofDrawingsByWorkers() throws {
    let folder = try TemporaryFolder()
    let result = try framepace(
      ["profile", "dashboard", "--frames", "150", "--display", "fallback", "--size", "320x180", "--trace", "t.json"],
      in: folder.path)
    #expect(result.status == 0, "\(result.error)")
    let trace = TraceChecker(try folder.contents(of: "t.json"))
    #expect(trace.violations == [])
    let drawings = trace.slices(of: "workers")
    #expect(drawings.count > 1)
    let whole = trace.drawingFlows.values.filter { $0.steps.map(\.kind) == ["s", "t", "f"] }
    #expect(whole.count >= drawings.count / 2 && !whole.isEmpty, "\(trace.drawingFlows)")
  }

  @Test(arguments: [
    (["profile", "orbit", "--trace", ""], "--trace needs a value"),
    (["profile", "orbit", "--trace", "a", "--json", "./a"], "are one file"),
    (["profile", "--compare", "a", "b", "--trace", "c"], "--compare runs no scene"),
    (["run", "orbit", "--trace", "a.csv", "--frame-log", "a.csv"], "are one file"),
    (["run", "orbit", "--trace", "/no/such/folder/a"], "there is no folder /no"),
  ]) func wrongFiles(_ arguments: [String], _ message: String) throws {
    let folder = try TemporaryFolder()
    let result = try framepace(arguments, in: folder.path)
    #expect(result.status != 0 && result.error.contains(message), "\(result.error)")
  }
}

/// `framepace profile --csv`.
struct ProfileCSVTests {
  /// The file has the frames of the profile, and `framepace view` reads it.
  @Test func isAFrameLog() throws {
    let folder = try TemporaryFolder()
    let result = try framepace(
      [
        "profile", "orbit", "--frames", "30", "--display", "fallback", "--rate", "200", "--size", "160x90", "--csv",
        "frames",
        "--json", "p.json",
      ], in: folder.path)
    #expect(result.status == 0, "\(result.error)")
    let rows = String(decoding: try folder.contents(of: "frames"), as: UTF8.self).split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    #expect(rows[0] == FrameLogFormat.columns)
    func column(_ name: String) throws -> Int { try #require(rows[0].firstIndex(of: name)) }
    let (outcome, composite) = (try column("outcome"), try column("composite"))
    let seen = rows.dropFirst().filter { $0[outcome] == "presented" }.compactMap { Int($0[composite]) }
    let figures = try JSONSerialization.jsonObject(with: folder.contents(of: "p.json")) as? [String: Any]
    let durations = try #require(figures?["durations"] as? [String: [Int]])
    #expect(Array(seen.prefix(30)) == durations["composite"])

    let view = try framepace(["view", "frames", "--json", "-"], in: folder.path)
    #expect(view.status == 0, "\(view.error)")
    let report = try #require(try JSONLines(view.output).objects.first)
    let frames = rows.dropFirst().count { $0[outcome] != "noFrame" }
    #expect(report["format"] as? String == "framepace frame log" && report["frames"] as? Int == frames)
  }
}
