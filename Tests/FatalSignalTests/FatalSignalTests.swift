import Foundation
import Testing

/// Real faults in processes of their own.
@Suite(.serialized) struct FatalSignalTests {
  /// A thread faults in one way or another: the loop turns on and shows its message, and the process dies of the fault.
  @Test(arguments: [("access", SIGSEGV), ("abort", SIGABRT), ("raise", SIGBUS), ("two", SIGSEGV)])
  func theLoopTurnsOnAndTheProcessDies(_ fault: (name: String, signal: Int32)) throws {
    let end = try die(fault.name)
    #expect(end.signal == fault.signal)
    #expect(end.lines == ["\(fault.signal.name) of painter", "three turns"])
  }

  /// A precondition ends in an undefined instruction or in a trap, depending on the processor.
  @Test func aFailedPreconditionIsAFault() throws {
    let end = try die("trap")
    #expect([SIGILL, SIGTRAP].contains(end.signal))
    #expect(end.lines == ["\(end.signal.name) of painter", "three turns"])
  }

  @Test func theReportNamesFaultThreadAndFrames() throws {
    let end = try die("access")
    #expect(end.report.contains("framepace: fatal signal 11 (SIGSEGV), code 1, address 0x10\n"))
    #expect(end.report.contains("  process \(end.process), thread "))
    #expect(end.report.contains(" 'painter'\n"))
    let frames = end.report.split(separator: "\n").filter { $0.hasPrefix("  #") }
    #expect(frames.count >= 4, "\(end.report)")
    #expect(frames.contains { $0.contains("/dying + 0x") }, "\(end.report)")
  }

  @Test func aFaultOfTheLoopsOwnThreadEndsTheProcessAtOnce() throws {
    let end = try die("loop")
    #expect(end.signal == SIGSEGV)
    #expect(end.lines.isEmpty)
    #expect(end.report.contains("SIGSEGV"))
  }

  /// The message itself faults: no second crash, the process dies of the first, and without waiting out its ten seconds.
  @Test func aFaultDuringTheLastMomentChangesNothing() throws {
    let end = try die("loop-faults-too")
    #expect(end.signal == SIGABRT)
    #expect(end.lines == ["SIGABRT of painter"])
    #expect(end.report.contains("SIGABRT") && !end.report.contains("SIGSEGV"))
    #expect(end.seconds < 9)
  }

  @Test func theLastMomentCanBeEndedEarly() throws {
    let end = try die("finish")
    #expect(end.signal == SIGSEGV)
    #expect(end.lines == ["SIGSEGV of painter", "three turns"])
    #expect(end.seconds < 9)
  }

  @Test func aLoopThatIsStuckDoesNotKeepTheProcess() throws {
    let end = try die("stuck")
    #expect(end.signal == SIGSEGV)
    #expect(end.lines.isEmpty)
  }

  @Test func afterInvalidateFaultsAreWhatTheyWere() throws {
    let end = try die("invalidated")
    #expect(end.signal == SIGSEGV)
    #expect(end.lines == ["no child"])
    #expect(end.report.isEmpty)
  }

  /// There is one source a process.
  @Test func aSourceThatIsRefusedLeavesTheFirstAlone() throws {
    let end = try die("second-is-refused")
    #expect(end.signal == SIGSEGV)
    #expect(
      end.lines == [
        "fatal signals are handled by another source: invalidate it first", "SIGSEGV of painter", "three turns",
      ])
    #expect(end.report.contains("SIGSEGV"))
  }

  /// Even if it is named more often than there are signals.
  @Test func aSignalThatIsNamedAgainCountsOnce() throws {
    let end = try die("named-often")
    #expect(end.signal == SIGSEGV)
    #expect(end.lines == ["SIGSEGV of painter", "three turns"])
  }

  /// The source before was invalidated, so that another one can be made in the end.
  @Test func aSignalThatCannotBeHandledIsNamed() throws {
    let end = try die("not-handleable")
    #expect(end.signal == 0)
    #expect(
      end.lines == [
        "signal 9 cannot be handled: leave it out", "signal 32 cannot be handled: leave it out",
        "signal 65 cannot be handled: leave it out", "no fatal signal was named: name one at least",
      ])
  }

  /// An earlier handler, such as another reporter of crashes, gets the fault's own information: SEGV_MAPERR at 0x10.
  @Test func aHandlerThatWasThereBeforeGetsTheFault() throws {
    let end = try die("chained")
    #expect(end.lines == ["SIGSEGV of painter", "three turns", "code 1, address 16"])
  }

  /// The helper process ends with this one and keeps none of its descriptors open, such as the pipe that the test reads.
  @Test func theHelperHoldsNothing() throws {
    let end = try die("released")
    #expect(end.signal == 0)
  }

  /// Another thread's stack can be walked from a handler of any signal.
  @Test func theStackOfAnInterruptedThreadIsWalked() throws {
    #expect(try die("walk").lines == ["true"])
  }

  // MARK: -

  private struct End {
    var process: Int32
    /// The signal that it died of; 0 when it ended by itself, with status 0.
    var signal: Int32
    var lines: [String]
    var report: String
    var seconds: Double
  }

  private func die(_ name: String) throws -> End {
    let report = NSTemporaryDirectory() + "framepace-dying-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: report) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("dying")
    process.arguments = [name, report]
    // Swift's own report of a crash would only take time.
    process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    let start = ContinuousClock.now
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let duration = (ContinuousClock.now - start).components
    if process.terminationReason == .exit { #expect(process.terminationStatus == 0) }
    return End(
      process: process.processIdentifier,
      signal: process.terminationReason == .uncaughtSignal ? process.terminationStatus : 0,
      lines: text.split(separator: "\n").map(String.init),
      report: (try? String(contentsOfFile: report, encoding: .utf8)) ?? "",
      seconds: Double(duration.seconds) + Double(duration.attoseconds) / 1e18)
  }
}

extension Int32 {
  fileprivate var name: String {
    [SIGSEGV: "SIGSEGV", SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP"][self] ?? "?"
  }
}
