public import LinuxSystem

/// Why a font cannot be had.
public enum FontError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The file cannot be read.
  case file(SystemError)
  /// The file is no font that can be drawn with.
  case unusable(path: String, reason: String)
  /// No folder has the file.
  case notFound(fileName: String, folders: [String])

  public var description: String {
    switch self {
    case .file(let error):
      "font: \(error)"
    case .unusable(let path, let reason):
      "font \(path): \(reason); TrueType and OpenType files with outlines (.ttf, .otf, .ttc) are accepted"
    case .notFound(let fileName, let folders):
      "font \(fileName) is not in \(folders.joined(separator: ", ")); "
        + "install the Debian package fonts-dejavu-core or name its folder in \(SystemFonts.environmentVariable)"
    }
  }
}
