import Glibc

/// A stream that may be a terminal: a line that is written over and over, or plain lines.
struct Terminal {
  static let output = Terminal(descriptor: STDOUT_FILENO)
  static let error = Terminal(descriptor: STDERR_FILENO)

  let descriptor: Int32
  /// Whether a person looks at it.
  let isInteractive: Bool

  init(descriptor: Int32) {
    self.descriptor = descriptor
    isInteractive = isatty(descriptor) == 1
  }

  /// Writes `text` as it is. A reader that is gone ends nothing here: the write is lost.
  func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while let base = rest.baseAddress, !rest.isEmpty {
        let count = Glibc.write(descriptor, base, rest.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
    }
  }

  func line(_ text: String) {
    write(text + "\n")
  }

  /// Replaces the line that the cursor is on.
  func overwrite(_ text: String) {
    write("\r\(text)\u{1B}[K")
  }
}

/// Runs `body`, which touches layers, on the process's main thread, where every command runs.
func onMainActor<Result: Sendable>(_ body: @MainActor () throws -> Result) rethrows -> Result {
  try MainActor.assumeIsolated(body)
}
