import CDRM
import Glibc

/// One program's open descriptor: its rights, and the room for its events.
struct ClientState {
  var isOpen = true
  var isMaster = false
  var showsAllPlanes = false
  var isAtomic = false
  /// Events that were requested and not read yet.
  var outstandingEvents = 0
  let eventWriter: Int32

  /// The kernel has room for 4096 bytes of events.
  static let eventCapacity = 4096 / CardState.eventSize
}

extension CardState {
  /// The first client becomes master.
  mutating func open(eventWriter: Int32) -> Int {
    var client = ClientState(eventWriter: eventWriter)
    client.isMaster = !clients.contains(where: \.isMaster)
    clients.append(client)
    return clients.count - 1
  }

  /// Frees the client's objects.
  mutating func close(_ client: Int) {
    clients[client].isOpen = false
    clients[client].isMaster = false
    for framebuffer in framebuffers where framebuffer.client == client { removeFramebuffer(framebuffer.id) }
    handles.removeAll { $0.client == client }
    for index in blobs.indices where blobs[index].client == client { blobs[index].isOwned = false }
    freeUnusedBlobs()
  }

  mutating func setMaster(_ client: Int) throws(Refusal) {
    if clients[client].isMaster { return }
    if clients.contains(where: \.isMaster) { throw Refusal(EBUSY) }
    clients[client].isMaster = true
  }

  mutating func dropMaster(_ client: Int) throws(Refusal) {
    guard clients[client].isMaster else { throw Refusal(EINVAL) }
    clients[client].isMaster = false
  }

  // MARK: Capabilities

  func capability(_ capability: Int32) throws(Refusal) -> UInt64 {
    switch capability {
    // Drivers without vblanks say the same: only the call itself tells.
    case DRM_CAP_DUMB_BUFFER, DRM_CAP_VBLANK_HIGH_CRTC, DRM_CAP_TIMESTAMP_MONOTONIC, DRM_CAP_CRTC_IN_VBLANK_EVENT: 1
    case DRM_CAP_CURSOR_WIDTH, DRM_CAP_CURSOR_HEIGHT: UInt64(Self.cursorSide)
    // DRM_CAP_ATOMIC_ASYNC_PAGE_FLIP.
    case DRM_CAP_ASYNC_PAGE_FLIP, 0x15: takesAsynchronousFlips ? 1 : 0
    case DRM_CAP_PRIME, DRM_CAP_ADDFB2_MODIFIERS: 0
    default: throw Refusal(EINVAL)
    }
  }

  mutating func setClientCapability(_ capability: Int32, to value: UInt64, client: Int) throws(Refusal) {
    guard value <= 1 else { throw Refusal(EINVAL) }
    switch capability {
    case DRM_CLIENT_CAP_UNIVERSAL_PLANES: clients[client].showsAllPlanes = value == 1
    case DRM_CLIENT_CAP_ATOMIC:
      guard isAtomic else { throw Refusal(EOPNOTSUPP) }
      clients[client].isAtomic = value == 1
      clients[client].showsAllPlanes = value == 1
    default: throw Refusal(EINVAL)
    }
  }
}
