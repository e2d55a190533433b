import Framepace
import FramepaceTesting
import Glibc
import KMSTesting
import TestLength
import XCTest

@testable import KMS

/// A short life of a display, again and again, each time with one call of the driver failing: nothing crashes, nothing is
/// left behind, and the screen is as it was found. Every pair of abilities is covered.
final class CallFailureTests: XCTestCase {
  func testAtomicWithFeatures() throws { try onMain { try Sweep(isAtomic: true, isFull: true).run() } }
  func testLegacyWithFeatures() throws { try onMain { try Sweep(isAtomic: false, isFull: true).run() } }
  func testLegacyWithoutVBlanks() throws { try onMain { try Sweep(isAtomic: false, hasVBlanks: false).run() } }
  func testAnOldKernel() throws { try onMain { try Sweep(isAtomic: false, hasSequences: false).run() } }
  func testAnOldKernelWithoutVBlanks() throws {
    try onMain { try Sweep(isAtomic: true, hasVBlanks: false, hasSequences: false).run() }
  }
}

@MainActor
private struct Sweep {
  let isAtomic: Bool
  var hasVBlanks = true
  var hasSequences = true
  /// True if rate and tearing are used too, the screen is asked, and is switched off for a while.
  var isFull = false

  /// Error codes by class: come again, a refusal, no room, no right, no device.
  private static let classes = [[EBUSY, EINTR], [EINVAL, ENOENT], [ENOMEM, ENOSPC], [EACCES], [ENODEV]]

  /// The codes with which one call fails: of two classes, others for the next call and the next seed; in a long run all.
  private static func codes(forCall number: Int) -> [Int32] {
    if isLongRun { return classes.flatMap(\.self) }
    return [0, 2].map { step in
      let codes = classes[(runSeed + number + step) % classes.count]
      return codes[(runSeed + number) / classes.count % codes.count]
    }
  }

  /// The program's view of a run.
  @MainActor
  private final class Report {
    var thrown: KMSError?
    var lost: KMSError?
    /// The driver's refusal of a feature.
    var refused: SystemError?
    var isUnplugged = false
    var frames = 0
    /// Keeps the card open: closing it would free everything.
    var device: DRMDevice?
  }

  func run() throws {
    let whole = stage()
    let report = Report()
    let before = whole.card.screens
    try live(on: whole, report)
    XCTAssertNil(report.thrown)
    XCTAssertNil(report.lost)
    XCTAssertNil(report.refused)
    XCTAssertEqual(report.frames, 4)
    XCTAssertEqual(whole.card.screens, before)
    XCTAssertEqual(whole.card.holdings, SimulatedCard.Holdings())
    let calls = whole.card.callCount
    XCTAssertGreaterThan(calls, 30)
    for number in 1...calls {
      for errno in Self.codes(forCall: number) { try fail(number, errno) }
    }
  }

  private func stage() -> CardStage {
    let stage = CardStage(
      connectors: [.init("HDMI-A-1", modes: [.simulated(64, 48)], takesVariableRate: isAtomic && isFull ? true : nil)],
      hasVBlanks: hasVBlanks, hasSequences: hasSequences, isAtomic: isAtomic, takesAsynchronousFlips: isFull)
    // The legacy calls do not see such settings.
    if isAtomic { stage.card.addLeftovers(on: "HDMI-A-1") }
    return stage
  }

  private func fail(_ number: Int, _ errno: Int32) throws {
    let stage = stage()
    let before = stage.card.screens
    stage.card.fail(call: number, errno: errno)
    let report = Report()
    try live(on: stage, report)
    guard let call = stage.card.failedCall else { return XCTFail("call \(number) was not made") }
    let place = "call \(number), \(call) with errno \(errno)"
    // A device that is gone is not asked to restore anything: the kernel does when it is closed.
    let isGone = errno == ENODEV && report.lost != nil
    expectNothingLeft(on: stage, but: call, isGone: isGone, place)
    // A picture that its owner has freed cannot be restored.
    let isFreed = report.frames == 4 && call == .setCRTC && errno == ENOENT
    // Switching a screen off by the legacy calls changes settings that they do not see.
    let isBlind = isFull && report.device?.isAtomic != isAtomic
    if !isFreed && !isGone && !isBlind { XCTAssertEqual(stage.card.screens, before, place) }
    // A kernel that first has the calls, and then does not.
    let isContradiction = call == .sequence && errno == ENOENT && !hasSequences
    if isContradiction {
    } else if let error = report.thrown ?? report.lost {
      expect(error, says: call, errno, place)
    } else if report.isUnplugged {
      // A connector that has gone with its dock.
      XCTAssertTrue([.connector, .properties].contains(call) && errno == ENOENT, place)
    } else {
      XCTAssertEqual(report.frames, 4, "\(place): nobody was told")
    }
    report.device = nil
    XCTAssertEqual(stage.card.openCount, 0, place)
  }

