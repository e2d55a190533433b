import Framepace
import Hangs

/// The monitor of a run's hangs. It counts them; with a folder reports go there, and a sentence of each is a note of the run.
///
/// It is made before the session, so that a start that takes too long is reported too.
@MainActor
final class RunHangs {
  /// The session that hangs, once it is made: for its engine's facts, and for the notes.
  weak var session: SceneSession? {
    didSet { facts.withLock { $0 = session?.engine.hangFacts() } }
  }

  private let monitor: HangMonitor
  private let facts = Lock<(@Sendable () -> [HangReport.Fact])?>(nil)
  /// The headlines of reports that the run has not told yet.
  private let headlines = Lock<[String]>([])

  /// The monitor that a run's options ask for; nil for none, and in a simulation, which has a clock of its own.
  static func watching(_ options: WatchOptions, simulation: SimulatedRun?) throws -> RunHangs? {
    guard simulation == nil, options.hangReports != nil || options.metrics != nil else { return nil }
    return try RunHangs(folder: options.hangReports)
  }

  /// - Parameter folder: the folder of the reports; nil to count only.
  init(folder: String?) throws {
    let notes = Notes()
    var configuration = HangMonitor.Configuration()
    if let folder {
      let isNew = try OutputPath.makeFolder(folder)
      try OutputPath.requireWritable(files: ["\(folder)/report.hang"])
      if isNew { Terminal.error.note("made the folder \(folder.shellWord) for reports of hangs") }
      configuration.folder = folder
      configuration.facts = { [facts] in facts.withLock(\.self)?() ?? [] }
      configuration.onReport = { [headlines] report in
        guard report.isOver else { return }
        headlines.withLock { $0.append(report.headline) }
        FrameLoop.main.perform(onMain: { notes.run?.tell() })
        FrameLoop.main.wakeUp()
      }
    } else {
      configuration.reportingRate = 0
      configuration.load = nil
    }
    monitor = try HangMonitor(configuration)
    notes.run = self
    monitor.watch(.main, name: "the main loop")
  }

  var counts: HangMonitor.Counts { monitor.counts }

  /// Returns when the last report is written and told.
  func stop() {
    monitor.stop()
    tell()
  }

  private func tell() {
    let news = headlines.withLock { headlines in
      defer { headlines = [] }
      return headlines
    }
    for headline in news { session?.onNote?(.hang(headline)) }
  }

  @MainActor private final class Notes {
    weak var run: RunHangs?
  }
}
