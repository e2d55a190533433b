import CLinux
import Glibc

/// A file descriptor that is closed with its owner.
package struct OwnedDescriptor: ~Copyable, Sendable {
  /// The number of the descriptor; valid while this value lives.
  package let number: Int32

  /// Takes over `number`, which must be open and must have no other owner.
  package init(owning number: Int32) {
    self.number = number
  }

  deinit {
    close(number)
  }

  /// Opens `path` with `O_CLOEXEC` and `flags`.
  package static func open(_ path: String, flags: Int32, permissions: UInt32 = 0o644) throws(SystemError) -> OwnedDescriptor
  {
    let number = Glibc.open(path, flags | O_CLOEXEC, permissions)
    guard number >= 0 else { throw .last(call: "open", subject: path) }
    return OwnedDescriptor(owning: number)
  }

  /// A descriptor of its own for the process's standard input, closed on exec. Opening `/dev/stdin` would fail for a socket, and begin a
  /// file anew of which something is read already.
  package static func standardInput() throws(SystemError) -> OwnedDescriptor {
    let number = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
    guard number >= 0 else { throw .last(call: "fcntl", subject: "standard input") }
    return OwnedDescriptor(owning: number)
  }

  /// Makes an eventfd, a counter that a thread increments and a loop waits for: non-blocking, closed on exec.
  package static func event() throws(SystemError) -> OwnedDescriptor {
    let number = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard number >= 0 else { throw .last(call: "eventfd") }
    return OwnedDescriptor(owning: number)
  }

  /// Makes a timer on `CLOCK_MONOTONIC`: non-blocking, closed on exec.
  package static func timer() throws(SystemError) -> OwnedDescriptor {
    let number = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
    guard number >= 0 else { throw .last(call: "timerfd_create") }
    return OwnedDescriptor(owning: number)
  }
}

extension OwnedDescriptor {
  /// Reads a whole file.
  ///
  /// - Parameters:
  ///   - limit: the largest number of bytes. A longer file throws `EFBIG` when that many are read, whatever its
  ///     stated size is.
  ///   - waits: true to wait for the writer of a pipe; otherwise a pipe is read as far as it is written, and one that is open and
  ///     empty throws `EAGAIN`.
  package static func contents(of path: String, limit: Int, waits: Bool = false) throws(SystemError) -> [UInt8] {
    // Without O_NONBLOCK, opening a named pipe waits for a writer.
    try OwnedDescriptor.open(path, flags: O_RDONLY | (waits ? 0 : O_NONBLOCK)).contents(of: path, limit: limit, waits: waits)
  }

  /// Reads what this descriptor has from its present place to its end.
  ///
  /// - Parameters:
  ///   - path: the name of the file, for errors.
  ///   - limit: the largest number of bytes; a longer file throws `EFBIG`.
  ///   - waits: true to wait for bytes where a read would not; the standard input may have been set so by another process.
  package func contents(of path: String, limit: Int, waits: Bool) throws(SystemError) -> [UInt8] {
    var status = stat()
    guard fstat(number, &status) == 0 else { throw .last(call: "fstat", subject: path) }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      throw SystemError(call: "read", subject: path, errno: EISDIR)
    }
    let size = min(max(Int(status.st_size), 0), limit) + 1
    guard Memory.hasRoom(for: size) else { throw SystemError(call: "read", subject: path, errno: ENOMEM) }
    var bytes = [UInt8](repeating: 0, count: size)
    var count = 0
    while true {
      let got = bytes.withUnsafeMutableBytes { buffer in
        read(number, buffer.baseAddress.map { $0 + count }, buffer.count - count)
      }
      if got < 0 {
        if clinux_errno() == EINTR { continue }
        if clinux_errno() == EAGAIN, waits {
          var request = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
          poll(&request, 1, -1)
          continue
        }
        throw .last(call: "read", subject: path)
      }
      count += got
      if count > limit { throw SystemError(call: "read", subject: path, errno: EFBIG) }
      if got == 0 { break }
      if count == bytes.count {
        let more = min(max(count, 65_536), limit + 1 - count)
        guard Memory.hasRoom(for: count + more) else { throw SystemError(call: "read", subject: path, errno: ENOMEM) }
        bytes.append(contentsOf: repeatElement(0, count: more))
      }
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// Reads the names of a folder's entries, in no order.
  package static func names(in folder: String) throws(SystemError) -> [String] {
    guard let stream = opendir(folder) else { throw .last(call: "open", subject: folder) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}

/// Memory for sizes that come from outside: an array that finds none ends the process.
package enum Memory {
  /// The bytes that have to be left for everything else: an object that finds no memory ends the process too.
  package static let reserve = 32 << 20

  /// True if so many bytes can be had now and the reserve is left. Ask before taking memory of a size that a file or a user
  /// has named.
  package static func hasRoom(for count: Int) -> Bool {
    let size = max(count, 0) + reserve
    guard let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), address != MAP_FAILED
    else { return false }
    munmap(address, size)
    return true
  }
}
