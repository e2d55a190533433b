import CDRM
package import LinuxSystem

/// The calls of libdrm that this target makes, one for one, with Swift values.
///
/// `LibDRM` calls the kernel; `SimulatedCard` of `KMSTesting` replaces it in tests. Every error names libdrm's call and carries
/// its errno. Calls may come from any thread: whichever thread calls `exit` restores the screens.
package protocol DRMInterface: AnyObject, Sendable {
  /// The node that was opened, for errors.
  var path: String { get }
  /// Readable while events wait. Borrowed.
  var descriptor: Int32 { get }

  /// Reads as many whole events as fit, and returns their bytes; 0 when none waits.
  func readEvents(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int

  // MARK: Driver and client

  /// The driver's name, such as "i915", and its version.
  func version() throws(SystemError) -> (name: String, number: String)
  /// The driver's value of one of `DRM_CAP_…`.
  func capability(_ capability: Int32) throws(SystemError) -> UInt64
  /// Enables one of `DRM_CLIENT_CAP_…` for this client.
  func setClientCapability(_ capability: Int32, to value: UInt64) throws(SystemError)
  var isMaster: Bool { get }
  func setMaster() throws(SystemError)
  func dropMaster() throws(SystemError)

  // MARK: Objects

  /// CRTCs and connectors. `EOPNOTSUPP` or `EINVAL`: the card has no mode setting.
  func resources() throws(SystemError) -> DRMResources
  /// A connector, with the CRTCs of its encoders.
  ///
  /// - Parameter isProbed: true if the driver reads the screen's EDID anew, which may take many milliseconds; only for the
  ///   card's master. Otherwise the kernel answers from what it knows.
  func connector(_ id: UInt32, isProbed: Bool) throws(SystemError) -> DRMConnector
  /// The planes of all kinds; empty where the driver exposes none.
  func planes() throws(SystemError) -> [UInt32]
  func plane(_ id: UInt32) throws(SystemError) -> DRMPlane
  func crtc(_ id: UInt32) throws(SystemError) -> DRMCRTC
  func properties(of object: UInt32, type: DRMObjectType) throws(SystemError) -> DRMProperties

  // MARK: Blobs: property values that are longer than a number, such as EDID and MODE_ID

  func blob(_ id: UInt32) throws(SystemError) -> [UInt8]
  func createBlob(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> UInt32
  /// The blob lives on while a property is set to it.
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
  /// Looks up any program's framebuffer.
  func framebuffer(_ id: UInt32) throws(SystemError) -> DRMFramebuffer
  /// Removing a framebuffer that is scanned out switches the screen off.
  func removeFramebuffer(_ id: UInt32) throws(SystemError)

  // MARK: Showing

  /// Shows a framebuffer in a mode on some connectors. Without a mode the CRTC goes off.
  func setCRTC(
    _ crtc: UInt32, framebuffer: UInt32, x: UInt32, y: UInt32, connectors: [UInt32], mode: DisplayMode?
  ) throws(SystemError)
  /// Shows a framebuffer from the next vblank on, or at once with `isAsynchronous`; a flip event with `token` follows.
  func pageFlip(
    crtc: UInt32, framebuffer: UInt32, isAsynchronous: Bool, token: UInt64
  ) throws(SystemError)
  /// Sets properties in one step.
  ///
  /// - Parameters:
  ///   - token: the flip event's, if `flags` ask for one.
  ///   - subject: the purpose, for errors.
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
  /// The older call for `sequence(ofCRTC:)`: in microseconds, and with 32 bits of sequence.
  ///
  /// - Parameter pipe: the CRTC's place in the card's list.
  func vblank(ofPipe pipe: Int) throws(SystemError) -> (time: MonotonicTime, sequence: UInt32)
  /// The older call for `queueNextSequence`: it sends a vblank event.
  func queueNextVBlank(ofPipe pipe: Int, token: UInt64) throws(SystemError)
}

/// The kinds of objects that have properties.
package enum DRMObjectType: Sendable {
  case connector, crtc, plane
}

/// The layout of a framebuffer's pixels.
package enum DRMPixelFormat: Sendable {
  case xrgb8888
  /// Colours are premultiplied.
  case argb8888

  /// The four-character code.
  package var code: UInt32 {
    switch self {
    case .xrgb8888: cdrm_format_xrgb8888
    case .argb8888: cdrm_format_argb8888
    }
  }
}

/// A framebuffer as the kernel knows it.
package struct DRMFramebuffer: Sendable {
  package let width: Int
  package let height: Int
  package let layout: Layout
  /// A handle of its memory, to be destroyed; nil unless the caller is root or the card's master.
  package let buffer: DRMDumbBuffer?

  /// The layout of the pixels in memory.
  package enum Layout: Sendable {
    /// Rows of 32-bit pixels.
    case rows
    /// 32-bit pixels in rows or tiles: the driver does not say.
    case untold
    /// Tiled, compressed or another format.
    case other
  }

  package init(width: Int, height: Int, layout: Layout, buffer: DRMDumbBuffer?) {
    self.width = width
    self.height = height
    self.layout = layout
    self.buffer = buffer
  }
}

/// A property of an object, and the value to set it to.
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

/// Flags of a commit.
package struct DRMCommitFlags: OptionSet, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Checks the commit without doing it.
  package static let testOnly = DRMCommitFlags(rawValue: UInt32(DRM_MODE_ATOMIC_TEST_ONLY))
  /// Returns before the commit has taken effect.
  package static let nonBlocking = DRMCommitFlags(rawValue: UInt32(DRM_MODE_ATOMIC_NONBLOCK))
  /// The screen may go dark for the commit.
  package static let allowModeSet = DRMCommitFlags(rawValue: UInt32(DRM_MODE_ATOMIC_ALLOW_MODESET))
  /// A flip event says when it has taken effect.
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
