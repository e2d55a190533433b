import Framepace
import Glibc

/// Finds out before any work is done whether its result can be written.
enum OutputFolder {
  /// Throws unless files can be made in the folder in which `file` is to be.
  static func requireWritable(parentOf file: String) throws(SystemError) {
    guard let slash = file.lastIndex(of: "/") else { return try requireWritable(".") }
    try requireWritable(slash == file.startIndex ? "/" : String(file[..<slash]))
  }

  /// Throws unless files can be made in `folder`.
  static func requireWritable(_ folder: String) throws(SystemError) {
    var status = stat()
    guard stat(folder, &status) == 0 else { throw .last(call: "write to", subject: folder) }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw SystemError(call: "write to", subject: folder, errno: ENOTDIR)
    }
    guard access(folder, W_OK | X_OK) == 0 else { throw .last(call: "write to", subject: folder) }
  }

  /// Makes `folder` unless it is there; the folder around it must be.
  static func make(_ folder: String) throws(SystemError) {
    if mkdir(folder, 0o755) != 0 && errno != EEXIST { throw .last(call: "make folder", subject: folder) }
    try requireWritable(folder)
  }
}
