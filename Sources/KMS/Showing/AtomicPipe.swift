import CDRM
import Geometry
import Glibc
import LinuxSystem
import RenderTree

/// Drives a pipe by atomic commits: the objects and property ids that it takes.
final class AtomicPipe {
  private let interface: any DRMInterface
  /// What the next commit sets. Kept from frame to frame, so that it allocates only as it grows.
  private var settings: [PropertySetting] = []
  private let crtc: UInt32
  private let plane: UInt32
  private let connector: UInt32
  private let mode: DisplayMode
  private let width: UInt64
  private let height: UInt64
  /// Connectors that showed the CRTC's picture when it was chosen.
  private let clones: [UInt32]
  private let connectorCRTC: UInt32
  /// `link-status` of the connector: with a mode-set that calls a link good that was reported bad, it is trained anew.
  private let linkStatus: UInt32?
  private let crtcMode: UInt32
  private let crtcActive: UInt32
  private let planeFramebuffer: UInt32
  private let planeCRTC: UInt32
  /// `SRC_X`, `SRC_Y`, `CRTC_X`, `CRTC_Y`: all 0. The ids of the sizes follow.
  private let planeOrigins: [UInt32]
  private let planeSourceSize: (width: UInt32, height: UInt32)
  private let planeTargetSize: (width: UInt32, height: UInt32)
  /// `FB_DAMAGE_CLIPS`, where the plane has it.
  let planeDamage: UInt32?
  /// Nil where there is no cursor plane.
  let cursor: AtomicCursor?
  /// `VRR_ENABLED` of the CRTC, where driver and screen can vary the rate.
  private let variableRate: UInt32?
  var canVaryRate: Bool { variableRate != nil }
  /// Whether a mode-set lets the rate vary.
  var isVariable = false
  /// What was found on the pipe besides.
  let reset: PipeReset

  /// Looks the properties up. A driver without one of them is broken: `ENOENT` with the property's name.
  init(interface: any DRMInterface, pipe: ScanOutPipe, plane: UInt32) throws(SystemError) {
    func id(_ name: String, _ properties: DRMProperties) throws(SystemError) -> UInt32 {
      guard let property = properties[name] else {
        throw SystemError(call: "drmModeObjectGetProperties", subject: name, errno: ENOENT)
      }
      return property.id
    }
    self.interface = interface
    mode = pipe.mode
    crtc = pipe.crtc
    self.plane = plane
    connector = pipe.connector.id
    width = UInt64(pipe.mode.width)
    height = UInt64(pipe.mode.height)

    let connectorProperties = try interface.properties(of: connector, type: .connector)
    connectorCRTC = try id("CRTC_ID", connectorProperties)
    linkStatus = connectorProperties["link-status"]?.id
    clones = pipe.clones

    let crtcProperties = try interface.properties(of: crtc, type: .crtc)
    crtcMode = try id("MODE_ID", crtcProperties)
    crtcActive = try id("ACTIVE", crtcProperties)
    variableRate = connectorProperties["vrr_capable"]?.value == 1 ? crtcProperties["VRR_ENABLED"]?.id : nil

    let planeProperties = try interface.properties(of: plane, type: .plane)
    planeFramebuffer = try id("FB_ID", planeProperties)
    planeCRTC = try id("CRTC_ID", planeProperties)
    var origins: [UInt32] = []
    for name in ["SRC_X", "SRC_Y", "CRTC_X", "CRTC_Y"] { origins.append(try id(name, planeProperties)) }
    planeOrigins = origins
    planeSourceSize = (try id("SRC_W", planeProperties), try id("SRC_H", planeProperties))
    planeTargetSize = (try id("CRTC_W", planeProperties), try id("CRTC_H", planeProperties))
    planeDamage = planeProperties["FB_DAMAGE_CLIPS"]?.id

    var cursorObject: PipeReset.Object?
    if let id = pipe.cursorPlane {
      cursorObject = PipeReset.Object(id: id, properties: try interface.properties(of: id, type: .plane))
    }
    cursor = cursorObject.flatMap { AtomicCursor(plane: $0.id, properties: $0.properties) }
    var others: [PipeReset.Object] = []
    // One that cannot be ours may have another program's cursor on it all the same.
    if cursor == nil { cursorObject = nil }
    for other in try interface.planes() where other != plane && other != cursorObject?.id {
      guard try interface.plane(other).currentCRTC == crtc else { continue }
      others.append(PipeReset.Object(id: other, properties: try interface.properties(of: other, type: .plane)))
    }
    reset = PipeReset(
      connector: PipeReset.Object(id: connector, properties: connectorProperties),
      crtc: PipeReset.Object(id: crtc, properties: crtcProperties),
      plane: PipeReset.Object(id: plane, properties: planeProperties), cursor: cursorObject, otherPlanes: others)
  }

  var isOff: Bool { (try? interface.properties(of: crtc, type: .crtc))?["ACTIVE"]?.value == 0 }

