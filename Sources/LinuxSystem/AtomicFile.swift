import CLinux
import Glibc
import Synchronization

/// Replaces files as a whole: a reader of the path gets either the complete old contents or the complete new ones, also
/// after a full disk, a crash or a loss of power.
///
/// ```swift
/// try AtomicFile.write(Array("done".utf8), to: "report.txt")
/// ```
package enum AtomicFile {
  /// Replaces or creates the file at `path`; see `replace(_:writing:)`.
  package static func write(_ bytes: UnsafeRawBufferPointer, to path: String) throws(SystemError) {
    try replace(path) { (file) throws(SystemError) in
      try file.write(bytes)
    }
  }

  /// Replaces or creates the file at `path`; see `replace(_:writing:)`.
  package static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
    try replace(path) { (file) throws(SystemError) in
      try file.write(bytes)
    }
  }

  /// The new file during `replace(_:writing:)`.
  package struct Output: ~Copyable, Sendable {
    let descriptor: OwnedDescriptor
    /// The requested path, for errors.
    let path: String

    /// Appends all of the bytes.
    package borrowing func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
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
    package borrowing func write(_ bytes: [UInt8]) throws(SystemError) {
      try bytes.withUnsafeBufferPointer { (bytes) throws(SystemError) in
        try write(UnsafeRawBufferPointer(bytes))
      }
    }
  }

  /// Replaces or creates the file at `path` with the bytes that `body` writes. If anything fails, the old file stays as it
  /// was and nothing else is left. Signals wait until the file is complete; a kill by `SIGKILL` or a loss of power may leave
  /// a hidden temporary file beside it.
  ///
  /// A symbolic link is followed, also one whose target does not exist yet. An existing file keeps its permissions. A device
  /// or a pipe cannot be replaced; it is written to directly. A pipe without a reader throws `ENXIO`, and so does a socket.
  package static func replace(
    _ path: String, writing body: (borrowing Output) throws(SystemError) -> Void
  ) throws(SystemError) {
    guard case .file = try Place(path) else { return try body(Output(descriptor: try stream(path), path: path)) }
    let signals = SignalMask.blockAll()
    defer { signals.restore() }
    let replacement = try Replacement(path)
    try body(replacement.output)
    try replacement.commit()
  }

  /// A new file that takes the place of the one at a path when it is complete; see `replace(_:writing:)`. Use it for files whose
  /// writing takes long: no signal waits for it, so that one which ends the process leaves the hidden temporary file behind.
  package struct Replacement: ~Copyable {
    package let output: Output
    /// Nil for a device or a pipe.
    private let file: NewFile?

    private struct NewFile {
      let temporary: Path
      let target: Path
      let permissions: mode_t?
    }

    package init(_ path: String) throws(SystemError) {
      guard case .file(let target, let permissions) = try Place(path) else {
        output = Output(descriptor: try AtomicFile.stream(path), path: path)
        file = nil
        return
      }
      let temporary = try Temporary(beside: target, subject: path)
      file = NewFile(temporary: temporary.path, target: target, permissions: permissions)
      output = Output(descriptor: temporary.descriptor, path: path)
    }

    /// Puts the new file into its place. If that fails, the old one stays as it was.
    package consuming func commit() throws(SystemError) {
      guard let file else { return }
      let descriptor = output.descriptor.number
      if let permissions = file.permissions, fchmod(descriptor, permissions) != 0 {
        throw .last(call: "fchmod", subject: output.path)
      }
      guard fsync(descriptor) == 0 else { throw .last(call: "fsync", subject: output.path) }
      guard rename(file.temporary, file.target) == 0 else { throw .last(call: "rename", subject: output.path) }
      // The new name survives a loss of power only when the folder is on disk. Some file systems cannot guarantee that.
      let folder = open(AtomicFile.folder(of: file.target), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      if folder >= 0 {
        fsync(folder)
        close(folder)
      }
    }

    // After the commit there is no such file any more.
    deinit {
      if let file { unlink(file.temporary) }
    }
  }

  /// Replaces or creates the file at `path` by an empty one that grows under its name: for what is written for hours, and is of
  /// use also if the process dies meanwhile. Links, permissions, devices and pipes are treated as by `replace(_:writing:)`.
  package static func begin(_ path: String) throws(SystemError) -> Output {
    guard case .file(let target, let permissions) = try Place(path) else {
      return Output(descriptor: try stream(path), path: path)
    }
    let signals = SignalMask.blockAll()
    defer { signals.restore() }
    let temporary = try Temporary(beside: target, subject: path)
    let isPermitted = permissions.map { fchmod(temporary.descriptor.number, $0) == 0 } ?? true
    guard isPermitted, rename(temporary.path, target) == 0 else {
      let error = SystemError.last(call: isPermitted ? "rename" : "fchmod", subject: path)
      unlink(temporary.path)
      throw error
    }
    return Output(descriptor: temporary.descriptor, path: path)
  }

  /// Finds out whether `replace` can write to `path`, before the work whose result is to be written. Changes nothing.
  ///
  /// - Returns: the open device or pipe; nil for a file. A pipe must stay open until it is written to: its reader would take
  ///   closing it for the end.
  /// - Throws: the error that `replace` would throw.
  package static func check(_ path: String) throws(SystemError) -> OwnedDescriptor? {
    guard case .file(let target, let permissions) = try Place(path) else {
      let stream = try stream(path)
      // Writing nothing fails on a device that is full.
      guard Glibc.write(stream.number, "", 0) == 0 else { throw .last(call: "write", subject: path) }
      return stream
    }
    let signals = SignalMask.blockAll()
    defer { signals.restore() }
    unlink(try Temporary(beside: target, subject: path).path)
    // Another user's file in a sticky folder, or one that is immutable, cannot be replaced. The kernel looks at that before it
    // sees that a file is no folder to be removed.
    if permissions != nil, rmdir(target) != 0, [EPERM, EACCES, EROFS].contains(clinux_errno()) {
      throw .last(call: "rename", subject: path)
    }
    return nil
  }

  /// A path as bytes that end with 0: a symbolic link may lead to a name that is not UTF-8.
  private typealias Path = [CChar]

  /// The meaning of a path.
  private enum Place {
    /// A device, a pipe or a socket.
    case stream
    /// A file, with all symbolic links followed. The permissions are nil if it does not exist.
    case file(Path, permissions: mode_t?)

    init(_ path: String) throws(SystemError) {
      var status = stat()
      guard stat(path, &status) == 0 else {
        let error = SystemError.last(call: "open", subject: path)
        guard error.errno == ENOENT, !path.isEmpty else { throw error }
        self = .file(try AtomicFile.target(of: path), permissions: nil)
        return
      }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: throw SystemError(call: "open", subject: path, errno: EISDIR)
      case S_IFREG: self = .file(try AtomicFile.target(of: path), permissions: status.st_mode & 0o7777)
      default: self = .stream
      }
    }
  }

  private static func stream(_ path: String) throws(SystemError) -> OwnedDescriptor {
    // Without O_NONBLOCK, opening a pipe would wait for a reader. Writing waits.
    let stream = try OwnedDescriptor.open(path, flags: O_WRONLY | O_NONBLOCK | O_NOCTTY)
    guard fcntl(stream.number, F_SETFL, O_WRONLY) == 0 else { throw .last(call: "fcntl", subject: path) }
    return stream
  }

  /// A new file with a unique name and the process's default permissions.
  private struct Temporary: ~Copyable {
    let path: Path
    let descriptor: OwnedDescriptor

    init(beside target: Path, subject: String) throws(SystemError) {
      let folder = AtomicFile.folder(of: target).dropLast()
      // The temporary name does not contain the file's own name, which may be as long as names may be.
      while true {
        let number = AtomicFile.lastTemporary.wrappingAdd(1, ordering: .relaxed).newValue
        let path = Path(folder + "/.\(getpid())-\(number).part".utf8CString)
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        if file >= 0 {
          descriptor = OwnedDescriptor(owning: file)
          self.path = path
          return
        }
        // An earlier process with this number left a file behind.
        if clinux_errno() != EEXIST { throw .last(call: "open", subject: subject) }
      }
    }
  }

  private static let lastTemporary = Atomic<UInt64>(0)

  private static let slash = CChar(UInt8(ascii: "/"))

  private static func folder(of path: Path) -> Path {
    guard let slash = path.lastIndex(of: slash) else { return Path(".".utf8CString) }
    return path[..<max(slash, 1)] + [0]
  }

  /// A folder that a file cannot be written into since it does not exist.
  package struct MissingFolder {
    /// The first part of the path that is missing.
    package let path: String
    /// The folder of the file.
    package let folder: String

    /// The missing folder and the command that makes it, as the end of a sentence.
    package var sentence: String {
      "there is no folder \(path); make it (mkdir -p \(folder.shellWord))"
    }
  }

  /// The folder that is missing for a file at `path`; nil if there is one.
  package static func missingFolder(of path: String) -> MissingFolder? {
    guard let end = path.lastIndex(of: "/") else { return nil }
    let folder = path[..<end]
    let ends = folder.indices.dropFirst().filter { path[$0] == "/" } + [end]
    let missing = ends.first { access(String(path[..<$0]), F_OK) != 0 && clinux_errno() == ENOENT }
    return missing.map { MissingFolder(path: String(path[..<$0]), folder: String(folder)) }
  }

  /// True if both paths lead to one file, whether it exists or not.
  package static func isSame(_ one: String, _ other: String) -> Bool {
    func place(_ path: String) -> (dev_t, ino_t, ArraySlice<CChar>)? {
      var status = stat()
      guard case .file(let target, _)? = try? Place(path), stat(folder(of: target), &status) == 0 else { return nil }
      return (status.st_dev, status.st_ino, target[((target.lastIndex(of: slash) ?? -1) + 1)...])
    }
    guard let one = place(one), let other = place(other) else { return false }
    return one == other
  }

  /// The file that `path` leads to, whether it exists or not. Links on the way to its folder are left to the kernel.
  private static func target(of path: String) throws(SystemError) -> Path {
    var target = Path(path.utf8CString)
    for _ in 0..<40 {
      var link = Path(repeating: 0, count: Int(PATH_MAX))
      let count = readlink(target, &link, link.count - 1)
      // It is no link, or nothing yet.
      guard count > 0 else { return target }
      link.removeLast(link.count - count - 1)
      target = link.first == slash ? link : folder(of: target).dropLast() + [slash] + link
    }
    throw SystemError(call: "open", subject: path, errno: ELOOP)
  }
}
