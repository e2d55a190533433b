import Framepace
import Glibc
import Metering

/// Everything that `framepace profile` reports of a run: the verdict, the table, the worst frames and the distribution of the work.
@MainActor
struct ProfileFigures {
  let profile: PhaseProfile
  /// The phases of each frame.
  let phases: [FrameRecord.PhaseDurations]
  let areas: [PaintedAreas.Row]
  let layers: LayerCosts.Summary
  let regions: RegionTally
  /// The figures of the run.
  let report: FrameReport
  let subject: Subject
  /// The damage and the layers of the worst frames.
  var details: [FrameDetail] = []

  /// The scene or program, and the display and machine that it ran on.
  struct Subject {
    var scene: String
    var display: String
    var clock: String
    var width: Int
    var height: Int
    var environment: RunEnvironment
    /// When it was measured, since 1970; nil where a file does not tell.
    var time: Nanoseconds?
    /// Sentences about what the figures lack, and about a frame policy that is not the usual one.
    var notes: [String] = []
  }

  /// The largest number of frames whose durations JSON has.
  static let mostDurations = 100_000

  /// Prints the report, or writes it where it was asked for.
  func write(to target: SceneProfile.Target) throws {
    let json = json.line + "\n"
    switch target {
    case .output: return try Terminal.output.write(json)
    case .file(let file): try AtomicFile.write(Array(json.utf8), to: file)
    case .table: break
    }
    try Terminal.output.line(text(width: Terminal.output.textWidth))
  }

  /// The report for people; lines of at most `width` characters.
  func text(width: Int) -> String {
    let head = [
      Text.paragraph(verdict.withoutControlCharacters, width: width), "", ProfileText.table(profile, areas, width: width),
    ]
    guard profile.frames > 1 else { return head.joined(separator: "\n") }
    let works = Histogram(phases.map(\.total), ranges: 10)
    let rest = [
      "",
      LayerText.table(layers, frames: profile.frames, budget: profile.budget, width: width)
        + RegionText.table(regions, frames: profile.frames, budget: profile.budget, width: width) + worst(width: width), "",
      Text.paragraph(
        "work of a frame, with a budget of \(Text.milliseconds(profile.budget)) ms (\(profile.budgetReason))", width: width),
      works.lines(width: min(width, 78), counting: "frames", isInMilliseconds: true).joined(separator: "\n"), "",
      report.text(width: width), "",
      ProfileText.rules(profile, report, width: width),
    ]
    return (head + rest).joined(separator: "\n")
  }

  var verdict: String { profile.verdict(of: report) { layers.name(of: $0) } }

  private func worst(width: Int) -> String {
    let widths = [8, 9, 9, 8]
    let isWide = width >= 78
    func line(_ title: String, _ cells: [String], _ rest: String) -> String {
      Text.left(title, isWide ? 8 : 6) + zip(cells, widths).map { Text.right($0, $1) }.joined() + "  " + rest
    }
    let rows = profile.worstFrames.map { frame in
      line(
        "",
        [
          seconds(of: frame), Text.milliseconds(frame.record.work), Text.milliseconds(frame.lateness),
          "\(missed(before: frame))",
        ],
        reason(of: frame, isLong: isWide).withoutControlCharacters)
    }
    return ([line("worst", ["at s", "work ms", "late ms", "missed"], "cause")] + rows).joined(separator: "\n")
  }

  /// The time since the first frame.
  private func time(of frame: PhaseProfile.WorstFrame) -> Nanoseconds {
    // A frame that needed no tick may be the first.
    max(frame.record.tickTimestamp - (profile.firstTick ?? frame.record.tickTimestamp), .zero)
  }

  func seconds(of frame: PhaseProfile.WorstFrame) -> String { Text.decimal(time(of: frame).seconds, 3) }

  /// The intervals of the standstill that the frame ended.
  func missed(before frame: PhaseProfile.WorstFrame) -> Int {
    frame.standstill?.intervals ?? 0
  }

  private func reason(of frame: PhaseProfile.WorstFrame, isLong: Bool) -> String {
    let longest = longest(frame)
    // A narrow table tells of a frame in time by its lateness alone.
    guard isLong else { return frame.longestCause?.name ?? "longest \(longest.name)" }
    let name = frame.longestCause?.name ?? "in time"
    if let blocked = frame.record.blockedTime, blocked >= .milliseconds(1), blocked >= frame.record.work / 2 {
      return "\(name) (\(Text.milliseconds(blocked)) ms blocked)"
    }
    if let layer = frame.blamedLayer.flatMap({ layers.name(of: $0) }) { return "\(name) of '\(layer)'" }
    return frame.longestCause != .frame(.phase(longest)) ? "\(name) (longest: \(longest.name))" : name
  }

