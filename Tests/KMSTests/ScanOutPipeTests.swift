import CDRM
import FrameTiming
import LinuxSystem
import Testing

@testable import KMS

@Suite struct ScanOutPipeTests {
  private let resources = DRMResources(crtcs: [31, 32, 33], connectors: [1, 2], maximumWidth: 4096, maximumHeight: 4096)

  private func plane(
    _ id: UInt32, possible: UInt32, current: UInt32 = 0, formats: [UInt32] = [cdrm_format_xrgb8888]
  ) -> DRMPlane {
    DRMPlane(id: id, currentCRTC: current, possibleCRTCs: possible, formats: formats)
  }

  private func choose(
    _ connectors: [DRMConnector], name: String? = nil, planes: [DRMPlane]? = nil
  ) throws(KMSError) -> ScanOutPipe {
    try ScanOutPipe.choose(
      path: "/dev/dri/card0", connector: name, resources: resources, connectors: connectors, primaryPlanes: planes)
  }

  @Test func firstConnectedConnector() throws {
    let connectors: [DRMConnector] = [
      .connector(1, "DP-1", status: .disconnected), .connector(2, "DP-2", status: .unknown), .connector(3, "eDP-1"),
      .connector(4, "HDMI-A-1"),
    ]
    #expect(try choose(connectors).connector.name == "eDP-1")
    #expect(try choose(connectors, name: "HDMI-A-1").connector.id == 4)
  }

  @Test func aConnectorThatIsNotThereIsNamed() {
    let connectors: [DRMConnector] = [.connector(1, "DP-1", status: .disconnected), .connector(2, "HDMI-A-1")]
    let available = ["DP-1 disconnected", "HDMI-A-1 connected"]
    #expect(throws: KMSError.noConnector(path: "/dev/dri/card0", name: "DP-1", available: available)) {
      try choose(connectors, name: "DP-1")
    }
    #expect(throws: KMSError.noConnector(path: "/dev/dri/card0", name: nil, available: [])) { try choose([]) }
  }

  @Test func theCRTCThatDrivesItAlready() throws {
    let pipe = try choose([.connector(1, possible: 0b111, current: 33), .connector(2, "DP-1")])
    #expect(pipe.crtc == 33)
    #expect(pipe.clones == [])
  }

  @Test func elseOneThatDrivesNothing() throws {
    let other = DRMConnector.connector(2, "DP-1", current: 31)
    #expect(try choose([.connector(1, possible: 0b111), other]).crtc == 32)
    #expect(try choose([.connector(1, possible: 0b100), other]).crtc == 33)
    // A CRTC of another card's list is none of ours.
    #expect(try choose([.connector(1, possible: 0b010, current: 77), other]).crtc == 32)
  }

  @Test func elseAnyAndTheOthersAreTakenOff() throws {
    let pipe = try choose([.connector(1, possible: 0b001), .connector(2, current: 31), .connector(5, current: 31)])
    #expect(pipe.crtc == 31)
    #expect(pipe.clones == [2, 5])
  }

  @Test func noCRTC() {
    #expect(throws: KMSError.noPipe(connector: "HDMI-A-1", missing: "CRTC that can drive it")) {
      try choose([.connector(1, possible: 0)])
    }
    #expect(throws: KMSError.noPipe(connector: "HDMI-A-1", missing: "CRTC that can drive it")) {
      try choose([.connector(1, possible: 0b1000)])
    }
  }

  @Test func noMode() {
    #expect(throws: KMSError.noMode(connector: "HDMI-A-1")) { try choose([.connector(1, modes: [])]) }
    #expect(throws: KMSError.noMode(connector: "HDMI-A-1")) { try choose([.connector(1, modes: [.mode(5000, 100)])]) }
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
}
