// An application whose worker thread crashes: its loop turns on for a moment and says goodbye, and a report names the thread
// and its stack. The program starts itself a second time as the application that dies, and prints what that one leaves.
import Glibc
import LinuxSystem
import RunLoops

@main
struct Program {
  @MainActor
  static func main() throws {
    if CommandLine.arguments.count > 1 { return try crash() }
    let (output, signal) = try runMyself()
    print(output.split(separator: "\n").map { "| \($0)" }.joined(separator: "\n"))
    print("the application died of signal \(signal)")
    guard signal == SIGSEGV, output.contains("goodbye: SIGSEGV of painter"), output.contains("  #0 ") else {
      fatalError("no message, no report, or another death")
    }
  }

  /// The application that dies.
  @MainActor
  private static func crash() throws {
    let loop = FrameLoop.main
    var source: FatalSignalSource?
    // Made early: the process that writes the report begins as a copy of this one. `report: .file(path)` appends to a file.
    source = try FatalSignalSource(
      signals: FatalSignalSource.faults, patience: .milliseconds(500), report: .standardError,
      .onMain { fault in
        // The thread that faulted is held, with its locks. A real application shows a message on its screen here.
        print("goodbye: \(fault.signalName) of \(fault.threadName)")
        fflush(nil)
        // Otherwise the loop would turn on until the patience is over.
        source?.finish()
      })
    if let source { loop.add(source, to: .common) }
    let painter = try LoopThread(name: "painter")
    painter.loop.perform { _ = UnsafeRawPointer(bitPattern: 0x10)?.load(as: Int.self) }
    painter.loop.wakeUp()
    loop.run(mode: .default, until: loop.clock.now + .seconds(10))
  }

  /// - Returns: the output of the other process, and the signal that ended it; 0 for none.
  private static func runMyself() throws(SystemError) -> (output: String, signal: Int32) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw .last(call: "pipe") }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for standard in [STDOUT_FILENO, STDERR_FILENO] { posix_spawn_file_actions_adddup2(&actions, ends[1], standard) }
    for end in ends { posix_spawn_file_actions_addclose(&actions, end) }
    // Swift's own report of a crash would only take time.
    setenv("SWIFT_BACKTRACE", "enable=no", 1)
    var arguments = [strdup("DyingApplication"), strdup("crash"), nil]
    defer { for argument in arguments { free(argument) } }
    var child: pid_t = 0
    let error = posix_spawn(&child, "/proc/self/exe", &actions, nil, &arguments, environ)
    close(ends[1])
    defer { close(ends[0]) }
    guard error == 0 else { throw SystemError(call: "posix_spawn", errno: error) }
    var output: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 4096)
    while case let count = read(ends[0], &bytes, bytes.count), count > 0 { output += bytes[..<count] }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return (String(decoding: output, as: UTF8.self), status & 0x7F)
  }
}
