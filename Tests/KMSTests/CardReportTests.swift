import Foundation
import Framepace
import FramepaceTesting
import Glibc
import KMSTesting
import Testing

@testable import KMS

/// The report that is made by probing a card.
struct CardReportTests {
  private func card(
    _ connectors: [SimulatedCard.Connector] = [
      .init("HDMI-A-1", modes: [.simulated(640, 480), .simulated(320, 240, hertz: 75)], edid: EDIDTests.monitor),
      .init("DP-1", modes: [], isConnected: false),
    ], hasVBlanks: Bool = true, hasSequences: Bool = true, isAtomic: Bool = true, showsConsole: Bool = true
  ) -> SimulatedCard {
    SimulatedCard(
      connectors: connectors, showsConsole: showsConsole, hasVBlanks: hasVBlanks, hasSequences: hasSequences,
      isAtomic: isAtomic,
      clock: .manual(ManualClock(start: MonotonicTime(nanoseconds: 1_000_000_000))))
  }

  @Test func partsAndScreens() throws {
    let card = card()
    let before = card.screens
    let device = try card.open()
    let report = try device.report()
    // Other programs find the card as free as before.
    #expect(!card.hasMaster && card.screens == before && card.holdings == SimulatedCard.Holdings())
    #expect(report.path == "/dev/dri/card0" && report.driver == "simulated" && report.driverVersion == "1.0.0")
    #expect(report.problem == nil)
    #expect(report.crtcs.map { $0.mode?.description } == ["640x480@60.00", nil])
    #expect(report.planes.map(\.kind) == [.primary, .cursor, .primary, .cursor])
    #expect(report.planes.allSatisfy { $0.formats > 0 })

    let screen = try #require(report.connectors.first)
    #expect(screen.name == "HDMI-A-1" && screen.status == .connected)
    #expect(screen.edid?.name == "Dell E193FP")
    #expect(screen.modes.map(\.description) == ["640x480@60.00", "320x240@75.00"])
    #expect(screen.modes[1].refreshRate == RefreshRate(numerator: 75, denominator: 1))
    #expect(screen.currentMode == screen.modes[0])
    #expect(screen.crtc == report.crtcs[0].id)
    let other = try #require(report.connectors.last)
    #expect(other.name == "DP-1" && other.status == .disconnected && other.edid == nil && other.currentMode == nil)
  }

  /// The kernel shows no console here: the first program that probes becomes master, and others do not probe the screens.
  @Test func screensAreAskedByTheMaster() throws {
    let fresh = card(showsConsole: false)
    let report = try fresh.open().report()
    #expect(report.connectors.map(\.status) == [.connected, .disconnected])
    #expect(report.connectors[0].modes.count == 2 && report.problem == nil)
    #expect(!fresh.hasMaster)

    let taken = card()
    let master = try taken.open()
    taken.setModes([.simulated(800, 600)], of: "HDMI-A-1")
    #expect(try taken.open().report().connectors[0].modes.map(\.description) == ["640x480@60.00", "320x240@75.00"])
    #expect(taken.callCount(of: .connector) == 0)
    #expect(try master.connectors()[0].modes.map(\.description) == ["800x600@60.00"])
  }

  @Test func abilitiesAreFoundByAsking() throws {
    let full = try card().open().report().abilities
    #expect(full.vblankEvents && full.sequenceEvents && full.atomic && full.cursorPlane && full.damageClips)
    #expect(full.gammaTable && full.colorMatrix && !full.writeback && !full.variableRate)
    let none = try card(hasVBlanks: false, isAtomic: false).open().report().abilities
    #expect(!none.vblankEvents && !none.sequenceEvents && !none.atomic)
    let older = card()
    older.fail(.capability, errno: EINVAL)
    let less = try older.open().report().abilities
    #expect(!less.asynchronousFlips && !less.atomicAsynchronousFlips)
  }

