import LinuxSystem
import XCTest

/// What people write for a main thread runs on this one: in a process of its own, whose main thread nobody else has.
final class ForeignProgramTests: XCTestCase {
  func testProgramsThatKnowNothingOfTheLoopRunOnIt() throws {
    let child = try ChildProcess(["foreign", "\(stressTime(3).seconds)"])
    XCTAssertEqual(child.wait(), 0)
  }
}
