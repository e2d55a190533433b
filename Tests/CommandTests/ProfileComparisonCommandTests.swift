import Foundation
import Testing

/// `framepace profile --compare`.
struct ProfileComparisonCommandTests {
  /// Profiles as `--json` writes them, with durations of the test's own in place of measured ones.
  private final class Profiles {
    let folder: TemporaryFolder
    private let template: [String: Any]

    init() throws {
      folder = try TemporaryFolder()
      let run = try framepace(
        "profile", "orbit", "--frames", "3", "--display", "fallback", "--rate", "100", "--size", "64x64", "--json", "-")
      #expect(run.status == 0, "\(run.error)")
      template = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    }

    /// A profile whose composite phase takes about `composite` milliseconds.
    func write(_ file: String, composite: Double, frames: Int = 240, change: (inout [String: Any]) -> Void = { _ in }) throws
    {
      var profile = template
      var durations: [String: [Int]] = [:]
      for phase in ["input", "callbacks", "layout", "display", "async wait", "animate", "diff", "composite", "present"] {
        let usual = phase == "composite" ? composite : 0.1
        durations[phase] = (0..<frames).map { Int(usual * 1e6 * (1 + 0.02 * sin(Double($0 * 37)))) }
      }
      profile["durations"] = durations
      change(&profile)
      try JSONSerialization.data(withJSONObject: profile).write(to: URL(fileURLWithPath: "\(folder.path)/\(file)"))
    }

    func compare(_ options: String...) throws -> Finished {
      try framepace(["profile", "--compare", "a.json", "b.json"] + options, in: folder.path)
    }
  }

  @Test func theStatusTellsARegression() throws {
    let profiles = try Profiles()
    try profiles.write("a.json", composite: 2)
    try profiles.write("b.json", composite: 2)
    let same = try profiles.compare()
    #expect(
      same.status == 0 && same.output.hasPrefix("no regression past 5 %: no phase changed beyond noise\n"), "\(same.error)")

    try profiles.write("b.json", composite: 2.2)
    let longer = try profiles.compare()
    #expect(longer.status == 1 && longer.error.isEmpty)
    let sentence = longer.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(
      sentence.hasPrefix("regression past 5 %: composite takes 10 % longer, all takes 7 % longer "), "\(longer.output)")
    for line in longer.output.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    let allowed = try profiles.compare("--fail-over", "20%")
    #expect(allowed.status == 0 && allowed.output.hasPrefix("no regression past 20 %: composite takes 10 % longer"))

