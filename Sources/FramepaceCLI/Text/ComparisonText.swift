import Framepace
import Metering

/// The text and JSON of `framepace profile --compare`.
struct ComparisonText {
  let before: ProfileFile
  let after: ProfileFile
  let comparison: ProfileComparison
  /// The growth that is no regression yet, as a part.
  let limit: Double
  /// Differences between the runs that may matter.
  let notes: [String]

  /// - Throws: a `Refusal` if the two are not of the same kind.
  init(_ before: ProfileFile, _ after: ProfileFile, limit: Double) throws {
    (self.before, self.after, self.limit) = (before, after, limit)
    notes = try before.requireComparable(with: after)
    comparison = ProfileComparison(before: before.frames, after: after.frames, limit: limit, budget: before.budget)
  }

  /// "regression past 5 %: composite takes 12 % longer"
  var verdict: String {
    let percent = "\(Text.number(limit * 100)) %"
    func list(_ rows: [ProfileComparison.Row]) -> String { rows.map(Self.growth).joined(separator: ", ") }
    if !comparison.regressions.isEmpty { return "regression past \(percent): \(list(comparison.regressions))" }
    let changed = comparison.rows.filter(\.change.isFelt)
    let none =
      comparison.rows.contains { $0.change == .tooSmall }
      ? "no change beyond noise that anybody would feel" : "no phase changed beyond noise"
    return "no regression past \(percent): \(changed.isEmpty ? none : list(changed))"
  }

  /// The report for people; lines of at most `width` characters, and a table of 59 or of 78, which has the effect size.
  func text(width: Int) -> String {
    let isWide = width >= 78
    let widths = isWide ? [11, 11, 11, 11, 11] : [10, 9, 10, 0, 8]
    func line(_ title: String, _ cells: [String], _ rest: String) -> String {
      let columns = zip(cells, widths).filter { $0.1 > 0 }.map { Text.right($0, $1) }
      return Text.left(title, isWide ? 11 : 10) + columns.joined() + (rest.isEmpty ? "" : "  " + rest)
    }
    let rows = comparison.rows.map { row in
      line(
        row.name,
        [
          Text.decimal(row.before.milliseconds, 3), Text.decimal(row.after.milliseconds, 3), Self.signed(row.growth),
          Text.percent(row.superiority), row.probability < 0.001 ? "< 0.001" : Text.decimal(row.probability, 3),
        ], row.isRegression ? "regression" : row.change == .same ? "" : row.change.rawValue)
    }
    let heading =
      "\(before.path) → \(after.path): \(before.scene) on \(before.display)".withoutControlCharacters
    let late =
      "\(before.frames.count) frames with \(before.late) late, then \(after.frames.count) with \(after.late) late"
    let sentences = ([verdict, "", heading, late] + notes).map { Text.paragraph($0, width: width) }
    let titles = line("phase", ["before ms", "after ms", "change", "longer in", "p"], "")
    return (sentences + ["", titles] + rows + ["", Text.paragraph(Self.rule(isWide: isWide), width: width)])
      .joined(separator: "\n")
  }

  private static func rule(isWide: Bool) -> String {
    let test =
      "Mann-Whitney test on the medians of \(ProfileComparison.blockCount) blocks of frames of each run, two-sided, p with Holm's correction; a change has p < \(Text.number(ProfileComparison.level)) and \(Text.number(ProfileComparison.leastShare * 100)) % of the budget or more; before and after: the median of the blocks' medians"
    let effect = "longer in: the part of pairs of blocks in which the one after is longer"
    return isWide ? "\(test); \(effect)" : test
  }

  private static func growth(_ row: ProfileComparison.Row) -> String {
    let word = row.after > row.before ? "longer" : "shorter"
    let amount = row.growth.map { "\(Text.decimal(abs($0) * 100, 0)) %" } ?? "\(Text.milliseconds(row.after)) ms"
    return "\(row.name) takes \(amount) \(word)"
  }

  private static func signed(_ growth: Double?) -> String {
    guard let growth else { return "–" }
    return "\(growth >= 0 ? "+" : "")\(Text.decimal(growth * 100, 1)) %"
  }

  var json: JSONValue {
    let rows = comparison.rows.map { row in
      JSONValue.object([
        ("name", .text(row.name)), ("before", .milliseconds(row.before)), ("after", .milliseconds(row.after)),
        ("growth", .decimal(row.growth, 4)), ("longerIn", .decimal(row.superiority, 4)),
        ("p", .decimal(row.probability, 6)), ("change", .text(row.change.rawValue)),
        ("regression", .boolean(row.isRegression)),
      ])
    }
    return .object([
      ("verdict", .text(verdict)), ("regression", .boolean(!comparison.regressions.isEmpty)),
      ("failOver", .decimal(limit, 4)), ("level", .decimal(ProfileComparison.level, 3)),
      ("notes", .list(notes.map { .text($0) })), ("phases", .list(rows)),
    ])
  }
}
