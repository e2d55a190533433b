import CSeat
import Glibc
import LinuxSystem
import Synchronization

/// What libseat has to say. It would print to standard error by itself; here it says nothing unless it is asked to.
///
/// One for the whole process, as libseat has it. From any thread.
public enum SeatLog {
  public enum Level: Int32, Sendable, Comparable {
    case error = 1
    case info = 2
    case debug = 3

    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  public typealias Handler = @Sendable (Level, String) -> Void

  private struct State {
    var level = Level.error
    var handler: Handler?
    /// The lines since an opening began; nil when there is none.
    var captured: [String]?
  }

  private static let state = Lock(State())
  /// The process that installed the handler.
  private static let process = Atomic<pid_t>(0)

  /// Sends libseat's messages up to `level` to `handler`, without a line's end. It is called in the middle of libseat's
  /// work, usually on the main thread, and must not use a session. Nil for silence.
  public static func setHandler(upTo level: Level = .error, _ handler: Handler?) {
    state.withLock {
      $0.level = level
      $0.handler = handler
    }
    install()
  }

  /// Runs `body`, and returns with its result the lines of errors and of refusals that libseat has said meanwhile.
  static func capturing<Result>(_ body: () -> Result) -> (Result, lines: [String]) {
    state.withLock { $0.captured = [] }
    install()
    let result = body()
    let lines = state.withLock { state in
      defer { state.captured = nil }
      return state.captured ?? []
    }
    install()
    return (result, lines)
  }

  private static func install() {
    process.store(getpid(), ordering: .relaxed)
    libseat_set_log_handler { level, format, arguments in
      guard let level = Level(rawValue: Int32(bitPattern: UInt32(level.rawValue))), let format, let arguments else { return }
      // The builtin backend is a fork of this process, where locks may be held by threads that are not there.
      guard getpid() == SeatLog.process.load(ordering: .relaxed) else { return }
      let line = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
        guard let base = buffer.baseAddress, vsnprintf(base, buffer.count, format, arguments) >= 0 else { return "" }
        return String(cString: base)
      }
      SeatLog.receive(level, SeatLog.withoutPlace(line))
    }
    let needed = state.withLock { state in
      max(state.handler == nil ? 0 : state.level.rawValue, state.captured == nil ? 0 : Level.info.rawValue)
    }
    libseat_set_log_level(libseat_log_level(rawValue: UInt32(needed)))
  }

  private static func receive(_ level: Level, _ line: String) {
    let handler = state.withLock { state in
      if level <= .info { state.captured?.append(line) }
      return level <= state.level ? state.handler : nil
    }
    handler?(level, line)
  }

  /// Without the place in libseat's sources: "[../libseat/backend/seatd.c:64] ".
  static func withoutPlace(_ line: String) -> String {
    guard line.hasPrefix("["), let end = line.firstIndex(of: "]") else { return line }
    return String(line[line.index(after: end)...].drop { $0 == " " })
  }
}
