import Foundation
import Testing

/// The command as a user meets it: a process, its output and its status.
struct CommandTests {
  @Test func listsScenes() throws {
    let result = try framepace("scenes")
    #expect(result.status == 0)
    let names = result.output.split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(names == ["orbit", "clock", "dashboard", "still", "stress"])
  }

  @Test func tellsItsVersion() throws {
    let result = try framepace("--version")
    #expect(result.status == 0)
    #expect(result.output.split(separator: ".").count == 3)
  }

  /// Wrong input: the arguments, and what the sentence must name.
  static let wrong: [(arguments: [String], names: [String])] = [
    (["--scene", "orbits"], ["orbits", "orbit", "dashboard"]),
    (["render", "nothing", "--output", "x.png"], ["nothing", "clock"]),
    (["render", "orbit", "--output", "x.png", "--size", "0x10"], ["0x10", "1920x1080"]),
    (["render", "orbit", "--output", "x.png", "--size", "99999x99999"], ["99999x99999", "16384"]),
    (["render", "orbit", "--output", "x.png", "--scale", "0"], ["0", "0.25"]),
    (["render", "orbit", "--output", "x.png", "--time", "soon"], ["soon", "500ms"]),
    (["render", "orbit", "--output", "x.png", "--time", "-1"], ["-1"]),
    (["render", "--output", "x.png"], ["--all"]),
    (["render", "orbit", "clock", "--output", "x.png"], ["x.png", "folder"]),
    (["render", "orbit", "--output", "x.png", "--frames", "0"], ["0", "100000"]),
    (["--rate", "0"], ["0", "1000"]),
    (["--rate", "nan"], ["nan", "1000"]),
    (["--rate", "60/0"], ["60/0", "1000"]),
    (["--duration", "0"], ["0"]),
    (["--duration", "-5s"], ["-5s"]),
    (["--display", "screen"], ["screen", "fallback"]),
    (["--scene", "still", "--work", "5ms"], ["--work", "stress"]),
    (["profile", "orbit", "--frames", "0"], ["0"]),
    (["profile", "orbit", "--json", "/nonexistent/x.json"], ["/nonexistent"]),
  ]

  @Test(arguments: wrong.indices)
  func wrongInputGivesOneSentence(index: Int) throws {
    let (arguments, names) = Self.wrong[index]
    let folder = try TemporaryFolder()
    let result = try framepace(arguments, in: folder.path)
    #expect(result.status == 64 || result.status == 1, "\(arguments): \(result.status)")
    for name in names { #expect(result.error.contains(name), "\(arguments): \(result.error)") }
    #expect(result.output.isEmpty, "\(arguments): \(result.output)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty, "\(arguments) left something behind")
  }

  @Test func unwritableOutputIsNamed() throws {
    let result = try framepace("render", "still", "--output", "/proc/pictures", "--size", "64x64")
    #expect(result.status == 1)
    #expect(result.error.contains("/proc/pictures"))
  }

  @Test func rendersTheSameBytesTwice() throws {
    let folder = try TemporaryFolder()
    for name in ["a.png", "b.png"] {
      let result = try framepace(["render", "dashboard", "--output", name, "--size", "320x180"], in: folder.path)
      #expect(result.status == 0, "\(result.error)")
      #expect(result.output.isEmpty)
    }
    let first = try #require(FileManager.default.contents(atPath: folder.path + "/a.png"))
    let second = try #require(FileManager.default.contents(atPath: folder.path + "/b.png"))
    #expect(first == second)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["a.png", "b.png"])
  }

  /// A disk that is full before the picture is written: the old one stays, nothing is left beside it.
  @Test(.enabled(if: mayMount, "needs the right to mount a file system of its own"))
  func aFullDiskLeavesTheOldPicture() throws {
    let folder = try TemporaryFolder()
    let script = """
      mount -t tmpfs -o size=32k tmpfs '\(folder.path)' && cd '\(folder.path)' && printf old >orbit.png
      '\(try executable().path)' render orbit --output orbit.png --size 800x480
      echo "status $?: $(cat orbit.png | head -c 99)"
      ls -A
      """
    let result = try finish("/usr/bin/unshare", ["--user", "--map-root-user", "--mount", "/bin/sh", "-c", script])
    #expect(result.output == "status 1: old\norbit.png\n")
    #expect(result.error.contains("orbit.png") && result.error.contains("No space left"), "\(result.error)")
  }

  /// Killed while it writes, by the limit on a file's size, the command leaves the old picture.
  @Test func aKillLeavesTheOldPicture() throws {
    let folder = try TemporaryFolder()
    let picture = URL(fileURLWithPath: "\(folder.path)/orbit.png")
    try Data("old".utf8).write(to: picture)
    let script = "ulimit -f 8 && exec '\(try executable().path)' render orbit --output orbit.png --size 320x200"
    let result = try finish("/bin/sh", ["-c", script], in: folder.path)
    #expect(result.status == SIGXFSZ, "\(result.error)")
    #expect(try Data(contentsOf: picture) == Data("old".utf8))
    // What a killed process cannot take back: it is hidden, and no picture.
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0 != "orbit.png" }
    #expect(left.count == 1 && left.allSatisfy { $0.hasPrefix(".") && $0.hasSuffix(".part") }, "\(left)")
  }