  /// The damage and the layers of a frame; nil where they are not kept.
  func detail(of frame: PhaseProfile.WorstFrame) -> FrameDetail? { details.first { $0.isOf(frame.record) } }

  func name(of layer: FrameRecord.LayerTime) -> String { layers.name(of: layer.layer) ?? "layer \(layer.layer)" }

  func longest(_ frame: PhaseProfile.WorstFrame) -> FrameRecord.Phase {
    FrameRecord.Phase.allCases.max { frame.record.phases[$0] < frame.record.phases[$1] } ?? .callbacks
  }

  // MARK: - JSON

  /// Times in milliseconds, shares of the budget as parts of 1.
  var json: JSONValue {
    let worst = profile.worstFrames.map { frame in
      JSONValue.object([
        ("number", .count(Int(clamping: frame.record.frameNumber))), ("time", .decimal(time(of: frame).seconds, 3)),
        ("work", .milliseconds(frame.record.work)),
        ("lateness", .milliseconds(frame.lateness)), ("missed", .count(missed(before: frame))),
        ("cause", .optional(frame.longestCause?.name)),
        ("longestPhase", .text(longest(frame).name)),
        ("layer", .optional(frame.blamedLayer.flatMap { layers.name(of: $0) })),
        ("processor", .milliseconds(frame.record.processorTime)),
        ("withoutProcessor", .milliseconds(frame.record.busyTime)),
        ("blocked", .milliseconds(frame.record.blockedTime)), ("drawnLayers", .count(frame.record.drawnLayers)),
        ("laidOutLayers", .count(frame.record.laidOutLayers)),
        ("damage", .list(detail(of: frame)?.damage.map(\.json) ?? [])),
        ("layers", .list(detail(of: frame)?.layers.map(layerTime) ?? [])),
      ])
    }
    return .object(
      [
        ("verdict", .text(verdict)),
        ("scene", .text(subject.scene)),
        ("display", .text(subject.display)),
        ("clock", .text(subject.clock)),
        ("notes", .list(subject.notes.map { .text($0) })),
        ("width", .count(subject.width)), ("height", .count(subject.height)),
        ("refreshRate", .decimal(profile.refreshRate.hertz, 3)),
        ("budget", .milliseconds(profile.budget)), ("budgetSource", .text(profile.budgetSource.rawValue)),
        ("rates", .list(profile.rates.map(Self.rate))), ("framesAtOtherRates", .count(profile.framesAtOtherRates)),
        ("framesAtUnknownRates", .count(profile.framesAtUnknownRates)),
        ("frames", .count(profile.frames)),
        ("late", .count(profile.lateFrames)),
        ("overBudget", .count(profile.framesOverBudget)),
        ("lateCauses", .object(profile.lateCauses.map { ($0.cause.name, .count($0.frames)) })),
        ("missedCauses", .object(report.missedCauses.map { ($0.cause.name, .count($0.intervals)) })),
      ] + ProfileText.json(profile, areas) + LayerText.json(layers, frames: profile.frames, budget: profile.budget) + [
        ("advice", LayerText.adviceJSON(layers, frames: profile.frames, budget: profile.budget)),
        ("regions", RegionText.json(regions, frames: profile.frames, budget: profile.budget)),
        ("worst", .list(worst)), ("statistics", report.json), ("environment", subject.environment.json),
        ("durations", durations),
      ])
  }

  private static func rate(_ rate: PhaseProfile.Rate) -> JSONValue {
    .object([
      ("rate", .decimal(1 / rate.interval.seconds, 3)), ("frames", .count(rate.frames)), ("told", .boolean(rate.isTold)),
    ])
  }

  private func layerTime(_ layer: FrameRecord.LayerTime) -> JSONValue {
    .object([
      ("name", .text(name(of: layer))), ("phase", .text(layer.phase.name)), ("time", .milliseconds(layer.time)),
    ])
  }

  private var durations: JSONValue {
    guard phases.count <= Self.mostDurations else { return .null }
    return .object(
      FrameRecord.Phase.allCases.map { phase in
        (phase.name, .list(phases.map { .count(Int($0[phase].count)) }))
      })
  }
}

extension IntRect {
  /// Left, top, width and height.
  var json: JSONValue { .list([.count(Int(minX)), .count(Int(minY)), .count(width), .count(height)]) }
}
