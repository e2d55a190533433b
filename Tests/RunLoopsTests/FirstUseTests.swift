import XCTest

/// The main thread's loop exists before that thread has used one. The tests use separate processes, as XCTest's main thread
/// has used its loop.
final class FirstUseTests: XCTestCase {
  // Statement 62
  func testMainIsTheMainLoopsThreadBeforeItsFirstUseOfALoop() throws {
    for question in ["wait", "isolation", "other-thread"] {
      XCTAssertEqual(try ChildProcess(["first-use", question]).wait(), 0, question)
    }
  }
}
