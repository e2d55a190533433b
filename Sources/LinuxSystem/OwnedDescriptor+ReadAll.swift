import CLinux
import Glibc

extension OwnedDescriptor {
  /// The bytes of a whole file.
  ///
  /// - Parameter limit: bytes; a longer file throws `EFBIG` once that many are read, whatever size it claims to have.
  public static func contents(of path: String, limit: Int) throws(SystemError) -> [UInt8] {
    // Without O_NONBLOCK a named pipe would wait for a writer for ever.
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
