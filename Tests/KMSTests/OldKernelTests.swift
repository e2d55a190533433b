import FrameTiming
import Framepace
import FramepaceTesting
import KMSTesting
import XCTest

@testable import KMS

/// Kernels before 4.15, which report vblanks only by `drmWaitVBlank` and answer every unknown call with `EINVAL`.
@preconcurrency @MainActor final class OldKernelTests: XCTestCase {
  /// The older events pace a display, also when their 32-bit count overflows.
  func testADisplayIsPacedByTheOlderEvents() throws {
    try onEachInterface { isAtomic in
      let stage = CardStage(hasSequences: false, isAtomic: isAtomic)
      stage.card.setSequence(1 << 32 - 100, of: "HDMI-A-1")
      let display = try stage.openDisplay()
      XCTAssertTrue(display.hasVBlankEvents)
      var ticks: [VBlank] = []
      let link = DisplayLink(ticker: display.ticker) { [unowned display] _ in
        if let vblank = display.ticker.lastVBlank { ticks.append(vblank) }
      }
      link.add(to: stage.loop, mode: .default)
      stage.run(for: .seconds(10))
      XCTAssertEqual(ticks.count, 600, accuracy: 1)
      XCTAssertEqual(stage.card.callCount(of: .queueVBlank), ticks.count, accuracy: 1)
      XCTAssertEqual(stage.card.callCount(of: .queueSequence), 0)
      let sequences = ticks.map(\.sequence)
      XCTAssertEqual(sequences, Array((sequences.first ?? 0)..<(sequences.first ?? 0) + UInt64(ticks.count)))
      XCTAssertLessThan(try XCTUnwrap(sequences.first), 1 << 32)
      XCTAssertGreaterThan(try XCTUnwrap(sequences.last), 1 << 32)
      for tick in ticks { XCTAssertEqual(tick.timestamp.nanoseconds % 1_000, 0) }

      // A frame's sequence counts on from the ticks'.
      let shown = try XCTUnwrap(try stage.show(1, on: display))
      XCTAssertGreaterThan(shown.sequence, 1 << 32)
      // At rest nothing is asked for.
      link.invalidate()
      stage.run(for: .milliseconds(100))
      let calls = stage.card.callCount
      stage.run(for: .seconds(1))
      XCTAssertEqual(stage.card.callCount, calls)
      display.invalidate()
    }
  }

  /// The reason for an `EINVAL` is found out: a CRTC that is off, an unknown call, or a driver without vblanks.
  func testWhichCallsThereAre() throws {
    let events = VBlankCalls.events(pipe: 0)
    for (hasVBlanks, hasSequences, showsConsole, expected) in [
      (true, true, true, .sequences(crtc: 31)), (true, true, false, .sequences(crtc: 31)), (false, true, true, nil),
      (false, true, false, nil), (true, false, true, events), (true, false, false, events), (false, false, true, nil),
      // The missing vblanks are found out once the screen is on.
      (false, false, false, events),
    ] as [(Bool, Bool, Bool, VBlankCalls?)] {
      let stage = CardStage(showsConsole: showsConsole, hasVBlanks: hasVBlanks, hasSequences: hasSequences)
      let interface = try stage.card.open().interface
      XCTAssertEqual(
        try VBlankCalls.find(crtc: 31, pipe: 0, on: interface), expected,
        "vblanks \(hasVBlanks), sequences \(hasSequences), console \(showsConsole)")
    }
    // A blanked screen has a mode, but its CRTC is off.
    let stage = CardStage(hasSequences: false)
    stage.card.blank("HDMI-A-1")
    XCTAssertEqual(try VBlankCalls.find(crtc: 31, pipe: 0, on: stage.card.open().interface), events)
  }

  /// The screen was off, and its driver has no vblanks: the assumed ability is dropped once the screen is on.
  func testADriverWithoutVBlanksIsFoundOutByTheFirstFrame() throws {
    let stage = CardStage(showsConsole: false, hasVBlanks: false, hasSequences: false)
    let display = try stage.openDisplay()
    XCTAssertTrue(display.hasVBlankEvents)
    var ticks = 0
    let link = DisplayLink(ticker: display.ticker) { _ in ticks += 1 }
    link.add(to: stage.loop, mode: .default)
    _ = try stage.show(1, on: display)
    stage.run(for: .seconds(1))
    XCTAssertEqual(display.state, .showing)
    XCTAssertFalse(display.hasVBlankEvents)
    ticks = 0
    stage.run(for: .seconds(1))
    XCTAssertEqual(ticks, 60, accuracy: 1)
    link.invalidate()
    display.invalidate()
  }
}
