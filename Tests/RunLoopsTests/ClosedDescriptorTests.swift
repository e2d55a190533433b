import Glibc
import XCTest

/// A loop whose descriptors were closed by other code reports it and does not spin. The test uses a separate process, which
/// it ends.
final class ClosedDescriptorTests: XCTestCase {
  func testALoopThatCannotWaitEndsTheProcess() throws {
    let status = try ChildProcess(["closed-descriptors"]).wait()
    XCTAssertTrue([-SIGILL, -SIGTRAP].contains(status), "\(status)")
  }
}