  /// A CRTC that is off has vblanks as soon as it is on, also on a kernel older than the calls for sequences.
  @Test(arguments: [true, false], [true, false])
  func vblankEventsOfScreensThatAreOffOrOn(hasSequences: Bool, showsConsole: Bool) throws {
    let card = card(hasSequences: hasSequences, showsConsole: showsConsole)
    let report = try card.open().report()
    #expect(report.crtcs.contains(where: { $0.mode != nil }) == showsConsole)
    #expect(report.abilities.vblankEvents && report.abilities.sequenceEvents == hasSequences)
    #expect(card.callCount(of: .queueVBlank) == 0, "an event was queued that nobody waits for")
  }

  /// A connector that disappears with its dock during the probe does not hide the others.
  @Test func aConnectorThatGoesMeanwhileIsNone() throws {
    let card = card()
    card.fail(next: .connector, errno: ENOENT)
    #expect(try card.open().report().connectors.map(\.name) == ["DP-1"])
    card.fail(next: .connector, errno: EIO)
    #expect(throws: KMSError.self) { try card.open().report() }
  }

  @Test func whyItCannotBeUsed() throws {
    let dark = try card([.init("DP-1", modes: [], isConnected: false)]).open().report()
    #expect(dark.problem == .noConnector(path: "/dev/dri/card0", name: nil, available: ["DP-1 disconnected"]))
    let blank = try card([.init("DP-1", modes: [])]).open().report()
    #expect(blank.problem == .noMode(connector: "DP-1"))
    let renderer = card()
    renderer.fail(.resources, errno: EOPNOTSUPP)
    #expect(try renderer.open().report().problem == .noModeSetting(path: "/dev/dri/card0"))

    let taken = card()
    let master = try taken.open()
    let report = try taken.open().report()
    #expect(report.problem == .notMaster(path: "/dev/dri/card0"))
    #expect(report.connectors.count == 2 && report.abilities.vblankEvents, "what can be asked is told all the same")
    #expect(master.isMaster)
  }

  /// If any call fails, the report has less in it, or the error names the call.
  @Test(arguments: [EIO, ENODEV, EACCES, EINVAL])
  func anyCallMayFail(errno: Int32) throws {
    let card = card()
    _ = try card.open().report()
    let calls = card.callCount
    #expect(calls > 20)
    for number in 1...calls {
      card.resetCalls()
      card.fail(call: number, errno: errno)
      do throws(KMSError) {
        let report = try card.open().report()
        #expect(report.path == "/dev/dri/card0")
      } catch {
        guard case .device(_, let reason) = error else {
          Issue.record("call \(number): \(error)")
          continue
        }
        #expect(reason.errno == errno && reason.call == card.failedCall?.description, "call \(number): \(reason)")
      }
      #expect(card.openCount == 0 && card.holdings == SimulatedCard.Holdings(), "call \(number)")
    }
  }

  /// The names and numbers of programs that have this card open. No part of a name can be a command to a terminal.
  @Test func namesProgramsThatHaveTheCardOpen() throws {
    let files = FileManager.default
    let folder = NSTemporaryDirectory() + "framepace-\(UUID().uuidString)"
    defer { try? files.removeItem(atPath: folder) }
    func process(_ number: String, _ name: String, opens targets: [String]) throws {
      try files.createDirectory(atPath: "\(folder)/\(number)/fd", withIntermediateDirectories: true)
      try Data("\(name)\n".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(number)/comm"))
      for (index, target) in targets.enumerated() {
        try files.createSymbolicLink(atPath: "\(folder)/\(number)/fd/\(index)", withDestinationPath: target)
      }
    }
    try process("812", "Xorg", opens: ["/dev/null", "/dev/dri/card0", "/dev/dri/card0"])
    try process("90", "pl\u{1B}mouthd", opens: ["/dev/dri/card0"])
    try process("7", "other", opens: ["/dev/dri/card1", "/dev/dri/card00"])
    try process("self", "names", opens: ["/dev/dri/card0"])
    try process("\(getpid())", "this", opens: ["/dev/dri/card0"])
    #expect(CardUsers.names(of: "/dev/dri/card0", processes: folder) == ["pl?mouthd (90)", "Xorg (812)"])
    #expect(CardUsers.names(of: "/dev/dri/card2", processes: folder).isEmpty)
    #expect(CardUsers.names(of: "/dev/dri/card0", processes: folder + "/nothing").isEmpty)
  }
}
