import CLinux
import Glibc
import Synchronization

/// Files that are replaced as a whole: whoever opens the path sees the old contents or all of the new, also after a full
/// disk, a crash or a loss of power.
public enum AtomicFile {
  /// Replaces the file at `path`, or makes it.
  ///
  /// See `replace(_:writing:)`.
  public static func write(_ bytes: UnsafeRawBufferPointer, to path: String) throws(SystemError) {
    try replace(path) { (file) throws(SystemError) in
      try file.write(bytes)
    }
  }

  /// Replaces the file at `path`, or makes it. See `replace(_:writing:)`.
  public static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
    try replace(path) { (file) throws(SystemError) in
      try file.write(bytes)
    }
  }

  /// A file that is being written.
  public struct Output: ~Copyable {
    let descriptor: OwnedDescriptor
    /// The path that was asked for: what errors name.
    let path: String

    /// Appends bytes, all of them.
    public borrowing func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
      var rest = bytes
      while !rest.isEmpty {
        let count = Glibc.write(descriptor.number, rest.baseAddress, rest.count)
        if count < 0 {
          if clinux_errno() == EINTR { continue }
          throw .last(call: "write", subject: path)
        }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      }
    }

    /// Appends bytes, all of them.
    public borrowing func write(_ bytes: [UInt8]) throws(SystemError) {
      try bytes.withUnsafeBufferPointer { (bytes) throws(SystemError) in
        try write(UnsafeRawBufferPointer(bytes))
      }
    }
  }

  /// Replaces the file at `path` by what `body` writes, or makes it. When `body` or anything else fails, the old file is
  /// untouched and nothing is left behind; a kill in the middle may leave a hidden temporary file beside it.
  ///
  /// A link to a file is followed, one to nothing is replaced; the permissions of a file that exists are kept. What cannot
  /// be replaced, such as a device or a pipe, is written to directly.
  public static func replace(
    _ path: String, writing body: (borrowing Output) throws(SystemError) -> Void
  ) throws(SystemError) {
    var status = stat()
    let exists = stat(path, &status) == 0
    if exists, status.st_mode & S_IFMT != S_IFREG {
      guard status.st_mode & S_IFMT != S_IFDIR else { throw SystemError(call: "open", subject: path, errno: EISDIR) }
      return try body(Output(descriptor: try .open(path, flags: O_WRONLY), path: path))
    }

    let target = exists ? try resolved(path) : path
    let temporary = try Temporary(beside: target, subject: path)
    let output = Output(descriptor: temporary.descriptor, path: path)
    do throws(SystemError) {
      try body(output)
      if exists, fchmod(output.descriptor.number, status.st_mode & 0o7777) != 0 {
        throw .last(call: "fchmod", subject: path)
      }
      guard fsync(output.descriptor.number) == 0 else { throw .last(call: "fsync", subject: path) }
      guard rename(temporary.path, target) == 0 else { throw .last(call: "rename", subject: path) }
    } catch {
      unlink(temporary.path)
      throw error
    }
    // The new name outlives a loss of power only once the folder is on disk; some file systems cannot promise that.
    if let folder = try? OwnedDescriptor.open(Self.folder(of: target), flags: O_RDONLY | O_DIRECTORY) {
      fsync(folder.number)
    }
  }

  /// A new file of its own name, with the permissions that the process gives to new files.
  private struct Temporary: ~Copyable {
    let path: String
    let descriptor: OwnedDescriptor

    init(beside target: String, subject: String) throws(SystemError) {
      let folder = AtomicFile.folder(of: target)
      // Names are short for a file whose own name is as long as names may be.
      while true {
        let number = AtomicFile.lastTemporary.wrappingAdd(1, ordering: .relaxed).newValue
        let path = "\(folder)/.\(getpid())-\(number).part"
        do throws(SystemError) {
          descriptor = try .open(path, flags: O_WRONLY | O_CREAT | O_EXCL, permissions: 0o666)
          self.path = path
          return
        } catch {
          // What an earlier process with this number left behind.
          if error.errno == EEXIST { continue }
          throw SystemError(call: error.call, subject: subject, errno: error.errno)
        }
      }
    }
  }

  private static let lastTemporary = Atomic<UInt64>(0)

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The path without links.
  private static func resolved(_ path: String) throws(SystemError) -> String {
    guard let resolved = realpath(path, nil) else { throw .last(call: "realpath", subject: path) }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
