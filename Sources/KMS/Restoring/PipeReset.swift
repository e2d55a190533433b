/// The settings that other programs leave on a pipe, that a mode-set does not name, and that would change our picture:
/// planes above it, a translucent plane, a cursor that is blended differently, colour tables, a screen that was told to expect
/// other colours than sRGB, a variable rate. A pure value.
///
/// Settings of cable and screen stay: "max bpc", "Broadcast RGB", "underscan", "content type".
struct PipeReset: Equatable, Sendable {
  /// An object of the pipe with its properties as they were found.
  struct Object {
    let id: UInt32
    let properties: DRMProperties
  }

  /// Makes the pipe neutral: a mode-set includes these.
  private(set) var neutral: [PropertySetting] = []
  /// Restores the pipe as it was found. Colours are left out: they are blobs, which the kernel frees once no property has
  /// them, and a picture in sRGB needs none.
  private(set) var found: [PropertySetting] = []

  /// - Parameters:
  ///   - plane: our primary plane.
  ///   - cursor: our cursor plane. Every mode-set says what it shows.
  ///   - otherPlanes: the other planes that are on the CRTC.
  init(connector: Object, crtc: Object, plane: Object, cursor: Object? = nil, otherPlanes: [Object]) {
    reset("HDR_OUTPUT_METADATA", of: connector, to: 0, isRestored: false)
    // 0 is "Default" with every driver.
    reset("Colorspace", of: connector, to: 0, isRestored: false)
    for name in ["GAMMA_LUT", "DEGAMMA_LUT", "CTM"] { reset(name, of: crtc, to: 0, isRestored: false) }
    reset("VRR_ENABLED", of: crtc, to: 0)
    if connector.properties["vrr_capable"] != nil, crtc.properties["VRR_ENABLED"]?.value == 0 {
      keep(["VRR_ENABLED"], of: crtc)
    }
    reset("alpha", of: plane, to: 0xFFFF)
    if let cursor {
      reset("alpha", of: cursor, to: 0xFFFF)
      // A driver that cannot would refuse the whole mode-set.
      if let way = cursor.properties["pixel blend mode"]?.names["Pre-multiplied"] {
        reset("pixel blend mode", of: cursor, to: way)
      }
      keep(
        [
          "FB_ID", "CRTC_ID", "SRC_X", "SRC_Y", "SRC_W", "SRC_H", "CRTC_X", "CRTC_Y", "CRTC_W", "CRTC_H", "HOTSPOT_X",
          "HOTSPOT_Y", "rotation",
        ], of: cursor)
    }
    for other in otherPlanes {
      reset("FB_ID", of: other, to: 0)
      reset("CRTC_ID", of: other, to: 0)
    }
    // A blanked screen has a mode and is dark. Last, when everything else is restored.
    if let active = crtc.properties["ACTIVE"], active.value == 0, crtc.properties["MODE_ID"]?.value ?? 0 != 0 {
      found.append(PropertySetting(object: crtc.id, property: active.id, value: 0))
    }
  }

  /// Restores properties that we set later.
  private mutating func keep(_ names: [String], of object: Object) {
    for property in names.compactMap({ object.properties[$0] }) {
      found.append(PropertySetting(object: object.id, property: property.id, value: property.value))
    }
  }

  /// Leaves alone what the driver does not have, or what is neutral already.
  private mutating func reset(_ name: String, of object: Object, to value: UInt64, isRestored: Bool = true) {
    guard let property = object.properties[name], property.value != value else { return }
    neutral.append(PropertySetting(object: object.id, property: property.id, value: value))
    if isRestored { found.append(PropertySetting(object: object.id, property: property.id, value: property.value)) }
  }
}
