import Framepace
import Glibc
import Metering

/// Thrown when the command's output has no reader any more: the reader has ended, or the terminal was closed. The command
/// then ends without an error.
struct ReaderGone: Error {}

/// The standard output or error output, which may be a terminal.
///
/// There are two ways to write. `offer` never waits and is used for figures during a run: a stopped terminal or a stalled
/// connection must not stop the frame loop. `write` waits and is used before and after the run.
@MainActor
final class Terminal {
  static let output = Terminal(descriptor: STDOUT_FILENO, name: "standard output")
  static let error = Terminal(descriptor: STDERR_FILENO, name: "standard error output")

  /// True if the output is a terminal that can overwrite a line.
  let isInteractive: Bool

  private let descriptor: Int32
  private let name: String
  private let isTerminal: Bool
  /// A second descriptor of the terminal whose writes never wait. The mode cannot be set on the first one, because it
  /// belongs to an open file that other processes share.
  private lazy var unblocking = isTerminal ? Self.openUnblocking(descriptor) : descriptor
  /// Text that was offered and is not written yet.
  private var pending: ArraySlice<UInt8> = []

  private init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
    let kind = getenv("TERM").map { String(cString: $0) } ?? ""
    isTerminal = isatty(descriptor) == 1
    isInteractive = isTerminal && !kind.isEmpty && kind != "dumb"
  }

  /// The current width of the terminal in characters; nil if the output is not a terminal or its width is unknown.
  var columns: Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// The longest line of text for people. The last column of a terminal stays free, because some terminals break the line
  /// there. Other outputs get lines for 80 columns.
  var textWidth: Int { columns.map { $0 - 1 } ?? 80 }

  /// Writes `text` without waiting. Later calls write the part that a slow reader leaves.
  ///
  /// - Returns: false if the reader has not taken the earlier text yet; `text` is skipped then.
  /// - Throws: `ReaderGone` or the error of the write.
  @discardableResult
  func offer(_ text: String) throws -> Bool {
    try flush(waiting: false)
    guard pending.isEmpty else { return false }
    pending = Array(text.utf8)[...]
    try flush(waiting: false)
    return true
  }

  /// Writes `text` and waits as long as it takes.
  ///
  /// - Throws: `ReaderGone` or the error of the write.
  func write(_ text: String) throws { try write(Array(text.utf8)) }

  /// Writes bytes, which may be a film, and waits as long as it takes.
  ///
  /// - Throws: `ReaderGone` or the error of the write.
  func write(_ bytes: [UInt8]) throws {
    pending += bytes
    try flush(waiting: true)
  }

  func line(_ text: String) throws { try write(text + "\n") }

  /// Writes a sentence in lines that fit. Nothing stands on whether somebody reads it.
  func note(_ sentence: String) { try? line(Text.paragraph("framepace: \(sentence)", width: textWidth)) }

  /// Replaces the line of progress at the cursor; "" removes it. Progress that cannot be shown is not an error.
  func show(progress: String) {
    if isInteractive { _ = try? offer("\r\(progress)\u{1B}[K") }
  }

  private func flush(waiting: Bool) throws {
    while !pending.isEmpty {
      guard waiting || takesMore(within: 0) else { return }
      // A pipe that accepts anything accepts this much at once.
      let count = pending.withUnsafeBytes {
        Glibc.write(waiting ? descriptor : unblocking, $0.baseAddress, min($0.count, 4096))
      }
      if count >= 0 {
        pending = pending.dropFirst(count)
        continue
      }
      let error = errno
      switch error {
      case EINTR: continue
      case EAGAIN:
        guard waiting else { return }
        _ = takesMore(within: -1)
      default:
        pending = []
        // A closed terminal answers EIO.
        if error == EPIPE || error == EIO && isTerminal { throw ReaderGone() }
        throw SystemError(call: "write to", subject: name, errno: error)
      }
    }
  }

  /// - Parameter timeout: in milliseconds; negative to wait without a limit.
  private func takesMore(within timeout: Int32) -> Bool {
    var state = pollfd(fd: unblocking, events: Int16(POLLOUT), revents: 0)
    return poll(&state, 1, timeout) > 0
  }

  /// Opens the terminal again. Returns `descriptor` itself if that fails, for example at another user's terminal.
  private static func openUnblocking(_ descriptor: Int32) -> Int32 {
    let opened = open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    return opened >= 0 ? opened : descriptor
  }
}

/// Runs `body`, which uses layers, on the process's main thread. Every command runs there.
func onMainActor<Result: Sendable>(_ body: @MainActor () throws -> Result) rethrows -> Result {
  try MainActor.assumeIsolated(body)
}
