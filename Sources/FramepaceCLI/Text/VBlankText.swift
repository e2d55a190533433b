import Framepace
import Metering
import Simulation

/// The text and JSON of `framepace vblank`.
enum VBlankText {
  /// The first lines, which name the display and the clock.
  ///
  /// - Parameters:
  ///   - count: the number of vblanks to measure.
  ///   - time: the time that they take.
  ///   - width: the longest line, in characters.
  static func heading(
    display: String?, clock: String, isRateUnused: Bool, count: Int, time: Nanoseconds, width: Int
  ) -> String {
    let seconds = time >= .seconds(1) ? ", some \(Text.decimal(time.seconds, 0)) s" : ""
    let lines = [
      display, clock, isRateUnused ? "--rate ignored: a screen has its own" : nil, "measuring \(count) vblanks\(seconds)",
    ]
    return lines.compactMap(\.self).map { Text.paragraph($0, width: width) }.joined(separator: "\n")
  }

  /// The first lines of a replay.
  static func heading(of recording: VBlankRecording, file: String, width: Int) -> String {
    let arrivals = recording.arrivals.isEmpty ? ", which has no arrivals" : ""
    let lines = [recording.displayName, "replaying \(recording.vblanks.count) vblanks of \(file)\(arrivals)"]
    return lines.filter { !$0.isEmpty }.map { Text.paragraph($0, width: width) }.joined(separator: "\n")
  }

  /// The figures, the table and the histograms.
  ///
  /// - Parameter width: the longest line, in characters.
  static func summary(_ measurement: VBlankMeasurement, width: Int) -> String {
    let report = measurement.report
    var blocks = [figures(measurement, width: width), table(measurement)]
    if measurement.hasJitter {
      blocks.append(histogram(report.deviations, title: "stamps, from an even grid", width: width))
    }
    if !report.delays.isEmpty { blocks.append(histogram(report.delays, title: "arrival, after the stamp", width: width)) }
    blocks.append(Text.paragraph(PercentileRule.summary, width: width))
    if measurement.isFallback { blocks.append(Text.paragraph(VBlankMeasurement.fallbackNote, width: width)) }
    return blocks.joined(separator: "\n\n")
  }

  private static func figures(_ measurement: VBlankMeasurement, width: Int) -> String {
    let (report, ticks) = (measurement.report, measurement.ticks)
    var counts = ["\(report.count) in \(Text.decimal(report.duration.seconds, 2)) s", "\(report.missed) missed"]
    if report.rejected > 0 { counts.append("\(report.rejected) rejected") }
    var lines: [(title: String, items: [String])] = [
      ("vblanks", counts),
      ("rate", ["\(Text.decimal(report.rate, 4)) Hz", "nominally \(Text.decimal(report.nominalRate.hertz, 4)) Hz"]),
    ]
    if let drift = report.drift, let text = Self.drift(report) {
      lines.append(("drift", [text] + (isOtherRate(drift) ? ["the display has another rate than it tells"] : [])))
    }
    if ticks.count > 0 {
      let swallowed = ticks.swallowed > 0 ? ["\(ticks.swallowed) swallowed"] : []
      lines.append(("ticks", ["\(ticks.count)", "\(ticks.missed) missed"] + swallowed))
    }
    return lines.map { Text.list($0.items, title: Text.left($0.title, 10), width: width) }.joined(separator: "\n")
  }

  /// No crystal is wrong by a hundredth.
  private static func isOtherRate(_ drift: Double) -> Bool { abs(drift) >= 10_000 }

  /// The drift with its uncertainty, such as "+12.3 ± 0.4 ppm", or in percent where the display has another rate; nil if it is unknown.
  static func drift(_ report: VBlankReport) -> String? {
    guard let drift = report.drift else { return nil }
    func signed(_ number: String) -> String {
      (drift > 0 && number.contains { ("1"..."9").contains($0) } ? "+" : "") + number
    }
    if isOtherRate(drift) { return "\(signed(Text.decimal(drift / 10_000, 1))) %" }
    let uncertainty = report.driftUncertainty.map { " ± \(Text.decimal($0, 2))" } ?? ""
    return "\(signed(Text.decimal(drift, 2)))\(uncertainty) ppm"
  }

  private static func table(_ measurement: VBlankMeasurement) -> String {
    func line(_ title: String, _ cells: [String]) -> String {
      Text.left(title, 18) + cells.map { Text.right($0, 10) }.joined()
    }
    let header = line("", ["p50 µs", "p95 µs", "p99 µs", "max µs"])
    let rows = measurement.rows.filter { $0.statistics.count > 0 }.map { name, _, statistics in
      line(name, [50, 95, 99, 100].map { Text.decimal(statistics.percentile($0)?.microseconds, 2) })
    }
    return ([header] + rows).joined(separator: "\n")
  }

  private static func histogram(_ values: [Nanoseconds], title: String, width: Int) -> String {
    let histogram = Histogram(values, ranges: 12)
    return (["\(title), in \(Histogram.Scale(histogram).unit)"] + histogram.lines(width: width)).joined(separator: "\n")
  }

  /// The JSON object of the measurement.
  static func json(_ measurement: VBlankMeasurement) -> JSONValue {
    let report = measurement.report
    func microseconds(_ value: Nanoseconds?) -> JSONValue { .decimal(value?.microseconds, 3) }
    func histogram(_ values: [Nanoseconds]) -> JSONValue {
      let histogram = Histogram(values, ranges: 50)
      return .object([
        ("start", microseconds(histogram.start)), ("width", microseconds(histogram.width)),
        ("below", .count(histogram.below)), ("counts", .list(histogram.counts.map { .count($0) })),
        ("above", .count(histogram.above)),
      ])
    }
    var members: [(key: String, value: JSONValue)] = [
      ("display", .optional(measurement.display)),
      ("clock", .text(measurement.clock)),
      ("isFallback", .boolean(measurement.isFallback)),
      ("requested", .count(measurement.requested)),
      ("count", .count(report.count)),
      ("missed", .count(report.missed)),
      ("rejected", .count(report.rejected)),
      ("time", .decimal(report.duration.seconds, 6)),
      ("nominalRate", .decimal(report.nominalRate.hertz, 6)),
      ("nominalRateFraction", .text("\(report.nominalRate.numerator)/\(report.nominalRate.denominator)")),
      ("rate", .decimal(report.rate, 6)),
      ("ticks", .count(measurement.ticks.count)),
      ("missedTicks", .count(measurement.ticks.missed)),
      ("swallowed", .count(measurement.ticks.swallowed)),
      ("drift", .decimal(report.drift, 4)),
      ("driftUncertainty", .decimal(report.driftUncertainty, 4)),
    ]
    for (_, key, statistics) in measurement.rows {
      for (suffix, percent) in [("P50", 50.0), ("P95", 95), ("P99", 99), ("Max", 100)] {
        members.append((key + suffix, microseconds(statistics.percentile(percent))))
      }
    }
    members.append(("deviationHistogram", histogram(report.deviations)))
    members.append(("arrivalHistogram", histogram(report.delays)))
    return .object(members)
  }
}
