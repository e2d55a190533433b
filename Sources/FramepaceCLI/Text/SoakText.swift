import Framepace
import Hangs
import Metering

/// The lines of a long run.
enum SoakText {
  /// The rank is that in which columns find room.
  private static let columns: [(title: String, width: Int, rank: Int)] = [
    ("time", 10, 0), ("memory", 11, 1), ("files", 7, 4), ("threads", 9, 5), ("frames/s", 10, 2), ("late", 7, 3),
    ("late/h", 9, 7), ("missed", 8, 6), ("idle", 8, 8),
  ]

  /// The titles of the columns: 79 characters, or those that fit.
  static func header(width: Int) -> String { row(columns.map(\.title), width) }

  /// - Parameters:
  ///   - counts: those since the line before.
  ///   - time: the time since the line before.
  ///   - width: the longest line, in characters.
  static func line(_ sample: SoakSample, counts: FrameReport, over time: Nanoseconds, width: Int) -> String {
    let cells = [
      clock(sample.time), megabytes(Double(sample.process.residentMemory)), "\(sample.process.descriptors)",
      "\(sample.process.threads)", Text.decimal(counts.presentedRate, 2), "\(counts.late)",
      Text.decimal(perHour(counts.late, in: time), 1), "\(counts.missed)", "\(counts.idle)",
    ]
    return row(cells, width)
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
        "\(report.discarded) discarded", "\(report.lost) lost", "\(report.missed) intervals missed", "\(report.idle) idle",
      ], title: Text.left("frames", 10), width: width)
    if let hangs {
      lines +=
        "\n"
        + Text.list(
          [
            "\(hangs.hangs) turns of 2 s or more",
            "\(hangs.slowTurns) of 250 ms or more (\(Text.decimal(hangs.slowTime.seconds, 1)) s)",
            "not judged",
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
    let isShort = judgement.span < SoakJudgement.leastSpan
    let leaks =
      judgement.undecided.isEmpty
      ? "whether anything leaks" : "a leak from a cache that is filling: \(clauses(judgement.undecided))"
    let none = isShort ? "" : "No leak and no drift was found \(span); memory changes by \(memory) an hour."
    let sentences = [
      judgement.findings.isEmpty ? none : "Found \(span): \(clauses(judgement.findings)).",
      isShort ? "The run was too short to tell \(leaks). 30 minutes are needed, as with --duration 30min." : "",
      isShort && judgement.findings.isEmpty && judgement.judgesFrames ? "No drift of the frames was found \(span)." : "",
      judgement.judgesFrames ? "" : "Frames were not judged: in a twelfth of that time or more none was wanted.",
    ]
    return sentences.filter { !$0.isEmpty }.joined(separator: " ")
  }

  private static func clauses(_ findings: [SoakJudgement.Finding]) -> String {
    findings.map(\.description).joined(separator: "; ")
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

  private static func row(_ cells: [String], _ width: Int) -> String {
    zip(cells, columns).filter { _, column in
      columns.filter { $0.rank <= column.rank }.reduce(0) { $0 + $1.width } <= width
    }.map { Text.right($0, $1.width) }.joined()
  }
}
