import Framepace
import Hangs
import Metering

/// The lines of a long run.
enum SoakText {
  private static let columns: [(title: String, width: Int)] = [
    ("time", 10), ("memory", 11), ("files", 7), ("threads", 9), ("frames/s", 10), ("late", 7), ("late/h", 9),
    ("missed", 8), ("idle", 8),
  ]

  /// The titles of the columns: 79 characters.
  static var header: String { row(columns.map(\.title)) }

  /// - Parameters:
  ///   - counts: those since the line before.
  ///   - time: the time since the line before.
  static func line(_ sample: SoakSample, counts: FrameReport, over time: Nanoseconds) -> String {
    row([
      clock(sample.time), megabytes(Double(sample.process.residentMemory)), "\(sample.process.descriptors)",
      "\(sample.process.threads)", Text.decimal(counts.presentedRate, 2), "\(counts.late)",
      Text.decimal(perHour(counts.late, in: time), 1), "\(counts.missed)", "\(counts.idle)",
    ])
  }

  /// The end of a run: the figures of the whole, and the judgement in one sentence.
  ///
  /// - Parameters:
  ///   - judgement: nil if the run was too short for one.
  ///   - hangs: nil where they were not watched.
  static func summary(
    _ judgement: SoakJudgement?, of report: FrameReport, hangs: HangMonitor.Counts?, time: Nanoseconds, width: Int
  ) -> String {
    var lines = Text.list(
      [
        "\(report.presented) seen", "\(report.late) late (\(Text.decimal(perHour(report.late, in: time), 1)) an hour)",
        "\(report.missed) intervals missed", "\(report.idle) idle",
      ], title: Text.left("frames", 10), width: width)
    if let hangs {
      lines +=
        "\n"
        + Text.list(
          [
            "\(hangs.hangs) turns of 2 s or more",
            "\(hangs.slowTurns) of 250 ms or more (\(Text.decimal(hangs.slowTime.seconds, 1)) s)",
          ], title: Text.left("hangs", 10), width: width)
    }
    return lines + "\n" + Text.paragraph(sentence(judgement, time: time), width: width)
  }

  private static func sentence(_ judgement: SoakJudgement?, time: Nanoseconds) -> String {
    guard let judgement else {
      return "The run of \(clock(time)) was too short to be judged: nothing is said of leaks and drift."
    }
    let span = "in \(clock(judgement.span)) after the warm-up"
    let memory = megabytes(judgement.memoryPerHour)
    if judgement.findings.isEmpty {
      return "No leak and no drift was found \(span); memory changes by \(memory) an hour."
    }
    let clauses = judgement.findings.map(\.description).joined(separator: "; ")
    return "Found \(span): \(clauses)."
  }

  private static func perHour(_ count: Int, in time: Nanoseconds) -> Double? {
    time > .zero ? Double(count) * 3600 / time.seconds : nil
  }

  private static func megabytes(_ bytes: Double) -> String { Text.decimal(bytes / 1e6, 1) + " MB" }

  /// Hours, minutes and seconds: "1:02:03".
  private static func clock(_ time: Nanoseconds) -> String {
    let seconds = Int(time.seconds.rounded())
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
  }

  private static func row(_ cells: [String]) -> String {
    zip(cells, columns).map { Text.right($0, $1.width) }.joined()
  }
}
