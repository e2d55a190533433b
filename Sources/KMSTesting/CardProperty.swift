import KMS

/// The properties of a simulated card's objects. A property has one id for all objects, as in the kernel.
enum CardProperty: String, CaseIterable {
  case type = "type", edid = "EDID", crtcID = "CRTC_ID", active = "ACTIVE", modeID = "MODE_ID", gammaLUT = "GAMMA_LUT"
  case variableRate = "VRR_ENABLED", framebufferID = "FB_ID", sourceX = "SRC_X", sourceY = "SRC_Y", sourceWidth = "SRC_W"
  case sourceHeight = "SRC_H", targetX = "CRTC_X", targetY = "CRTC_Y", targetWidth = "CRTC_W", targetHeight = "CRTC_H"
  case rotation = "rotation", alpha = "alpha", damageClips = "FB_DAMAGE_CLIPS", degammaLUT = "DEGAMMA_LUT"
  case colorMatrix = "CTM", hdrMetadata = "HDR_OUTPUT_METADATA", colorSpace = "Colorspace"
  case takesVariableRate = "vrr_capable", linkStatus = "link-status", blendMode = "pixel blend mode"
  case panelOrientation = "panel orientation"

  /// The kernel's name.
  var name: String { rawValue }

  /// The values of an enumeration by their names; empty for other properties.
  var names: [String: UInt64] {
    switch self {
    case .type: ["Overlay": 0, "Primary": 1, "Cursor": 2]
    case .linkStatus: ["Good": 0, "Bad": 1]
    case .blendMode: ["None": 2, "Pre-multiplied": 0, "Coverage": 1]
    case .panelOrientation: ["Normal": 0, "Upside Down": 1, "Left Side Up": 2, "Right Side Up": 3]
    case .colorSpace: ["Default": 0, "BT709_YCC": 2, "BT2020_RGB": 9]
    default: [:]
    }
  }

  static let ofConnectors: [CardProperty] = [.edid, .crtcID, .linkStatus, .hdrMetadata, .colorSpace]
  static let ofCRTCs: [CardProperty] = [
    .active, .modeID, .gammaLUT, .degammaLUT, .colorMatrix, .variableRate,
  ]
  static let ofPlanes: [CardProperty] = [
    .type, .framebufferID, .crtcID, .sourceX, .sourceY, .sourceWidth, .sourceHeight, .targetX, .targetY, .targetWidth,
    .targetHeight, .rotation, .alpha, .blendMode, .damageClips,
  ]

  /// The id that clients see: 1001 for the first property.
  var id: UInt32 { Self.ids[self] ?? 0 }

  init?(id: UInt32) {
    guard let place = Int(exactly: Int(id) - 1001), Self.all.indices.contains(place) else { return nil }
    self = Self.all[place]
  }

  private static let all = allCases
  private static let ids = Dictionary(
    uniqueKeysWithValues: all.enumerated().map { ($0.element, UInt32(1001 + $0.offset)) })
}

extension CardState {
  func properties(ofConnector connector: Connector) -> DRMProperties {
    var told = CardProperty.ofConnectors
    if connector.takesVariableRate != nil { told.append(.takesVariableRate) }
    if connector.panelOrientation != nil { told.append(.panelOrientation) }
    return table(told) { property in
      switch property {
      case .panelOrientation: connector.panelOrientation ?? 0
      case .takesVariableRate: connector.takesVariableRate == true ? 1 : 0
      case .edid: UInt64(connector.edidBlob)
      case .linkStatus: connector.settings.isLinkBad ? 1 : 0
      case .hdrMetadata: UInt64(connector.settings.hdrBlob)
      case .colorSpace: connector.settings.colorSpace
      default: UInt64(connector.settings.crtc)
      }
    }
  }

  func properties(ofCRTC crtc: CRTC) -> DRMProperties {
    table(CardProperty.ofCRTCs) { property in
      switch property {
      case .active: crtc.settings.isActive ? 1 : 0
      case .modeID: UInt64(crtc.settings.modeBlob)
      case .gammaLUT: UInt64(crtc.settings.gammaBlob)
      case .degammaLUT: UInt64(crtc.settings.degammaBlob)
      case .colorMatrix: UInt64(crtc.settings.colorMatrixBlob)
      default: crtc.settings.variableRate
      }
    }
  }

  func properties(ofPlane plane: Plane) -> DRMProperties {
    let settings = plane.settings
    let missing = plane.kind == .cursor ? missingCursorProperties : []
    return table(CardProperty.ofPlanes.filter { !missing.contains($0.name) }) { property in
      switch property {
      case .type: plane.kind.rawValue
      case .framebufferID: UInt64(settings.framebuffer)
      case .crtcID: UInt64(settings.crtc)
      case .sourceX: settings.source.x
      case .sourceY: settings.source.y
      case .sourceWidth: settings.source.width
      case .sourceHeight: settings.source.height
      case .targetX: settings.target.x
      case .targetY: settings.target.y
      case .targetWidth: settings.target.width
      case .targetHeight: settings.target.height
      case .rotation: settings.rotation
      case .alpha: settings.alpha
      case .blendMode: settings.blendMode
      // The kernel forgets damage with each commit.
      default: 0
      }
    }
  }

  private func table(_ properties: [CardProperty], value: (CardProperty) -> UInt64) -> DRMProperties {
    var table: [String: DRMProperties.Property] = [:]
    for property in properties {
      table[property.name] = DRMProperties.Property(id: property.id, value: value(property), names: property.names)
    }
    return DRMProperties(table)
  }
}
