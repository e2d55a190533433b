import Glibc
internal import LinuxSystem

/// A state of a file, which differs after it was written to or replaced.
package struct FileVersion: Hashable, Sendable {
  private let device: UInt
  private let number: UInt
  private let size: Int
  /// When the contents were written to last, which programs may set.
  private let written: SIMD2<Int>
  /// When anything of the file was changed last.
  private let changed: SIMD2<Int>

  init(of path: String) throws(ImageFileError) {
    var status = Glibc.stat()
    guard stat(path, &status) == 0 else { throw .file(.last(call: "stat", subject: path)) }
    (device, number, size) = (UInt(status.st_dev), UInt(status.st_ino), Int(status.st_size))
    written = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    changed = [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
  }
}
