import CDRM
import Glibc
import LinuxSystem
import Presentation
import RenderTree

/// The property ids of a plane that atomic commits set.
struct AtomicPlane {
  let id: UInt32
  private let framebuffer: UInt32
  private let crtc: UInt32
  private let source: (x: UInt32, y: UInt32, width: UInt32, height: UInt32)
  private let target: (x: UInt32, y: UInt32, width: UInt32, height: UInt32)
  /// Nil where the driver turns no picture.
  private let rotation: UInt32?
  /// `FB_DAMAGE_CLIPS`; nil where the driver does not take damage.
  let damage: UInt32?
  /// `HOTSPOT_X` and `HOTSPOT_Y`: drivers of virtual machines have them, since the host's pointer replaces the cursor.
  private let hotSpot: (x: UInt32, y: UInt32)?

  /// - Throws: `ENOENT` with the property's name where the driver lacks one that every plane has.
  init(_ object: PipeReset.Object) throws(SystemError) {
    let properties = object.properties
    id = object.id
    framebuffer = try properties.id(of: "FB_ID")
    crtc = try properties.id(of: "CRTC_ID")
    source = (
      try properties.id(of: "SRC_X"), try properties.id(of: "SRC_Y"), try properties.id(of: "SRC_W"),
      try properties.id(of: "SRC_H")
    )
    target = (
      try properties.id(of: "CRTC_X"), try properties.id(of: "CRTC_Y"), try properties.id(of: "CRTC_W"),
      try properties.id(of: "CRTC_H")
    )
    rotation = properties["rotation"]?.id
    damage = properties["FB_DAMAGE_CLIPS"]?.id
    hotSpot = if let x = properties["HOTSPOT_X"], let y = properties["HOTSPOT_Y"] { (x.id, y.id) } else { nil }
  }

  /// Shows all of a framebuffer, unscaled.
  ///
  /// - Parameters:
  ///   - x: the place of the plane's left edge on the screen; `y` that of its upper edge.
  ///   - width: the plane's on the screen; `height` as well.
  ///   - rotation: how the plane turns the framebuffer.
  func show(
    _ framebuffer: UInt32, on crtc: UInt32, x: Int32 = 0, y: Int32 = 0, width: Int, height: Int,
    rotation: DisplayRotation = .none, into settings: inout [PropertySetting]
  ) {
    set(self.framebuffer, UInt64(framebuffer), &settings)
    set(self.crtc, UInt64(crtc), &settings)
    set(source.x, 0, &settings)
    set(source.y, 0, &settings)
    // Source coordinates are 16.16 fixed point.
    set(source.width, UInt64(rotation.isSideways ? height : width) << 16, &settings)
    set(source.height, UInt64(rotation.isSideways ? width : height) << 16, &settings)
    set(target.x, UInt64(bitPattern: Int64(x)), &settings)
    set(target.y, UInt64(bitPattern: Int64(y)), &settings)
    set(target.width, UInt64(width), &settings)
    set(target.height, UInt64(height), &settings)
    if let property = self.rotation { set(property, rotation.planeValue, &settings) }
  }

  /// Shows another framebuffer of the same size in the same place.
  func replace(_ framebuffer: UInt32, into settings: inout [PropertySetting]) {
    set(self.framebuffer, UInt64(framebuffer), &settings)
  }

  /// - Parameter blob: the rectangles that differ; 0 says that everything may differ.
  func setDamage(_ blob: UInt32, into settings: inout [PropertySetting]) {
    if let damage { set(damage, UInt64(blob), &settings) }
  }

  /// Shows a cursor, or none.
  func setCursor(_ cursor: CursorSetting, on crtc: UInt32, into settings: inout [PropertySetting]) {
    guard case .shown(let buffer, let look) = cursor else {
      set(framebuffer, 0, &settings)
      set(self.crtc, 0, &settings)
      return
    }
    show(
      buffer.framebuffer, on: crtc, x: look.x, y: look.y, width: buffer.width, height: buffer.height, into: &settings)
    if let hotSpot {
      set(hotSpot.x, UInt64(bitPattern: Int64(look.hotSpotX)), &settings)
      set(hotSpot.y, UInt64(bitPattern: Int64(look.hotSpotY)), &settings)
    }
  }

