import CLinux
import Glibc
import Synchronization

/// Replaces files as a whole: a reader of the path gets either the complete old contents or the complete new ones, also
/// after a full disk, a crash or a loss of power.
///
/// ```swift
/// try AtomicFile.write(Array("done\
/// ".utf8), to: "report.txt")
/// ```
public enum AtomicFile {
  /// Replaces or creates the file at `path`; see `replace(_:writing:)`.
  public static func write(_ bytes: UnsafeRawBufferPointer, to path: String) throws(SystemError) {
    try replace(path) { (file) throws(SystemError) in
      try file.write(bytes)
    }
  }

  /// Replaces or creates the file at `path`; see `replace(_:writing:)`.
  public static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
    try replace(path) { (file) throws(SystemError) in
      try file.write(bytes)
    }
  }

  /// The new file during `replace(_:writing:)`.
  public struct Output: ~Copyable {
    let descriptor: OwnedDescriptor
    /// The requested path, for errors.
    let path: String

    /// Appends all of the bytes.
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

    /// Appends all of the bytes.
    public borrowing func write(_ bytes: [UInt8]) throws(SystemError) {
      try bytes.withUnsafeBufferPointer { (bytes) throws(SystemError) in
        try write(UnsafeRawBufferPointer(bytes))
      }
    }
  }

  /// Replaces or creates the file at `path` with the bytes that `body` writes. If anything fails, the old file stays as it
  /// was and nothing else is left. A kill in the middle may leave a hidden temporary file beside it.
  ///
  /// A symbolic link to a file is followed, and a link without a target is replaced. An existing file keeps its permissions.
  /// A device or a pipe cannot be replaced; it is written to directly.
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
    // The new name survives a loss of power only when the folder is on disk. Some file systems cannot guarantee that.
    if let folder = try? OwnedDescriptor.open(Self.folder(of: target), flags: O_RDONLY | O_DIRECTORY) {
      fsync(folder.number)
    }
  }

  /// A new file with a unique name and the process's default permissions.
  private struct Temporary: ~Copyable {
    let path: String
    let descriptor: OwnedDescriptor

    init(beside target: String, subject: String) throws(SystemError) {
      let folder = AtomicFile.folder(of: target)
      // The temporary name does not contain the file's own name, which may be as long as names may be.
      while true {
        let number = AtomicFile.lastTemporary.wrappingAdd(1, ordering: .relaxed).newValue
        let path = "\(folder)/.\(getpid())-\(number).part"
        do throws(SystemError) {
          descriptor = try .open(path, flags: O_WRONLY | O_CREAT | O_EXCL, permissions: 0o666)
          self.path = path
          return
        } catch {
          // An earlier process with this number left a file behind.
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

  /// The path with all symbolic links resolved.
  private static func resolved(_ path: String) throws(SystemError) -> String {
    guard let resolved = realpath(path, nil) else { throw .last(call: "realpath", subject: path) }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
