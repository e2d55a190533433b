import Glibc
import LinuxSystem
import TestLength
import XCTest

/// Tests that need a process of their own. The programs are in `loop-programs`.
final class ChildProcessTests: XCTestCase {
  /// 100,000 timers, 10,000 descriptors and 10,000 observers, in a process that may open as many files; in a short run a tenth of
  /// the items. Tests/Scripts/leaks checks that none of them is leaked.
  func testALoopServesAndReleasesVeryManyItems() throws {
    XCTAssertEqual(try ChildProcess(["crowd", isLongRun ? "1" : "10"]).wait(), 0)
  }

  /// A loop whose descriptors were closed by other code reports it and does not spin.
  func testALoopThatCannotWaitEndsTheProcess() throws {
    let status = try ChildProcess(["closed-descriptors"]).wait()
    XCTAssertTrue([-SIGILL, -SIGTRAP].contains(status), "\(status)")
  }

  // Statement 59
  func testAForkedChildMustNotRunItsParentsLoop() throws {
    XCTAssertEqual(try ChildProcess(["fork"]).wait(), 0)
    XCTAssertEqual(try ChildProcess(["daemon"]).wait(), 0)
  }

  func testALoopWithoutDescriptorsIsAnError() throws {
    XCTAssertEqual(try ChildProcess(["no-descriptors"]).wait(), 0)
  }

  // Statement 62
  func testMainIsTheMainLoopsThreadBeforeItsFirstUseOfALoop() throws {
    for question in ["wait", "isolation", "other-thread"] {
      XCTAssertEqual(try ChildProcess(["first-use", question]).wait(), 0, question)
    }
  }

  /// Typical code for a main thread runs on this loop, in a process whose main thread has no other user.
  func testProgramsThatKnowNothingOfTheLoopRunOnIt() throws {
    XCTAssertEqual(try ChildProcess(["foreign", "\(stressTime(2).seconds)"]).wait(), 0)
  }
}

/// A process that runs one of `loop-programs`.
struct ChildProcess {
  private let identifier: pid_t

  /// - Parameter descriptor: becomes descriptor 3 of the child process.
  init(_ arguments: [String], descriptor: Int32? = nil) throws {
    let program = try Self.folder() + "/loop-programs"
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let descriptor { posix_spawn_file_actions_adddup2(&actions, descriptor, 3) }
    var pointers: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    pointers.append(nil)
    // A child process that dies must die at once: Swift's backtracer takes seconds, and never ends under a sanitizer.
    var environment: [UnsafeMutablePointer<CChar>?] = Self.environment
    let noBacktrace = strdup("SWIFT_BACKTRACE=enable=no")
    defer { free(noBacktrace) }
    environment += [noBacktrace, nil]
    var identifier = pid_t()
    let error = posix_spawn(&identifier, program, &actions, nil, pointers, environment)
    guard error == 0 else { throw SystemError(call: "posix_spawn", subject: program, errno: error) }
    self.identifier = identifier
  }

  /// Waits for the end of the process.
  ///
  /// - Returns: the exit status, or the negative number of the signal that ended it.
  func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 {}
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : -signal
  }

  func kill() { _ = Glibc.kill(identifier, SIGKILL) }

  /// This process's environment, except for the variable that is set for the child process.
  private static var environment: [UnsafeMutablePointer<CChar>] {
    var variables: [UnsafeMutablePointer<CChar>] = []
    var next = environ
    while let variable = next.pointee {
      if strncmp(variable, "SWIFT_BACKTRACE=", 16) != 0 { variables.append(variable) }
      next += 1
    }
    return variables
  }

  /// The folder of this test program and of the others.
  private static func folder() throws -> String {
    guard let resolved = realpath("/proc/self/exe", nil) else { throw SystemError.last(call: "realpath") }
    defer { free(resolved) }
    let path = String(cString: resolved)
    return String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
  }
}
