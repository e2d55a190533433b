import ArgumentParser
import Framepace
import Glibc

/// The streams, the arguments and the limits that the process was started with.
enum ProcessState {
  /// Prepares the standard streams, and the signals that writing sends.
  static func prepareStreams() {
    // Writes to a closed pipe, and beyond the limit on the size of files, must return an error: these signals would end the
    // process before the screen is restored and the unfinished file removed.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    // A closed stream would be replaced by the next file that is opened, which would then be written to.
    for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) < 0 {
      _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// The arguments without the command's own name.
  ///
  /// - Throws: if they cannot be read, since without them a scene would take the display; or if one is not UTF-8, since it
  ///   would be changed on the way, and be the name of another file.
  static func arguments() throws -> [String] {
    // Swift reads them from /proc/self/cmdline. There is the command's name at least.
    guard CommandLine.argc > 0 else {
      throw Refusal("the arguments cannot be read: mount /proc first (mount -t proc proc /proc)")
    }
    // The parser's time grows with their square.
    guard CommandLine.argc <= 1000 else {
      throw ValidationError("\(CommandLine.argc) arguments are too many: at most 1000.")
    }
    return try UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)).dropFirst().map {
      guard let argument = $0 else { return "" }
      guard let text = String(validatingCString: argument) else {
        throw ValidationError("'\(String(cString: argument))' is not UTF-8: use names that are.")
      }
      return text
    }
  }

  /// Throws if a run would be left without file descriptors: libdispatch and the loop end the process then.
  static func requireDescriptors() throws(Refusal) {
    let needed = 24
    var opened: [Int32] = []
    defer { for descriptor in opened { close(descriptor) } }
    for count in 0..<needed {
      let descriptor = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
      guard descriptor >= 0 else {
        throw Refusal("only \(count) more files can be opened, and \(needed) are needed: raise the limit (ulimit -n 1024)")
      }
      opened.append(descriptor)
    }
  }
}
