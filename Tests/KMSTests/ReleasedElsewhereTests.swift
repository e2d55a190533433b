import Dispatch
import Framepace
import FramepaceTesting
import KMSTesting
import XCTest

@testable import KMS

/// A display whose last reference is released on another thread: its end waits for the main thread, and until then it keeps
/// its screen.
@preconcurrency @MainActor final class ReleasedElsewhereTests: XCTestCase {
  func testItsScreenIsRestoredInTheEnd() throws {
    let names = ["HDMI-A-1", "DP-1", "DP-2"]
    let stage = CardStage(connectors: names.map { .init($0, modes: [.simulated(64, 48)]) }, crtcs: 3)
    let card = try stage.open()
    try letGo { try card.display(connector: "DP-1", clock: stage.loop.clock) }

    // The main thread has not released it yet.
    XCTAssertThrowsError(try card.display(connector: "DP-1", clock: stage.loop.clock)) {
      XCTAssertEqual($0 as? KMSError, .inUse(connector: "DP-1"))
    }
    let other = try card.display(connector: "DP-2", clock: stage.loop.clock)
    XCTAssertNotEqual(stage.card.screens, stage.before)
    runMainLoop { stage.card.screens != stage.before }
    XCTAssertEqual(stage.card.screens, stage.before)
    // It is free again, and the card is given up with its last display.
    other.invalidate()
    try letGo { try card.display(connector: "DP-1", clock: stage.loop.clock) }
    XCTAssertTrue(stage.card.hasMaster)
    runMainLoop { stage.card.hasMaster }
    XCTAssertFalse(stage.card.hasMaster)
    stage.expectNothingLeft()
  }
}

/// Runs the main loop while the condition holds, for a minute at most.
@MainActor
private func runMainLoop(while condition: () -> Bool) {
  let end = SystemClock.monotonic.now + .seconds(60)
  while condition(), SystemClock.monotonic.now < end {
    FrameLoop.main.run(mode: .default, until: SystemClock.monotonic.now + .milliseconds(10))
  }
}

/// Shows a frame, and releases the display on another thread.
@MainActor
private func letGo(of make: () throws -> KMSDisplay) throws {
  let kept = Lock<KMSDisplay?>(nil)
  try show(make, keptIn: kept)
  let done = DispatchSemaphore(value: 0)
  DispatchQueue.global().async {
    kept.withLock { $0 = nil }
    done.signal()
  }
  done.wait()
}

/// Leaves no reference in the caller.
@inline(never)
@MainActor
private func show(_ make: () throws -> KMSDisplay, keptIn kept: Lock<KMSDisplay?>) throws {
  let display = try make()
  try display.present()
  kept.withLock { $0 = display }
}
