import Foundation

/// A peer in a process of its own, which paints and measures itself.
///
/// The program gets the folder with the material as its argument. It says its version in a first line, then answers each line of its
/// standard input: `time TASK CALLS` with the nanoseconds of a call, `picture TASK` with the name of a file of raw pixels in the
/// folder; `none` where it has no such operation.
@MainActor
final class PeerProcess: Peer {
  let name: String
  let version: String
  private let folder: String
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var received: [UInt8] = []

  /// Nil where the program is not there, or ends at once since its library is not there.
  init?(_ name: String, _ program: String, _ arguments: [String] = [], folder: String) throws {
    guard FileManager.default.isExecutableFile(atPath: program) else { return nil }
    (self.name, self.folder) = (name, folder)
    // A peer that ends is found out by its answer.
    signal(SIGPIPE, SIG_IGN)
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments + [folder]
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    var line: [UInt8] = []
    while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
      line.append(byte)
    }
    version = String(decoding: line, as: UTF8.self)
    if version.isEmpty {
      end()
      return nil
    }
  }

  func end() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// Sends a line, and returns the line that comes back.
  func ask(_ question: String) throws -> String {
    try input.fileHandleForWriting.write(contentsOf: Data("\(question)\n".utf8))
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        defer { received.removeSubrange(...end) }
        return String(decoding: received[..<end], as: UTF8.self)
      }
      let bytes = output.fileHandleForReading.availableData
      guard !bytes.isEmpty else { throw BenchmarkError("\(name) ended at '\(question)'") }
      received += bytes
    }
  }

  func time(_ task: PeerTask, calls: Int) throws -> Double? {
    let answer = try ask("time \(task.rawValue) \(calls)")
    if answer == "none" { return nil }
    guard let time = Double(answer) else { throw BenchmarkError("\(name) answers '\(answer)'") }
    return time
  }

  func picture(_ task: PeerTask) throws -> [UInt8]? {
    let answer = try ask("picture \(task.rawValue)")
    return answer == "none" ? nil : [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(answer)")))
  }
}
