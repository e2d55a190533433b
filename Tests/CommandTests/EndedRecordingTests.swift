import Foundation
import Testing

/// A signal ends a program that records.
@Suite struct EndedRecordingTests {
  /// It ends by the signal, as without the recording, and has written its frames.
  @Test(arguments: [SIGHUP, SIGINT, SIGTERM]) func aSignalLeavesTheFrames(signal: Int32) throws {
    let folder = try TemporaryFolder()
    let program = try begin("runs", in: folder)
    program.send(signal)
    let end = program.finish()
    #expect(program.process.terminationReason == .uncaughtSignal && end.status == signal, "\(end)")
    #expect(end.output.isEmpty && end.error.hasPrefix("framepace: "), "\(end)")
    #expect(end.error.hasSuffix(" frames are recorded: framepace profile a.profile\n"), "\(end)")
    #expect(try seenFrames(in: folder) >= 10)
    #expect(try folder.files == ["a.profile"])
  }

  /// Signals that come together, as `timeout` sends them to a process and to its group, are one.
  @Test func signalsThatComeTogether() throws {
    let folder = try TemporaryFolder()
    let program = try begin("runs", in: folder)
    let start = ContinuousClock.now
    for signal in [SIGINT, SIGINT, SIGTERM] { program.send(signal) }
    let areTogether = ContinuousClock.now - start < .milliseconds(200)
    let end = program.finish()
    #expect(program.process.terminationReason == .uncaughtSignal && [SIGINT, SIGTERM].contains(end.status), "\(end)")
    // Later ones end it at once.
    if areTogether { #expect(try seenFrames(in: folder) >= 10) }
  }

  /// A program that hangs ends by the signal all the same.
  @Test func aProgramThatHangs() throws {
    let folder = try TemporaryFolder()
    let program = try begin("hangs", in: folder)
    program.send(SIGTERM)
    let end = program.finish()
    #expect(program.process.terminationReason == .uncaughtSignal && end.status == SIGTERM, "\(end)")
    #expect(try folder.files.isEmpty)
  }

  /// A program that handles the signal ends as it wants to.
  @Test func aProgramWithItsOwnHandling() throws {
    let folder = try TemporaryFolder()
    let program = try begin("ends", in: folder)
    program.send(SIGTERM)
    let end = program.finish()
    #expect(program.process.terminationReason == .exit && end.status == 0 && end.output == "ended\n", "\(end)")
    #expect(try seenFrames(in: folder) >= 10)
  }

  /// A program that records into `a.profile`, and has shown ten frames.
  private func begin(_ way: String, in folder: TemporaryFolder) throws -> Running {
    // Beside these tests: the command may be a release build.
    let path = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent("recorded")
      .path
    let program = try Running("/usr/bin/env", ["FRAMEPACE_PROFILE=a.profile", path, way], in: folder.path)
    #expect(program.readLine() == "ready")
    return program
  }

  private func seenFrames(in folder: TemporaryFolder) throws -> Int {
    let report = try framepace(["profile", "a.profile", "--json", "-"], in: folder.path)
    let object = try JSONSerialization.jsonObject(with: Data(report.output.utf8)) as? [String: Any]
    return try #require(object?["frames"] as? Int, "\(report)")
  }
}
