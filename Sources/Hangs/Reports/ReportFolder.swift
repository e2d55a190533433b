import Glibc
import LinuxSystem

/// A folder of reports that holds a limited number: the oldest give way. Other files in it stay.
struct ReportFolder: Sendable {
  let path: String
  let limit: Int

  static let suffix = ".hang"

  /// - Throws: if the folder cannot be made.
  init(path: String, limit: Int) throws(SystemError) {
    self.path = path
    self.limit = max(limit, 1)
    guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw .last(call: "mkdir", subject: path) }
    var status = stat()
    guard stat(path, &status) == 0 else { throw .last(call: "stat", subject: path) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw SystemError(call: "open", subject: path, errno: ENOTDIR) }
  }

  /// The paths of the reports, the oldest first.
  var reports: [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasSuffix(Self.suffix), !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted().map { "\(path)/\($0)" }
  }

  /// Writes a report as a whole, or again with what was added to it, and removes the oldest beyond the limit.
  /// - Parameters:
  ///   - number: that of the report in its process.
  ///   - date: that of its first hang, in seconds since 1970: it names the file with the number.
  /// - Returns: its path.
  func write(_ report: HangReport, number: Int, date: Double) throws(SystemError) -> String {
    func padded(_ number: Int, _ width: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    // In the order of their beginnings.
    let seconds = Int(exactly: date.rounded(.down)) ?? 0
    let file = "\(path)/\(padded(seconds, 12))-\(report.process)-\(padded(number, 4))\(Self.suffix)"
    try AtomicFile.write(Array(report.fileText.utf8), to: file)
    for old in reports.dropLast(limit) { unlink(old) }
    return file
  }
}
