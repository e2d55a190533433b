import CDRM
package import LinuxSystem

// Each structure of libdrm is copied into a value and freed at once, so that nothing can leak or dangle.
extension LibDRM {
  package func resources() throws(SystemError) -> DRMResources {
    guard let resources = drmModeGetResources(descriptor) else { throw .last(call: "drmModeGetResources") }
    defer { drmModeFreeResources(resources) }
    return DRMResources(
      crtcs: Array(start: resources.pointee.crtcs, count: resources.pointee.count_crtcs),
      connectors: Array(start: resources.pointee.connectors, count: resources.pointee.count_connectors),
      maximumWidth: Int(resources.pointee.max_width), maximumHeight: Int(resources.pointee.max_height))
  }

  package func connector(_ id: UInt32, isProbed: Bool) throws(SystemError) -> DRMConnector {
    let answer = isProbed ? drmModeGetConnector(descriptor, id) : drmModeGetConnectorCurrent(descriptor, id)
    guard let connector = answer else {
      throw .last(call: isProbed ? "drmModeGetConnector" : "drmModeGetConnectorCurrent", subject: "\(id)")
    }
    defer { drmModeFreeConnector(connector) }
    let encoders = Array(start: connector.pointee.encoders, count: connector.pointee.count_encoders)
    var possible: UInt32 = 0
    var current: UInt32 = 0
    for encoder in encoders {
      guard let answer = drmModeGetEncoder(descriptor, encoder) else { continue }
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
    let (width, height) = (Int(connector.pointee.mmWidth), Int(connector.pointee.mmHeight))
    let type = drmModeGetConnectorTypeName(connector.pointee.connector_type).map { String(cString: $0) } ?? "Unknown"
    return DRMConnector(
      id: id, name: "\(type)-\(connector.pointee.connector_type_id)", status: status,
      modes: Array(start: connector.pointee.modes, count: connector.pointee.count_modes).map(DisplayMode.init),
      possibleCRTCs: possible, currentCRTC: current,
      size: width > 0 && height > 0 ? PhysicalSize(width: width, height: height) : nil)
  }

  package func planes() throws(SystemError) -> [UInt32] {
    guard let resources = drmModeGetPlaneResources(descriptor) else { throw .last(call: "drmModeGetPlaneResources") }
    defer { drmModeFreePlaneResources(resources) }
    return Array(start: resources.pointee.planes, count: Int32(clamping: resources.pointee.count_planes))
  }

  package func plane(_ id: UInt32) throws(SystemError) -> DRMPlane {
    guard let plane = drmModeGetPlane(descriptor, id) else { throw .last(call: "drmModeGetPlane", subject: "\(id)") }
    defer { drmModeFreePlane(plane) }
    return DRMPlane(
      id: id, currentCRTC: plane.pointee.crtc_id, possibleCRTCs: plane.pointee.possible_crtcs,
      formats: Array(start: plane.pointee.formats, count: Int32(clamping: plane.pointee.count_formats)))
  }

  package func crtc(_ id: UInt32) throws(SystemError) -> DRMCRTC {
    guard let crtc = drmModeGetCrtc(descriptor, id) else { throw .last(call: "drmModeGetCrtc", subject: "\(id)") }
    defer { drmModeFreeCrtc(crtc) }
    return DRMCRTC(
      framebuffer: crtc.pointee.buffer_id, x: crtc.pointee.x, y: crtc.pointee.y,
      mode: crtc.pointee.mode_valid != 0 ? DisplayMode(crtc.pointee.mode) : nil)
  }

  // MARK: Properties

  package func properties(of object: UInt32, type: DRMObjectType) throws(SystemError) -> DRMProperties {
    guard let answer = drmModeObjectGetProperties(descriptor, object, type.rawValue) else {
      throw .last(call: "drmModeObjectGetProperties", subject: "\(object)")
    }
    defer { drmModeFreeObjectProperties(answer) }
    let count = Int32(clamping: answer.pointee.count_props)
    let ids = Array(start: answer.pointee.props, count: count)
    let values = Array(start: answer.pointee.prop_values, count: count)
    var properties: [String: DRMProperties.Property] = [:]
    for (id, value) in zip(ids, values) {
      guard let property = drmModeGetProperty(descriptor, id) else { continue }
      defer { drmModeFreeProperty(property) }
      let name = withUnsafeBytes(of: &property.pointee.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      properties[name] = DRMProperties.Property(id: id, value: value, names: .init(ofValuesOf: property.pointee))
    }
    return DRMProperties(properties)
  }

  package func blob(_ id: UInt32) throws(SystemError) -> [UInt8] {
    guard let blob = drmModeGetPropertyBlob(descriptor, id) else {
      throw .last(call: "drmModeGetPropertyBlob", subject: "\(id)")
    }
    defer { drmModeFreePropertyBlob(blob) }
    return Array(UnsafeRawBufferPointer(start: blob.pointee.data, count: Int(blob.pointee.length)))
  }

  package func createBlob(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> UInt32 {
    var id: UInt32 = 0
    try check(
      drmModeCreatePropertyBlob(descriptor, bytes.baseAddress, bytes.count, &id), "drmModeCreatePropertyBlob")
    return id
  }

  package func destroyBlob(_ id: UInt32) throws(SystemError) {
    try check(drmModeDestroyPropertyBlob(descriptor, id), "drmModeDestroyPropertyBlob", "\(id)")
  }
}

extension DRMObjectType {
  fileprivate var rawValue: UInt32 {
    switch self {
    case .connector: DRM_MODE_OBJECT_CONNECTOR
    case .crtc: DRM_MODE_OBJECT_CRTC
    case .plane: DRM_MODE_OBJECT_PLANE
    }
  }
}

extension [String: UInt64] {
  /// The named values of a property.
  fileprivate init(ofValuesOf property: drmModePropertyRes) {
    self = [:]
    for var entry in Array(start: property.enums, count: property.count_enums) {
      let name = withUnsafeBytes(of: &entry.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      self[name] = entry.value
    }
  }
}

extension Array where Element: BitwiseCopyable {
  /// A copy of a C array; a null pointer or a count below 1 is an empty one.
  fileprivate init(start: UnsafeMutablePointer<Element>?, count: Int32) {
    guard let start, count > 0 else {
      self = []
      return
    }
    self.init(UnsafeBufferPointer(start: start, count: Int(count)))
  }
}
