import FrameTiming
import Framepace
import FramepaceTesting
import Glibc
import KMSTesting
import XCTest

@testable import KMS

/// Listening to the vblanks of a simulated card.
@preconcurrency @MainActor final class VBlankProbeTests: XCTestCase {
  /// A screen that another program uses: its vblanks come one by one, and nothing of it is touched. On a kernel without the
  /// calls for sequences stamps are in microseconds.
  func testAScreenInUseIsHeard() throws {
    for hasSequences in [true, false] {
      let stage = CardStage(
        connectors: [
          .init("DP-1", modes: [.simulated(64, 48)], isConnected: false),
          .init("HDMI-A-1", modes: [.simulated(64, 48), .simulated(32, 24, hertz: 75)]),
        ], hasSequences: hasSequences)
      let master = try stage.card.open()
      let probe = try openProbe(stage)
      XCTAssertEqual(probe.name, "HDMI-A-1 64x48@60.00 (simulated)")
      XCTAssertEqual(probe.source.name, "DRM vblank of HDMI-A-1")
      let vblanks = listen(to: probe, count: 60, on: stage)
      XCTAssertEqual(vblanks.count, 60)
      for (first, second) in zip(vblanks, vblanks.dropFirst()) {
        XCTAssertEqual(second.sequence, first.sequence + 1)
        XCTAssertEqual((second.timestamp - first.timestamp).milliseconds, 1000 / 60.0, accuracy: 0.002)
        if !hasSequences { XCTAssertEqual(second.timestamp.nanoseconds % 1_000, 0) }
      }
      XCTAssertEqual(stage.card.callCount(of: .queueSequence) > 0, hasSequences)
      probe.invalidate()
      XCTAssertEqual(stage.card.screens, stage.before)
      XCTAssertTrue(master.isMaster)
      XCTAssertEqual(stage.card.callCount(of: .connector), 0, "another program's screen was asked")
      XCTAssertEqual(stage.card.callCount(of: .commit) + stage.card.callCount(of: .setCRTC), 0)
      XCTAssertEqual(stage.loop.run(mode: .default, until: stage.clock.now + .milliseconds(50)), .timedOut)
    }
  }

  /// Listening alone must not take the card from others.
  func testAFreeCardStaysFree() throws {
    let stage = CardStage()
    let probe = try openProbe(stage)
    XCTAssertFalse(stage.card.hasMaster)
    XCTAssertNoThrow(try stage.card.open().becomeMaster())
    probe.invalidate()
  }

  /// With a mode the screen is black, and afterwards as it was.
  func testAModeIsSetWithABlackPicture() throws {
    try onEachInterface { isAtomic in
      let stage = CardStage(
        connectors: [.init("HDMI-A-1", modes: [.simulated(64, 48), .simulated(32, 24, hertz: 75)])], isAtomic: isAtomic)
      let probe = try openProbe(stage, mode: ModeRequest(width: 32, height: 24))
      XCTAssertEqual(probe.name, "HDMI-A-1 32x24@75.00 (simulated)")
      XCTAssertTrue(stage.card.screens.contains("32x24@75.00"), stage.card.screens)
      let vblanks = listen(to: probe, count: 75, on: stage)
      XCTAssertEqual(vblanks.count, 75)
      XCTAssertEqual(try XCTUnwrap(vblanks.last?.sequence) - vblanks[0].sequence, 74)
      let image = try XCTUnwrap(try stage.card.copyShownImage(of: "HDMI-A-1"))
      let pixels = image.row(5).assumingMemoryBound(to: UInt32.self)
      XCTAssertEqual([image.width, image.height], [32, 24])
      XCTAssertTrue((0..<32).allSatisfy { pixels[$0] & 0xFF_FFFF == 0 }, "the picture is not black")
      probe.invalidate()
      stage.expectNothingLeft()
      XCTAssertFalse(stage.card.hasMaster)
    }
  }

  func testAClockReplacesMissingVBlanks() throws {
    let stage = CardStage(connectors: [.init("DP-1", modes: [.simulated(64, 48, hertz: 75)])], hasVBlanks: false)
    let probe = try openProbe(stage)
    XCTAssertEqual(probe.name, "DP-1 64x48@75.00 (simulated)")
    XCTAssertEqual(probe.source.name, "fallback clock 75.00 Hz: simulated has no vblank events")
    XCTAssertEqual(listen(to: probe, count: 30, on: stage).count, 30)
    probe.invalidate()
  }

