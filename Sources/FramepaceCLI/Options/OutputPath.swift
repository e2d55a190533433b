import ArgumentParser
import Framepace
import Glibc

/// The reason why a path cannot be written to, as a sentence.
struct OutputError: Error, CustomStringConvertible {
  let description: String

  init(_ path: String, _ reason: String) {
    description = "cannot write to '\(path)': \(reason)"
  }

  /// An error with the reason for which the last system call failed.
  static func last(_ path: String) -> OutputError {
    OutputError(path, SystemError.last(call: "").reason)
  }
}

/// Checks before any work is done whether the result can be written.
enum OutputPath {
  /// Throws unless `file` can be the name of a picture; `option` appears in the message.
  static func requirePicture(_ file: String, option: String) throws(ValidationError) {
    guard file.lowercased().hasSuffix(".png"), !file.contains("\0") else {
      throw ValidationError("\(option) '\(file)': pictures are PNG: use a file whose name ends in .png.")
    }
  }

  /// Throws unless `file` can be written or replaced. The check changes nothing and leaves nothing behind.
  static func requireWritable(file: String) throws(OutputError) {
    var status = stat()
    guard stat(file, &status) == 0 else {
      // The file is missing. A symbolic link without a target counts as missing; it is replaced.
      return try probe(folder: folder(of: file), for: file)
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: throw OutputError(file, "it is a folder; name a file")
    case S_IFREG:
      guard let target = realpath(file, nil) else { throw .last(file) }
      defer { free(target) }
      try probe(folder: folder(of: String(cString: target)), for: file)
    case S_IFCHR:
      // Devices are written to, not replaced. Writing nothing also fails on a device that is full.
      let device = open(file, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
      guard device >= 0 else { throw .last(file) }
      defer { close(device) }
      guard write(device, "", 0) == 0 else { throw .last(file) }
    default:
      guard access(file, W_OK) == 0 else { throw .last(file) }
    }
  }

  /// Makes `folder` and its missing parents, and throws unless files can be made in it.
  static func makeFolder(_ folder: String) throws(OutputError) {
    var status = stat()
    if stat(folder, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFDIR else {
        throw OutputError(folder, "it is no folder; name a folder or a file whose name ends in .png")
      }
    } else {
      try make(folder, for: folder)
    }
    try probe(folder: folder, for: folder)
  }

  /// The suffix in `path` if it names a picture format other than PNG; nil if `path` is a folder.
  static func otherPicture(_ path: String) -> String? {
    guard let dot = path.lastIndex(of: ".") else { return nil }
    let suffix = path[dot...].lowercased()
    var status = stat()
    let isFolder = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    let others = [".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp", ".avif", ".svg", ".pdf", ".ppm", ".mp4"]
    return others.contains(suffix) && !isFolder ? suffix : nil
  }

  private static func make(_ folder: String, for path: String) throws(OutputError) {
    if mkdir(folder, 0o777) == 0 || errno == EEXIST { return }
    let parent = Self.folder(of: folder)
    guard errno == ENOENT, parent != folder, parent != "." else { throw .last(path) }
    try make(parent, for: path)
    guard mkdir(folder, 0o777) == 0 || errno == EEXIST else { throw .last(path) }
  }

  /// Makes a hidden file in `folder` and removes it again. Permissions alone are not enough to know, least of all for root.
  private static func probe(folder: String, for path: String) throws(OutputError) {
    let name = "\(folder)/.\(getpid()).part"
    let file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    // A process with the same number was killed and left its file: the folder is writable.
    if file < 0, errno == EEXIST { return }
    guard file >= 0 else { throw .last(path) }
    close(file)
    unlink(name)
  }

  /// The parent folder of `path`.
  private static func folder(of path: String) -> String {
    var name = path[...]
    while name.count > 1, name.hasSuffix("/") { name.removeLast() }
    guard let slash = name.lastIndex(of: "/") else { return "." }
    return slash == name.startIndex ? "/" : String(name[..<slash])
  }
}
