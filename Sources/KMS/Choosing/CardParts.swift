import CDRM
import FrameTiming
import LinuxSystem
import Raster

/// A card's connectors, CRTCs and planes, and the pipes in use: chooses pipes that do not collide. A pure value.
struct CardParts: Sendable {
  let path: String
  let resources: DRMResources
  let connectors: [DRMConnector]
  /// Nil where the card is driven by the legacy calls.
  let primaryPlanes: [DRMPlane]?
  /// The pipes of existing displays.
  var used: [ScanOutPipe] = []
  var cursorPlanes: [DRMPlane] = []

  /// The connected connectors that no display uses. Where none of the card is connected, those that cannot tell.
  var free: [DRMConnector] {
    let isAnyConnected = connectors.contains { $0.status == .connected }
    return unused.filter { isAnyConnected ? $0.status == .connected : $0.canHaveScreen }
  }

  private var unused: [DRMConnector] {
    connectors.filter { connector in !used.contains { $0.connector.id == connector.id } }
  }

  /// A free connector. A named one may also be unable to tell whether it is connected.
  ///
  /// - Parameter name: nil for the first free one.
  func connector(_ name: String?) throws(KMSError) -> DRMConnector {
    let named = name.map { name in unused.first { $0.name == name && $0.canHaveScreen } }
    if let connector = named ?? free.first { return connector }
    if let taken = used.first(where: { name == nil || $0.connector.name == name }) {
      throw .inUse(connector: taken.connector.name)
    }
    throw .noConnector(path: path, name: name, available: connectors.map { "\($0.name) \($0.status)" })
  }

  /// The pipe from a plane to a connector.
  ///
  /// - Parameters:
  ///   - crtc: from `crtcs(for:)`.
  ///   - request: the mode to use; nil for the best one.
  func pipe(for connector: DRMConnector, crtc: UInt32?, mode request: ModeRequest? = nil) throws(KMSError) -> ScanOutPipe {
    let (width, height) = (
      min(resources.maximumWidth, Bitmap.maximumSide), min(resources.maximumHeight, Bitmap.maximumSide)
    )
    let usable = DisplayMode.choices(among: connector.modes, maximumWidth: width, maximumHeight: height)
    let wanted = request.map { $0.choice(among: connector.modes) } ?? usable.first
    if let request, wanted == nil {
      throw .unknownMode(connector: connector.name, mode: "\(request)", available: connector.modes.map(\.description))
    }
    guard let mode = wanted, let rate = mode.refreshRate else { throw .noMode(connector: connector.name) }
    if mode.width > width || mode.height > height {
      let missing = "framebuffer as large as \(mode.width)x\(mode.height) (\(width)x\(height) at most)"
      throw .noPipe(connector: connector.name, missing: missing)
    }
    guard let crtc, let index = resources.crtcs.firstIndex(of: crtc) else {
      throw .noPipe(connector: connector.name, missing: "free CRTC that can drive it")
    }
    var plane: UInt32?
    if primaryPlanes != nil {
      plane = primaryPlane(of: crtc)
      if plane == nil { throw .noPipe(connector: connector.name, missing: "primary plane that takes XRGB8888") }
    }
    let clones = connectors.filter { $0.currentCRTC == crtc && $0.id != connector.id }.map(\.id)
    return ScanOutPipe(
      connector: connector, mode: mode, refreshRate: rate, crtc: crtc, crtcIndex: index, plane: plane,
      cursorPlane: plane == nil ? nil : cursorPlane(of: crtc), clones: clones,
      lesserModes: request == nil ? Array(usable.dropFirst()) : [])
  }

  /// The plane that is on the CRTC, else one that is on none, else any.
  private func primaryPlane(of crtc: UInt32) -> UInt32? {
    let fitting = (primaryPlanes ?? []).filter { plane in
      canUse(crtc, plane.possibleCRTCs) && plane.formats.contains(cdrm_format_xrgb8888)
        && !used.contains { $0.plane == plane.id }
    }
    return (fitting.first { $0.currentCRTC == crtc } ?? fitting.first { $0.currentCRTC == 0 } ?? fitting.first)?.id
  }

