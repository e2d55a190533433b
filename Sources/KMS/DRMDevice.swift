import CDRM
import Glibc
import LinuxSystem

/// An open DRM card, such as `/dev/dri/card0`. Closed when its last owner goes.
///
/// All calls of libdrm are made here and in this type's extensions: every error names the call and carries its errno.
/// Not for more than one thread at a time.
public final class DRMDevice {
  /// The node that was opened.
  public let path: String
  /// The kernel driver's name: "i915", "vc4", "vkms".
  public let driver: String
  /// The driver's version: "1.6.0".
  public let driverVersion: String
  /// Whether mode-sets and flips go through atomic commits.
  public let isAtomic: Bool

  private let descriptor: OwnedDescriptor

  /// Opens a card for mode setting. Becomes its master if it has none.
  ///
  /// - Parameter allowsAtomic: false for the legacy interface even where there is an atomic one.
  public init(path: String, allowsAtomic: Bool = true) throws(KMSError) {
    do {
      descriptor = try OwnedDescriptor.open(path, flags: O_RDWR | O_NONBLOCK)
    } catch {
      throw .device(path: path, error)
    }
    self.path = path
    guard let version = drmGetVersion(descriptor.number) else {
      throw .device(path: path, .last(call: "drmGetVersion"))
    }
    defer { drmFreeVersion(version) }
    driver = version.pointee.name.map { String(cString: $0) } ?? "unknown"
    driverVersion =
      "\(version.pointee.version_major).\(version.pointee.version_minor).\(version.pointee.version_patchlevel)"
    // Without it the kernel hides primary planes. A driver that refuses has none, and is served by the legacy calls.
    let hasPlanes = drmSetClientCap(descriptor.number, UInt64(DRM_CLIENT_CAP_UNIVERSAL_PLANES), 1) == 0
    isAtomic =
      allowsAtomic && hasPlanes && drmSetClientCap(descriptor.number, UInt64(DRM_CLIENT_CAP_ATOMIC), 1) == 0
  }

  /// The descriptor: borrowed, for waiting.
  package var number: Int32 { descriptor.number }

  /// The cards there are, in the order of their numbers; empty without DRM.
  public static func cardPaths(in folder: String = "/dev/dri") -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var numbers: [Int] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasPrefix("card"), let number = Int(name.dropFirst(4)), number >= 0 { numbers.append(number) }
    }
    return numbers.sorted().map { "\(folder)/card\($0)" }
  }

  // MARK: Master

  /// Whether this program may set modes and flip on the card.
  public var isMaster: Bool { drmIsMaster(number) != 0 }

  /// Becomes master, which takes root's rights unless the card has been ours before. Does nothing when it is ours.
  public func becomeMaster() throws(KMSError) {
    if isMaster || drmSetMaster(number) == 0 { return }
    throw .notMaster(path: path)
  }

  /// Lets another program set modes. What is on the screen stays until it does.
  public func dropMaster() throws(KMSError) {
    guard drmDropMaster(number) == 0 else { throw .device(path: path, .last(call: "drmDropMaster")) }
  }

  // MARK: Vblanks

  /// The newest vblank of a CRTC. `EOPNOTSUPP`: the driver has none; `EINVAL`: the CRTC is off.
  func vblank(ofCRTC crtc: UInt32) throws(SystemError) -> (time: MonotonicTime, sequence: UInt64) {
    var sequence: UInt64 = 0
    var nanoseconds: UInt64 = 0
    guard drmCrtcGetSequence(number, crtc, &sequence, &nanoseconds) == 0 else {
      throw .last(call: "drmCrtcGetSequence", subject: "CRTC \(crtc)")
    }
    return (MonotonicTime(nanoseconds: Int64(clamping: nanoseconds)), sequence)
  }

  /// Asks for an event with `token` at the next vblank of a CRTC. Errors as for `vblank(ofCRTC:)`; `ENOMEM`: too many
  /// events have not been read.
  func queueNextVBlank(ofCRTC crtc: UInt32, token: UInt64) throws(SystemError) {
    let flags = UInt32(DRM_CRTC_SEQUENCE_RELATIVE)
    guard drmCrtcQueueSequence(number, crtc, flags, 1, nil, token) == 0 else {
      throw .last(call: "drmCrtcQueueSequence", subject: "CRTC \(crtc)")
    }
  }

  /// libdrm's mode functions answer with a negative errno.
  func check(_ result: Int32, _ call: String, _ subject: @autoclosure () -> String = "") throws(SystemError) {
    guard result >= 0 else { throw SystemError(call: call, subject: subject(), errno: -result) }
  }
}
