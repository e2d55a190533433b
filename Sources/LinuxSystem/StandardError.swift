import Glibc

/// The process's standard error output, for the few messages without any other receiver.
package enum StandardError {
  /// Writes a line. A failure is ignored.
  package static func print(_ line: String) {
    var line = line + "\n"
    line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
