/// Holds the newest report in memory until another kind of hang follows, so that equal hangs become one file: a value, which says
/// what is to be written.
struct ReportJournal {
  /// A report with the functions by which equal ones are known; its number in this process and the date of the first of them name its file.
  struct Entry {
    var report: HangReport
    var signature: [UInt64]
    var number: Int
    var date: Double
  }

  private var newest: Entry?
  private var nextNumber = 1
  /// True if the file of the newest report lacks what was counted since.
  private var hasMore = false

  /// Takes a report, which is to be written now: the program may be killed.
  /// - Returns: the report before, if that is another hang's and its file lacks equal ones, then this one with what is known of equal ones.
  mutating func take(_ report: HangReport, signature: [UInt64]) -> [Entry] {
    guard var entry = newest, entry.signature == signature else {
      let before = takeRest()
      let entry = Entry(report: report, signature: signature, number: nextNumber, date: report.date)
      nextNumber += 1
      newest = entry
      return [before, entry].compactMap(\.self)
    }
    entry.report.add(report)
    (newest, hasMore) = (entry, false)
    return [entry]
  }

  /// Counts an equal hang that is not reported.
  mutating func count(_ report: HangReport, signature: [UInt64]) {
    guard newest?.signature == signature, let now = newest?.report else { return }
    newest?.report.count = now.count + 1
    newest?.report.longest = max(now.longest, report.longest)
    hasMore = true
  }

  /// The newest report, if its file lacks equal hangs: to write it at the end.
  mutating func takeRest() -> Entry? {
    defer { hasMore = false }
    return hasMore ? newest : nil
  }
}
