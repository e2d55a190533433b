import CDRM
import Framepace
import Testing

@testable import KMS

@Suite struct CardPartsTests {
  private let resources = DRMResources(crtcs: [31, 32, 33], connectors: [1, 2], maximumWidth: 4096, maximumHeight: 4096)

  private func plane(
    _ id: UInt32, possible: UInt32, current: UInt32 = 0, formats: [UInt32] = [cdrm_format_xrgb8888]
  ) -> DRMPlane {
    DRMPlane(id: id, currentCRTC: current, possibleCRTCs: possible, formats: formats)
  }

  private func choose(
    _ connectors: [DRMConnector], name: String? = nil, planes: [DRMPlane]? = nil, used: [ScanOutPipe] = []
  ) throws(KMSError) -> ScanOutPipe {
    let parts = parts(connectors, planes: planes, used: used)
    let connector = try parts.connector(name)
    return try parts.pipe(for: connector, crtc: parts.crtcs(for: [connector])[connector.id])
  }

  private func parts(
    _ connectors: [DRMConnector], planes: [DRMPlane]? = nil, used: [ScanOutPipe] = []
  ) -> CardParts {
    CardParts(path: "/dev/dri/card0", resources: resources, connectors: connectors, primaryPlanes: planes, used: used)
  }

  @Test func firstConnectedConnector() throws {
    let connectors: [DRMConnector] = [
      .connector(1, "DP-1", status: .disconnected), .connector(2, "DP-2", status: .unknown), .connector(3, "eDP-1"),
      .connector(4, "HDMI-A-1"),
    ]
    #expect(try choose(connectors).connector.name == "eDP-1")
    #expect(try choose(connectors, name: "HDMI-A-1").connector.id == 4)
  }

  /// VGA without a data line cannot tell whether it is connected.
  @Test func whatCannotTellIsUsedWhereItIsNamedOrNoneIsConnected() throws {
    let vga = DRMConnector.connector(1, "VGA-1", status: .unknown)
    let blind = DRMConnector.connector(2, "VGA-2", status: .unknown, modes: [])
    let off = DRMConnector.connector(3, "DP-1", status: .disconnected)
    #expect(try choose([blind, vga, off]).connector.name == "VGA-1")
    #expect(try choose([vga, .connector(4, "DP-2")]).connector.name == "DP-2")
    #expect(try choose([vga, .connector(4, "DP-2")], name: "VGA-1").connector.name == "VGA-1")
    #expect(parts([vga, .connector(4, "DP-2")]).free.map(\.name) == ["DP-2"])
    #expect(throws: KMSError.self) { try choose([blind], name: "VGA-2") }
    #expect(throws: KMSError.self) { try choose([off]) }
  }

