import Framepace
import Metering

/// The text and JSON of `framepace view` for captures.
enum CaptureText {
  /// The report for people; lines of at most `width` characters.
  static func text(
    _ report: CaptureReport, of stream: FrameCapture.Stream, file: String, format: FrameCapture.Format, width: Int
  ) -> String {
    let title = stream.title.isEmpty ? [] : [Text.paragraph(stream.title, width: width)]
    let heading = Text.paragraph("\(file.withoutControlCharacters): \(format.rawValue)", width: width)
    let verdict = Text.paragraph(report.verdict, width: width)
    let rules = report.rules.map { Text.paragraph($0, width: width) }
    return ([heading] + title + ["", verdict, "", report.text(width: width), ""] + rules).joined(separator: "\n")
  }

  /// The streams of a file that has several, those with most frames first.
  static func list(_ streams: [FrameCapture.Stream]) -> String {
    let shown = streams.sorted { $0.frames > $1.frames }.prefix(40)
    let width = shown.map { "\($0.frames)".count }.max() ?? 0
    let more = streams.count > shown.count ? ["… and \(streams.count - shown.count) more"] : []
    return (shown.map { "\(Text.right("\($0.frames)", width)) frames  \($0.title)" } + more).joined(separator: "\n")
  }

  static func json(
    _ report: CaptureReport, of stream: FrameCapture.Stream, file: String, format: FrameCapture.Format
  ) -> JSONValue {
    func name(_ text: String) -> JSONValue { .optional(text.isEmpty ? nil : text) }
    func count(_ value: Int?) -> JSONValue { value.map { .count($0) } ?? .null }
    let members: [(key: String, value: JSONValue)] = [
      ("verdict", .text(report.verdict)), ("file", .text(file)), ("format", .text(format.rawValue)),
      ("application", name(stream.name)), ("processID", name(stream.processID)), ("swapChain", name(stream.swapChain)),
      ("intervalKind", .text(report.intervalKind.rawValue)),
      ("frames", .count(report.frames)), ("neverSeen", count(report.neverSeen)), ("pending", .count(report.pending)),
      ("late", count(report.late)),
      ("lateCauses", report.lateCauses.map { .object($0.map { ($0.cause.name, .count($0.frames)) }) } ?? .null),
      ("missed", count(report.missed)),
      ("missedCauses", report.missedCauses.map { .object($0.map { ($0.cause.name, .count($0.intervals)) }) } ?? .null),
      ("time", .decimal(report.time.seconds, 3)), ("coverage", .decimal(report.coverage, 3)),
      ("presentedRate", .decimal(report.presentedRate, 3)), ("frameRate", .decimal(report.frameRate, 3)),
      ("onePercentLow", .decimal(report.onePercentLow, 3)), ("tenthPercentLow", .decimal(report.tenthPercentLow, 3)),
    ]
    let run: [(key: String, value: JSONValue)] = [
      ("statistics", report.runReport?.json ?? .null), ("budget", .milliseconds(report.budget)),
      ("ownBudget", report.run?.ownBudget?.json ?? .null),
    ]
    let distributions = [
      report.frameInterval.json("frameInterval"), LongIntervals.json(report.longIntervals), report.work.json("work"),
      report.latency.json("latency"), report.inputLatency.json("inputLatency"),
      report.animationError.json("animationError"),
    ]
    return .object(members + run + distributions.joined())
  }
}
