import CDRM
package import LinuxSystem

/// Everything that this target asks of a card: libdrm's calls, one for one, as Swift values.
///
/// `LibDRM` asks the kernel, `SimulatedCard` of `KMSTesting` stands in for it. Every error names the call as libdrm does and
/// carries its errno. Calls may come from any thread: at exit, screens are brought back by whichever thread exits.
package protocol DRMInterface: AnyObject, Sendable {
  /// The node that was opened, for errors.
  var path: String { get }
  /// Readable when events wait. Borrowed.
  var descriptor: Int32 { get }

  /// Reads the events that wait, whole, as many as fit. None waiting: 0.
  func readEvents(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int

  // MARK: Driver and client

  func version() throws(SystemError) -> DRMVersion
  /// What the driver can, by one of `DRM_CAP_…`.
  func capability(_ capability: Int32) throws(SystemError) -> UInt64
  /// Says what we can, by one of `DRM_CLIENT_CAP_…`.
  func setClientCapability(_ capability: Int32, to value: UInt64) throws(SystemError)
  var isMaster: Bool { get }
  func setMaster() throws(SystemError)
  func dropMaster() throws(SystemError)

  // MARK: Objects

  /// CRTCs and connectors. `EOPNOTSUPP` or `EINVAL`: the card has no mode setting.
  func resources() throws(SystemError) -> DRMResources
  /// A connector with its encoders' answers.
  ///
  /// - Parameter isProbed: has the screen asked anew, which may take a driver many milliseconds (it reads the EDID); only for
  ///   the card's master. Otherwise the answer is what the kernel knows.
  func connector(_ id: UInt32, isProbed: Bool) throws(SystemError) -> DRMConnector
  /// The planes of all kinds; empty where the driver shows none.
  func planes() throws(SystemError) -> [UInt32]
  func plane(_ id: UInt32) throws(SystemError) -> DRMPlane
  func crtc(_ id: UInt32) throws(SystemError) -> DRMCRTC
  func properties(of object: UInt32, type: DRMObjectType) throws(SystemError) -> DRMProperties

  // MARK: Blobs: values of properties that are longer than a number, such as EDID and MODE_ID

  func blob(_ id: UInt32) throws(SystemError) -> [UInt8]
  func createBlob(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> UInt32
  /// A property that is set to the blob goes on holding it.
  func destroyBlob(_ id: UInt32) throws(SystemError)

  // MARK: Framebuffers

  func createDumbBuffer(width: Int, height: Int) throws(SystemError) -> DRMDumbBuffer
  func destroyDumbBuffer(_ handle: UInt32) throws(SystemError)
  /// Maps a dumb buffer's memory for reading and writing, shared with the card.
  func mapDumbBuffer(_ buffer: DRMDumbBuffer) throws(SystemError) -> UnsafeMutableRawBufferPointer
  func unmapDumbBuffer(_ memory: UnsafeMutableRawBufferPointer)
  /// Makes a framebuffer of a dumb buffer.
  func addFramebuffer(
    _ buffer: DRMDumbBuffer, width: Int, height: Int, format: DRMPixelFormat
  ) throws(SystemError) -> UInt32
  /// A framebuffer that is on a screen takes the picture with it.
  func removeFramebuffer(_ id: UInt32) throws(SystemError)

  // MARK: Showing

  /// Shows a framebuffer in a mode on some connectors. No framebuffer (0), mode and connectors: the CRTC goes off.
  func setCRTC(
    _ crtc: UInt32, framebuffer: UInt32, x: UInt32, y: UInt32, connectors: [UInt32], mode: DisplayMode?
  ) throws(SystemError)
  /// Shows a framebuffer from the next vblank on, or at once with `isAsynchronous`; a flip event with `token` tells when.
  func pageFlip(
    crtc: UInt32, framebuffer: UInt32, isAsynchronous: Bool, token: UInt64
  ) throws(SystemError)
  /// Sets properties in one step.
  ///
  /// - Parameters:
  ///   - token: of the flip event, if `flags` ask for one.
  ///   - subject: what it is for, which an error names.
  func commit(
    _ settings: [PropertySetting], flags: DRMCommitFlags, token: UInt64, subject: StaticString
  ) throws(SystemError)

  // MARK: Cursor, by the legacy calls

  /// Shows a dumb buffer, whose pixels are ARGB8888, as the CRTC's cursor. No buffer (0) hides it. `ENXIO`: the driver has
  /// no cursor.
  func setCursor(
    ofCRTC crtc: UInt32, handle: UInt32, width: Int, height: Int, hotSpotX: Int32, hotSpotY: Int32
  ) throws(SystemError)
  /// Moves the cursor's upper left corner.
  func moveCursor(ofCRTC crtc: UInt32, x: Int32, y: Int32) throws(SystemError)

  // MARK: Vblanks

  /// The newest vblank of a CRTC. `EOPNOTSUPP`: the driver has none; `EINVAL`: the CRTC is off.
  func sequence(ofCRTC crtc: UInt32) throws(SystemError) -> (time: MonotonicTime, sequence: UInt64)
  /// Asks for a sequence event with `token` at the next vblank of a CRTC. Errors as for `sequence(ofCRTC:)`; `ENOMEM`: too
  /// many events have not been read.
  func queueNextSequence(ofCRTC crtc: UInt32, token: UInt64) throws(SystemError)
  /// As `sequence(ofCRTC:)`, by the older call: to the microsecond, and with 32 bits of sequence.
  ///
  /// - Parameter pipe: the CRTC's place in the card's list.
  func vblank(ofPipe pipe: Int) throws(SystemError) -> (time: MonotonicTime, sequence: UInt32)
  /// As `queueNextSequence`, by the older call: a vblank event.
  func queueNextVBlank(ofPipe pipe: Int, token: UInt64) throws(SystemError)
}

/// The kinds of objects that have properties.
package enum DRMObjectType: Sendable {
  case connector, crtc, plane
}

/// How a framebuffer's pixels are laid out.
package enum DRMPixelFormat: Sendable {
  case xrgb8888
  /// Alpha is multiplied in.
  case argb8888

  /// The four-character code.
  package var code: UInt32 {
    switch self {
    case .xrgb8888: cdrm_format_xrgb8888
    case .argb8888: cdrm_format_argb8888
    }
  }
}

/// A property of an object and the value that it is to have.
package struct PropertySetting: Equatable, BitwiseCopyable, Sendable {
  package let object: UInt32
  package let property: UInt32
  package let value: UInt64

  package init(object: UInt32, property: UInt32, value: UInt64) {
    self.object = object
    self.property = property
    self.value = value
  }
}

/// How properties are set.
package struct DRMCommitFlags: OptionSet, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Asks whether it could be done, and does nothing.
  package static let testOnly = DRMCommitFlags(rawValue: UInt32(DRM_MODE_ATOMIC_TEST_ONLY))
  /// Returns before it is done.
  package static let nonBlocking = DRMCommitFlags(rawValue: UInt32(DRM_MODE_ATOMIC_NONBLOCK))
  /// The screen may go dark meanwhile.
  package static let allowModeSet = DRMCommitFlags(rawValue: UInt32(DRM_MODE_ATOMIC_ALLOW_MODESET))
  /// A flip event tells when it was done.
  package static let flipEvent = DRMCommitFlags(rawValue: UInt32(DRM_MODE_PAGE_FLIP_EVENT))
  /// Does not wait for the vblank: the picture may tear.
  package static let asynchronous = DRMCommitFlags(rawValue: UInt32(DRM_MODE_PAGE_FLIP_ASYNC))
}

/// Memory that a card can scan out.
package struct DRMDumbBuffer: Sendable {
  package let handle: UInt32
  package let bytesPerRow: Int
  package let byteCount: Int

  package init(handle: UInt32, bytesPerRow: Int, byteCount: Int) {
    self.handle = handle
    self.bytesPerRow = bytesPerRow
    self.byteCount = byteCount
  }
}