  private func set(_ property: UInt32, _ value: UInt64, _ settings: inout [PropertySetting]) {
    settings.append(PropertySetting(object: id, property: property, value: value))
  }
}

extension DisplayRotation {
  /// The value of a plane's `rotation`, which the kernel counts counter-clockwise.
  var planeValue: UInt64 {
    switch self {
    case .none: UInt64(DRM_MODE_ROTATE_0)
    case .right: UInt64(DRM_MODE_ROTATE_270)
    case .half: UInt64(DRM_MODE_ROTATE_180)
    case .left: UInt64(DRM_MODE_ROTATE_90)
    }
  }
}

extension DRMProperties {
  fileprivate func id(of name: String) throws(SystemError) -> UInt32 {
    guard let property = self[name] else {
      throw SystemError(call: "drmModeObjectGetProperties", subject: name, errno: ENOENT)
    }
    return property.id
  }
}

/// Drives a pipe by atomic commits: the objects, and the property ids that the commits set.
final class AtomicPipe {
  private let interface: any DRMInterface
  /// The next commit's settings. The array is kept between frames, so that it allocates only while it grows.
  private var settings: [PropertySetting] = []
  private let pipe: ScanOutPipe
  private var crtc: UInt32 { pipe.crtc }
  private var connector: UInt32 { pipe.connector.id }
  private let connectorCRTC: UInt32
  /// The connector's `link-status`: a mode-set that calls a bad link good trains it anew.
  private let linkStatus: UInt32?
  private let crtcMode: UInt32
  private let crtcActive: UInt32
  private let plane: AtomicPlane
  /// Nil where there is no cursor plane.
  private let cursor: AtomicPlane?
  var hasCursor: Bool { cursor != nil }
  /// True if flips are to carry damage. A driver may refuse what its plane has a property for.
  var takesDamage: Bool
  /// The CRTC's `VRR_ENABLED`, where driver and screen can vary the rate.
  private let variableRate: UInt32?
  var canVaryRate: Bool { variableRate != nil }
  /// True if a mode-set lets the rate vary.
  var isVariable = false
  /// The settings that other programs have left on the pipe.
  let reset: PipeReset
  /// The primary plane's rotation as it was found; nil where the driver turns no picture.
  let rotation: PropertySetting?

  /// Looks the properties up. A driver without one of them is broken: `ENOENT` with the property's name.
  init(interface: any DRMInterface, pipe: ScanOutPipe, plane: UInt32) throws(SystemError) {
    func object(_ id: UInt32, _ type: DRMObjectType) throws(SystemError) -> PipeReset.Object {
      PipeReset.Object(id: id, properties: try interface.properties(of: id, type: type))
    }
    self.interface = interface
    self.pipe = pipe
    let connector = try object(pipe.connector.id, .connector)
    connectorCRTC = try connector.properties.id(of: "CRTC_ID")
    linkStatus = connector.properties["link-status"]?.id

    let crtc = try object(pipe.crtc, .crtc)
    crtcMode = try crtc.properties.id(of: "MODE_ID")
    crtcActive = try crtc.properties.id(of: "ACTIVE")
    variableRate = connector.properties["vrr_capable"]?.value == 1 ? crtc.properties["VRR_ENABLED"]?.id : nil

    let primary = try object(plane, .plane)
    self.plane = try AtomicPlane(primary)
    takesDamage = self.plane.damage != nil
    rotation = primary.properties["rotation"].map { PropertySetting(object: plane, property: $0.id, value: $0.value) }
    if pipe.rotatedBy == .plane, rotation == nil {
      throw SystemError(call: "drmModeObjectGetProperties", subject: "rotation", errno: EINVAL)
    }
    var cursor: PipeReset.Object?
    if let id = pipe.cursorPlane { cursor = try object(id, .plane) }
    self.cursor = cursor.flatMap { try? AtomicPlane($0) }
    // A cursor plane that we cannot use may show another program's cursor all the same.
    if self.cursor == nil { cursor = nil }
    var others: [PipeReset.Object] = []
    for other in try interface.planes() where other != plane && other != cursor?.id {
      if try interface.plane(other).currentCRTC == pipe.crtc { others.append(try object(other, .plane)) }
    }
    reset = PipeReset(connector: connector, crtc: crtc, plane: primary, cursor: cursor, otherPlanes: others)
  }

