import CDRM
import Glibc
import KMS
import LinuxSystem

/// The settings that a commit would make, while it is checked.
struct CommitProposal {
  var crtcs: [CardState.CRTCSettings] = []
  var planes: [CardState.PlaneSettings] = []
  var connectors: [CardState.ConnectorSettings] = []
  /// A bit for each CRTC that the commit involves, by its place.
  var touched: UInt32 = 0
}

/// Atomic commits: proposed, checked, and then done as a whole.
extension CardState {
  mutating func commit(
    _ settings: [PropertySetting], flags: DRMCommitFlags, token: UInt64, client: Int, at time: MonotonicTime
  ) throws(Refusal) {
    guard clients[client].isAtomic else { throw Refusal(EINVAL) }
    try requireMaster(client)
    let sendsEvent = flags.contains(.flipEvent)
    if flags.contains(.testOnly) && sendsEvent { throw Refusal(EINVAL) }
    if flags.contains(.asynchronous) { try requireAsynchronous(settings, flags) }
    propose()
    for setting in settings { try propose(setting) }
    touchWhatPlanesLeaveAndTake()
    let needsModeSet = try checkProposal()
    if needsModeSet, !flags.contains(.allowModeSet) { throw Refusal(EINVAL) }
    if sendsEvent, proposal.touched == 0 { throw Refusal(EINVAL) }
    for index in crtcs.indices where proposal.touched & (1 << UInt32(index)) != 0 {
      if sendsEvent {
        guard proposal.crtcs[index].isActive || crtcs[index].settings.isActive else { throw Refusal(EINVAL) }
        try requireRoom(client)
      }
      if flags.contains(.nonBlocking), crtcs[index].isFlipPending { throw Refusal(EBUSY) }
    }
    if flags.contains(.testOnly) { return }
    accept(
      token: token, sendsEvent: sendsEvent, isBlocking: !flags.contains(.nonBlocking),
      isAsynchronous: flags.contains(.asynchronous), client: client, at: time)
  }

  /// Allows nothing but the framebuffers of primary planes.
  private func requireAsynchronous(_ settings: [PropertySetting], _ flags: DRMCommitFlags) throws(Refusal) {
    let isPicture = settings.allSatisfy { setting in
      setting.property == CardProperty.framebufferID.id
        && planes.contains { $0.id == setting.object && $0.kind == .primary && $0.settings.crtc != 0 }
    }
    guard takesAsynchronousFlips, isPicture, !flags.contains(.allowModeSet) else { throw Refusal(EINVAL) }
  }

  private mutating func propose() {
    proposal.crtcs.removeAll(keepingCapacity: true)
    proposal.planes.removeAll(keepingCapacity: true)
    proposal.connectors.removeAll(keepingCapacity: true)
    for crtc in crtcs { proposal.crtcs.append(crtc.settings) }
    for plane in planes { proposal.planes.append(plane.settings) }
    for connector in connectors { proposal.connectors.append(connector.settings) }
    proposal.touched = 0
  }

  private mutating func touch(_ crtc: UInt32) {
    if let index = crtcIndex(crtc) { proposal.touched |= 1 << UInt32(index) }
  }

  private mutating func touchWhatPlanesLeaveAndTake() {
    for index in planes.indices where planes[index].settings != proposal.planes[index] {
      touch(planes[index].settings.crtc)
      touch(proposal.planes[index].crtc)
    }
  }

  // MARK: Proposing

  private mutating func propose(_ setting: PropertySetting) throws(Refusal) {
    guard let property = CardProperty(id: setting.property) else { throw Refusal(ENOENT) }
    if let index = crtcIndex(setting.object) { return try propose(property, setting.value, crtc: index) }
    if let index = planeIndex(setting.object) { return try propose(property, setting.value, plane: index) }
    guard let index = connectorIndex(setting.object) else { throw Refusal(ENOENT) }
    try propose(property, setting.value, connector: index)
  }

  private mutating func propose(_ property: CardProperty, _ value: UInt64, connector index: Int) throws(Refusal) {
    touch(proposal.connectors[index].crtc)
    switch property {
    case .crtcID:
      guard value == 0 || crtcIndex(UInt32(truncatingIfNeeded: value)) != nil else { throw Refusal(EINVAL) }
      proposal.connectors[index].crtc = UInt32(truncatingIfNeeded: value)
      touch(proposal.connectors[index].crtc)
    case .hdrMetadata: proposal.connectors[index].hdrBlob = try blob(value)
    case .colorSpace where [0, 2, 9].contains(value): proposal.connectors[index].colorSpace = value
    // Only the hardware calls a link bad; a client that repeats it changes nothing.
    case .linkStatus where value == 0: proposal.connectors[index].isLinkBad = false
    case .linkStatus where value == 1: break
    case .edid, .colorSpace, .linkStatus: throw Refusal(EINVAL)
    default: throw Refusal(ENOENT)
    }
  }

