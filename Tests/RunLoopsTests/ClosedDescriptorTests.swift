import Glibc
import XCTest

/// A loop whose descriptors somebody closed says so, and does not spin: in a process of its own, which it ends.
final class ClosedDescriptorTests: XCTestCase {
  func testALoopThatCannotWaitEndsTheProcess() throws {
    let status = try ChildProcess(["closed-descriptors"]).wait()
    XCTAssertTrue([-SIGILL, -SIGTRAP].contains(status), "\(status)")
  }
}
