import Dispatch
import FramepaceTesting
import Geometry
import KMSTesting
import LinuxSystem
import Presentation
import RunLoops
import XCTest

@testable import KMS
import RenderTree

/// A display whose last reference is released on another thread: its end waits for the main thread, and until then it keeps
/// its screen.
final class ReleasedElsewhereTests: XCTestCase {
  func testItsScreenIsRestoredInTheEnd() throws {
    try onMain {
      let names = ["HDMI-A-1", "DP-1", "DP-2"]
      let stage = CardStage(connectors: names.map { .init($0, modes: [.simulated(64, 48)]) }, crtcs: 3)
      let before = stage.card.screens
      let card = try stage.open()
      try letGo { try card.display(connector: "DP-1", clock: stage.loop.clock) }

      // The main thread has not released it yet.
      XCTAssertThrowsError(try card.display(connector: "DP-1", clock: stage.loop.clock)) {
        XCTAssertEqual($0 as? KMSError, .inUse(connector: "DP-1"))
      }
      let other = try card.display(connector: "DP-2", clock: stage.loop.clock)
      XCTAssertNotEqual(stage.card.screens, before)
      let end = SystemClock.monotonic.now + .seconds(5)
      while stage.card.screens != before, SystemClock.monotonic.now < end {
        FrameLoop.main.run(mode: .default, until: SystemClock.monotonic.now + .milliseconds(10))
      }
      XCTAssertEqual(stage.card.screens, before)
      // It is free again.
      try card.display(connector: "DP-1", clock: stage.loop.clock).invalidate()
      XCTAssertTrue(stage.card.hasMaster)
      other.invalidate()
      XCTAssertFalse(stage.card.hasMaster)
      XCTAssertEqual(stage.card.holdings, SimulatedCard.Holdings())
    }
  }

  func testTheCardIsGivenUpWithItsLastDisplay() throws {
    try onMain {
      let stage = CardStage()
      let card = try stage.open()
      try letGo { try card.display(clock: stage.loop.clock) }
      XCTAssertTrue(stage.card.hasMaster)
      let end = SystemClock.monotonic.now + .seconds(5)
      while stage.card.hasMaster, SystemClock.monotonic.now < end {
        FrameLoop.main.run(mode: .default, until: SystemClock.monotonic.now + .milliseconds(10))
      }
      XCTAssertFalse(stage.card.hasMaster)
      XCTAssertEqual(stage.card.holdings, SimulatedCard.Holdings())
    }
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
  if let buffer = display.presenter.acquireBuffer() {
    try display.presenter.present(buffer, damage: DamageRegion())
  }
  kept.withLock { $0 = display }
}