  private mutating func propose(_ property: CardProperty, _ value: UInt64, crtc index: Int) throws(Refusal) {
    proposal.touched |= 1 << UInt32(index)
    switch property {
    case .active where value <= 1: proposal.crtcs[index].isActive = value == 1
    case .variableRate where value <= 1: proposal.crtcs[index].variableRate = value
    case .modeID:
      proposal.crtcs[index].modeBlob = UInt32(truncatingIfNeeded: value)
      proposal.crtcs[index].mode = value == 0 ? nil : try mode(ofBlob: UInt32(truncatingIfNeeded: value))
    case .gammaLUT: proposal.crtcs[index].gammaBlob = try blob(value)
    case .degammaLUT: proposal.crtcs[index].degammaBlob = try blob(value)
    case .colorMatrix: proposal.crtcs[index].colorMatrixBlob = try blob(value)
    case .active, .variableRate: throw Refusal(EINVAL)
    default: throw Refusal(ENOENT)
    }
  }

  private func blob(_ value: UInt64) throws(Refusal) -> UInt32 {
    let blob = UInt32(truncatingIfNeeded: value)
    guard blob == 0 || blobIndex(blob) != nil else { throw Refusal(EINVAL) }
    return blob
  }

  private func mode(ofBlob id: UInt32) throws(Refusal) -> DisplayMode {
    guard let index = blobIndex(id), blobs[index].bytes.count == MemoryLayout<drmModeModeInfo>.size else {
      throw Refusal(EINVAL)
    }
    return DisplayMode(blobs[index].bytes.withUnsafeBytes { $0.loadUnaligned(as: drmModeModeInfo.self) })
  }

  private mutating func propose(_ property: CardProperty, _ value: UInt64, plane index: Int) throws(Refusal) {
    let id = UInt32(truncatingIfNeeded: value)
    // A named plane is committed even if nothing of it differs.
    touch(proposal.planes[index].crtc)
    switch property {
    case .framebufferID:
      guard value == 0 || framebuffer(id) != nil else { throw Refusal(EINVAL) }
      proposal.planes[index].framebuffer = id
    case .crtcID:
      guard value == 0 || crtcIndex(id) != nil else { throw Refusal(EINVAL) }
      proposal.planes[index].crtc = id
    case .sourceX: proposal.planes[index].source.x = value
    case .sourceY: proposal.planes[index].source.y = value
    case .sourceWidth: proposal.planes[index].source.width = value
    case .sourceHeight: proposal.planes[index].source.height = value
    case .targetX: proposal.planes[index].target.x = value
    case .targetY: proposal.planes[index].target.y = value
    case .targetWidth: proposal.planes[index].target.width = value
    case .targetHeight: proposal.planes[index].target.height = value
    case .rotation where value.nonzeroBitCount == 1 && value < 16: proposal.planes[index].rotation = value
    case .alpha where value <= 0xFFFF: proposal.planes[index].alpha = value
    case .blendMode where value <= 2: proposal.planes[index].blendMode = value
    case .damageClips: try requireDamage(id, ofPlane: index)
    case .type, .rotation, .alpha, .blendMode: throw Refusal(EINVAL)
    default: throw Refusal(ENOENT)
    }
  }

