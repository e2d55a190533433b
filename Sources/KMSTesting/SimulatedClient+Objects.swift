import Glibc
import KMS
import LinuxSystem

extension SimulatedClient {
  func resources() throws(SystemError) -> DRMResources {
    try perform(.resources) { state, _ in
      DRMResources(
        crtcs: state.crtcs.map(\.id), connectors: state.connectors.map(\.id), maximumWidth: 8192, maximumHeight: 8192)
    }
  }

  func connector(_ id: UInt32, isProbed: Bool) throws(SystemError) -> DRMConnector {
    try perform(isProbed ? .connector : .currentConnector, on: "\(id)") { state, _ throws(Refusal) in
      guard let index = state.connectorIndex(id) else { throw Refusal(ENOENT) }
      // Like Linux since 5.15.
      if isProbed, state.clients[number].isMaster { state.probe(connector: index) }
      let connector = state.connectors[index]
      return DRMConnector(
        id: id, name: connector.name, status: connector.status, modes: connector.knownModes ?? [],
        possibleCRTCs: connector.possibleCRTCs, currentCRTC: connector.crtc)
    }
  }

  func planes() throws(SystemError) -> [UInt32] {
    try perform(.planes) { state, _ in
      let showsAll = state.clients[number].showsAllPlanes
      return state.planes.filter { showsAll || $0.kind == .overlay }.map(\.id)
    }
  }

  func plane(_ id: UInt32) throws(SystemError) -> DRMPlane {
    try perform(.plane, on: "\(id)") { state, _ throws(Refusal) in
      guard let index = state.planeIndex(id) else { throw Refusal(ENOENT) }
      let plane = state.planes[index]
      return DRMPlane(
        id: id, currentCRTC: plane.settings.crtc, possibleCRTCs: plane.possibleCRTCs, formats: [plane.kind.format.code])
    }
  }

  func crtc(_ id: UInt32) throws(SystemError) -> DRMCRTC {
    try perform(.crtc, on: "\(id)") { state, _ throws(Refusal) in
      guard let index = state.crtcIndex(id) else { throw Refusal(ENOENT) }
      let plane = state.planes.first { $0.kind == .primary && $0.settings.crtc == id }?.settings ?? .init()
      return DRMCRTC(
        framebuffer: plane.framebuffer, x: UInt32(plane.source.x >> 16), y: UInt32(plane.source.y >> 16),
        mode: state.crtcs[index].settings.mode)
    }
  }

  func properties(of object: UInt32, type: DRMObjectType) throws(SystemError) -> DRMProperties {
    try perform(.properties, on: "\(object)") { state, _ throws(Refusal) in
      switch type {
      case .connector:
        if let index = state.connectorIndex(object) { return state.properties(ofConnector: state.connectors[index]) }
      case .crtc:
        if let index = state.crtcIndex(object) { return state.properties(ofCRTC: state.crtcs[index]) }
      case .plane:
        if let index = state.planeIndex(object) { return state.properties(ofPlane: state.planes[index]) }
      }
      throw Refusal(ENOENT)
    }
  }

  // MARK: Blobs

  func blob(_ id: UInt32) throws(SystemError) -> [UInt8] {
    try perform(.blob, on: "\(id)") { state, _ throws(Refusal) in
      guard let index = state.blobIndex(id) else { throw Refusal(ENOENT) }
      return state.blobs[index].bytes
    }
  }

  func createBlob(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> UInt32 {
    nonisolated(unsafe) let bytes = bytes  // Ours for this call alone.
    return try perform(.createBlob) { state, _ throws(Refusal) in
      if bytes.isEmpty { throw Refusal(EINVAL) }
      return state.addBlob(bytes, client: number)
    }
  }

  func destroyBlob(_ id: UInt32) throws(SystemError) {
    try perform(.destroyBlob, on: "\(id)") { state, _ throws(Refusal) in
      guard let index = state.blobIndex(id), state.blobs[index].isOwned else { throw Refusal(ENOENT) }
      guard state.blobs[index].client == number else { throw Refusal(EPERM) }
      state.blobs[index].isOwned = false
      state.freeUnusedBlobs()
    }
  }
}