    // A steady hundredth of a millisecond more, of ten.
    try profiles.write("b.json", composite: 2.05)
    let small = try profiles.compare()
    #expect(
      small.status == 0
        && small.output.hasPrefix("no regression past 5 %: no change beyond noise that anybody would feel\n"),
      "\(small.output)")
    #expect(small.output.contains("< 0.001  too small\n"), "\(small.output)")

    try profiles.write("b.json", composite: 1)
    #expect(try profiles.compare("--fail-over", "0").status == 0)
  }

  /// A hundredth of the budget is too small: where the budgets differ, the first one's counts, and a note says so.
  @Test func unequalBudgetsAreNoted() throws {
    let profiles = try Profiles()
    try profiles.write("a.json", composite: 2) { $0["budget"] = 16.6667 }
    try profiles.write("b.json", composite: 2.05) { $0["budget"] = 2.0 }
    func words() throws -> String {
      try profiles.compare().output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
    #expect(
      try words().contains("unequal budgets: 16.667 and 2.000 ms; too small is what is below a hundredth of the first"))
    try profiles.write("b.json", composite: 2.05) { $0["budget"] = 16.6665 }
    #expect(!(try words().contains("unequal")))
  }

  /// A narrow terminal has the table without its widest column, and no line that it would break.
  @Test(arguments: [60, 80]) func theTableFitsTheTerminal(columns: Int) throws {
    let profiles = try Profiles()
    try profiles.write("a.json", composite: 2)
    try profiles.write("b.json", composite: 22.22)
    let terminal = try PseudoTerminal(columns: columns)
    let folder = profiles.folder.path
    let run = try Running(["profile", "--compare", "\(folder)/a.json", "\(folder)/b.json"], terminal: terminal)
    let output = terminal.read()
    #expect(run.finish().status == 1)
    let rows = output.split(whereSeparator: \.isNewline).drop { !$0.hasPrefix("phase ") }.prefix(11)
    #expect(rows.count == 11 && rows.first?.contains("longer in") == (columns == 80), "\(output)")
    #expect(rows.count { $0.hasSuffix("  regression") } == 2 && rows.allSatisfy { $0.count < columns }, "\(output)")
  }

  @Test func json() throws {
    let profiles = try Profiles()
    try profiles.write("a.json", composite: 2)
    try profiles.write("b.json", composite: 2.2, frames: 300)
    let result = try profiles.compare("--json", "-")
    #expect(result.status == 1)
    let object = try #require(try JSONLines(result.output).objects.first)
    #expect(
      object["regression"] as? Bool == true && object["failOver"] as? Double == 0.05 && object["level"] as? Double == 0.01)
    #expect(object["notes"] as? [String] == ["unequal lengths: 240 and 300 frames"])
    let phases = try #require(object["phases"] as? [[String: Any]])
    #expect(
      phases.compactMap { $0["name"] as? String } == [
        "input", "callbacks", "layout", "display", "async wait", "animate", "diff", "composite", "present", "all",
      ])
    let composite = phases[7]
    #expect(composite["change"] as? String == "longer" && composite["longerIn"] as? Double == 1)
    #expect(abs((composite["growth"] as? Double ?? 0) - 0.1) < 0.01 && composite["p"] as? Double ?? 1 < 0.001)
    #expect(phases[0]["change"] as? String == "same" && phases[0]["regression"] as? Bool == false)
  }

  /// Each of these is told with its reason, and with another status than a regression.
  @Test func whatCannotBeComparedIsRefused() throws {
    let profiles = try Profiles()
    try profiles.write("a.json", composite: 2)
    let cases: [(reason: String, frames: Int, change: (inout [String: Any]) -> Void)] = [
      ("scene 'orbit' and 'clock'", 240, { $0["scene"] = "clock" }),
      ("refresh rate 100.0 and 60.0 Hz", 240, { $0["refreshRate"] = 60 }),
      ("size '64x64' and '65x64'", 240, { $0["width"] = 65 }),
      ("processor '", 240, { Self.changeEnvironment(&$0, "processor", "another") }),
      ("and 99 cores", 240, { Self.changeEnvironment(&$0, "cores", 99) }),
      ("it has no 'environment'", 240, { $0["environment"] = nil }),
      ("has 199 frames: a comparison takes 200 or more", 199, { _ in }),
      (
        "durations of diff are not one for each frame", 240,
        { profile in
          var durations = profile["durations"] as? [String: [Int]] ?? [:]
          durations["diff"]?.removeLast()
          profile["durations"] = durations
        }
      ),
    ]
    for (reason, frames, change) in cases {
      try profiles.write("b.json", composite: 2, frames: frames, change: change)
      let result = try profiles.compare()
      let sentence = result.error.replacing("\n", with: " ")
      #expect(result.status == 2 && result.output.isEmpty, "\(reason): \(result.status)")
      #expect(sentence.contains(reason), "\(reason): \(result.error)")
    }
    try Data("{\"scene\":\"orbit\",\n \"display\"}".utf8).write(to: URL(fileURLWithPath: "\(profiles.folder.path)/b.json"))
    let damaged = try profiles.compare()
    #expect(
      damaged.status == 2
        && damaged.error.replacing("\n", with: " ").contains("line 2, column 11: '}' where ':' is expected"))
    try FileManager.default.removeItem(atPath: "\(profiles.folder.path)/b.json")
    #expect(try profiles.compare().status == 2)
  }

  private static func changeEnvironment(_ profile: inout [String: Any], _ key: String, _ value: Any) {
    var environment = profile["environment"] as? [String: Any] ?? [:]
    environment[key] = value
    profile["environment"] = environment
  }

  /// Recordings of programs are compared as profiles are, and tell their scenes apart.
  @Test func recordingsAreCompared() throws {
    let folder = try TemporaryFolder()
    let options = "--simulate steady --fast --size 64x64 --duration 5s --quiet"
    for (scene, file) in [("orbit", "a"), ("orbit", "b"), ("springs", "d")] {
      let run = try shell("FRAMEPACE_PROFILE=\(file).profile framepace run \(scene) \(options)", in: folder.path)
      #expect(run.status == 0, "\(run.error)")
    }
    let like = try framepace(["profile", "--compare", "a.profile", "b.profile", "--fail-over", "1000%"], in: folder.path)
    #expect(
      like.status == 0 && like.output.contains("a.profile → b.profile: orbit on simulated screen"),
      "\(like.output)\(like.error)")
    let other = try framepace(["profile", "--compare", "a.profile", "d.profile"], in: folder.path)
    #expect(other.status == 2, "\(other.output)")
    #expect(other.error.replacing("\n", with: " ").contains("scene 'orbit' and 'springs'"), "\(other.error)")
    let figures = try framepace(["profile", "b.profile", "--json", "b.json"], in: folder.path)
    #expect(figures.status == 0, "\(figures.error)")
    let mixed = try framepace(["profile", "--compare", "b.profile", "b.json"], in: folder.path)
    #expect(mixed.status == 0 && mixed.output.hasPrefix("no regression past 5 %: no phase changed"), "\(mixed.error)")
  }

  @Test func unequalKernelsAreNoted() throws {
    let profiles = try Profiles()
    try profiles.write("a.json", composite: 2)
    try profiles.write("b.json", composite: 2) { Self.changeEnvironment(&$0, "kernel", "9.9") }
    let result = try profiles.compare()
    #expect(result.status == 0 && result.output.contains("unequal kernels: ") && result.output.contains(" and 9.9\n"))
  }
}
