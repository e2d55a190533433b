import CDRM
import Glibc
import LinuxSystem

/// A property of an object and the value that it is to have.
struct PropertySetting: Equatable, Sendable {
  let object: UInt32
  let property: UInt32
  let value: UInt64
}

/// Properties to be set in one step. Kept from frame to frame, so that it allocates only as it grows.
final class AtomicRequest {
  private let request: drmModeAtomicReqPtr
  private var failure: SystemError?

  init() throws(SystemError) {
    guard let request = drmModeAtomicAlloc() else { throw SystemError(call: "drmModeAtomicAlloc", errno: ENOMEM) }
    self.request = request
  }

  deinit {
    drmModeAtomicFree(request)
  }

  func removeAll() {
    drmModeAtomicSetCursor(request, 0)
    failure = nil
  }

  /// A failure to add is remembered, and thrown by the commit.
  func add(_ object: UInt32, _ property: UInt32, _ value: UInt64) {
    let result = drmModeAtomicAddProperty(request, object, property, value)
    if result < 0, failure == nil { failure = SystemError(call: "drmModeAtomicAddProperty", errno: -result) }
  }

  func add(_ settings: [PropertySetting]) {
    for setting in settings { add(setting.object, setting.property, setting.value) }
  }

  /// - Parameters:
  ///   - descriptor: the card's.
  ///   - flags: of `DRM_MODE_ATOMIC_…` and `DRM_MODE_PAGE_FLIP_EVENT`.
  ///   - token: comes back in the flip event.
  func commit(to descriptor: Int32, flags: Int32, token: UInt64 = 0, subject: String) throws(SystemError) {
    if let failure { throw failure }
    // The kernel hands the pointer back as the number that it is here.
    let userData = UnsafeMutableRawPointer(bitPattern: UInt(token))
    let result = drmModeAtomicCommit(descriptor, request, UInt32(bitPattern: flags), userData)
    guard result >= 0 else { throw SystemError(call: "drmModeAtomicCommit", subject: subject, errno: -result) }
  }
}
