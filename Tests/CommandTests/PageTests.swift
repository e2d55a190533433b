import Foundation
import FrameTiming
import Framepace
import LinuxSystem
import Metering
import TestLength
import Testing

@testable import FramepaceCLI

/// `framepace profile --html`: what is in the page. `Tests/Scripts/page` opens such pages in a browser.
struct PageTests {
  static func json(_ page: Data) throws -> [String: Any] {
    let text = try #require(String(data: page, encoding: .utf8))
    let start = try #require(text.range(of: #"<script type="application/json" id="data">"#)).upperBound
    let end = try #require(text.range(of: "</script>", range: start..<text.endIndex)).lowerBound
    return try #require(try JSONSerialization.jsonObject(with: Data(text[start..<end].utf8)) as? [String: Any])
  }

  /// The heading, and the items of the list below it.
  static func verdict(_ page: Data) throws -> String {
    let text = String(decoding: page, as: UTF8.self)
    let start = try #require(text.range(of: "<h1>")).upperBound
    let end = try #require(text.range(of: "</header>", range: start..<text.endIndex)).lowerBound
    return text[start..<end].split(separator: "\n").joined().replacing("</h1>", with: "")
      .replacing("<ul class=\"verdict\">", with: "").replacing("</ul>", with: "").replacing("</li>", with: "")
      .replacing("<li>", with: "; ").replacing("\u{a0}", with: " ")
  }

