import XCTest

/// The main thread's loop is there before that thread has used one: in processes of their own, since XCTest's main thread has.
final class FirstUseTests: XCTestCase {
  // Statement 62
  func testMainIsTheMainLoopsThreadBeforeItsFirstUseOfALoop() throws {
    for question in ["wait", "isolation", "other-thread"] {
      XCTAssertEqual(try ChildProcess(["first-use", question]).wait(), 0, question)
    }
  }
}
