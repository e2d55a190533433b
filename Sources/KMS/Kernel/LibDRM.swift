import CDRM
import Glibc
package import LinuxSystem

/// A card of the kernel. All calls of libdrm are made in this type and its extensions.
///
/// Sendable because it holds nothing but an open descriptor, which the kernel guards by itself.
package final class LibDRM: DRMInterface {
  package let path: String
  private let node: OwnedDescriptor
  private let knowsSequences: Bool

  /// Opens a card for mode setting. Becomes its master if it has none.
  ///
  /// - Parameter knowsSequences: false to behave like a kernel before 4.15, for tests.
  package convenience init(path: String, knowsSequences: Bool = true) throws(SystemError) {
    let node = try OwnedDescriptor.open(path, flags: O_RDWR | O_NONBLOCK)
    self.init(node: node, path: path, knowsSequences: knowsSequences)
  }

  /// - Parameters:
  ///   - node: an open card, which does not block.
  ///   - path: the card's path, for errors.
  ///   - knowsSequences: as above.
  package init(node: consuming OwnedDescriptor, path: String, knowsSequences: Bool = true) {
    self.node = node
    self.path = path
    self.knowsSequences = knowsSequences
  }

  package var descriptor: Int32 { node.number }

  package func readEvents(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    let count = read(descriptor, buffer.baseAddress, buffer.count)
    if count >= 0 { return count }
    let error = SystemError.last(call: "read", subject: path)
    if error.errno == EAGAIN || error.errno == EINTR { return 0 }
    throw error
  }

  package func version() throws(SystemError) -> (name: String, number: String) {
    guard let version = drmGetVersion(descriptor) else { throw .last(call: "drmGetVersion") }
    defer { drmFreeVersion(version) }
    return (
      version.pointee.name.map { String(cString: $0) } ?? "unknown",
      "\(version.pointee.version_major).\(version.pointee.version_minor).\(version.pointee.version_patchlevel)"
    )
  }

  package func capability(_ capability: Int32) throws(SystemError) -> UInt64 {
    var value: UInt64 = 0
    try checkErrno(drmGetCap(descriptor, UInt64(capability), &value), "drmGetCap", "\(capability)")
    return value
  }

  package func setClientCapability(_ capability: Int32, to value: UInt64) throws(SystemError) {
    try checkErrno(drmSetClientCap(descriptor, UInt64(capability), value), "drmSetClientCap", "\(capability)")
  }

  package var isMaster: Bool { drmIsMaster(descriptor) != 0 }

  package func setMaster() throws(SystemError) {
    try checkErrno(drmSetMaster(descriptor), "drmSetMaster")
  }

  package func dropMaster() throws(SystemError) {
    try checkErrno(drmDropMaster(descriptor), "drmDropMaster")
  }

  // MARK: Vblanks

  package func sequence(ofCRTC crtc: UInt32) throws(SystemError) -> (time: MonotonicTime, sequence: UInt64) {
    try requireSequences("drmCrtcGetSequence", crtc)
    var sequence: UInt64 = 0
    var nanoseconds: UInt64 = 0
    try checkErrno(
      drmCrtcGetSequence(descriptor, crtc, &sequence, &nanoseconds), "drmCrtcGetSequence", "CRTC \(crtc)")
    return (MonotonicTime(nanoseconds: Int64(clamping: nanoseconds)), sequence)
  }

  package func queueNextSequence(ofCRTC crtc: UInt32, token: UInt64) throws(SystemError) {
    try requireSequences("drmCrtcQueueSequence", crtc)
    let flags = UInt32(DRM_CRTC_SEQUENCE_RELATIVE)
    try checkErrno(
      drmCrtcQueueSequence(descriptor, crtc, flags, 1, nil, token), "drmCrtcQueueSequence", "CRTC \(crtc)")
  }

  /// The error that a kernel gives for a call that it does not know.
  private func requireSequences(_ call: String, _ crtc: UInt32) throws(SystemError) {
    if !knowsSequences { throw SystemError(call: call, subject: "CRTC \(crtc)", errno: EINVAL) }
  }

  package func vblank(ofPipe pipe: Int) throws(SystemError) -> (time: MonotonicTime, sequence: UInt32) {
    // 0 vblanks from now: the call returns at once.
    let reply = try waitVBlank(DRM_VBLANK_RELATIVE.rawValue, pipe, sequence: 0, token: 0)
    let nanoseconds = Int64(reply.tval_sec) &* 1_000_000_000 &+ Int64(reply.tval_usec) &* 1_000
    return (MonotonicTime(nanoseconds: nanoseconds), reply.sequence)
  }

  package func queueNextVBlank(ofPipe pipe: Int, token: UInt64) throws(SystemError) {
    _ = try waitVBlank(DRM_VBLANK_RELATIVE.rawValue | DRM_VBLANK_EVENT.rawValue, pipe, sequence: 1, token: token)
  }

  private func waitVBlank(
    _ type: UInt32, _ pipe: Int, sequence: UInt32, token: UInt64
  ) throws(SystemError) -> drmVBlankReply {
    var request = drmVBlank()
    let highCRTC = UInt32(truncatingIfNeeded: pipe) << DRM_VBLANK_HIGH_CRTC_SHIFT & DRM_VBLANK_HIGH_CRTC_MASK.rawValue
    request.request.type = drmVBlankSeqType(rawValue: type | highCRTC)
    request.request.sequence = sequence
    request.request.signal = UInt(truncatingIfNeeded: token)
    try checkErrno(drmWaitVBlank(descriptor, &request), "drmWaitVBlank", "pipe \(pipe)")
    return request.reply
  }

  // MARK: Errors

  /// Checks functions that return a negative errno: all of `drmMode…`.
  func check(_ result: Int32, _ call: String, _ subject: @autoclosure () -> String = "") throws(SystemError) {
    guard result >= 0 else { throw SystemError(call: call, subject: subject(), errno: -result) }
  }

  /// Checks functions that set `errno`: all others.
  func checkErrno(_ result: Int32, _ call: String, _ subject: @autoclosure () -> String = "") throws(SystemError) {
    guard result >= 0 else {
      let number = SystemError.last(call: call).errno
      throw SystemError(call: call, subject: subject(), errno: number)
    }
  }
}
