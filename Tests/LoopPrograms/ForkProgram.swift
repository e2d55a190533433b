import Glibc
import LinuxSystem
import RunLoops

// Swift's Glibc module may hide it; a child process that runs Swift code is what this program is about.
@_silgen_name("fork") private func forkProcess() -> pid_t

/// A child process made by `fork` shares the descriptors of its parent's loops: running one would take the parent's events
/// and keep it awake.
enum ForkProgram {
  /// - Returns: the exit status.
  static func run() -> Int32 {
    alarm(60)
    let loop = FrameLoop.main
    let passes = Lock(0)
    loop.add(FrameLoop.Observer(.beforeTimers, .onLoop { _, _ in passes.withLock { $0 += 1 } }), to: .default)
    loop.add(FrameLoop.Timer(fireTime: loop.clock.now + .milliseconds(50), .onLoop { _ in }), to: .default)

    var pipe: [Int32] = [0, 0]
    guard Glibc.pipe(&pipe) == 0 else { return 1 }
    let child = forkProcess()
    if child == 0 {
      dup2(pipe[1], STDERR_FILENO)
      // A loop of its own is allowed.
      let own = FrameLoop(clock: .monotonic)
      own.add(FrameLoop.Timer(fireTime: .zero, .onLoop { _ in }), to: "own")
      guard own.run(mode: "own", for: .seconds(10)) == .finished else { _exit(1) }
      loop.wakeUp()
      loop.run(mode: .default, for: .milliseconds(100))
      _exit(0)
    }
    loop.run(mode: .default, for: .milliseconds(200))
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 {}
    close(pipe[1])
    var message = [UInt8](repeating: 0, count: 4_096)
    let length = read(pipe[0], &message, message.count)
    let words = String(decoding: message.prefix(max(length, 0)), as: UTF8.self)
    let count = passes.withLock { $0 }
    print("the child ended with status \(status), the parent made \(count) passes; it was told: \(words)")
    return [SIGILL, SIGTRAP].contains(status & 0x7F) && count < 10 && isTold(words) ? 0 : 1
  }

  private static func isTold(_ words: String) -> Bool {
    ["fork or daemon(3) before the first use of a loop", "exec"].allSatisfy(words.contains)
  }

  /// A program that becomes a daemon after it has used a loop goes on in a child process.
  ///
  /// - Returns: the exit status.
  static func runDaemon() -> Int32 {
    alarm(60)
    var pipe: [Int32] = [0, 0]
    guard Glibc.pipe(&pipe) == 0 else { return 1 }
    let program = forkProcess()
    if program == 0 {
      dup2(pipe[1], STDERR_FILENO)
      let loop = FrameLoop.main
      loop.add(FrameLoop.Timer(fireTime: .zero, .onLoop { _ in }), to: .default)
      loop.run(mode: .default, for: .milliseconds(10))
      // Keeps the folder and the standard streams, else the message would go to /dev/null.
      guard daemon(1, 1) == 0 else { _exit(1) }
      alarm(60)
      loop.run(mode: .default, for: .milliseconds(10))
      _exit(0)
    }
    close(pipe[1])
    var status: Int32 = 0
    while waitpid(program, &status, 0) < 0 {}
    // The pipe ends with the daemon.
    var words = ""
    var message = [UInt8](repeating: 0, count: 4_096)
    while case let length = read(pipe[0], &message, message.count), length > 0 {
      words += String(decoding: message.prefix(length), as: UTF8.self)
    }
    print("the program ended with status \(status); its daemon was told: \(words)")
    return status == 0 && isTold(words) ? 0 : 1
  }
}
