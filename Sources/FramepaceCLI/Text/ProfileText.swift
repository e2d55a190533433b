import Framepace
import Metering

/// The text and JSON of `framepace profile`.
enum ProfileText {
  /// The table, 59 characters wide, and 80 with bars where there is room. A single frame has times alone.
  static func table(_ profile: PhaseProfile, _ areas: [PaintedAreas.Row], width: Int) -> String {
    let widths = [8, 10, 10, 9, 11]
    func line(_ title: String, _ cells: [String]) -> String {
      Text.left(title, 11) + zip(cells, widths).map { Text.right($0, $1) }.joined()
    }
    let isSingle = profile.frames == 1
    func row(_ row: PhaseProfile.Row, _ title: String = "all") -> String {
      if isSingle { return line(row.phase?.name ?? title, [Text.milliseconds(row.maximum)]) }
      let share = row.share.map { Text.decimal($0 * 100, 1) + " %" } ?? "–"
      let cells = [row.p50, row.p95, row.p99, row.maximum].map { Text.milliseconds($0) } + [share]
      let bar = width < 78 ? "" : Histogram.bar(of: min(row.share ?? 0, 1), length: 16)
      return line(row.phase?.name ?? title, cells) + (bar.isEmpty ? "" : "  \(bar)")
    }
    var lines = [line("phase", isSingle ? ["ms"] : ["p50 ms", "p95 ms", "p99 ms", "max ms", "of budget"])]
    lines += profile.rows.map { row($0) }
    lines.append(row(profile.total))
    if let time = profile.processorTime { lines.append(row(time, "processor")) }
    if let own = profile.ownBudget { lines.append(line(OwnBudget.title, own.figures.map { Text.percent($0.value) })) }
    lines.append("")
    lines.append(isSingle ? "pixels" : line("pixels", ["p50", "max"]))
    lines += areas.map { area in
      line(area.kind.title, isSingle ? [area.maximumText] : [area.p50Text, area.maximumText])
    }
    return lines.joined(separator: "\n")
  }

  /// The definitions below the figures.
  static func rules(_ profile: PhaseProfile, _ report: FrameReport, width: Int) -> String {
    let rules = [profile.spareRule, budgetRule, worstRule, processorRule + (processorExcess(profile) ?? ""), areaRule]
    return (rules.compactMap(\.self) + report.rules).map { Text.paragraph($0, width: width) }.joined(separator: "\n")
  }

  private static let budgetRule =
    "of budget: the mean time in a frame, as a part of its budget; the parts of the phases add up to that of all"

  private static let worstRule =
    "worst: they kept the picture before them on screen too long, counted in refresh intervals; of equal ones those that were late themselves, then those with most work; missed: the intervals before them for which no late frame accounts"

  private static let processorRule =
    "processor: how long the frame's threads had one; less than all where they were blocked or the machine was busy elsewhere"

  /// A sentence about a processor time that is above that of all phases; nil if it is not.
  private static func processorExcess(_ profile: PhaseProfile) -> String? {
    guard let processor = profile.processorTime?.p50, let all = profile.total.p50, processor > all else { return nil }
    return
      "; here it is \(Text.decimal((processor - all).milliseconds * 1000, 0)) us more at the median: it also counts what the loop does between the phases, from its waking on"
  }

  private static let areaRule =
    "dirty: differing from the frame before, but for pixels that only moved; painted: what the buffer lacked, with two buffers that of two frames; overdraw: how often a painted pixel was painted"

  /// The members of the JSON object that the table shows.
  static func json(_ profile: PhaseProfile, _ areas: [PaintedAreas.Row]) -> [(key: String, value: JSONValue)] {
    func area(_ row: PaintedAreas.Row) -> (String, JSONValue) {
      let decimals = row.kind.isRatio ? 3 : 0
      return (row.kind.rawValue, .object([("p50", .decimal(row.p50, decimals)), ("max", .decimal(row.maximum, decimals))]))
    }
    func phase(_ row: PhaseProfile.Row, _ title: String = "all") -> JSONValue {
      .object([
        ("name", .text(row.phase?.name ?? title)),
        ("p50", .milliseconds(row.p50)),
        ("p95", .milliseconds(row.p95)),
        ("p99", .milliseconds(row.p99)),
        ("max", .milliseconds(row.maximum)),
        ("share", .decimal(row.share, 4)),
      ])
    }
    return [
      ("phases", .list(profile.rows.map { phase($0) })),
      ("all", phase(profile.total)),
      ("processor", profile.processorTime.map { phase($0, "processor") } ?? .null),
      ("ownBudget", profile.ownBudget?.json ?? .null),
      ("pixels", .object(areas.map(area))),
    ]
  }
}

extension OwnBudget {
  var json: JSONValue { .object(figures.map { ($0.title, .decimal($0.value, 4)) }) }
}

extension PaintedAreas.Row {
  var p50Text: String { text(p50) }
  var maximumText: String { text(maximum) }

  private func text(_ value: Double?) -> String { value.map { Text.decimal($0, kind.isRatio ? 2 : 0) } ?? "–" }
}

extension PaintedAreas.Row.Kind {
  fileprivate var isRatio: Bool { self == .paintedRatio || self == .overdraw }

  /// Below that of painted pixels.
  fileprivate var title: String { self == .paintedRatio ? "  per dirty" : rawValue }
  var longTitle: String { self == .paintedRatio ? "painted per dirty" : rawValue }
}
