import Foundation

/// The result of a program that has ended.
struct Finished {
  /// The exit status, or the number of the signal that ended it.
  var status: Int32
  var output: String
  var error: String
}

func framepace(_ arguments: String...) throws -> Finished {
  try framepace(arguments)
}

func framepace(_ arguments: [String], in folder: String? = nil) throws -> Finished {
  try finish(try executable().path, arguments, in: folder)
}

/// Runs a shell line in which `framepace` is the command.
func shell(_ line: String, in folder: String? = nil) throws -> Finished {
  try finish("/bin/sh", ["-c", "framepace() { '\(try executable().path)' \"$@\"; }; \(line)"], in: folder)
}

/// The path of the command: `FRAMEPACE_COMMAND`, or the debug build beside the tests, which takes ten times as long.
func executable() throws -> URL {
  let url =
    ProcessInfo.processInfo.environment["FRAMEPACE_COMMAND"].map { URL(fileURLWithPath: $0) }
    ?? URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent("framepace")
  guard FileManager.default.isExecutableFile(atPath: url.path) else { throw CocoaError(.fileNoSuchFile) }
  return url
}

/// True if processes may mount file systems that only they see.
let mayMount =
  (try? finish("/usr/bin/unshare", ["--user", "--map-root-user", "--mount", "/bin/mount", "-t", "tmpfs", "tmpfs", "/mnt"]))?
  .status == 0

/// Runs a program to its end.
func finish(_ program: String, _ arguments: [String], in folder: String? = nil) throws -> Finished {
  try Running(program, arguments, in: folder).finish()
}

/// A running program. It is killed if it takes longer than any test needs.
final class Running {
  let process = Process()
  private let output = Pipe()
  private let error = Pipe()
  private var watchdog: DispatchWorkItem?

  convenience init(_ arguments: [String], terminal: PseudoTerminal? = nil) throws {
    try self.init(executable().path, arguments, terminal: terminal)
  }

  /// - Parameter terminal: receives the standard output instead of a pipe.
  init(_ program: String, _ arguments: [String], in folder: String? = nil, terminal: PseudoTerminal? = nil) throws {
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = terminal?.handle ?? output
    process.standardError = error
    if let terminal {
      process.environment = ["TERM": terminal.kind]
      try output.fileHandleForWriting.close()
    }
    if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
    // Test threads block signals, and child processes inherit that; a user's shell does not block them.
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try process.run()
    let watchdog = DispatchWorkItem { [process = process.processIdentifier] in kill(process, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + 300, execute: watchdog)
    self.watchdog = watchdog
  }

  deinit {
    watchdog?.cancel()
    if process.isRunning { send(SIGKILL) }
  }

  /// Waits until the process has its own handler for `signal`.
  func waitUntilHandled(_ signal: Int32) {
    while process.isRunning {
      let caught = UInt64(state("SigCgt"), radix: 16) ?? 0
      if caught & 1 << UInt64(signal - 1) != 0 { return }
      usleep(1000)
    }
  }

  /// Waits until the process's main thread has slept another `times` times; it sleeps once in every frame.
  ///
  /// Sleeps before the call do not count: a busy machine lets a program sleep often while it starts.
  func waitUntilAsleep(times: Int) {
    let end = (Int(state("voluntary_ctxt_switches")) ?? 0) + times
    while process.isRunning, (Int(state("voluntary_ctxt_switches")) ?? 0) < end { usleep(1000) }
  }

  /// Waits until the process's main thread has slept on for a tenth of a second.
  func waitUntilAtRest() {
    var before = ""
    while process.isRunning, before != state("voluntary_ctxt_switches") {
      before = state("voluntary_ctxt_switches")
      usleep(100_000)
    }
  }

  /// A field of the kernel's status of the process's main thread.
  private func state(_ name: String) -> String {
    let status = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") } ?? ""
    return line.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
  }

  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// The next line of the output without its line break; nil at the end.
  func readLine() -> String? { Self.readLine(of: output) }
  func readErrorLine() -> String? { Self.readLine(of: error) }

  private static func readLine(of pipe: Pipe) -> String? {
    var line = Data()
    while let byte = try? pipe.fileHandleForReading.read(upToCount: 1), !byte.isEmpty, byte != Data([10]) {
      line.append(byte)
    }
    return line.isEmpty ? nil : String(data: line, encoding: .utf8)
  }

  /// Waits for the end of the program.
  func finish() -> Finished {
    let output = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let error = String(decoding: error.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    watchdog?.cancel()
    return Finished(status: process.terminationStatus, output: output, error: error)
  }
}

/// A temporary folder that is deleted with its owner.
final class TemporaryFolder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "framepace-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  var files: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }

  func contents(of file: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(file)")) }
}
