import Foundation
import XCTest

/// A thread calls `exit`, as at a second signal, while the main thread is busy and comes back: the picture from before is
/// restored once, and stays.
final class ExitTests: XCTestCase {
  func testTheMainThreadShowsNothingMore() throws {
    for change in ["frame", "first-frame", "switch-off", "cursor"] { try expectTheScreensAsFound(change) }
  }

  func testTheMainThreadEndsItsDisplayMeanwhile() throws { try expectTheScreensAsFound("end") }

  /// The process does not end before the screens are restored.
  func testTheMainThreadExitsMeanwhile() throws { try expectTheScreensAsFound("exit") }

  private func expectTheScreensAsFound(_ change: String) throws {
    for interface in ["atomic", "legacy"] {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appendingPathComponent("exiting")
      process.arguments = [change, interface]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      // The legacy calls have shown the second display's first buffer too.
      let calls = interface == "atomic" ? 1 : 2
      XCTAssertEqual(text, "as found: true, restored by \(calls) calls\n", "\(change), \(interface)")
      XCTAssertEqual(process.terminationStatus, 3, "\(change), \(interface)")
    }
  }
}
