import Glibc
import KMSTesting
import LinuxSystem
import XCTest

@testable import KMS

// Swift's Glibc module hides it. The child process ends soon.
@_silgen_name("fork") private func forkProcess() -> pid_t

/// A process ends by `exit` while its list of screens is being changed: it does not wait for ever. In child processes, which an
/// alarm ends if they wait.
final class ForkedExitTests: XCTestCase {
  /// Runs `body` in the middle of a change to the list: as an entry's card is closed, because another one takes its place.
  private static func inTheMiddle(_ body: @escaping @Sendable () -> Void) throws {
    let card = SimulatedCard(connectors: [], clock: .monotonic)
    let screen = SavedScreen(crtc: 1, framebuffer: 0, x: 0, y: 0, mode: nil, connectors: [])
    let number = ScreensAtExit.remember(screen, on: try card.open().interface)
    defer { ScreensAtExit.forget(number) }
    let other = try card.open().interface
    card.before(next: .close, body)
    _ = ScreensAtExit.remember(screen, on: other, as: number)
  }

  /// A handler of a signal calls `exit` on the thread that it has interrupted.
  func testAnExitByTheThreadThatChangesTheList() throws {
    let status = fork { try? Self.inTheMiddle { exit(7) } }
    XCTAssertEqual(status, 7 << 8)
  }

  /// The child process has no thread that would end the change.
  func testAChildForkedDuringAChangeByAnotherThread() throws {
    let isInside = Latch()
    let thread = try SystemThread(name: "change") {
      try? Self.inTheMiddle {
        isInside.open()
        usleep(50_000)
      }
    }
    isInside.wait()
    XCTAssertEqual(fork { exit(7) }, 7 << 8)
    // It may also change the list.
    let status = fork {
      try? Self.inTheMiddle {}
      exit(7)
    }
    XCTAssertEqual(status, 7 << 8)
    thread.join()
  }

  /// Forks, and returns the status with which the child process ends.
  private func fork(_ body: () -> Void) -> Int32 {
    fflush(nil)
    let child = forkProcess()
    if child == 0 {
      alarm(10)
      body()
      _exit(1)
    }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 {}
    return status
  }
}
