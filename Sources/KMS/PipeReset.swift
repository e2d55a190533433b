import CDRM

/// What other programs leave on a CRTC that a mode-set does not name, and that would change our picture: planes above it, a
/// plane that is turned or translucent, colour tables, a variable rate. A pure value.
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
  ///   - otherPlanes: those that are on the CRTC besides.
  init(crtc: Object, plane: Object, otherPlanes: [Object]) {
    for name in ["GAMMA_LUT", "DEGAMMA_LUT", "CTM"] { reset(name, of: crtc, to: 0, isBlob: true) }
    reset("VRR_ENABLED", of: crtc, to: 0)
    reset("rotation", of: plane, to: UInt64(DRM_MODE_ROTATE_0))
    reset("alpha", of: plane, to: 0xFFFF)
    for other in otherPlanes {
      reset("FB_ID", of: other, to: 0)
      reset("CRTC_ID", of: other, to: 0)
    }
    // A screen that is blanked: it has a mode, and is dark. Last, when all else is as it was.
    if let active = crtc.properties["ACTIVE"], active.value == 0, crtc.properties["MODE_ID"]?.value ?? 0 != 0 {
      found.append(PropertySetting(object: crtc.id, property: active.id, value: 0))
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
