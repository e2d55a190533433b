import LinuxSystem
import XCTest

/// Typical code for a main thread runs on this loop. The test uses a separate process, whose main thread has no other user.
final class ForeignProgramTests: XCTestCase {
  func testProgramsThatKnowNothingOfTheLoopRunOnIt() throws {
    let child = try ChildProcess(["foreign", "\(stressTime(3).seconds)"])
    XCTAssertEqual(child.wait(), 0)
  }
}
