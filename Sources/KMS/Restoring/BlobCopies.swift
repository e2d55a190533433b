import Glibc
import LinuxSystem

/// Our own copies of blobs that properties were found set to.
///
/// Only the property holds such a blob, as a rule: once it is set to another one, the kernel frees it. What is to be brought
/// back must be held meanwhile.
final class BlobCopies: Sendable {
  private let interface: any DRMInterface
  private let ids = Lock<[UInt32]>([])

  init(interface: any DRMInterface) {
    self.interface = interface
  }

  deinit { free() }

  /// - Returns: the copy's id; nil when the blob is gone.
  func copy(_ id: UInt32) throws(SystemError) -> UInt32? {
    guard let bytes = try bytes(ofBlob: id) else { return nil }
    let copy = try bytes.withUnsafeBufferPointer { bytes throws(SystemError) in
      try interface.createBlob(UnsafeRawBufferPointer(bytes))
    }
    ids.withLock { $0.append(copy) }
    return copy
  }

  private func bytes(ofBlob id: UInt32) throws(SystemError) -> [UInt8]? {
    do throws(SystemError) {
      return try interface.blob(id)
    } catch {
      if error.errno == ENOENT { return nil }
      throw error
    }
  }

  /// Properties that are set to the copies go on holding them.
  func free() {
    let ids = ids.withLock { ids in
      defer { ids = [] }
      return ids
    }
    // Fails when the device is gone, which has freed them.
    for id in ids { try? interface.destroyBlob(id) }
  }
}
