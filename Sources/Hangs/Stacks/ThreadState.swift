import CStackSamples
import Glibc
import LinuxSystem

/// The kernel's knowledge of a thread of this process, in /proc.
enum ThreadState {
  /// A thread's `schedstat`.
  struct Schedule: Hashable, Sendable {
    /// For how long it was ready and had no processor, as far as such waits are over.
    var runDelay: Nanoseconds
    /// How often it got a processor.
    var runs: Int64
  }

  /// Nil where the kernel does not say.
  static func schedule(of thread: Int32) -> Schedule? { Schedule(read("/proc/self/task/\(thread)/schedstat")) }

  /// True if a thread has a processor or waits for one only.
  static func isReady(_ thread: Int32) -> Bool { isReady(stat: read("/proc/self/task/\(thread)/stat")) }

  /// - Parameter stat: the number, the name in parentheses, which may hold any bytes itself, the letter of the state, and more numbers.
  static func isReady(stat: String) -> Bool {
    guard let end = stat.lastIndex(of: ")") else { return false }
    return stat[stat.index(after: end)...].first { $0 != " " } == "R"
  }

  /// The function of the kernel in which a thread waits; nil if it does not wait, or the kernel does not say.
  static func waitChannel(of thread: Int32) -> String? {
    let name = read("/proc/self/task/\(thread)/wchan").trimmed
    return name.isEmpty || name == "0" ? nil : name
  }

  /// True while a debugger, or a tracer of calls, is attached to this process.
  static var isDebugged: Bool {
    for line in read("/proc/self/status").split(separator: "\n") where line.hasPrefix("TracerPid:") {
      return line.dropFirst("TracerPid:".count).trimmed != "0"
    }
    return false
  }

  /// At most 4096 bytes of a file; empty if it cannot be read.
  private static func read(_ path: String) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, initialized in
      initialized = max(0, Glibc.read(file, buffer.baseAddress, buffer.count))
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension ThreadState.Schedule {
  /// - Parameter text: three numbers: the time with a processor, the time without, and how often it got one. Nil for other text.
  init?(_ text: String) {
    let words = text.trimmed.split(separator: " ")
    guard words.count == 3, let delay = Int64(words[1]), let runs = Int64(words[2]) else { return nil }
    self.init(runDelay: Nanoseconds(max(delay, 0)), runs: runs)
  }
}

enum WallClock {
  /// Seconds since 1970.
  static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

extension StringProtocol {
  /// Without spaces, tabs and line ends at both ends.
  var trimmed: String {
    let isSpace: (Character) -> Bool = { " \t\n".contains($0) }
    let rest = drop(while: isSpace)
    return String(rest.prefix(rest.lastIndex { !isSpace($0) }.map { rest.distance(from: rest.startIndex, to: $0) + 1 } ?? 0))
  }
}