  private static func profile(_ arguments: String...) throws -> (page: Data, figures: [String: Any]) {
    let folder = try TemporaryFolder()
    let result = try framepace(
      ["profile"] + arguments + ["--display", "fallback", "--html", "p.html", "--json", "p.json"], in: folder.path)
    #expect(result.status == 0, "\(result.error)")
    let figures = try JSONSerialization.jsonObject(with: folder.contents(of: "p.json")) as? [String: Any]
    return (try folder.contents(of: "p.html"), try #require(figures))
  }

  @Test func hasEveryFrame() throws {
    let (page, figures) = try Self.profile("orbit", "--frames", "40", "--rate", "200", "--size", "160x90")
    let data = try Self.json(page)
    let frames = try #require(data["frames"] as? [String: Any])
    #expect(frames["count"] as? Int == 40 && frames["leftOut"] as? Int == 0)
    let durations = try #require(figures["durations"] as? [String: [Int]])
    let phases = try #require(frames["phases"] as? [[Int]])
    for (name, values) in zip(try #require(data["phases"] as? [String]), phases) {
      #expect(values == durations[name]?.map { ($0 + 500) / 1000 }, "\(name)")
    }
    for key in ["at", "due", "seen", "cause"] { #expect((frames[key] as? [Int])?.count == 40, "\(key)") }
    #expect(try Self.verdict(page) == figures["verdict"] as? String)
  }

  /// Missed intervals, pixels, and what the threads of each frame did are those of the JSON.
  @Test func hasWhatTheTerminalShows() throws {
    let (page, figures) = try Self.profile("orbit", "--frames", "40", "--rate", "200", "--size", "160x90")
    let data = try Self.json(page)
    let tiles = try #require(data["tiles"] as? [[Any]])
    let missed = try #require(tiles.first { $0[0] as? String == "missed intervals" })
    let count = try #require((figures["statistics"] as? [String: Any])?["missed"] as? Int)
    #expect(missed[1] as? String == "\(count)" && missed[3] as? Bool == (count > 0))

    #expect((data["histogram"] as? [String: Any])?["unit"] as? String == "ms", "as the text")
    let phases = try #require((data["phaseTable"] as? [String: Any])?["rows"] as? [[String: Any]])
    #expect(phases.suffix(2).map { $0["name"] as? String } == ["all", "processor"])
    let processor = try #require((phases.last?["cells"] as? [String])?.first)
    let p50 = try #require((figures["processor"] as? [String: Any])?["p50"] as? Double)
    #expect(abs(try #require(Double(processor)) - p50) < 0.006, "\(processor)")

    let tables = try #require(data["tables"] as? [[String: Any]])
    let rows = try #require(tables.first { $0["title"] as? String == "Pixels" }?["rows"] as? [[String]])
    let pixels = try #require(figures["pixels"] as? [String: [String: Double]])
    #expect(rows.map { $0[0] } == ["dirty", "painted", "painted per dirty", "overdraw"])
    for (row, (key, rounding)) in zip(
      rows, [("dirty", 0.51), ("painted", 0.51), ("paintedRatio", 0.006), ("overdraw", 0.006)])
    {
      for (cell, name) in zip(row.dropFirst(), ["p50", "max"]) {
        #expect(abs(try #require(Double(cell)) - #require(pixels[key]?[name])) < rounding, "\(row)")
      }
    }

    let frames = try #require(data["frames"] as? [String: Any])
    let columns = try #require(frames["columns"] as? [[String: Any]])
    func values(_ name: String) throws -> [Int] {
      try #require(columns.first { $0["name"] as? String == name }?["values"] as? [Int], "\(name)")
    }
    let (running, ready, blocked) = (
      try values("with a processor"), try values("ready, without a processor"), try values("blocked")
    )
    #expect([running, ready, blocked].allSatisfy { $0.count == 40 && $0.allSatisfy { $0 >= 0 } })
    let worst = try #require((figures["worst"] as? [[String: Any]])?.first)
    let index = try #require((data["worst"] as? [[String: Any]])?.first?["index"] as? Int)
    for (shown, key) in [(running[index], "processor"), (blocked[index], "blocked")] {
      #expect(abs(Double(shown) / 1000 - (try #require(worst[key] as? Double))) < 0.002, "\(key)")
    }
  }

  /// The worst frames have the rectangles that changed and the layers that took longest, as in the JSON; the first changed everything.
  @Test func showsWhatChangedInTheWorstFrames() throws {
    let (page, figures) = try Self.profile(
      "stress", "--work", "1ms,8ms", "--work-phase", "display", "--frames", "40", "--rate", "200", "--size", "160x90")
    let shown = try #require(try Self.json(page)["worst"] as? [[String: Any]])
    let meant = try #require(figures["worst"] as? [[String: Any]])
    #expect(shown.count == 5 && meant.count == 5)
    for (frame, figures) in zip(shown, meant) {
      let damage = try #require(frame["damage"] as? [String: Any])
      #expect(damage["width"] as? Int == 160 && damage["height"] as? Int == 90)
      let rects = try #require(damage["rects"] as? [[Int]])
      #expect(rects == figures["damage"] as? [[Int]] && !rects.isEmpty)
      let layers = try #require(frame["layers"] as? [[Any]])
      let times = try #require(figures["layers"] as? [[String: Any]])
      #expect(layers.map { $0[0] as? String } == times.map { $0["name"] as? String } && !layers.isEmpty)
      #expect((try #require(times[0]["time"] as? Double)) > 0.5)
      let drawn = try #require(figures["drawnLayers"] as? Int)
      #expect((frame["drawn"] as? String)?.hasPrefix("\(drawn) layer") == true && drawn > 0)
    }
  }

  /// A page names no address: it cannot ask a network for anything.
  @Test func loadsNothing() throws {
    let text = try #require(
      String(data: try Self.profile("orbit", "--frames", "5", "--rate", "200", "--size", "64x64").page, encoding: .utf8))
    for part in ["http:", "https:", "//cdn", "@import", "url(", "fetch(", "XMLHttpRequest", "import("] {
      #expect(!text.contains(part), "\(part)")
    }
    #expect(text.contains("default-src 'none'"))
  }

  @Test func aSceneThatDoesNotMove() throws {
    let data = try Self.json(try Self.profile("still", "--size", "64x64").page)
    #expect((data["frames"] as? [String: Any])?["count"] as? Int == 1)
    #expect(data["histogram"] is NSNull && (data["worst"] as? [Any])?.count == 1)
  }

  // MARK: - Any run

  @MainActor
  private static func page(_ frames: [FrameRecord], kept: Int, scene: String = "a scene") throws -> Data {
    var profile = PhaseProfile(refreshRate: .hertz60)
    var timeline = FrameTimeline(capacity: kept)
    for record in frames {
      profile.add(record)
      timeline.add(LoggedFrame(record: record, outcome: .presented))
      timeline.add(LoggedFrame(record: record, outcome: .discarded))
    }
    let figures = ProfileFigures(
      profile: profile, phases: frames.map(\.phases), areas: [], layers: LayerCosts.Summary(rows: []),
      regions: RegionTally(), report: FPSMeter(refreshRate: .hertz60).report(),
      subject: ProfileFigures.Subject(
        scene: scene, display: "a display", clock: "a test", width: 64, height: 64, environment: .current))
    return Data(ProfilePage.bytes(PageFigures(figures, timeline: timeline, last: frames.last)))
  }

  static func frames(_ count: Int) -> [FrameRecord] {
    (0..<Int64(count)).map { number in
      var record = FrameRecord()
      record.frameNumber = UInt64(number)
      record.tickTimestamp = .zero + .microseconds(1_000_000 + 16_667 * number)
      (record.start, record.delivered) = (record.tickTimestamp, record.tickTimestamp)
      record.target = record.tickTimestamp + .microseconds(16_667)
      record.submitted = record.tickTimestamp + .milliseconds(5)
      record.presented = record.target
      for phase in FrameRecord.Phase.allCases { record.phases[phase] = .microseconds(100 + number % 997) }
      record.paintedPixels = 1_000_000
      return record
    }
  }

  @Test @MainActor func withoutFrames() throws {
    let data = try Self.json(try Self.page([], kept: 10))
    #expect((data["frames"] as? [String: Any])?["count"] as? Int == 0)
    #expect(data["histogram"] is NSNull && data["phaseTable"] is NSNull)
  }

  /// A frame that ends a standstill is among the worst, and has the number of its interval and what it waited before its beginning.
  @Test @MainActor func aFrameThatEndsAStandstill() throws {
    var frames = Self.frames(20)
    for index in frames.indices.suffix(10) {
      frames[index].frameNumber += 2
      let times: [WritableKeyPath<FrameRecord, MonotonicTime>] = [
        \.tickTimestamp, \.start, \.delivered, \.target, \.submitted, \.presented,
      ]
      for time in times { frames[index][keyPath: time] += .microseconds(33_334) }
    }
    for index in frames.indices { frames[index].processorTime = frames[index].work }
    (frames[10].missedTime, frames[10].startDelay) = (RefreshRate.hertz60.interval * 2, .milliseconds(25))
    let data = try Self.json(try Self.page(frames, kept: 100))
    let worst = try #require((data["worst"] as? [[String: Any]])?.first)
    #expect(worst["cause"] as? String == "machine busy" && worst["isLate"] as? Bool == false)
    #expect(worst["missed"] as? Int == 2 && worst["index"] as? Int == 10)
    let shown = try #require(data["frames"] as? [String: Any])
    let steps = try #require(shown["number"] as? [Int])
    #expect(steps == [0] + Array(repeating: 1, count: 9) + [3] + Array(repeating: 1, count: 9))
    let columns = try #require(shown["columns"] as? [[String: Any]])
    func values(_ name: String) throws -> [Int?] {
      try #require(columns.first { $0["name"] as? String == name }?["values"] as? [Any], "\(name)").map { $0 as? Int }
    }
    #expect(try values("without a processor before it was begun")[10] == 25_000)
    #expect(try values("without a tick before it").map { $0 ?? 0 }.filter { $0 > 0 } == [33_333])
  }

  @Test @MainActor func namesAreText() throws {
    let name = "</script><!--<script>\"'&\\\u{2028}<img src=x onerror=alert(1)>"
    let page = try Self.page(Self.frames(3), kept: 10, scene: name)
    let text = try #require(String(data: page, encoding: .utf8))
    #expect(!text.contains("<img") && !text.contains("<!--"))
    #expect(text.components(separatedBy: "</script>").count == 3)
    let environment = try #require(try Self.json(page)["environment"] as? [[String]])
    #expect(environment.first == ["scene", name])
  }

  @Test @MainActor func theSizeIsBounded() throws {
    #expect(try Self.page(Self.frames(10_000), kept: 10_000).count < 3_000_000)
    let page = try Self.page(Self.frames(2_000), kept: 1_000)
    let frames = try #require(try Self.json(page)["frames"] as? [String: Any])
    // Half of what is kept are frames that were never seen.
    #expect(frames["count"] as? Int == 500 && frames["leftOut"] as? Int == 1_500)
  }

  /// Whatever a broken display says, the page's numbers are finite and the frames in order.
  @Test @MainActor func recordsOfAnyKind() throws {
    for seed in 0..<UInt64(isLongRun ? 500 : 30) {
      var random = SplitMix64(seed: seed)
      var records = Self.frames(20)
      for index in records.indices {
        func any() -> MonotonicTime { MonotonicTime(nanoseconds: Int64.random(in: .min ... .max, using: &random)) }
        if Bool.random(using: &random) { (records[index].delivered, records[index].tickTimestamp) = (any(), any()) }
        if Bool.random(using: &random) { records[index].presented = any() }
        if Bool.random(using: &random) { records[index].promised = any() }
        if Bool.random(using: &random) { records[index].phases[.layout] = any() - .zero }
      }
      let frames = try #require(try Self.json(try Self.page(records, kept: 100))["frames"] as? [String: Any], "seed \(seed)")
      let steps = try #require(frames["at"] as? [Int])
      #expect(steps.dropFirst().allSatisfy { $0 >= 0 }, "seed \(seed)")
      for phase in try #require(frames["phases"] as? [[Int]]) {
        #expect(phase.allSatisfy { (0...1_000_000_000_000).contains($0) }, "seed \(seed)")
      }
    }
  }
}
