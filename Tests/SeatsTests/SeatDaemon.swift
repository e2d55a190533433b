import Glibc
import LinuxSystem
import XCTest

/// A private seatd without consoles. End it with `stop()`.
///
/// seatd has a fixed path for its socket and would take it from another seatd. So this one gets its own `/run` in a mount
/// namespace, and is reached through its root folder.
@MainActor
final class SeatDaemon {
  private let folder: String
  private var identifier: pid_t = 0

  /// - Throws: `XCTSkip` if seatd is not installed or cannot be started.
  init() throws {
    let places = ["/usr/sbin/seatd", "/usr/bin/seatd", "/usr/local/sbin/seatd", "/usr/local/bin/seatd"]
    guard let program = places.first(where: { access($0, X_OK) == 0 }) else {
      throw XCTSkip("there is no seatd; install the Debian package of this name")
    }
    var template = Array("/tmp/framepace-seat-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemError.last(call: "mkdtemp") }
    folder = String(decoding: template.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)

    // seatd writes a line when it is ready.
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw SystemError.last(call: "pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 3)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, folder + "/log", O_WRONLY | O_CREAT, 0o600)
    let command = "mount -t tmpfs tmpfs /run && exec \(program) -l debug -n 3"
    var arguments = Self.pointers(["/usr/bin/unshare", "--user", "--map-root-user", "--mount", "/bin/sh", "-c", command])
    var environment = Self.pointers(["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "SEATD_VTBOUND=0"])
    defer { for pointer in arguments + environment { free(pointer) } }
    let error = posix_spawn(&identifier, "/usr/bin/unshare", &actions, nil, &arguments, &environment)
    close(ends[1])
    guard error == 0 else { throw SystemError(call: "posix_spawn", subject: "unshare", errno: error) }
    var byte: UInt8 = 0
    guard read(ends[0], &byte, 1) == 1 else {
      let log = log
      stop()
      throw XCTSkip("seatd cannot be started in a namespace of its own here: \(log)")
    }
  }

  /// Kills seatd, as if it had crashed.
  func stop() {
    if identifier != 0 {
      kill(identifier, SIGKILL)
      while waitpid(identifier, nil, 0) < 0, errno == EINTR {}
      identifier = 0
    }
    unlink(folder + "/log")
    rmdir(folder)
  }

  /// The path of its socket.
  var socket: String { "/proc/\(identifier)/root/run/seatd.sock" }

  /// The messages so far.
  private var log: String {
    String(decoding: (try? OwnedDescriptor.contents(of: folder + "/log", limit: 1 << 20)) ?? [], as: UTF8.self)
  }

  private static func pointers(_ strings: [String]) -> [UnsafeMutablePointer<CChar>?] {
    strings.map { string in strdup(string) } + [nil]
  }
}
