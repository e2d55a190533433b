import CLinux
import Glibc

extension OwnedDescriptor {
  /// Reads a whole file.
  ///
  /// - Parameter limit: the largest number of bytes. A longer file throws `EFBIG` when that many are read, whatever its
  ///   stated size is.
  public static func contents(of path: String, limit: Int) throws(SystemError) -> [UInt8] {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    let file = try OwnedDescriptor.open(path, flags: O_RDONLY | O_NONBLOCK)
    var status = stat()
    guard fstat(file.number, &status) == 0 else { throw .last(call: "fstat", subject: path) }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      throw SystemError(call: "read", subject: path, errno: EISDIR)
    }
    var bytes = [UInt8](repeating: 0, count: min(max(Int(status.st_size), 0), limit) + 1)
    var count = 0
    while true {
      let got = bytes.withUnsafeMutableBytes { buffer in
        read(file.number, buffer.baseAddress.map { $0 + count }, buffer.count - count)
      }
      if got < 0 {
        if clinux_errno() == EINTR { continue }
        throw .last(call: "read", subject: path)
      }
      count += got
      if count > limit { throw SystemError(call: "read", subject: path, errno: EFBIG) }
      if got == 0 { break }
      if count == bytes.count {
        bytes.append(contentsOf: repeatElement(0, count: min(max(count, 65_536), limit + 1 - count)))
      }
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }
}