  @Test func rendersASequence() throws {
    let folder = try TemporaryFolder()
    let result = try framepace(
      ["render", "orbit", "--output", "frames", "--size", "64x64", "--frames", "3", "--rate", "10"], in: folder.path)
    #expect(result.status == 0, "\(result.error)")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/frames").sorted()
    #expect(files == ["orbit-0000.png", "orbit-0001.png", "orbit-0002.png"])
  }

  @Test func endsWithASummaryOnSIGTERM() throws {
    let run = try Running(["--fps", "--json", "--scene", "still", "--display", "fallback", "--size", "64x64"])
    // The first line says what it runs on: from then on signals are the loop's.
    let first = try #require(run.readLine())
    #expect(first.contains("fallback clock 60.00 Hz"))
    run.process.terminate()
    let rest = run.readAll()
    run.process.waitUntilExit()
    #expect(run.process.terminationStatus == 0)
    #expect(rest.contains("\"summary\""))
  }

  @Test func aProfileOfASceneThatDoesNotMoveEnds() throws {
    let result = try framepace("profile", "still", "--display", "fallback", "--size", "64x64")
    #expect(result.status == 0, "\(result.error)")
    #expect(result.output.contains("ended after 1 of 600 frames"))
  }

  @Test func profilesIntoAFile() throws {
    let folder = try TemporaryFolder()
    let result = try framepace(
      [
        "profile", "orbit", "--frames", "20", "--display", "fallback", "--rate", "200", "--size", "160x90", "--json",
        "p.json",
      ],
      in: folder.path)
    #expect(result.status == 0, "\(result.error)")
    for phase in ["callbacks", "layout", "display", "diff", "composite", "present"] {
      #expect(result.output.contains(phase))
    }
    let data = try #require(FileManager.default.contents(atPath: folder.path + "/p.json"))
    let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect((object["phases"] as? [[String: Any]])?.count == 6)
    #expect(object["frames"] as? Int == 20)
  }
}

/// A run of a program that has ended.
struct Finished {
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

/// The command lies beside the tests in the build folder.
func executable() throws -> URL {
  let url = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent("framepace")
  guard FileManager.default.isExecutableFile(atPath: url.path) else { throw CocoaError(.fileNoSuchFile) }
  return url
}

/// Whether processes may mount file systems that only they see.
let mayMount =
  (try? finish("/usr/bin/unshare", ["--user", "--map-root-user", "--mount", "/bin/mount", "-t", "tmpfs", "tmpfs", "/mnt"]))?
  .status == 0

/// Runs a program to its end.
func finish(_ program: String, _ arguments: [String], in folder: String? = nil) throws -> Finished {
  let run = try Running(program, arguments, in: folder)
  let output = run.readAll()
  let error = run.readErrors()
  run.process.waitUntilExit()
  return Finished(status: run.process.terminationStatus, output: output, error: error)
}

/// A run of a program that is under way.
struct Running {
  let process = Process()
  private let output = Pipe()
  private let error = Pipe()

  init(_ arguments: [String]) throws {
    try self.init(executable().path, arguments)
  }

  init(_ program: String, _ arguments: [String], in folder: String? = nil) throws {
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = error
    if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
    // The threads that tests run on block signals, and children inherit that; a user's shell does not.
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try process.run()
  }

  func readLine() -> String? {
    var line = Data()
    while let byte = try? output.fileHandleForReading.read(upToCount: 1), byte != Data([10]) { line.append(byte) }
    return String(data: line, encoding: .utf8)
  }

  func readAll() -> String { String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) }
  func readErrors() -> String { String(decoding: error.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) }
}

/// A folder that goes with its owner.
final class TemporaryFolder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "framepace-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}
