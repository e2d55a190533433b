import CDRM
import LinuxSystem

/// A connector as it was when asked: a socket with or without a screen.
public struct DRMConnector: Sendable {
  public enum Status: Sendable { case connected, disconnected, unknown }

  let id: UInt32
  /// The kernel's name for it: "HDMI-A-1", "eDP-1", "Virtual-1".
  public let name: String
  public let status: Status
  public let modes: [DisplayMode]
  /// A bit for each CRTC that can drive it, by the CRTC's place in the card's list.
  let possibleCRTCs: UInt32
  /// The CRTC that drives it now; 0 for none.
  let currentCRTC: UInt32
}

/// A plane: what a CRTC takes pixels from.
struct DRMPlane: Sendable {
  let id: UInt32
  let currentCRTC: UInt32
  let possibleCRTCs: UInt32
  let formats: [UInt32]
}

/// The ids of a card's parts and the sizes that its framebuffers may have.
struct DRMResources: Sendable {
  let crtcs: [UInt32]
  let connectors: [UInt32]
  let maximumWidth: Int
  let maximumHeight: Int
}

/// An object's properties by name.
struct DRMProperties: Sendable {
  struct Property: Sendable {
    let id: UInt32
    let value: UInt64
  }
  private(set) var properties: [String: Property] = [:]

  init(_ properties: [String: Property]) { self.properties = properties }

  subscript(name: String) -> Property? { properties[name] }
}

// Each answer of libdrm is copied into a value and freed at once, so that nothing can leak or dangle.
extension DRMDevice {
  /// CRTCs and connectors. `EOPNOTSUPP` or `EINVAL`: the card has no mode setting.
  func resources() throws(SystemError) -> DRMResources {
    guard let resources = drmModeGetResources(number) else { throw .last(call: "drmModeGetResources") }
    defer { drmModeFreeResources(resources) }
    return DRMResources(
      crtcs: Array(start: resources.pointee.crtcs, count: resources.pointee.count_crtcs),
      connectors: Array(start: resources.pointee.connectors, count: resources.pointee.count_connectors),
      maximumWidth: Int(resources.pointee.max_width), maximumHeight: Int(resources.pointee.max_height))
  }

  /// Asks a connector anew, which may take a driver many milliseconds (it reads the EDID).
  func connector(_ id: UInt32) throws(SystemError) -> DRMConnector {
    guard let connector = drmModeGetConnector(number, id) else {
      throw .last(call: "drmModeGetConnector", subject: "\(id)")
    }
    defer { drmModeFreeConnector(connector) }
    let encoders = Array(start: connector.pointee.encoders, count: connector.pointee.count_encoders)
    var possible: UInt32 = 0
    var current: UInt32 = 0
    for encoder in encoders {
      guard let answer = drmModeGetEncoder(number, encoder) else { continue }
      possible |= answer.pointee.possible_crtcs
      if encoder == connector.pointee.encoder_id { current = answer.pointee.crtc_id }
      drmModeFreeEncoder(answer)
    }
    let status: DRMConnector.Status =
      switch connector.pointee.connection {
      case DRM_MODE_CONNECTED: .connected
      case DRM_MODE_DISCONNECTED: .disconnected
      default: .unknown
      }
    let type = drmModeGetConnectorTypeName(connector.pointee.connector_type).map { String(cString: $0) } ?? "Unknown"
    return DRMConnector(
      id: id, name: "\(type)-\(connector.pointee.connector_type_id)", status: status,
      modes: Array(start: connector.pointee.modes, count: connector.pointee.count_modes).map(DisplayMode.init),
      possibleCRTCs: possible, currentCRTC: current)
  }

  /// The planes of all kinds; empty where the driver shows none.
  func planes() throws(SystemError) -> [DRMPlane] {
    guard let resources = drmModeGetPlaneResources(number) else { throw .last(call: "drmModeGetPlaneResources") }
    defer { drmModeFreePlaneResources(resources) }
    var planes: [DRMPlane] = []
    for id in Array(start: resources.pointee.planes, count: Int32(clamping: resources.pointee.count_planes)) {
      guard let plane = drmModeGetPlane(number, id) else { throw .last(call: "drmModeGetPlane", subject: "\(id)") }
      planes.append(
        DRMPlane(
          id: id, currentCRTC: plane.pointee.crtc_id, possibleCRTCs: plane.pointee.possible_crtcs,
          formats: Array(start: plane.pointee.formats, count: Int32(clamping: plane.pointee.count_formats))))
      drmModeFreePlane(plane)
    }
    return planes
  }

  /// An object's properties. `type` is one of `DRM_MODE_OBJECT_…`.
  func properties(of object: UInt32, type: UInt32) throws(SystemError) -> DRMProperties {
    guard let answer = drmModeObjectGetProperties(number, object, type) else {
      throw .last(call: "drmModeObjectGetProperties", subject: "\(object)")
    }
    defer { drmModeFreeObjectProperties(answer) }
    let count = Int32(clamping: answer.pointee.count_props)
    let ids = Array(start: answer.pointee.props, count: count)
    let values = Array(start: answer.pointee.prop_values, count: count)
    var properties: [String: DRMProperties.Property] = [:]
    for (id, value) in zip(ids, values) {
      guard let property = drmModeGetProperty(number, id) else { continue }
      let name = withUnsafeBytes(of: &property.pointee.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      properties[name] = DRMProperties.Property(id: id, value: value)
      drmModeFreeProperty(property)
    }
    return DRMProperties(properties)
  }
}

extension Array where Element: BitwiseCopyable {
  /// A copy of an array as C has them; a null pointer or a count below 1 is an empty one.
  fileprivate init(start: UnsafeMutablePointer<Element>?, count: Int32) {
    guard let start, count > 0 else {
      self = []
      return
    }
    self.init(UnsafeBufferPointer(start: start, count: Int(count)))
  }
}