  /// A plane that is on the CRTC or on none.
  private func cursorPlane(of crtc: UInt32) -> UInt32? {
    let fitting = cursorPlanes.filter { plane in
      canUse(crtc, plane.possibleCRTCs) && plane.formats.contains(cdrm_format_argb8888)
        && !used.contains { $0.cursorPlane == plane.id }
    }
    return (fitting.first { $0.currentCRTC == crtc } ?? fitting.first { $0.currentCRTC == 0 })?.id
  }

  /// True if a CRTC can drive a connector, and no display uses it.
  func canDrive(_ connector: DRMConnector, with crtc: UInt32) -> Bool {
    canUse(crtc, connector.possibleCRTCs) && !used.contains { $0.crtc == crtc }
  }

  /// - Parameter possible: a bit for each CRTC, by its place in the card's list.
  private func canUse(_ crtc: UInt32, _ possible: UInt32) -> Bool {
    guard let index = resources.crtcs.firstIndex(of: crtc), index < 32 else { return false }
    return possible & (1 << UInt32(index)) != 0
  }
}

extension CardParts {
  /// Gives connectors CRTCs, each its own.
  ///
  /// A CRTC that drives a connector already stays with it, even if another connector gets none then: no screen is touched
  /// without need. As many of the other connectors as possible get one, preferably one that drives nothing.
  ///
  /// - Returns: CRTCs by connector; a missing connector cannot be driven beside the others.
  func crtcs(for connectors: [DRMConnector]) -> [UInt32: UInt32] {
    let free = resources.crtcs.filter { crtc in !used.contains { $0.crtc == crtc } }
    var owners: [UInt32: DRMConnector] = [:]
    for connector in connectors where free.contains(connector.currentCRTC) && owners[connector.currentCRTC] == nil {
      owners[connector.currentCRTC] = connector
    }
    let settled = Set(owners.keys)
    // Those that drive nothing first.
    let open = free.filter { !settled.contains($0) }
    let isDriving = { (crtc: UInt32) in self.connectors.contains { $0.currentCRTC == crtc } }
    let candidates = open.filter { !isDriving($0) } + open.filter(isDriving)

    // Augmenting paths (Kuhn): a connector whose CRTCs are all taken asks their owners to take another one.
    func place(_ connector: DRMConnector, _ asked: inout Set<UInt32>) -> Bool {
      for crtc in candidates where canUse(crtc, connector.possibleCRTCs) && asked.insert(crtc).inserted {
        if let owner = owners[crtc], !place(owner, &asked) { continue }
        owners[crtc] = connector
        return true
      }
      return false
    }
    for connector in connectors where !owners.values.contains(where: { $0.id == connector.id }) {
      var asked: Set<UInt32> = []
      _ = place(connector, &asked)
    }
    var crtcs: [UInt32: UInt32] = [:]
    for (crtc, connector) in owners { crtcs[connector.id] = crtc }
    return crtcs
  }
}

extension DRMDevice {
  /// The primary and the cursor planes; nil where the card is driven by the legacy calls.
  func planes() throws(KMSError) -> (primary: [DRMPlane], cursor: [DRMPlane])? {
    guard isAtomic else { return nil }
    return try ask { () throws(SystemError) in
      var planes: (primary: [DRMPlane], cursor: [DRMPlane]) = ([], [])
      for id in try interface.planes() {
        switch try interface.properties(of: id, type: .plane)["type"]?.value {
        case UInt64(DRM_PLANE_TYPE_PRIMARY): planes.primary.append(try interface.plane(id))
        case UInt64(DRM_PLANE_TYPE_CURSOR): planes.cursor.append(try interface.plane(id))
        default: break
        }
      }
      return planes
    }
  }
}
