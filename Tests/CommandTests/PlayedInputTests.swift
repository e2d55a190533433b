import Foundation
import Framepace
import Testing

/// Event scripts that play in a run, a profile and a film: `--input`.
struct PlayedInputTests {
  /// A finger that flicks the list, rests for longer than a profile waits for a scene at rest, and flicks again.
  private static let flicks = """
    framepace input 1
    0 1 added "finger" touch
    \(flick(at: 0.1))
    \(flick(at: 4))
    """

  private static func flick(at start: Double) -> String {
    let moves = (1...10).map { "\(start + 0.01 * Double($0)) 1 touch 0 moved 0.5 \(0.8 - 0.05 * Double($0))" }
    return (["\(start) 1 touch 0 down 0.5 0.8"] + moves + ["\(start + 0.105) 1 touch 0 up"]).joined(separator: "\n")
  }

  private static func folder(_ script: String = flicks) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try script.write(toFile: folder.path + "/x", atomically: true, encoding: .utf8)
    return folder
  }

  /// The same events at the same times give the same frames, whose latency counts from the events.
  @Test func aSimulatedRunIsDrivenByTheScript() throws {
    let folder = try Self.folder()
    func run(_ more: String...) throws -> (text: String, summary: [String: Any]) {
      let result = try framepace(
        ["run", "feed", "--simulate", "steady", "--size", "90x160", "--duration", "6s", "--fast", "--json"] + more,
        in: folder.path)
      #expect(result.status == 0, "\(result.error)")
      let last = try #require(try JSONLines(result.output).objects.last)
      let summary = try #require(last["summary"] as? [String: Any])
      return (result.output, summary.merging(last.filter { $0.key != "summary" }) { first, _ in first })
    }
    let (text, summary) = try run("--input", "x")
    #expect(try run("--input", "x").text == text)
    #expect(try #require(summary["frames"] as? Int) > 60)
    // The finger's events wait for the next vblank, and the frame after it is seen a vblank later.
    let latency = try #require(summary["inputLatencyP50"] as? Double)
    #expect(latency > 16 && latency < 34, "\(latency)")
    let rest = try run().summary
    #expect(try #require(rest["frames"] as? Int) < 5)
    #expect(rest["inputLatencyP50"] is NSNull)
  }

  /// `framepace input` plays a script in the place of devices: its events are printed and recorded, and crosses are where they were.
  @Test func crossesAreShown() throws {
    let script = """
      framepace input 1
      # seconds  device  what it did; places are parts of the device's area, from 0 to 1
      0.000000 1 added "Panel" touch
      0.010000 1 touch 0 down 0.25 0.75

      """
    let folder = try Self.folder(script)
    let result = try framepace(
      [
        "input", "--input", "x", "--display", "fallback", "--size", "400x200", "--rotate", "180", "--screenshot", "x.png",
        "--record", "y",
      ], in: folder.path)
    #expect(result.status == 0, "\(result.error)")
    #expect(result.output.contains("virtual display 400x200") && result.output.contains("touch 0 down 0.25 0.75"))
    #expect(try String(contentsOfFile: folder.path + "/y", encoding: .utf8) == script)
    let picture = try PNG.read(path: folder.path + "/x.png")
    func pixel(_ x: Int, _ y: Int) -> UInt32 { picture.row(y).assumingMemoryBound(to: UInt32.self)[x] }
    // The picture is as it is scanned, and so are the places of the panel.
    let night: UInt32 = 0xFF0B_1016
    #expect(picture.width == 400 && picture.height == 200 && pixel(350, 60) == night)
    #expect((98...101).contains { pixel($0, 190) != night } && (148...151).contains { pixel(350, $0) != night })
    // The left lower corner of the picture, where the device's name is, is the right upper one of the panel.
    #expect((250..<390).contains { x in (5..<27).contains { pixel(x, $0) != night } })
  }

  /// A pause of the script is no end: the profile ends when the script is over and the list stands still.
  @Test func aProfileWaitsForTheScript() throws {
    let folder = try Self.folder()
    func profile(_ more: String...) throws -> [String: Any] {
      let result = try framepace(
        ["profile", "feed", "--display", "fallback", "--size", "90x160", "--frames", "5000", "--json", "-"] + more,
        in: folder.path)
      #expect(result.status == 0, "\(result.error)")
      return try #require(try JSONLines(result.output).objects.first)
    }
    let driven = try profile("--input", "x")
    let statistics = try #require(driven["statistics"] as? [String: Any])
    #expect(try #require(driven["frames"] as? Int) > 60)
    #expect(statistics["inputLatencyMax"] is Double, "\(statistics)")
    // Two flicks with four seconds between them.
    #expect(try #require(statistics["idle"] as? Int) > 60, "\(statistics)")
    #expect(driven["notes"] as? [String] == [])
    let late = try profile("--input", "x", "--policy", "late")
    #expect(late["notes"] as? [String] == ["frames are begun as late as they can be ready"])
    let still = try #require(try profile()["statistics"] as? [String: Any])
    #expect(still["inputLatencyMax"] is NSNull)
  }

  /// A film shows what the script does at its times, always the same.
  @Test func aFilmShowsWhatTheScriptDoes() throws {
    let folder = try Self.folder()
    func film(_ name: String, _ more: String...) throws -> [Data] {
      let result = try framepace(
        ["render", "feed", "--size", "90x160", "--frames", "24", "--output", name] + more, in: folder.path)
      #expect(result.status == 0, "\(result.error)")
      return try (0..<24).map { number in
        try folder.contents(of: "\(name)/feed-00\(number < 10 ? "0" : "")\(number).png")
      }
    }
    let (driven, again, still) = (try film("a", "--input", "x"), try film("b", "--input", "x"), try film("c"))
    #expect(driven == again)
    #expect(driven[..<6].elementsEqual(still[..<6]) && driven[23] != still[23])
    // A single picture shows what the script did before its time.
    let single = ["render", "feed", "--size", "90x160", "--time", "350ms", "--input", "x", "--output", "one.png"]
    let result = try framepace(single, in: folder.path)
    #expect(result.status == 0, "\(result.error)")
    #expect(try folder.contents(of: "one.png") == driven[21])
  }

  /// One line, and none where a layer takes input.
  @Test(arguments: ["still", "feed"])
  func aSceneThatTakesNoInputIsTold(scene: String) throws {
    let folder = try Self.folder()
    let size = ["--input", "x", "--size", "90x160"]
    for command in [
      ["run", scene, "--simulate", "steady", "--duration", "50ms", "--fast"],
      ["profile", scene, "--display", "fallback", "--duration", "200ms"],
      ["render", scene, "--time", "50ms", "--output", "x.png"],
    ] {
      let result = try framepace(command + size, in: folder.path)
      #expect(result.status == 0, "\(result.error)")
      let text = (command[0] == "render" ? result.error : result.output).replacing("\n", with: " ")
      let count = text.ranges(of: "no layer of the scene takes the events of --input").count
      #expect(count == (scene == "still" ? 1 : 0), "\(command): \(text)")
    }
  }

  @Test(arguments: [["run", "feed"], ["profile", "feed"], ["render", "feed", "--frames", "2", "--output", "y"]])
  func mistakesHaveTheirPlace(command: [String]) throws {
    let folder = try Self.folder("framepace input 1\n0 1 added \"\"\n  0 1 touch 0 dwon 1 2")
    let result = try framepace(command + ["--input", "x"], in: folder.path)
    #expect(result.status == 1 && result.output.isEmpty)
    let message = result.error.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(message == "framepace: x:3:15: expected down, moved, up or cancelled, found \"dwon\"")
    #expect(try folder.files == ["x"])
  }
}
