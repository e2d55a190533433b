import ArgumentParser
import Framepace
import Glibc

/// The reason why the command cannot do its work, as a sentence.
struct Refusal: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  init(_ path: String, _ reason: String) { self.init("cannot write to '\(path)': \(reason)") }

  init(_ path: String, _ error: SystemError) {
    self.init(path, error.reasonNotToWrite(path))
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

  /// Throws unless `file`, where there is one, can be the name of a file. (Only JSON and films go to the standard output.)
  static func requireName(_ file: String?, option: String) throws(ValidationError) {
    if file == "" { throw ValidationError("\(option) needs a value: use a file's name.") }
    if file == "-" { throw ValidationError("\(option) writes a file: use its name instead of '-'.") }
  }

  /// Throws if two options name one file.
  static func requireDistinct(_ files: [(option: String, path: String?)]) throws(ValidationError) {
    let named = files.compactMap { file in file.path.map { (file.option, $0) } }
    for (index, (option, path)) in named.enumerated() {
      for (other, otherPath) in named[..<index] where path == otherPath || AtomicFile.isSame(otherPath, path) {
        throw ValidationError("\(other) '\(otherPath)' and \(option) '\(path)' are one file: use two.")
      }
    }
  }

  /// Throws unless all `files` of a folder can be written or replaced. The check changes nothing and leaves nothing behind.
  static func requireWritable(files: some Sequence<String>) throws(Refusal) {
    var status = stat()
    for (index, file) in files.enumerated() {
      // The first file tells whether the folder takes files.
      guard index == 0 || lstat(file, &status) == 0 || errno != ENOENT else { continue }
      do throws(SystemError) {
        // The descriptor of a pipe stays open until the process ends.
        if let stream = try AtomicFile.check(file) { _ = fcntl(stream.number, F_DUPFD_CLOEXEC, 0) }
      } catch {
        throw Refusal(file, error)
      }
    }
  }

  /// Makes `folder` and its missing parents.
  ///
  /// - Parameter instead: the end of the message: ` or …`, for something else that may be named.
  /// - Returns: false if it was there.
  @discardableResult
  static func makeFolder(_ folder: String, instead: String = "") throws(Refusal) -> Bool {
    guard let kind = kind(of: folder) else {
      try make(folder[...], for: folder)
      return true
    }
    guard kind == S_IFDIR else { throw Refusal(folder, "it is no folder; name a folder\(instead)") }
    return false
  }

  /// The suffix in `path` if it names a picture format other than PNG; nil if `path` is a folder.
  static func otherPicture(_ path: String) -> String? {
    guard let dot = path.lastIndex(of: ".") else { return nil }
    let suffix = path[dot...].lowercased()
    let others = [".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp", ".avif", ".svg", ".pdf", ".ppm", ".mp4"]
    return others.contains(suffix) && kind(of: path) != S_IFDIR ? suffix : nil
  }

  /// The kind of file that a path leads to, such as `S_IFDIR`; nil if there is none.
  private static func kind(of path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  private static func make(_ folder: Substring, for path: String) throws(Refusal) {
    func isMade() -> Bool { mkdir(String(folder), 0o777) == 0 || errno == EEXIST }
    if isMade() { return }
    let error = SystemError.last(call: "mkdir")
    guard error.errno == ENOENT, let slash = folder.lastIndex(of: "/"), slash > folder.startIndex else {
      throw Refusal(path, error)
    }
    try make(folder[..<slash], for: path)
    guard isMade() else { throw Refusal(path, .last(call: "mkdir")) }
  }
}