  /// Allows whole rectangles that are not empty and inside the picture, or none.
  private func requireDamage(_ id: UInt32, ofPlane plane: Int) throws(Refusal) {
    if id == 0 { return }
    let size = MemoryLayout<drm_mode_rect>.size
    guard let index = blobIndex(id), !blobs[index].bytes.isEmpty, blobs[index].bytes.count % size == 0,
      let framebuffer = framebuffer(proposal.planes[plane].framebuffer)
    else { throw Refusal(EINVAL) }
    let areValid = blobs[index].bytes.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: size).allSatisfy { offset in
        let rect = bytes.loadUnaligned(fromByteOffset: offset, as: drm_mode_rect.self)
        return 0 <= rect.x1 && rect.x1 < rect.x2 && Int(rect.x2) <= framebuffer.width
          && 0 <= rect.y1 && rect.y1 < rect.y2 && Int(rect.y2) <= framebuffer.height
      }
    }
    if !areValid { throw Refusal(EINVAL) }
  }

  // MARK: Checking

  /// Refuses a proposal that cannot be done.
  ///
  /// - Returns: true if a screen goes dark for it.
  private func checkProposal() throws(Refusal) -> Bool {
    var needsModeSet = false
    for index in crtcs.indices {
      let (old, new) = (crtcs[index].settings, proposal.crtcs[index])
      let isDriving = proposal.connectors.contains { $0.crtc == crtcs[index].id }
      // A mode needs a connector, and the reverse.
      if isDriving != (new.mode != nil) || (new.isActive && new.mode == nil) { throw Refusal(EINVAL) }
      let isNew = new.mode.map { old.mode?.isSame(as: $0) != true } ?? (old.mode != nil)
      if isNew, let mode = new.mode { try require(mode) }
      if isNew || old.isActive != new.isActive { needsModeSet = true }
    }
    for index in connectors.indices where proposal.connectors[index].isLinkBad != connectors[index].settings.isLinkBad {
      needsModeSet = true
    }
    for index in connectors.indices where proposal.connectors[index].crtc != connectors[index].crtc {
      needsModeSet = true
      let crtc = proposal.connectors[index].crtc
      guard crtc == 0 || canUse(crtc, connectors[index].possibleCRTCs) else { throw Refusal(EINVAL) }
    }
    for index in planes.indices where planes[index].settings != proposal.planes[index] {
      try check(proposal.planes[index], of: planes[index])
    }
    if cursorRefusal != 0, planes.indices.contains(where: { planes[$0].kind == .cursor && isTouched($0) }) {
      throw Refusal(cursorRefusal)
    }
    return needsModeSet
  }

  /// True if the proposal involves the CRTC that a plane would be on.
  private func isTouched(_ plane: Int) -> Bool {
    crtcIndex(proposal.planes[plane].crtc).map { proposal.touched & (1 << UInt32($0)) != 0 } ?? false
  }

  private func check(_ settings: PlaneSettings, of plane: Plane) throws(Refusal) {
    guard (settings.framebuffer == 0) == (settings.crtc == 0) else { throw Refusal(EINVAL) }
    guard let framebuffer = framebuffer(settings.framebuffer) else { return }
    guard canUse(settings.crtc, plane.possibleCRTCs), framebuffer.format == plane.kind.format else {
      throw Refusal(EINVAL)
    }
    let source = settings.source
    guard source.x + source.width <= UInt64(framebuffer.width) << 16,
      source.y + source.height <= UInt64(framebuffer.height) << 16
    else { throw Refusal(ENOSPC) }
    // No plane here scales, and the primary one fills its screen.
    let target = settings.target
    let (wide, high) = settings.isSideways ? (target.height, target.width) : (target.width, target.height)
    guard source.width == wide << 16, source.height == high << 16 else { throw Refusal(ERANGE) }
    if settings.rotation & refusedRotations != 0 { throw Refusal(EINVAL) }
    if plane.kind == .cursor, (target.width, target.height) != (UInt64(Self.cursorSide), UInt64(Self.cursorSide)) {
      throw Refusal(EINVAL)
    }
    guard plane.kind == .primary, let index = crtcIndex(settings.crtc), let mode = proposal.crtcs[index].mode else { return }
    guard target == PlaneRect(width: UInt64(mode.width), height: UInt64(mode.height)) else { throw Refusal(EINVAL) }
  }

  // MARK: Doing

  private mutating func accept(
    token: UInt64, sendsEvent: Bool, isBlocking: Bool, isAsynchronous: Bool, client: Int, at time: MonotonicTime
  ) {
    for index in crtcs.indices where proposal.touched & (1 << UInt32(index)) != 0 { finishFlip(ofCRTC: index) }
    for index in connectors.indices { connectors[index].settings = proposal.connectors[index] }
    for index in planes.indices { planes[index].settings = proposal.planes[index] }
    for index in crtcs.indices where proposal.touched & (1 << UInt32(index)) != 0 {
      let (old, new) = (crtcs[index].settings, proposal.crtcs[index])
      let isModeSet = old.isActive != new.isActive || new.mode.map { old.mode?.isSame(as: $0) != true } ?? (old.mode != nil)
      if isModeSet, old.isActive { turnOff(crtc: index) }
      crtcs[index].settings = new
      crtcs[index].vblanks.vary(new.variableRate == 1)
      if isModeSet, new.isActive { turnOn(crtc: index, at: time) }
      guard new.isActive else {
        showPlanes(ofCRTC: index)
        continue
      }
      // A blocking call returns when it is done; its event still comes with the vblank.
      if isBlocking { showPlanes(ofCRTC: index) }
      if sendsEvent || !isBlocking {
        startFlip(
          ofCRTC: index, client: client, token: token, sendsEvent: sendsEvent, isAsynchronous: isAsynchronous, at: time)
      }
    }
    freeUnusedBlobs()
  }
}