  /// Only the object that could not be freed is left.
  private func expectNothingLeft(on stage: CardStage, but call: CardCall, isGone: Bool, _ place: String) {
    var left = SimulatedCard.Holdings()
    switch call {
    case .removeFramebuffer: left.framebuffers = 1
    case .destroyDumbBuffer: left.handles = 1
    case .unmapDumbBuffer: left.mappings = 1
    case .destroyBlob: left.blobs = 1
    default: break
    }
    XCTAssertEqual(stage.card.holdings, left, place)
    XCTAssertEqual(stage.card.hasMaster, call == .dropMaster || isGone, place)
  }

  /// The error names connector and mode, or the card, and the call.
  private func expect(_ error: KMSError, says call: CardCall, _ errno: Int32, _ place: String) {
    switch error {
    case .refused(let connector, let mode, let error), .lost(let connector, let mode, let error):
      XCTAssertEqual("\(connector) \(mode)", "HDMI-A-1 64x48@60.00", place)
      XCTAssertEqual("\(error.call) \(error.errno)", "\(call) \(errno)", place)
    case .device(let path, let error):
      XCTAssertEqual(path, "/dev/dri/card0", place)
      XCTAssertEqual("\(error.call) \(error.errno)", "\(call) \(errno)", place)
    case .noModeSetting: XCTAssertTrue(call == .resources && (errno == EINVAL || errno == EOPNOTSUPP), place)
    case .notMaster: XCTAssertTrue(call == .isMaster && errno == EACCES, place)
    case .noConnector: XCTAssertTrue(call == .connector && errno == ENOENT, place)
    default: XCTFail("\(place): \(error)")
    }
  }

  /// Further events in a display's life.
  private func disturb(_ display: KMSDisplay, before frame: Int, on stage: CardStage) {
    switch frame {
    case 1: display.allowsTearing = true
    case 2:
      display.card.lookForScreens()
      if isAtomic { display.wantsVariableRefresh = false }
    case 3:
      display.isPowered = false
      stage.run(for: .milliseconds(20))
      display.isPowered = true
    default: break
    }
  }

  /// Opens a display, shows a first frame and three more, and gives it back.
  private func live(on stage: CardStage, _ report: Report) throws {
    do {
      let opened = try stage.card.open()
      report.device = opened
      let access = CardAccess(open: { () throws(KMSError) in throw .noDevice })
      let display = try KMSCard(device: opened, access: access).display(clock: stage.loop.clock)
      display.add(to: stage.loop, mode: .default)
      // The state recovers; the first error counts here.
      display.observe { [unowned display] event in
        guard case .stateChanged(let state) = event else { return }
        if state == .waiting(.unplugged) { report.isUnplugged = true }
        report.lost = report.lost ?? display.lastError
      }.keep()
      let link = DisplayLink(ticker: display.ticker) { _ in }
      link.add(to: stage.loop, mode: .default)
      defer {
        link.invalidate()
        display.invalidate()
      }
      display.onRefusal = { if case .driver(_, _, let error) = $0 { report.refused = error } }
      // The legacy calls would replace the cursor that is there.
      if opened.isAtomic == isAtomic { display.cursor = Cursor(image: try Bitmap(width: 8, height: 8).freeze()) }
      if isFull { display.wantsVariableRefresh = isAtomic }
      for frame in 0..<4 {
        if isFull { disturb(display, before: frame, on: stage) }
        display.cursorPosition = Point(Double(frame), 1)
        if frame == 2 { stage.run(for: .milliseconds(20)) }
        let rect =
          frame == 0
          ? IntRect.all : IntRect(x: 3 * frame, y: frame, width: 20, height: 9)
        if try stage.show(UInt32(frame) &* 0x1234_5678, in: rect, on: display) != nil { report.frames += 1 }
      }
    } catch let error as KMSError {
      report.thrown = error
    }
  }
}
