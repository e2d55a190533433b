import Glibc
import KMS
import LinuxSystem

extension CardState.Connector {
  /// The driver notices plugging by its voltage, once the connector was probed for the first time.
  var status: DRMConnector.Status {
    knownModes == nil || self.isUncertain ? .unknown : self.isConnected ? .connected : .disconnected
  }
}

extension CardState {
  mutating func addParts(connectors: [SimulatedCard.Connector], crtcs count: Int, hasCursors: Bool) {
    for index in 0..<min(count, 32) {
      crtcs.append(CRTC(id: newID()))
      for kind in hasCursors ? [Plane.Kind.primary, .cursor] : [.primary] {
        planes.append(Plane(id: newID(), kind: kind, possibleCRTCs: 1 << UInt32(index)))
      }
    }
    for connector in connectors { addConnector(connector) }
  }

  mutating func addConnector(_ connector: SimulatedCard.Connector) {
    var added = Connector(id: newID(), description: connector)
    if !connector.edid.isEmpty {
      added.edidBlob = connector.edid.withUnsafeBytes { addBlob($0, client: Self.kernel) }
    }
    connectors.append(added)
  }

  /// Asks a screen for its modes.
  mutating func probe(connector index: Int) {
    let connector = connectors[index]
    connectors[index].knownModes = connector.isConnected || connector.isUncertain ? connector.modes : []
  }

  /// Shows the kernel's console on each connected screen, as far as there are CRTCs; where none is connected, on those that
  /// cannot tell. All screens are asked.
  mutating func showConsole(at time: MonotonicTime) {
    for place in connectors.indices { probe(connector: place) }
    let isAnyConnected = connectors.contains { $0.status == .connected }
    for place in connectors.indices where connectors[place].status == (isAnyConnected ? .connected : .unknown) {
      guard let mode = connectors[place].modes.first(where: \.isPreferred) ?? connectors[place].modes.first,
        let index = crtcs.indices.first(where: {
          !crtcs[$0].settings.isActive && canUse(crtcs[$0].id, connectors[place].possibleCRTCs)
        }), let plane = primaryPlaneIndex(ofCRTC: index)
      else { continue }
      let memory = BufferMemory(byteCount: mode.width * mode.height * 4)
      let framebuffer = Framebuffer(
        id: newID(), client: Self.kernel, memory: memory, width: mode.width, height: mode.height,
        bytesPerRow: mode.width * 4)
      framebuffers.append(framebuffer)
      connectors[place].crtc = crtcs[index].id
      crtcs[index].settings.isActive = true
      crtcs[index].settings.mode = mode
      crtcs[index].settings.modeBlob = addModeBlob(mode)
      planes[plane].settings.show(framebuffer.id, on: crtcs[index].id, x: 0, y: 0, mode: mode)
      turnOn(crtc: index, at: time)
      showPlanes(ofCRTC: index)
    }
  }

  /// A blob that no client holds.
  mutating func addUnownedBlob(_ bytes: [UInt8]) -> UInt32 {
    let id = bytes.withUnsafeBytes { addBlob($0, client: Self.kernel) }
    if let index = blobIndex(id) { blobs[index].isOwned = false }
    return id
  }

  /// Leaves another program's settings beside the console's picture.
  mutating func addLeftovers(on name: String) {
    guard let place = connectors.firstIndex(where: { $0.name == name }), let index = crtcIndex(connectors[place].crtc),
      let primary = primaryPlaneIndex(ofCRTC: index),
      let cursor = planes.firstIndex(where: { $0.kind == .cursor && canUse(crtcs[index].id, $0.possibleCRTCs) })
    else { return }
    // Only the properties hold them: their makers have freed them.
    connectors[place].settings.hdrBlob = addUnownedBlob([UInt8](repeating: 6, count: 32))
    connectors[place].settings.colorSpace = 9
    crtcs[index].settings.gammaBlob = addUnownedBlob([UInt8](repeating: 7, count: 256 * 8))
    crtcs[index].settings.degammaBlob = addUnownedBlob([UInt8](repeating: 8, count: 256 * 8))
    crtcs[index].settings.colorMatrixBlob = addUnownedBlob([UInt8](repeating: 9, count: 9 * 8))
    crtcs[index].settings.variableRate = 1
    planes[primary].settings.rotation = 1 << 2
    planes[primary].settings.alpha = 0x8000
    let side = 64
    let arrow = Framebuffer(
      id: newID(), client: Self.kernel, memory: BufferMemory(byteCount: side * side * 4), width: side, height: side,
      bytesPerRow: side * 4, format: .argb8888)
    framebuffers.append(arrow)
    leftoverCursor = arrow.id
    let size = UInt64(side)
    planes[cursor].settings = PlaneSettings(
      framebuffer: arrow.id, crtc: crtcs[index].id, source: PlaneRect(width: size << 16, height: size << 16),
      target: PlaneRect(width: size, height: size),
      blendMode: 1)
    showPlanes(ofCRTC: index)
  }
}
