import CDRM
import FrameTiming
import LinuxSystem
import Raster

/// What a picture goes through on its way to the screen: plane → CRTC → connector, and the mode that it is shown in.
struct ScanOutPipe: Sendable {
  let connector: DRMConnector
  let mode: DisplayMode
  let refreshRate: RefreshRate
  let crtc: UInt32
  /// The CRTC's primary plane; nil where the card is driven by the legacy calls.
  let plane: UInt32?
  /// Connectors that show the CRTC's picture now and must be taken off it, because they may not take our mode.
  let clones: [UInt32]
}

extension ScanOutPipe {
  /// Chooses the pipe for a card.
  ///
  /// - Parameters:
  ///   - name: the connector to use; nil for the first connected one.
  ///   - primaryPlanes: nil where the card is driven by the legacy calls.
  static func choose(
    path: String, connector name: String?, resources: DRMResources, connectors: [DRMConnector],
    primaryPlanes: [DRMPlane]?
  ) throws(KMSError) -> ScanOutPipe {
    guard let connector = connectors.first(where: { $0.status == .connected && (name == nil || $0.name == name) }) else {
      throw .noConnector(path: path, name: name, available: connectors.map { "\($0.name) \($0.status)" })
    }
    let best = DisplayMode.choice(
      among: connector.modes, maximumWidth: min(resources.maximumWidth, Bitmap.maximumSide),
      maximumHeight: min(resources.maximumHeight, Bitmap.maximumSide))
    guard let mode = best, let rate = mode.refreshRate else { throw .noMode(connector: connector.name) }
    guard let crtc = crtc(for: connector, among: connectors, resources: resources) else {
      throw .noPipe(connector: connector.name, missing: "CRTC that can drive it")
    }
    var plane: UInt32?
    if let primaryPlanes {
      plane = primaryPlane(of: crtc, among: primaryPlanes, resources: resources)
      if plane == nil { throw .noPipe(connector: connector.name, missing: "primary plane that takes XRGB8888") }
    }
    let clones = connectors.filter { $0.currentCRTC == crtc && $0.id != connector.id }.map(\.id)
    return ScanOutPipe(
      connector: connector, mode: mode, refreshRate: rate, crtc: crtc, plane: plane, clones: clones)
  }

  /// The CRTC that drives the connector already: no other screen is touched. Else one that drives nothing, else any.
  private static func crtc(
    for connector: DRMConnector, among connectors: [DRMConnector], resources: DRMResources
  ) -> UInt32? {
    if connector.currentCRTC != 0, resources.crtcs.contains(connector.currentCRTC) { return connector.currentCRTC }
    let possible = resources.crtcs.enumerated()
      .filter { $0.offset < 32 && connector.possibleCRTCs & (1 << UInt32($0.offset)) != 0 }.map(\.element)
    return possible.first { crtc in !connectors.contains { $0.currentCRTC == crtc } } ?? possible.first
  }

  private static func primaryPlane(of crtc: UInt32, among planes: [DRMPlane], resources: DRMResources) -> UInt32? {
    guard let index = resources.crtcs.firstIndex(of: crtc), index < 32 else { return nil }
    let fitting = planes.filter {
      $0.possibleCRTCs & (1 << UInt32(index)) != 0 && $0.formats.contains(cdrm_format_xrgb8888)
    }
    return (fitting.first { $0.currentCRTC == crtc } ?? fitting.first { $0.currentCRTC == 0 } ?? fitting.first)?.id
  }
}

extension DRMDevice {
  /// The planes that a CRTC's picture is made of; nil where the card is driven by the legacy calls.
  func primaryPlanes() throws(KMSError) -> [DRMPlane]? {
    guard isAtomic else { return nil }
    do throws(SystemError) {
      var primary: [DRMPlane] = []
      for plane in try planes() {
        let type = try properties(of: plane.id, type: UInt32(DRM_MODE_OBJECT_PLANE))["type"]
        if type?.value == UInt64(DRM_PLANE_TYPE_PRIMARY) { primary.append(plane) }
      }
      return primary
    } catch {
      throw .device(path: path, error)
    }
  }

  /// All connectors, each asked anew.
  public func connectors() throws(KMSError) -> [DRMConnector] {
    do throws(SystemError) {
      return try resources().connectors.map { id throws(SystemError) in try connector(id) }
    } catch {
      throw .device(path: path, error)
    }
  }
}
