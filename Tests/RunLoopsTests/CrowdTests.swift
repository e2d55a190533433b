import XCTest

/// 100,000 timers, 10,000 descriptors and 10,000 observers, in a process that may open as many files. Whether anything is left of
/// them is for Tests/Scripts/leaks to see.
final class CrowdTests: XCTestCase {
  func testALoopServesAndLetsGoOfVeryManyItems() throws {
    XCTAssertEqual(try ChildProcess(["crowd"]).wait(), 0)
  }
}
