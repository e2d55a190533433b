/// Holds the newest report in memory until another kind of hang follows, so that equal hangs become one file: a value, which says
/// what is to be written.
struct ReportJournal {
  /// A report with the functions by which equal ones are known, and its number in this process, which names its file.
  struct Entry {
    var report: HangReport
    var signature: [UInt64]
    var number: Int
  }

  private var pending: Entry?
  private var nextNumber = 1

  /// Takes a report.
  /// - Returns: the report before, if that is another hang's: write it now.
  mutating func take(_ report: HangReport, signature: [UInt64]) -> Entry? {
    if pending?.signature == signature {
      pending?.report.add(report)
      return nil
    }
    let written = pending
    pending = Entry(report: report, signature: signature, number: nextNumber)
    nextNumber += 1
    return written
  }

  /// Counts an equal hang that is not reported.
  mutating func count(_ report: HangReport, signature: [UInt64]) {
    guard pending?.signature == signature, let now = pending?.report else { return }
    pending?.report.count = now.count + 1
    pending?.report.longest = max(now.longest, report.longest)
  }

  /// The report that is held: to write it at the end, or before the process may be killed.
  var held: Entry? { pending }
}
