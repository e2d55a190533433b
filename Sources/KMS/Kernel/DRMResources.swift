import Presentation

/// The ids of a card's parts and the sizes that its framebuffers may have.
package struct DRMResources: Sendable {
  package let crtcs: [UInt32]
  package let connectors: [UInt32]
  package let maximumWidth: Int
  package let maximumHeight: Int

  package init(crtcs: [UInt32], connectors: [UInt32], maximumWidth: Int, maximumHeight: Int) {
    self.crtcs = crtcs
    self.connectors = connectors
    self.maximumWidth = maximumWidth
    self.maximumHeight = maximumHeight
  }
}

/// The size of a screen's picture in millimetres.
public struct PhysicalSize: Sendable, Equatable {
  public var width: Int
  public var height: Int

  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }
}

/// A connector as it was when asked: a socket with or without a screen. `DRMDevice.connectors()` lists them.
public struct DRMConnector: Sendable {
  /// The driver's answer to the question for a screen; some drivers cannot say.
  public enum Status: Sendable { case connected, disconnected, unknown }

  package let id: UInt32
  /// The kernel's name for it: "HDMI-A-1", "eDP-1", "Virtual-1".
  public let name: String
  public let status: Status
  public let modes: [DisplayMode]
  /// A bit for each CRTC that can drive it, by the CRTC's place in the card's list.
  package let possibleCRTCs: UInt32
  /// The CRTC that drives it now; 0 for none.
  package let currentCRTC: UInt32
  /// The visible picture's size; nil when the screen does not say.
  public let size: PhysicalSize?

  package init(
    id: UInt32, name: String, status: Status, modes: [DisplayMode], possibleCRTCs: UInt32, currentCRTC: UInt32,
    size: PhysicalSize? = nil
  ) {
    self.size = size
    self.id = id
    self.name = name
    self.status = status
    self.modes = modes
    self.possibleCRTCs = possibleCRTCs
    self.currentCRTC = currentCRTC
  }
}

extension DRMConnector {
  /// True if there may be a screen: one is connected, or the driver cannot tell, as for VGA without a data line, and has
  /// modes all the same.
  package var canHaveScreen: Bool { status == .connected || status == .unknown && !modes.isEmpty }
}

/// A plane: a CRTC takes pixels from it.
package struct DRMPlane: Sendable {
  package let id: UInt32
  /// The CRTC that takes its pixels now; 0 for none.
  package let currentCRTC: UInt32
  /// A bit for each CRTC that can use it, by the CRTC's place in the card's list.
  package let possibleCRTCs: UInt32
  /// Four-character codes.
  package let formats: [UInt32]

  package init(id: UInt32, currentCRTC: UInt32, possibleCRTCs: UInt32, formats: [UInt32]) {
    self.id = id
    self.currentCRTC = currentCRTC
    self.possibleCRTCs = possibleCRTCs
    self.formats = formats
  }
}

/// The picture and mode of a CRTC.
package struct DRMCRTC: Sendable {
  package let framebuffer: UInt32
  /// The framebuffer's pixel in the screen's upper left corner.
  package let x: UInt32
  package let y: UInt32
  /// Nil when it is off.
  package let mode: DisplayMode?

  package init(framebuffer: UInt32, x: UInt32, y: UInt32, mode: DisplayMode?) {
    self.framebuffer = framebuffer
    self.x = x
    self.y = y
    self.mode = mode
  }
}

/// An object's properties by name.
package struct DRMProperties: Sendable {
  package struct Property: Sendable {
    package let id: UInt32
    package let value: UInt64
    /// The values of an enumeration, or the bits of a mask, by their names; empty for other properties.
    package let names: [String: UInt64]

    package init(id: UInt32, value: UInt64, names: [String: UInt64] = [:]) {
      self.id = id
      self.value = value
      self.names = names
    }
  }

  package private(set) var properties: [String: Property] = [:]

  package init(_ properties: [String: Property]) { self.properties = properties }

  package subscript(name: String) -> Property? { properties[name] }
}

extension DRMProperties {
  /// The turn with which a picture stands upright on a connector's panel, by the kernel's "panel orientation": a panel whose left side is up has
  /// itself been turned to the right, and its picture to the left.
  var uprightRotation: DisplayRotation {
    guard let property = self["panel orientation"] else { return .none }
    switch property.names.first(where: { $0.value == property.value })?.key {
    case "Upside Down": return .half
    case "Left Side Up": return .left
    case "Right Side Up": return .right
    default: return .none
    }
  }
}
