import XCTest

/// 100,000 timers, 10,000 descriptors and 10,000 observers, in a process that may open as many files. Tests/Scripts/leaks
/// checks that none of them is leaked.
final class CrowdTests: XCTestCase {
  func testALoopServesAndLetsGoOfVeryManyItems() throws {
    XCTAssertEqual(try ChildProcess(["crowd"]).wait(), 0)
  }
}
