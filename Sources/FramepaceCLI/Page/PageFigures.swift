import Framepace
import Metering

/// The figures of a page.
struct PageFigures {
  let scene: String
  /// The scene, its display and its clock.
  let subject: String
  let verdict: String
  /// All else, as a JSON object without "<".
  let json: [UInt8]

  /// - Parameters:
  ///   - timeline: of the same run.
  ///   - last: the profile's last frame; the timeline may have later ones.
  @MainActor
  init(_ figures: ProfileFigures, timeline: FrameTimeline, last: FrameRecord?) {
    scene = figures.subject.scene
    subject = "\(figures.subject.scene) on \(figures.subject.display), \(figures.subject.clock)"
    verdict = figures.verdict
    let frames = PageFrames(
      timeline: timeline, first: figures.profile.firstTick ?? .zero, last: last, all: figures.profile.frames)

    var bytes: [UInt8] = []
    bytes.reserveCapacity(100 * frames.count + (1 << 14))
    bytes += "{\"frames\":".utf8
    frames.append(to: &bytes)
    let members: [(key: String, value: JSONValue)] = [
      ("interval", .decimal(figures.interval.milliseconds, 6)),
      ("budget", .decimal(figures.profile.budget.milliseconds, 6)),
      ("phases", .list(FrameRecord.Phase.allCases.map { .text($0.name) })),
      ("causes", .list(PageFrames.causes.map { .text($0.name) })),
      ("tiles", .list(figures.tiles)), ("phaseTable", figures.phaseTable), ("histogram", figures.histogram),
      ("worst", .list(figures.profile.worstFrames.map { figures.worst($0, index: frames.index(of: $0.record)) })),
      ("tables", .list(figures.tables)), ("environment", Self.facts(figures.environment)),
      ("definitions", Self.facts(PageText.definitions)),
    ]
    for (key, value) in members { bytes += ",\"\(key)\":\(value.line)".utf8 }
    bytes += "}".utf8
    json = bytes
  }

  private static func facts(_ facts: [(title: String, text: String)]) -> JSONValue {
    .list(facts.map { .list([.text($0.title), .text($0.text)]) })
  }
}

extension ProfileFigures {
  /// The figures below the verdict: title, value, unit, and whether it is a bad one.
  fileprivate var tiles: [JSONValue] {
    func tile(_ title: String, _ value: String, _ unit: String = "", isBad: Bool = false) -> JSONValue {
      .list([.text(title), .text(value), .text(unit), .boolean(isBad)])
    }
    let frames = profile.frames
    func part(_ count: Int) -> String { frames == 0 ? "" : Text.decimal(Double(count) * 100 / Double(frames), 1) + " %" }
    let total = profile.total
    let own = profile.ownBudget.flatMap { $0.p99 ?? $0.maximum }
    let ownBudget = own.map { [tile("p99 of own budget", Text.percent($0), isBad: $0 > 1)] } ?? []
    let usual =
      total.p99.map { tile("p99 of the work", Text.milliseconds($0), "ms", isBad: $0 > profile.budget) }
      ?? tile(
        "longest work", Text.milliseconds(total.maximum), "ms",
        isBad: frames > 1 && (total.maximum ?? .zero) > profile.budget)
    let unseen = [("discarded", report.discarded), ("lost", report.lost)].filter { $0.1 > 0 }
    return [
      tile("frames", "\(frames)"),
      tile("late", "\(profile.lateFrames)", part(profile.lateFrames), isBad: profile.lateFrames > 0),
      tile(
        "over budget", "\(profile.framesOverBudget)", part(profile.framesOverBudget), isBad: profile.framesOverBudget > 0),
      tile("missed intervals", "\(report.missed)", isBad: report.missed > 0),
    ] + unseen.map { tile($0, "\($1)", isBad: true) } + [
      tile("median work", Text.milliseconds(total.p50), total.p50 == nil ? "" : "ms"), usual,
      tile("budget", Text.milliseconds(profile.budget), "ms"),
    ] + ownBudget
  }

  fileprivate var phaseTable: JSONValue {
    guard profile.frames > 0 else { return .null }
    func row(_ row: PhaseProfile.Row, _ title: String = "all") -> JSONValue {
      let cells = [row.p50, row.p95, row.p99, row.maximum].map { Text.milliseconds($0) }
      let share = row.share.map { Text.decimal($0 * 100, 1) + " %" } ?? "–"
      return .object([
        ("name", .text(row.phase?.name ?? title)), ("phase", row.phase.map { .count(Int($0.rawValue)) } ?? .null),
        ("cells", .list((cells + [share]).map { .text($0) })), ("share", .decimal(row.share ?? 0, 4)),
      ])
    }
    let processor = profile.processorTime.map { [row($0, "processor")] } ?? []
    let head = ["phase", "p50 ms", "p95 ms", "p99 ms", "max ms", "of budget"]
    return .object([
      ("head", .list(head.map { .text($0) })),
      ("rows", .list(profile.rows.map { row($0) } + [row(profile.total)] + processor)),
    ])
  }

  fileprivate var histogram: JSONValue {
    guard profile.frames > 1 else { return .null }
    let works = Histogram(phases.map(\.total), ranges: 48)
    let scale = Histogram.Scale(works, isInMilliseconds: true)
    func number(_ duration: Nanoseconds) -> JSONValue { .decimal(scale.value(of: duration), 6) }
    let total = profile.total
    let lines: [(String, Nanoseconds?)] = [
      ("p50", total.p50), ("p95", total.p95), ("p99", total.p99), ("budget", profile.budget),
    ]
    // JSON has no number for what took longer than hours.
    let known = lines.compactMap { name, value in value.map { (name, $0) } }
      .filter { scale.value(of: $0.1) < 1e9 }.sorted { $0.1 < $1.1 }
    return .object([
      ("start", number(works.start)), ("width", number(works.width)), ("counts", .list(works.counts.map { .count($0) })),
      ("below", .count(works.below)), ("above", .count(works.above)), ("unit", .text(scale.unit)),
      ("decimals", .count(scale.decimals)), ("budget", number(profile.budget)),
      ("lines", .list(known.map { .list([.text($0), number($1)]) })),
    ])
  }

