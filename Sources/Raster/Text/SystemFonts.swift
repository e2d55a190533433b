import Glibc
import LinuxSystem

/// The fonts of the system, opened by file name: the glyphs are the same wherever the same package is installed.
///
/// Roboto has several weights and figures of one width. DejaVu has more scripts.
///
/// ```swift
/// let line = TextLine("42.0 ms", font: try SystemFonts.font(.medium, size: 24))
/// ```
public enum SystemFonts {
  /// The environment variable that names a folder to search instead of the usual ones.
  public static let environmentVariable = "FRAMEPACE_FONTS"

  /// A font; the raw value is the name of its file.
  public enum Name: String, CaseIterable, Sendable {
    case light = "Roboto-Light.ttf"
    case regular = "Roboto-Regular.ttf"
    case medium = "Roboto-Medium.ttf"
    case bold = "Roboto-Bold.ttf"
    case sans = "DejaVuSans.ttf"
    case mono = "DejaVuSansMono.ttf"

    var package: String { rawValue.hasPrefix("Roboto") ? "fonts-roboto-unhinted" : "fonts-dejavu-core" }
  }

  /// The face. It is read from its file at the first call and then kept.
  public static func face(_ name: Name) throws(FontError) -> FontFace {
    if let face = faces.withLock({ $0[name] }) { return face }
    let face = try FontFace(path: path(of: name.rawValue))
    return faces.withLock { faces in
      // If two threads read it at the same time, the first result is kept.
      if let first = faces[name] { return first }
      faces[name] = face
      return face
    }
  }

  /// The face at a size.
  public static func font(_ name: Name, size: Double, tabularFigures: Bool = false) throws(FontError) -> Font {
    Font(try face(name), size: size, tabularFigures: tabularFigures)
  }

  /// The path of a font file in the folder that `environmentVariable` names. Without one it is looked for where distributions put
  /// Roboto and DejaVu, then in the user's and the system's folders for fonts and in the folders there, six levels in all.
  public static func path(of fileName: String) throws(FontError) -> String { try path(of: fileName, beside: nil) }

  /// The same, where a folder of the caller's own is looked at before all others.
  package static func path(of fileName: String, beside own: String?) throws(FontError) -> String {
    try path(of: fileName, beside: own, environment: variable(environmentVariable), home: variable("HOME"))
  }

  static func path(
    of fileName: String, beside own: String? = nil, environment: String?, home: String? = nil
  ) throws(FontError) -> String {
    let named = environment.flatMap { $0.isEmpty ? nil : $0 }
    let first = own.map { [$0] } ?? []
    for folder in first + (named.map { [$0] } ?? usualFolders) where isReadableFile("\(folder)/\(fileName)") {
      return "\(folder)/\(fileName)"
    }
    var names = FontFileNames()
    for folder in first + (named.map { [$0] } ?? []) {
      names.add((try? OwnedDescriptor.names(in: folder)) ?? [], in: folder)
    }
    if let named {
      throw .notInNamedFolder(
        fileName: fileName, folder: named, isFolder: access("\(named)/", F_OK) == 0,
        near: names.nearest(to: fileName, where: isReadableFile))
    }
    let roots =
      (home.map { ["\($0)/.local/share/fonts", "\($0)/.fonts"] } ?? []) + ["/usr/local/share/fonts", "/usr/share/fonts"]
    var level = roots
    // A link may lead back to a folder that was searched, or to all files of the machine: the depth is limited.
    var searched: Set<FileIdentity> = []
    for _ in 0..<6 {
      var inner: [String] = []
      for folder in level {
        guard let status = status(of: folder), status.st_mode & S_IFMT == S_IFDIR,
          searched.insert(FileIdentity(status)).inserted,
          let entries = try? OwnedDescriptor.names(in: folder)
        else { continue }
        let file = "\(folder)/\(fileName)"
        if entries.contains(fileName), isReadableFile(file) { return file }
        let sorted = entries.sorted()
        names.add(sorted, in: folder)
        inner += sorted.map { "\(folder)/\($0)" }
      }
      level = inner
    }
    throw .notFound(
      fileName: fileName, folders: first + roots, near: names.nearest(to: fileName, where: isReadableFile))
  }

  private struct FileIdentity: Hashable {
    let device: dev_t
    let inode: ino_t

    init(_ status: stat) { (device, inode) = (status.st_dev, status.st_ino) }
  }

  private static func isReadableFile(_ path: String) -> Bool {
    status(of: path).map { $0.st_mode & S_IFMT == S_IFREG } ?? false && access(path, R_OK) == 0
  }

  private static func status(of path: String) -> stat? {
    var status = stat()
    return stat(path, &status) == 0 ? status : nil
  }

  private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  private static let usualFolders = [
    "/usr/share/fonts/truetype/roboto/unhinted/RobotoTTF",  // Debian, Ubuntu
    "/usr/share/fonts/truetype/dejavu",
    "/usr/share/fonts/TTF",  // Arch
    "/usr/share/fonts/roboto",  // Alpine
    "/usr/share/fonts/dejavu",  // Alpine, openSUSE
    "/usr/share/fonts/google-roboto",  // Fedora
    "/usr/share/fonts/dejavu-sans-fonts",
    "/usr/share/fonts/dejavu-sans-mono-fonts",
  ]

  private static let faces = Lock<[Name: FontFace]>([:])
}
