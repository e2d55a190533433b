import Glibc

/// The process's standard error output, for the few messages that nobody else can be told.
package enum StandardError {
  /// Writes a line. What cannot be written is lost.
  package static func print(_ line: String) {
    var line = line + "\n"
    line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