  /// Shows `framebuffer` in the pipe's mode, whatever was there before.
  func modeSet(
    framebuffer: UInt32, cursor: CursorSetting, flags: DRMCommitFlags, token: UInt64
  ) throws(SystemError) {
    // libdrm's structure is the kernel's, member for member.
    let blob = try withUnsafeBytes(of: mode.info) { bytes throws(SystemError) in
      try PropertyBlob(interface: interface, bytes)
    }
    settings.removeAll(keepingCapacity: true)
    for clone in clones { try takeOff(clone) }
    set(connector, connectorCRTC, UInt64(crtc))
    if let linkStatus { set(connector, linkStatus, UInt64(DRM_MODE_LINK_STATUS_GOOD)) }
    set(crtc, crtcMode, UInt64(blob.id))
    set(crtc, crtcActive, 1)
    set(plane, planeCRTC, UInt64(crtc))
    for origin in planeOrigins { set(plane, origin, 0) }
    // Source coordinates are 16.16 fixed point.
    set(plane, planeSourceSize.width, width << 16)
    set(plane, planeSourceSize.height, height << 16)
    set(plane, planeTargetSize.width, width)
    set(plane, planeTargetSize.height, height)
    addFramebuffer(framebuffer, damageBlob: 0)
    settings.append(contentsOf: reset.neutral)
    if let variableRate { set(crtc, variableRate, isVariable ? 1 : 0) }
    add(cursor)
    try interface.commit(settings, flags: flags, token: token, subject: "mode-set")
  }

  /// By now a clone may be another display's, and is left to it; or it has gone with its dock.
  private func takeOff(_ clone: UInt32) throws(SystemError) {
    do throws(SystemError) {
      let properties = try interface.properties(of: clone, type: .connector)
      if let itsCRTC = properties["CRTC_ID"], itsCRTC.value == UInt64(crtc) { set(clone, itsCRTC.id, 0) }
    } catch {
      if error.errno != ENOENT { throw error }
    }
  }

  /// Shows another framebuffer from the next vblank on; an event with `token` says when.
  ///
  /// - Parameters:
  ///   - damage: what was painted in this framebuffer since it was shown last. It covers what the screen must refresh, and,
  ///     for drivers that send each buffer's contents to the device (virtio-gpu), what they must send.
  ///   - cursor: nil for as it was.
  func flip(
    framebuffer: UInt32, damage: DamageRegion, bounds: IntRect, cursor: CursorSetting?, token: UInt64
  ) throws(SystemError) {
    let blob = try PropertyBlob.damage(damage, bounds: bounds, interface: interface)
    try flip(framebuffer: framebuffer, damageBlob: blob.id, cursor: cursor, token: token)
  }

  /// As above, without a word of what differs.
  func flip(framebuffer: UInt32, cursor: CursorSetting?, token: UInt64) throws(SystemError) {
    try flip(framebuffer: framebuffer, damageBlob: 0, cursor: cursor, token: token)
  }

  private func flip(
    framebuffer: UInt32, damageBlob: UInt32, cursor: CursorSetting?, token: UInt64
  ) throws(SystemError) {
    settings.removeAll(keepingCapacity: true)
    addFramebuffer(framebuffer, damageBlob: damageBlob)
    if let cursor { add(cursor) }
    try interface.commit(settings, flags: [.nonBlocking, .flipEvent], token: token, subject: "flip")
  }

  /// Shows the cursor otherwise from the next vblank on; an event with `token` says when.
  func setCursor(_ cursor: CursorSetting, token: UInt64) throws(SystemError) {
    settings.removeAll(keepingCapacity: true)
    add(cursor)
    try interface.commit(settings, flags: [.nonBlocking, .flipEvent], token: token, subject: "cursor")
  }

  /// Lets the rate vary, or no more. Some drivers set the mode anew for it. Returns when it is done.
  func setVariable(_ isVariable: Bool, flags: DRMCommitFlags) throws(SystemError) {
    guard let variableRate else { return }
    settings.removeAll(keepingCapacity: true)
    set(crtc, variableRate, isVariable ? 1 : 0)
    try interface.commit(settings, flags: flags.union(.allowModeSet), token: 0, subject: "VRR_ENABLED")
  }

  /// Shows another framebuffer at once, perhaps in the middle of a refresh. Nothing else may go with it.
  func flipAsynchronously(framebuffer: UInt32, flags: DRMCommitFlags, token: UInt64) throws(SystemError) {
    settings.removeAll(keepingCapacity: true)
    set(plane, planeFramebuffer, UInt64(framebuffer))
    try interface.commit(settings, flags: flags.union(.asynchronous), token: token, subject: "asynchronous flip")
  }

  private func add(_ setting: CursorSetting) { cursor?.add(setting, crtc: crtc, to: &settings) }

  /// A blob of 0 says that all of it may differ.
  private func addFramebuffer(_ framebuffer: UInt32, damageBlob: UInt32) {
    set(plane, planeFramebuffer, UInt64(framebuffer))
    if let planeDamage { set(plane, planeDamage, UInt64(damageBlob)) }
  }

  private func set(_ object: UInt32, _ property: UInt32, _ value: UInt64) {
    settings.append(PropertySetting(object: object, property: property, value: value))
  }
}