  @Test func aConnectorThatIsNotThereIsNamed() {
    let connectors: [DRMConnector] = [.connector(1, "DP-1", status: .disconnected), .connector(2, "HDMI-A-1")]
    let available = ["DP-1 disconnected", "HDMI-A-1 connected"]
    #expect(throws: KMSError.noConnector(path: "/dev/dri/card0", name: "DP-1", available: available)) {
      try choose(connectors, name: "DP-1")
    }
    #expect(throws: KMSError.noConnector(path: "/dev/dri/card0", name: nil, available: [])) { try choose([]) }
  }

  @Test func theModeThatIsAskedFor() throws {
    let modes: [DisplayMode] = [.mode(1024, 768, isPreferred: true), .mode(800, 600), .mode(8000, 6000)]
    let connector = DRMConnector.connector(1, modes: modes, possible: 0b1)
    func pipe(_ width: Int, _ height: Int) throws(KMSError) -> ScanOutPipe {
      try parts([connector]).pipe(for: connector, crtc: 31, mode: ModeRequest(width: width, height: height))
    }
    #expect(try pipe(800, 600).mode.width == 800)
    #expect(try pipe(800, 600).refreshRate == modes[1].refreshRate)
    let missing = "framebuffer as large as 8000x6000 (4096x4096 at most)"
    #expect(throws: KMSError.noPipe(connector: "HDMI-A-1", missing: missing)) { try pipe(8000, 6000) }
    let available = modes.map(\.description)
    #expect(throws: KMSError.unknownMode(connector: "HDMI-A-1", mode: "800x601", available: available)) {
      try pipe(800, 601)
    }
  }

  /// The CRTC that drives it already, else one that drives nothing, else any: then the others are taken off it.
  @Test func crtc() throws {
    let other = DRMConnector.connector(2, "DP-1", current: 31)
    let table: [(connectors: [DRMConnector], crtc: UInt32, clones: [UInt32])] = [
      ([.connector(1, possible: 0b111, current: 33), .connector(2, "DP-1")], 33, []),
      ([.connector(1, possible: 0b111), other], 32, []), ([.connector(1, possible: 0b100), other], 33, []),
      // A CRTC of another card's list is none of ours.
      ([.connector(1, possible: 0b010, current: 77), other], 32, []),
      ([.connector(1, possible: 0b001), other, .connector(5, current: 31)], 31, [2, 5]),
    ]
    for row in table {
      let pipe = try choose(row.connectors)
      #expect(pipe.crtc == row.crtc && pipe.clones == row.clones)
    }
    for possible: UInt32 in [0, 0b1000] {
      #expect(throws: KMSError.noPipe(connector: "HDMI-A-1", missing: "free CRTC that can drive it")) {
        try choose([.connector(1, possible: possible)])
      }
    }
  }

  @Test(arguments: [[], [.mode(5000, 100)]] as [[DisplayMode]]) func noMode(modes: [DisplayMode]) {
    #expect(throws: KMSError.noMode(connector: "HDMI-A-1")) { try choose([.connector(1, modes: modes)]) }
  }

  @Test func planeOfTheCRTC() throws {
    let connector = DRMConnector.connector(1, current: 32)
    #expect(try choose([connector]).plane == nil)
    let planes = [
      plane(40, possible: 0b001), plane(41, possible: 0b010, current: 31), plane(42, possible: 0b010),
      plane(43, possible: 0b010, current: 32), plane(44, possible: 0b010, current: 32, formats: [1]),
    ]
    #expect(try choose([connector], planes: planes).plane == 43)
    #expect(try choose([connector], planes: Array(planes[..<3])).plane == 42)
    #expect(try choose([connector], planes: Array(planes[..<2])).plane == 41)
    let missing = KMSError.noPipe(connector: "HDMI-A-1", missing: "primary plane that takes XRGB8888")
    #expect(throws: missing) { try choose([connector], planes: [planes[0], planes[4]]) }
    #expect(throws: missing) { try choose([connector], planes: []) }
  }

  // MARK: Several displays

  @Test func whatADisplayUsesIsNotGivenAway() throws {
    let planes = [plane(40, possible: 0b111), plane(41, possible: 0b111)]
    let connectors = [DRMConnector.connector(1, "DP-1", possible: 0b011), .connector(2, "DP-2", possible: 0b011)]
    let first = try choose(connectors, planes: planes)
    #expect((first.connector.name, first.crtc, first.plane) == ("DP-1", 31, 40))
    let second = try choose(connectors, planes: planes, used: [first])
    #expect((second.connector.name, second.crtc, second.plane) == ("DP-2", 32, 41))
    #expect(throws: KMSError.inUse(connector: "DP-1")) { try choose(connectors, name: "DP-1", used: [first]) }
    #expect(throws: KMSError.inUse(connector: "DP-1")) { try choose(connectors, used: [first, second]) }
    #expect(throws: KMSError.noPipe(connector: "DP-2", missing: "primary plane that takes XRGB8888")) {
      try choose(connectors, planes: [planes[0]], used: [first])
    }
    // Taken by ours, although the other connector showed it too.
    let clone = DRMConnector.connector(3, "DP-3", possible: 0b001, current: 31)
    #expect(throws: KMSError.noPipe(connector: "DP-3", missing: "free CRTC that can drive it")) {
      try choose([clone], used: [first])
    }
  }

  @Test func aChoosyConnectorGetsItsCRTCAlthoughItComesLast() {
    let easy = DRMConnector.connector(1, possible: 0b111)
    let half = DRMConnector.connector(2, possible: 0b011)
    let choosy = DRMConnector.connector(3, possible: 0b001)
    #expect(parts([easy, half, choosy]).crtcs(for: [easy, half, choosy]) == [1: 33, 2: 32, 3: 31])
    #expect(parts([choosy, half, easy]).crtcs(for: [choosy, half, easy]) == [1: 33, 2: 32, 3: 31])
  }

  @Test func aCRTCStaysWithItsConnector() {
    let settled = DRMConnector.connector(1, possible: 0b111, current: 31)
    let clone = DRMConnector.connector(2, possible: 0b111, current: 31)
    let choosy = DRMConnector.connector(3, possible: 0b001)
    #expect(parts([settled, clone, choosy]).crtcs(for: [settled, clone, choosy]) == [1: 31, 2: 32])
  }

  /// Against all ways to give CRTCs to connectors: as many get one as can, each one that it can use, none twice.
  @Test func asManyAsThereCanBe() {
    for seed: UInt64 in 1...2000 {
      var random = SplitMix64(seed: seed)
      let connectors = (1...4).map { DRMConnector.connector($0, possible: .random(in: 0..<8, using: &random)) }
      let crtcs = parts(connectors).crtcs(for: connectors)
      #expect(Set(crtcs.values).count == crtcs.count, "seed \(seed)")
      for (id, crtc) in crtcs { #expect(connectors[Int(id) - 1].possibleCRTCs & (1 << (crtc - 31)) != 0, "seed \(seed)") }
      func most(_ index: Int, _ taken: UInt32) -> Int {
        guard index < connectors.count else { return 0 }
        var best = most(index + 1, taken)
        for bit in 0..<3 as Range<UInt32> where connectors[index].possibleCRTCs & ~taken & (1 << bit) != 0 {
          best = max(best, 1 + most(index + 1, taken | 1 << bit))
        }
        return best
      }
      #expect(crtcs.count == most(0, 0), "seed \(seed)")
    }
  }
}