  func testWhatCannotBeProbed() throws {
    let dark = CardStage(showsConsole: false)
    XCTAssertEqual(error(dark), .screenOff(connector: "HDMI-A-1"))
    XCTAssertNil(error(dark, nil, ModeRequest(width: 64, height: 48)))
    XCTAssertEqual(error(CardStage(showsConsole: false, hasSequences: false)), .screenOff(connector: "HDMI-A-1"))
    XCTAssertEqual(
      error(dark, "DP-7"),
      .noConnector(path: "/dev/dri/card0", name: "DP-7", available: ["HDMI-A-1 connected"]))
    XCTAssertEqual(
      error(CardStage(), nil, ModeRequest(width: 64, height: 49)),
      .unknownMode(connector: "HDMI-A-1", mode: "64x49", available: ["64x48@60.00"]))
    let refusing = CardStage(connectors: [.init("HDMI-A-1", modes: [.simulated(64, 48), .simulated(32, 24)])])
    refusing.card.refuseModes(["32x24@60.00"])
    let refused = error(refusing, nil, ModeRequest(width: 32, height: 24))
    guard case .refused("HDMI-A-1", "32x24@60.00", let reason)? = refused else {
      return XCTFail("a mode that the driver refuses: \(String(describing: refused))")
    }
    XCTAssertEqual(reason.errno, EINVAL)
    let taken = CardStage()
    let master = try taken.card.open()
    XCTAssertEqual(error(taken, nil, ModeRequest(width: 64, height: 48)), .notMaster(path: "/dev/dri/card0"))
    XCTAssertTrue(master.isMaster)
  }

  /// Another master is reported as such, other errors by their call.
  func testBecomingMasterFails() throws {
    for (number, isInUse) in [(EACCES, true), (EBUSY, true), (EIO, false)] {
      let stage = CardStage()
      let device = try stage.card.open()
      try device.dropMaster()
      stage.card.fail(next: .setMaster, errno: number)
      let reason = SystemError(call: "drmSetMaster", errno: number)
      let expected: KMSError = isInUse ? .notMaster(path: device.path) : .device(path: device.path, reason)
      XCTAssertThrowsError(try device.becomeMaster()) { XCTAssertEqual($0 as? KMSError, expected) }
      // A card that is gone fails with the next call.
      stage.card.unplug()
      XCTAssertTrue(device.isMaster)
      XCTAssertThrowsError(try device.connectors())
    }
  }

  /// A screen that goes off, and a card that is pulled out, are reported once.
  func testALossIsToldOnce() throws {
    for mode in [nil, ModeRequest(width: 64, height: 48)] {
      for isUnplugged in [true, false] {
        let stage = CardStage()
        let probe = try openProbe(stage, mode: mode)
        var lost: [any Error] = []
        probe.onLost = { lost.append($0) }
        var count = 0
        probe.source.onVBlank = { [weak probe] _ in
          count += 1
          if count == 5 { if isUnplugged { stage.card.unplug() } else { stage.card.switchOff("HDMI-A-1") } }
          probe?.source.requestVBlank()
        }
        probe.source.add(to: stage.loop, mode: .default)
        probe.source.requestVBlank()
        stage.run(for: .seconds(1))
        XCTAssertEqual(lost.count, 1, "mode \(String(describing: mode)), unplugged \(isUnplugged): \(lost)")
        XCTAssertEqual(count, 5)
        probe.invalidate()
      }
    }
  }

  /// Whichever call fails while the probe is opened, the screen is left as it was found.
  func testAnyCallMayFail() throws {
    for mode in [nil, ModeRequest(width: 64, height: 48)] {
      let whole = CardStage()
      try openProbe(whole, mode: mode).invalidate()
      let calls = whole.card.callCount
      XCTAssertGreaterThan(calls, 5)
      for number in 1...calls {
        let stage = CardStage()
        stage.card.fail(call: number, errno: EIO)
        _ = try? openProbe(stage, mode: mode)
        XCTAssertEqual(stage.card.openCount, 0, "call \(number)")
        guard let failed = stage.card.failedCall else { continue }
        // An object that could not be freed is left.
        if [.unmapDumbBuffer, .removeFramebuffer, .destroyDumbBuffer, .destroyBlob].contains(failed) { continue }
        XCTAssertEqual(stage.card.holdings, SimulatedCard.Holdings(), "call \(number): \(failed)")
        if [.commit, .setCRTC].contains(failed) { continue }
        XCTAssertEqual(stage.card.screens, stage.before, "call \(number): \(failed)")
      }
    }
  }
}

@MainActor
private func openProbe(
  _ stage: CardStage, connector: String? = nil, mode: ModeRequest? = nil
) throws -> VBlankProbe {
  try VBlankProbe(device: try stage.card.open(), connector: connector, mode: mode, clock: .manual(stage.clock))
}

/// Requests one vblank after the other.
@MainActor
private func listen(to probe: VBlankProbe, count: Int, on stage: CardStage) -> [VBlank] {
  var vblanks: [VBlank] = []
  probe.source.onVBlank = { [weak probe] vblank in
    vblanks.append(vblank)
    if vblanks.count < count { probe?.source.requestVBlank() }
  }
  probe.source.add(to: stage.loop, mode: .default)
  probe.source.requestVBlank()
  stage.run(for: .seconds(Double(count) / 30))
  return vblanks
}

/// The error of a probe that cannot be opened.
@MainActor
private func error(_ stage: CardStage, _ connector: String? = nil, _ mode: ModeRequest? = nil) -> KMSError? {
  do {
    _ = try openProbe(stage, connector: connector, mode: mode)
    return nil
  } catch {
    return error as? KMSError
  }
}