  var isOff: Bool { (try? interface.properties(of: crtc, type: .crtc))?["ACTIVE"]?.value == 0 }

  /// Shows the state's planes in the pipe's mode, whatever was there before.
  func modeSet(_ state: ScreenState, flags: DRMCommitFlags, token: UInt64) throws(SystemError) {
    let mode = pipe.mode
    // libdrm's structure is the kernel's, member for member.
    let blob = try withUnsafeBytes(of: mode.info) { bytes throws(SystemError) in
      try PropertyBlob(interface: interface, bytes)
    }
    settings.removeAll(keepingCapacity: true)
    for clone in pipe.clones { try takeOff(clone) }
    set(connector, connectorCRTC, UInt64(crtc))
    if let linkStatus { set(connector, linkStatus, UInt64(DRM_MODE_LINK_STATUS_GOOD)) }
    set(crtc, crtcMode, UInt64(blob.id))
    set(crtc, crtcActive, 1)
    plane.show(
      state.picture?.framebuffer ?? 0, on: crtc, width: mode.width, height: mode.height, rotation: pipe.planeRotation,
      into: &settings)
    plane.setDamage(0, into: &settings)
    settings.append(contentsOf: reset.neutral)
    if let variableRate { set(crtc, variableRate, isVariable ? 1 : 0) }
    if let setting = state.cursor { cursor?.setCursor(setting, on: crtc, into: &settings) }
    try interface.commit(settings, flags: flags, token: token, subject: "mode-set")
  }

  /// A clone may be another display's by now, and is left to it; or it has gone with its dock.
  private func takeOff(_ clone: UInt32) throws(SystemError) {
    do throws(SystemError) {
      let properties = try interface.properties(of: clone, type: .connector)
      if let itsCRTC = properties["CRTC_ID"], itsCRTC.value == UInt64(crtc) { set(clone, itsCRTC.id, 0) }
    } catch {
      if error.errno != ENOENT { throw error }
    }
  }

  /// Shows the state's planes from the next vblank on. A flip event with `token` says when.
  ///
  /// - Parameter sendsDamage: true if commits name the pixels that differ. Some drivers send only these to the device
  ///   (virtio-gpu).
  func flip(_ state: ScreenState, sendsDamage: Bool, token: UInt64) throws(SystemError) {
    guard sendsDamage, let picture = state.picture else { return try flip(state, damageBlob: 0, token: token) }
    let blob = try PropertyBlob.damage(picture.damage, bounds: pipe.bounds, interface: interface)
    try flip(state, damageBlob: blob.id, token: token)
  }

  private func flip(_ state: ScreenState, damageBlob: UInt32, token: UInt64) throws(SystemError) {
    settings.removeAll(keepingCapacity: true)
    if let picture = state.picture {
      plane.replace(picture.framebuffer, into: &settings)
      plane.setDamage(damageBlob, into: &settings)
    }
    if let setting = state.cursor { cursor?.setCursor(setting, on: crtc, into: &settings) }
    try interface.commit(
      settings, flags: [.nonBlocking, .flipEvent], token: token, subject: state.picture == nil ? "cursor" : "flip")
  }

  /// Lets the rate vary, or no longer. Some drivers set the mode anew for it. Returns when it is done.
  func setVariable(_ isVariable: Bool, flags: DRMCommitFlags) throws(SystemError) {
    guard let variableRate else { return }
    settings.removeAll(keepingCapacity: true)
    set(crtc, variableRate, isVariable ? 1 : 0)
    try interface.commit(settings, flags: flags.union(.allowModeSet), token: 0, subject: "VRR_ENABLED")
  }

  /// Shows another framebuffer at once, perhaps in the middle of a refresh. The kernel takes nothing else with it.
  func flipAsynchronously(framebuffer: UInt32, flags: DRMCommitFlags, token: UInt64) throws(SystemError) {
    settings.removeAll(keepingCapacity: true)
    plane.replace(framebuffer, into: &settings)
    try interface.commit(settings, flags: flags.union(.asynchronous), token: token, subject: "asynchronous flip")
  }

  private func set(_ object: UInt32, _ property: UInt32, _ value: UInt64) {
    settings.append(PropertySetting(object: object, property: property, value: value))
  }
}
