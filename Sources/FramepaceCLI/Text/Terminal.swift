import Framepace
import Glibc

/// Nobody reads what the command writes any more: `head` has seen enough, or the terminal was closed. The end, not an error.
struct ReaderGone: Error {}

/// The standard output or error output, which may be a terminal.
///
/// There are two ways to write. `offer` never waits, and is for figures while frames are made: a terminal that is stopped or
/// a connection that stalls must not stop the frame loop. `write` waits, and is for what comes before and after.
@MainActor
final class Terminal {
  static let output = Terminal(descriptor: STDOUT_FILENO, name: "standard output")
  static let error = Terminal(descriptor: STDERR_FILENO, name: "standard error output")

  /// Whether a person looks at it, through a terminal that can write a line over.
  let isInteractive: Bool

  private let descriptor: Int32
  private let name: String
  private let isTerminal: Bool
  /// The terminal, opened anew so that writes never wait: that is a property of what was opened, which other processes share.
  private lazy var unblocking = isTerminal ? Self.openUnblocking(descriptor) : descriptor
  /// Offered and not yet written.
  private var pending: ArraySlice<UInt8> = []

  private init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
    let kind = getenv("TERM").map { String(cString: $0) } ?? ""
    isTerminal = isatty(descriptor) == 1
    isInteractive = isTerminal && !kind.isEmpty && kind != "dumb"
  }

  /// How many characters a line of the terminal has now; nil when it is none, or does not tell.
  var columns: Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// How long a line for people may be. A terminal's last column is left free, where some go to the next line; elsewhere a
  /// line is as long as in a terminal of 80 columns, as it is read in one after all.
  var textWidth: Int { columns.map { $0 - 1 } ?? 80 }

  /// Writes `text` if that does not have to wait; what a slow reader leaves of it is written by the calls that follow.
  ///
  /// - Returns: false if the reader has not taken yet what it was offered before: then `text` is not written.
  /// - Throws: `ReaderGone`, or what keeps the text from being written.
  @discardableResult
  func offer(_ text: String) throws -> Bool {
    try flush(waiting: false)
    guard pending.isEmpty else { return false }
    pending = Array(text.utf8)[...]
    try flush(waiting: false)
    return true
  }

  /// Writes `text`, however long it takes.
  ///
  /// - Throws: as `offer`.
  func write(_ text: String) throws {
    pending += Array(text.utf8)
    try flush(waiting: true)
  }

  func line(_ text: String) throws { try write(text + "\n") }

  /// Replaces the line that a person sees the cursor on; "" takes it away. Progress that cannot be shown is no error.
  func show(progress: String) {
    if isInteractive { _ = try? offer("\r\(progress)\u{1B}[K") }
  }

  private func flush(waiting: Bool) throws {
    while !pending.isEmpty {
      guard waiting || takesMore(within: 0) else { return }
      // No longer than a pipe takes at once when it takes anything.
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
        // What a terminal that was closed answers is EIO.
        if error == EPIPE || error == EIO && isTerminal { throw ReaderGone() }
        throw SystemError(call: "write to", subject: name, errno: error)
      }
    }
  }

  /// - Parameter timeout: in milliseconds; below 0 for ever.
  private func takesMore(within timeout: Int32) -> Bool {
    var state = pollfd(fd: unblocking, events: Int16(POLLOUT), revents: 0)
    return poll(&state, 1, timeout) > 0
  }

  /// The descriptor itself where the terminal cannot be opened anew, such as another user's.
  private static func openUnblocking(_ descriptor: Int32) -> Int32 {
    let opened = open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    return opened >= 0 ? opened : descriptor
  }
}

/// The process's standard streams, made safe to use.
enum StandardStreams {
  static func prepare() {
    // A reader that is gone shall be an error of the write: the signal would end the process with the screen not restored.
    signal(SIGPIPE, SIG_IGN)
    // What is opened next would take the place of a stream that is closed, and be written to.
    for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) < 0 {
      _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}

/// Runs `body`, which touches layers, on the process's main thread, where every command runs.
func onMainActor<Result: Sendable>(_ body: @MainActor () throws -> Result) rethrows -> Result {
  try MainActor.assumeIsolated(body)
}
