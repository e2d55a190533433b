import CPeers
import Foundation

/// Measures the command as people start it: separate processes on the fallback clock.
enum CommandBenchmarks {
  static let all = Benchmark(name: "command") {
    let still = try start("--scene", "still", "--quiet")
    defer {
      still.process.terminate()
      still.process.waitUntilExit()
    }
    while still.age < 2 { usleep(10_000) }
    let before = try contextSwitches(ofProcess: still.process.processIdentifier)
    // Both runs go on at the same time: one of them sleeps and does not disturb the other.
    let orbit = try Harness.best { try orbitTicks() }
    let after = try contextSwitches(ofProcess: still.process.processIdentifier)
    let switches = Result(
      name: "still: context switches", unit: .count, ours: Double(after - before), peer: nil, limit: 2)
    return [orbit, switches] + (Harness.measuresGatesOnly ? [] : [try firstFrame()])
  }

  /// The difference between the ticks of ten seconds and 600; for the gate, of five seconds and 300. The first frames are
  /// painted whole, which takes two intervals on a slow machine.
  private static func orbitTicks() throws -> Result {
    let seconds = Harness.measuresGatesOnly ? 5 : 10
    let summary = try summary(of: start("--scene", "orbit", "--duration", "\(seconds)s", "--json"))
    return Result(
      name: "orbit, \(seconds) s: ticks off \(seconds * 60)", unit: .count,
      ours: abs(Double(summary.summary.ticks - seconds * 60)), peer: nil, limit: 3)
  }

  /// The time from before the process is created to the vblank that presents its first frame.
  private static func firstFrame() throws -> Result {
    var times: [Double] = []
    for _ in 0..<11 {
      let running = try start("--scene", "orbit", "--duration", "1s", "--json")
      let summary = try summary(of: running)
      guard let firstPresented = summary.firstPresented else { throw BenchmarkError("the command showed no frame") }
      times.append(firstPresented * 1e9 - Double(running.started))
    }
    return Result(name: "start to first frame", unit: .nanoseconds, ours: Harness.median(times), peer: nil, limit: nil)
  }

  // MARK: - Processes

  private struct Running {
    let process: Process
    let output: Pipe
    /// The start on CLOCK_MONOTONIC, in nanoseconds.
    let started: Int64

    /// The time since the start in seconds.
    var age: Double { Double(peer_now() - started) / 1e9 }
  }

  private struct Summary: Decodable {
    struct Figures: Decodable { var ticks: Int }
    var summary: Figures
    var firstPresented: Double?
  }

  private static func start(_ arguments: String...) throws -> Running {
    let process = Process()
    // The command is built beside this program.
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("framepace")
    process.arguments = ["--display", "fallback"] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    let started = peer_now()
    try process.run()
    return Running(process: process, output: output, started: started)
  }

  private static func summary(of running: Running) throws -> Summary {
    let text = String(decoding: running.output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    running.process.waitUntilExit()
    guard let line = text.split(separator: "\n").last else { throw BenchmarkError("the command printed nothing") }
    return try JSONDecoder().decode(Summary.self, from: Data(line.utf8))
  }

  /// The context switches of all threads of a process so far, voluntary and involuntary.
  private static func contextSwitches(ofProcess identifier: Int32) throws -> Int {
    let folder = "/proc/\(identifier)/task"
    var switches = 0
    for thread in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let status = try String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8)
      for line in status.split(separator: "\n") where line.contains("voluntary_ctxt_switches:") {
        switches += line.split(separator: "\t").last.flatMap { Int($0) } ?? 0
      }
    }
    return switches
  }
}
