import LinuxSystem

/// A pipe's cursor plane in atomic commits: the property ids that it takes.
struct AtomicCursor {
  let plane: UInt32
  private let framebuffer: UInt32
  private let crtc: UInt32
  /// `SRC_X` and `SRC_Y`: both 0.
  private let sourceOrigin: (x: UInt32, y: UInt32)
  private let sourceSize: (width: UInt32, height: UInt32)
  private let targetOrigin: (x: UInt32, y: UInt32)
  private let targetSize: (width: UInt32, height: UInt32)
  /// `HOTSPOT_X` and `HOTSPOT_Y`, which drivers of virtual machines have: the host's pointer takes the cursor's place.
  private let hotSpot: (x: UInt32, y: UInt32)?

  /// Nil when a property is missing that every plane has.
  init?(plane: UInt32, properties: DRMProperties) {
    guard let framebuffer = properties["FB_ID"], let crtc = properties["CRTC_ID"], let sourceX = properties["SRC_X"],
      let sourceY = properties["SRC_Y"], let sourceWidth = properties["SRC_W"], let sourceHeight = properties["SRC_H"],
      let x = properties["CRTC_X"], let y = properties["CRTC_Y"], let width = properties["CRTC_W"],
      let height = properties["CRTC_H"]
    else { return nil }
    self.plane = plane
    self.framebuffer = framebuffer.id
    self.crtc = crtc.id
    sourceOrigin = (sourceX.id, sourceY.id)
    sourceSize = (sourceWidth.id, sourceHeight.id)
    targetOrigin = (x.id, y.id)
    targetSize = (width.id, height.id)
    hotSpot =
      if let x = properties["HOTSPOT_X"], let y = properties["HOTSPOT_Y"] { (x.id, y.id) } else { nil }
  }

  /// Adds to a commit that the cursor is shown on a CRTC, or hidden.
  func add(_ setting: CursorSetting, crtc: UInt32, to settings: inout [PropertySetting]) {
    func set(_ property: UInt32, _ value: UInt64) {
      settings.append(PropertySetting(object: plane, property: property, value: value))
    }
    guard case .shown(let buffer, let look) = setting else {
      set(framebuffer, 0)
      set(self.crtc, 0)
      return
    }
    set(framebuffer, UInt64(buffer.framebuffer))
    set(self.crtc, UInt64(crtc))
    set(sourceOrigin.x, 0)
    set(sourceOrigin.y, 0)
    // Source coordinates are 16.16 fixed point.
    set(sourceSize.width, UInt64(buffer.width) << 16)
    set(sourceSize.height, UInt64(buffer.height) << 16)
    set(targetOrigin.x, UInt64(bitPattern: Int64(look.x)))
    set(targetOrigin.y, UInt64(bitPattern: Int64(look.y)))
    set(targetSize.width, UInt64(buffer.width))
    set(targetSize.height, UInt64(buffer.height))
    if let hotSpot {
      set(hotSpot.x, UInt64(bitPattern: Int64(look.hotSpotX)))
      set(hotSpot.y, UInt64(bitPattern: Int64(look.hotSpotY)))
    }
  }
}

/// What a driver is told of a cursor.
enum CursorSetting {
  case hidden
  case shown(DumbBuffer, CursorState.Look)
}
