import CDRM
import Compositing
import Geometry
import Glibc
import LinuxSystem

/// Drives a pipe by atomic commits: the objects and property ids that it takes.
final class AtomicPipe {
  private let device: DRMDevice
  private let request: AtomicRequest
  private let crtc: UInt32
  private let plane: UInt32
  private let connector: UInt32
  private let mode: drmModeModeInfo
  private let width: UInt64
  private let height: UInt64
  private let clones: [(connector: UInt32, crtcID: UInt32)]
  private let connectorCRTC: UInt32
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
  /// What was found on the pipe besides.
  let reset: PipeReset

  /// Looks the properties up. A driver without one of them is broken: `ENOENT` with the property's name.
  init(device: DRMDevice, pipe: ScanOutPipe, plane: UInt32) throws(SystemError) {
    func properties(_ object: UInt32, _ type: UInt32) throws(SystemError) -> DRMProperties {
      try device.properties(of: object, type: type)
    }
    func id(_ name: String, _ properties: DRMProperties) throws(SystemError) -> UInt32 {
      guard let property = properties[name] else {
        throw SystemError(call: "drmModeObjectGetProperties", subject: name, errno: ENOENT)
      }
      return property.id
    }
    self.device = device
    request = try AtomicRequest()
    mode = pipe.mode.info
    crtc = pipe.crtc
    self.plane = plane
    connector = pipe.connector.id
    width = UInt64(pipe.mode.width)
    height = UInt64(pipe.mode.height)

    connectorCRTC = try id("CRTC_ID", properties(connector, DRM_MODE_OBJECT_CONNECTOR))
    var clones: [(connector: UInt32, crtcID: UInt32)] = []
    for clone in pipe.clones { clones.append((clone, try id("CRTC_ID", properties(clone, DRM_MODE_OBJECT_CONNECTOR)))) }
    self.clones = clones

    let crtcProperties = try properties(crtc, DRM_MODE_OBJECT_CRTC)
    crtcMode = try id("MODE_ID", crtcProperties)
    crtcActive = try id("ACTIVE", crtcProperties)

    let planeProperties = try properties(plane, DRM_MODE_OBJECT_PLANE)
    planeFramebuffer = try id("FB_ID", planeProperties)
    planeCRTC = try id("CRTC_ID", planeProperties)
    var origins: [UInt32] = []
    for name in ["SRC_X", "SRC_Y", "CRTC_X", "CRTC_Y"] { origins.append(try id(name, planeProperties)) }
    planeOrigins = origins
    planeSourceSize = (try id("SRC_W", planeProperties), try id("SRC_H", planeProperties))
    planeTargetSize = (try id("CRTC_W", planeProperties), try id("CRTC_H", planeProperties))
    planeDamage = planeProperties["FB_DAMAGE_CLIPS"]?.id

    var others: [PipeReset.Object] = []
    for other in try device.planes() where other.currentCRTC == pipe.crtc && other.id != plane {
      others.append(PipeReset.Object(id: other.id, properties: try properties(other.id, DRM_MODE_OBJECT_PLANE)))
    }
    reset = PipeReset(
      crtc: PipeReset.Object(id: crtc, properties: crtcProperties),
      plane: PipeReset.Object(id: plane, properties: planeProperties), otherPlanes: others)
  }

  /// Shows `framebuffer` in the pipe's mode, whatever was there before.
  func modeSet(framebuffer: UInt32, flags: Int32, token: UInt64) throws(SystemError) {
    // libdrm's structure is the kernel's, member for member.
    let blob = try withUnsafeBytes(of: mode) { bytes throws(SystemError) in try PropertyBlob(device: device, bytes) }
    request.removeAll()
    for clone in clones { request.add(clone.connector, clone.crtcID, 0) }
    request.add(connector, connectorCRTC, UInt64(crtc))
    request.add(crtc, crtcMode, UInt64(blob.id))
    request.add(crtc, crtcActive, 1)
    request.add(plane, planeCRTC, UInt64(crtc))
    for origin in planeOrigins { request.add(plane, origin, 0) }
    // Source coordinates are 16.16 fixed point.
    request.add(plane, planeSourceSize.width, width << 16)
    request.add(plane, planeSourceSize.height, height << 16)
    request.add(plane, planeTargetSize.width, width)
    request.add(plane, planeTargetSize.height, height)
    addFramebuffer(framebuffer, damageBlob: 0)
    request.add(reset.neutral)
    try request.commit(to: device.number, flags: flags, token: token, subject: "mode-set")
  }

  /// Shows another framebuffer from the next vblank on; an event with `token` says when.
  ///
  /// - Parameter damage: what was painted in this framebuffer since it was shown last. It covers what the screen must
  ///   refresh, and, for drivers that send each buffer's contents to the device (virtio-gpu), what they must send.
  func flip(framebuffer: UInt32, damage: DamageRegion, bounds: IntRect, token: UInt64) throws(SystemError) {
    guard planeDamage != nil else { return try commitFlip(framebuffer, damageBlob: 0, token: token) }
    let blob = try PropertyBlob.damage(damage, bounds: bounds, device: device)
    try commitFlip(framebuffer, damageBlob: blob.id, token: token)
  }

  private func commitFlip(_ framebuffer: UInt32, damageBlob: UInt32, token: UInt64) throws(SystemError) {
    request.removeAll()
    addFramebuffer(framebuffer, damageBlob: damageBlob)
    try request.commit(
      to: device.number, flags: DRM_MODE_ATOMIC_NONBLOCK | DRM_MODE_PAGE_FLIP_EVENT, token: token, subject: "flip")
  }

  /// A blob of 0 says that all of it may differ.
  private func addFramebuffer(_ framebuffer: UInt32, damageBlob: UInt32) {
    request.add(plane, planeFramebuffer, UInt64(framebuffer))
    if let planeDamage { request.add(plane, planeDamage, UInt64(damageBlob)) }
  }
}

/// A value that the kernel keeps for us while a property is set to it. Who uses it then holds it by itself.
private struct PropertyBlob: ~Copyable {
  let id: UInt32
  private let device: DRMDevice

  init(device: DRMDevice, _ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    var id: UInt32 = 0
    try device.check(
      drmModeCreatePropertyBlob(device.number, bytes.baseAddress, bytes.count, &id), "drmModeCreatePropertyBlob")
    self.id = id
    self.device = device
  }

  deinit {
    drmModeDestroyPropertyBlob(device.number, id)
  }

  /// The rectangles of a damage, in framebuffer coordinates, as `FB_DAMAGE_CLIPS` has them. An empty damage still has one
  /// (empty) rectangle: none at all would stand for everything.
  static func damage(_ damage: DamageRegion, bounds: IntRect, device: DRMDevice) throws(SystemError) -> PropertyBlob {
    try withUnsafeTemporaryAllocation(of: drm_mode_rect.self, capacity: DamageRegion.capacity) {
      rects throws(SystemError) in
      var count = 0
      for rect in damage.rects {
        let clipped = rect.intersection(bounds)
        if clipped.isEmpty { continue }
        rects[count] = drm_mode_rect(x1: clipped.minX, y1: clipped.minY, x2: clipped.maxX, y2: clipped.maxY)
        count += 1
      }
      if count == 0 {
        rects[0] = drm_mode_rect(x1: 0, y1: 0, x2: 0, y2: 0)
        count = 1
      }
      return try PropertyBlob(device: device, UnsafeRawBufferPointer(UnsafeMutableBufferPointer(rebasing: rects[..<count])))
    }
  }
}