  /// The tables below the worst frames that have a row: title, names of columns and rows.
  fileprivate var tables: [JSONValue] {
    let (frames, budget) = (profile.frames, profile.budget)
    func table(_ title: String, _ head: [String], _ rows: [[String]], _ notes: [String] = []) -> JSONValue? {
      if rows.isEmpty { return nil }
      return .object([
        ("title", .text(title)), ("head", .list(head.map { .text($0) })),
        ("rows", .list(rows.map { .list($0.map { .text($0) }) })), ("notes", .list(notes.map { .text($0) })),
      ])
    }
    let advice = layers.advice(frames: frames, budget: budget).map(\.text)
    let layerCells = LayerText.cells(layers, frames: frames, budget: budget)
    let distributions = [
      ("frame interval", report.frameInterval), ("latency", report.latency),
      ("input latency", report.inputLatency), ("animation error", report.animationError),
      ("prediction error", report.predictionError), ("tick lateness", report.tickLateness),
    ].filter { $0.1.count > 0 }
    let times = distributions.map { name, times in
      [name, "\(times.count)"] + [times.p50, times.p95, times.p99, times.maximum].map { Text.milliseconds($0) }
    }
    let intervals = report.longIntervals.map { ["frame intervals: " + $0.items.joined(separator: ", ")] } ?? []
    return [
      table("Layers that cost most", layerCells.first ?? [], Array(layerCells.dropFirst()), advice),
      table("Pixels", ["pixels", "p50", "max"], areas.map { [$0.kind.longTitle, $0.p50Text, $0.maximumText] }),
      table("Regions", RegionText.head, RegionText.rows(regions, frames: frames, budget: budget)),
      table("Times", ["time", "frames", "p50 ms", "p95 ms", "p99 ms", "max ms"], times, intervals),
    ].compactMap(\.self)
  }

  /// - Parameter index: the frame's place in the timeline.
  fileprivate func worst(_ frame: PhaseProfile.WorstFrame, index: Int?) -> JSONValue {
    .object([
      ("index", index.map { .count($0) } ?? .null), ("time", .text(seconds(of: frame))),
      ("work", .text(Text.milliseconds(frame.record.work))), ("late", .text(Text.milliseconds(frame.lateness))),
      ("missed", .count(missed(before: frame))), ("cause", .text(frame.longestCause?.name ?? "in time")),
      ("isLate", .boolean(frame.causes != nil)),
      ("longest", .text(longest(frame).name)), ("damage", detail(of: frame).map(damage) ?? .null),
      ("drawn", .text(drawn(frame.record))),
      ("layers", .list((detail(of: frame)?.layers ?? []).map(layerTime))),
    ])
  }

  /// The picture of a frame's damage.
  private func damage(_ detail: FrameDetail) -> JSONValue {
    let pixels = detail.damage.reduce(0) { $0 + $1.area }
    let part = Text.decimal(Double(pixels) * 100 / Double(max(detail.width * detail.height, 1)), 1)
    let rects = detail.damage.count == 1 ? "a rectangle" : "\(detail.damage.count) rectangles"
    let text = pixels == 0 ? "pixels only moved" : "\(part) % of the picture changed, in \(rects)"
    return .object([
      ("width", .count(detail.width)), ("height", .count(detail.height)), ("text", .text(text)),
      ("rects", .list(detail.damage.map(\.json))),
    ])
  }

  private func drawn(_ frame: FrameRecord) -> String {
    let counts = [(frame.drawnLayers, "drawn"), (frame.laidOutLayers, "laid out")].filter { $0.0 > 0 }
    guard let (first, what) = counts.first else { return "no layer was drawn or laid out" }
    let all = ["\(first) \(first == 1 ? "layer" : "layers") \(what)"] + counts.dropFirst().map { "\($0) \($1)" }
    return all.joined(separator: ", ")
  }

  private func layerTime(_ layer: FrameRecord.LayerTime) -> JSONValue {
    .list([
      .text(name(of: layer)), .count(Int(layer.phase.rawValue)), .text(layer.phase.name),
      .text("\(Text.decimal(layer.time.milliseconds * 1000, 0)) µs"),
    ])
  }

  /// The refresh interval of most frames.
  fileprivate var interval: Nanoseconds { profile.rates.first?.interval ?? profile.refreshRate.interval }

  private var rateText: String {
    let told = "\(Text.decimal(profile.refreshRate.hertz, 3)) Hz"
    guard let usual = profile.rates.first, !usual.isTold else { return told }
    return "\(told), as the display tells; \(Text.decimal(1 / usual.interval.seconds, 3)) Hz measured"
  }

  fileprivate var environment: [(title: String, text: String)] {
    let machine = subject.environment
    return [
      ("scene", subject.scene), ("display", subject.display), ("clock", subject.clock),
      ("picture", "\(subject.width) × \(subject.height) pixels"),
      ("refresh rate", rateText),
      ("processor", machine.processor), ("cores", "\(machine.cores)"), ("kernel", machine.kernel),
      ("framepace", "\(machine.version), \(machine.build) build"),
    ] + (subject.localTime.map { [("measured", $0)] } ?? []) + subject.notes.map { ("note", $0) }
  }
}
