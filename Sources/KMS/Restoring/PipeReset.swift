import CDRM

/// What other programs leave on a pipe that a mode-set does not name, and that would change our picture: planes above it, a
/// plane that is turned or translucent, a cursor that is blended otherwise, colour tables, a screen that was told to expect
/// other colours than sRGB, a variable rate. A pure value.
///
/// What is a matter of cable and screen stays as it was set: "max bpc", "Broadcast RGB", "underscan", "content type".
struct PipeReset: Equatable, Sendable {
  /// An object of the pipe, as it was found.
  struct Object {
    let id: UInt32
    let properties: DRMProperties
  }

  /// Brings the pipe into the state that a picture is made for.
  private(set) var neutral: [PropertySetting] = []
  /// Brings back what was found.
  private(set) var found: [PropertySetting] = []
  /// Which of `found` are blobs, by their places.
  private(set) var blobs: Set<Int> = []

  /// - Parameters:
  ///   - plane: the one that is ours.
  ///   - cursor: the cursor plane that is ours. Every mode-set says what is on it.
  ///   - otherPlanes: those that are on the CRTC besides.
  init(connector: Object, crtc: Object, plane: Object, cursor: Object? = nil, otherPlanes: [Object]) {
    reset("HDR_OUTPUT_METADATA", of: connector, to: 0, isBlob: true)
    // 0 is "Default" with every driver.
    reset("Colorspace", of: connector, to: 0)
    for name in ["GAMMA_LUT", "DEGAMMA_LUT", "CTM"] { reset(name, of: crtc, to: 0, isBlob: true) }
    reset("VRR_ENABLED", of: crtc, to: 0)
    if connector.properties["vrr_capable"] != nil, crtc.properties["VRR_ENABLED"]?.value == 0 {
      keep(["VRR_ENABLED"], of: crtc)
    }
    reset("rotation", of: plane, to: UInt64(DRM_MODE_ROTATE_0))
    reset("alpha", of: plane, to: 0xFFFF)
    if let cursor {
      reset("rotation", of: cursor, to: UInt64(DRM_MODE_ROTATE_0))
      reset("alpha", of: cursor, to: 0xFFFF)
      // A driver that cannot would refuse the whole mode-set.
      if case .enumeration(let ways)? = cursor.properties["pixel blend mode"]?.kind, let way = ways["Pre-multiplied"] {
        reset("pixel blend mode", of: cursor, to: way)
      }
      keep(
        [
          "FB_ID", "CRTC_ID", "SRC_X", "SRC_Y", "SRC_W", "SRC_H", "CRTC_X", "CRTC_Y", "CRTC_W", "CRTC_H", "HOTSPOT_X",
          "HOTSPOT_Y",
        ], of: cursor)
    }
    for other in otherPlanes {
      reset("FB_ID", of: other, to: 0)
      reset("CRTC_ID", of: other, to: 0)
    }
    // A screen that is blanked: it has a mode, and is dark. Last, when all else is as it was.
    if let active = crtc.properties["ACTIVE"], active.value == 0, crtc.properties["MODE_ID"]?.value ?? 0 != 0 {
      found.append(PropertySetting(object: crtc.id, property: active.id, value: 0))
    }
  }

  /// What we set in the course of time.
  private mutating func keep(_ names: [String], of object: Object) {
    for property in names.compactMap({ object.properties[$0] }) {
      found.append(PropertySetting(object: object.id, property: property.id, value: property.value))
    }
  }

  /// Properties that a driver does not have, or that are neutral already, are left alone.
  private mutating func reset(_ name: String, of object: Object, to value: UInt64, isBlob: Bool = false) {
    guard let property = object.properties[name], property.value != value else { return }
    neutral.append(PropertySetting(object: object.id, property: property.id, value: value))
    if isBlob { blobs.insert(found.count) }
    found.append(PropertySetting(object: object.id, property: property.id, value: property.value))
  }
}
