import KMS

/// The properties that a simulated card's objects have. One id for all objects of a kind, as the kernel has it.
enum CardProperty: UInt32, CaseIterable {
  case type = 1
  case edid = 2
  case crtcID = 3
  case active = 4
  case modeID = 5
  case gammaLUT = 6
  case variableRate = 7
  case framebufferID = 8
  case sourceX = 9
  case sourceY = 10
  case sourceWidth = 11
  case sourceHeight = 12
  case targetX = 13
  case targetY = 14
  case targetWidth = 15
  case targetHeight = 16
  case rotation = 17
  case alpha = 18
  case damageClips = 19
  case degammaLUT = 20
  case colorMatrix = 21
  case hdrMetadata = 22
  case colorSpace = 23
  case takesVariableRate = 24
  case linkStatus = 25
  case blendMode = 26

  /// What the kernel calls it.
  var name: String {
    switch self {
    case .type: "type"
    case .edid: "EDID"
    case .crtcID: "CRTC_ID"
    case .active: "ACTIVE"
    case .modeID: "MODE_ID"
    case .gammaLUT: "GAMMA_LUT"
    case .variableRate: "VRR_ENABLED"
    case .framebufferID: "FB_ID"
    case .sourceX: "SRC_X"
    case .sourceY: "SRC_Y"
    case .sourceWidth: "SRC_W"
    case .sourceHeight: "SRC_H"
    case .targetX: "CRTC_X"
    case .targetY: "CRTC_Y"
    case .targetWidth: "CRTC_W"
    case .targetHeight: "CRTC_H"
    case .rotation: "rotation"
    case .alpha: "alpha"
    case .damageClips: "FB_DAMAGE_CLIPS"
    case .degammaLUT: "DEGAMMA_LUT"
    case .colorMatrix: "CTM"
    case .hdrMetadata: "HDR_OUTPUT_METADATA"
    case .colorSpace: "Colorspace"
    case .takesVariableRate: "vrr_capable"
    case .linkStatus: "link-status"
    case .blendMode: "pixel blend mode"
    }
  }

  var kind: DRMProperties.Kind {
    switch self {
    case .type: .enumeration(["Overlay": 0, "Primary": 1, "Cursor": 2])
    case .crtcID, .framebufferID: .object
    case .edid, .modeID, .gammaLUT, .degammaLUT, .colorMatrix, .damageClips, .hdrMetadata: .blob
    case .linkStatus: .enumeration(["Good": 0, "Bad": 1])
    case .blendMode: .enumeration(["None": 2, "Pre-multiplied": 0, "Coverage": 1])
    case .colorSpace: .enumeration(["Default": 0, "BT709_YCC": 2, "BT2020_RGB": 9])
    case .active, .variableRate, .takesVariableRate: .range(0...1)
    case .sourceX, .sourceY, .sourceWidth, .sourceHeight: .range(0...0xFFFF_FFFF)
    case .targetX, .targetY: .signedRange(Int64(Int32.min)...Int64(Int32.max))
    case .targetWidth, .targetHeight: .range(0...0x7FFF_FFFF)
    case .rotation: .bitmask(["rotate-0": 0, "rotate-90": 1, "rotate-180": 2, "rotate-270": 3])
    case .alpha: .range(0...0xFFFF)
    }
  }

  /// What connectors have.
  static let ofConnectors: [CardProperty] = [.edid, .crtcID, .linkStatus, .hdrMetadata, .colorSpace]
  static let ofCRTCs: [CardProperty] = [
    .active, .modeID, .gammaLUT, .degammaLUT, .colorMatrix, .variableRate,
  ]
  static let ofPlanes: [CardProperty] = [
    .type, .framebufferID, .crtcID, .sourceX, .sourceY, .sourceWidth, .sourceHeight, .targetX, .targetY, .targetWidth,
    .targetHeight, .rotation, .alpha, .blendMode, .damageClips,
  ]

  /// The id that clients see.
  var id: UInt32 { 1000 + rawValue }

  init?(id: UInt32) {
    guard id > 1000 else { return nil }
    self.init(rawValue: id - 1000)
  }
}

extension CardState {
  func properties(ofConnector connector: Connector) -> DRMProperties {
    let isTold = connector.takesVariableRate != nil
    return table(CardProperty.ofConnectors + (isTold ? [.takesVariableRate] : [])) { property in
      switch property {
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
      // The kernel forgets it with each commit.
      default: 0
      }
    }
  }

  private func table(_ properties: [CardProperty], value: (CardProperty) -> UInt64) -> DRMProperties {
    var table: [String: DRMProperties.Property] = [:]
    for property in properties {
      table[property.name] = DRMProperties.Property(id: property.id, value: value(property), kind: property.kind)
    }
    return DRMProperties(table)
  }
}
