import Glibc
import LinuxSystem

/// Finds the names in reports, tells them, writes and uploads them: on a thread of its own, so that the monitor goes on watching.
final class HangReporter: Sendable {
  private let pool = WorkerPool(threads: 1)
  private let folder: ReportFolder?
  private let onReport: (@Sendable (HangReport) -> Void)?
  private let upload: (@Sendable (String) -> Bool)?
  /// Used on the pool's thread only.
  private let journal = Lock(ReportJournal())

  init(_ configuration: HangMonitor.Configuration) throws(SystemError) {
    if let path = configuration.folder {
      folder = try ReportFolder(path: path, limit: configuration.fileLimit)
    } else {
      folder = nil
    }
    onReport = configuration.onReport
    upload = configuration.upload
    if let folder, upload != nil {
      pool.submit(.drawing) { [self] in for path in folder.reports { send(path) } }
    }
  }

  /// Tells a hang that lasts.
  func tell(_ report: HangReport) {
    guard onReport != nil else { return }
    perform(report) { [self] in onReport?($0) }
  }

  /// Takes a finished report: told and written now.
  func take(_ report: HangReport, signature: [UInt64]) {
    perform(report) { [self] report in
      onReport?(report)
      write(journal.withLock { $0.take(report, signature: signature) })
    }
  }

  /// Writes the report of a hang that lasts; it is written again with its end.
  func keep(_ report: HangReport, signature: [UInt64]) {
    perform(report) { [self] report in write(journal.withLock { $0.take(report, signature: signature) }) }
  }

  /// Counts a hang that is not reported.
  func count(_ report: HangReport, signature: [UInt64]) {
    pool.submit(.drawing) { [self] in journal.withLock { $0.count(report, signature: signature) } }
  }

  /// Writes what was counted since the last report, and waits until everything is done.
  func finish() {
    let end = Latch()
    pool.submit(.drawing) { [self] in
      write([journal.withLock { $0.takeRest() }].compactMap(\.self))
      end.open()
    }
    end.wait()
    pool.shutdown()
  }

  private func perform(_ report: HangReport, _ body: @escaping @Sendable (HangReport) -> Void) {
    pool.submit(.drawing) {
      var report = report
      report.findSymbols()
      body(report)
    }
  }

  private func write(_ entries: [ReportJournal.Entry]) {
    guard let folder else { return }
    for entry in entries {
      do throws(SystemError) {
        let path = try folder.write(entry.report, number: entry.number, date: entry.date)
        // The file of a hang that lasts is written again with its end, or sent at the next start.
        if entry.report.isOver { send(path) }
      } catch {
        StandardError.print(sentence: "framepace: a hang report is lost: \(error)")
      }
    }
  }

  private func send(_ path: String) {
    if upload?(path) == true { unlink(path) }
  }
}
