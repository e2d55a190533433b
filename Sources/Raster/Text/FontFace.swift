internal import CFreeType
internal import CHarfBuzz
import Geometry
public import LinuxSystem
import Synchronization

/// One design in a font file, at no particular size. Open it once; any number of threads may use it at a time.
public final class FontFace: Sendable {
  /// The path of the font file.
  public let path: String
  /// The number of the face in the file, which is 0 but in collections.
  public let index: Int
  /// The number of faces in the file.
  public let faceCount: Int
  /// The axes along which the design can change, in the font's order; empty but in variable fonts.
  public let axes: [FontAxis]
  /// The places on the axes where the design is not the default one, in the order of `axes`.
  public let variations: [FontVariation]
  /// The resolution of the design: this many of its units make the font's size.
  let unitsPerEm: Int

  /// A number that no other face of this process has.
  let id: UInt32
  /// Heights in units of the design.
  let metrics: Metrics
  let shaper: Shaper
  /// The pixels per em of the pictures that are the font's glyphs; nil for a font of outlines.
  let pixelsPerEm: Int?
  private let data: FontData
  private let outlines: Lock<OutlineSource>

  struct Metrics: Sendable {
    var ascent: Double
    var descent: Double
    var lineGap: Double
    var capHeight: Double
    var underline: FontStroke
    var strikethrough: FontStroke
  }

  private static let lastID = Atomic<UInt32>(0)
  /// DejaVu has 0.8 MB; the largest fonts for Chinese, Japanese and Korean have 30 MB.
  private static let largestFile = 256 << 20

  /// Reads a font file.
  ///
  /// - Parameters:
  ///   - index: the number of the face in a collection (.ttc); 0 for other files.
  ///   - variations: the design of a variable font. Axes that the font does not have are ignored; of several places on an axis the
  ///     last counts.
  public convenience init(path: String, index: Int = 0, variations: [FontVariation] = []) throws(FontError) {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try OwnedDescriptor.contents(of: path, limit: Self.largestFile)
    } catch {
      throw .file(error)
    }
    try self.init(bytes: bytes, path: path, index: index, variations: variations)
  }

  /// Another design of the same file, which is neither read nor kept again: another face of a collection, or another place on the
  /// axes. Two faces made with the same values are not equal, and their glyphs are cached apart: make each once.
  ///
  /// - Parameters:
  ///   - index: the number of the face; that of the other face if nil.
  ///   - variations: the design, starting from the default one and not from that of the other face.
  public convenience init(_ other: FontFace, index: Int? = nil, variations: [FontVariation] = []) throws(FontError) {
    try self.init(data: other.data, path: other.path, index: index ?? other.index, variations: variations)
  }

  /// Takes the bytes of a font file. `path` is only used in errors.
  convenience init(bytes: [UInt8], path: String, index: Int = 0, variations: [FontVariation] = []) throws(FontError) {
    try self.init(data: FontData(bytes), path: path, index: index, variations: variations)
  }

  private init(data: FontData, path: String, index: Int, variations: [FontVariation]) throws(FontError) {
    // FreeType uses the upper half of an index for other things.
    guard (0...0x7FFF).contains(index) else {
      throw .unusable(path: path, reason: "there is no face \(index)")
    }
    let source = try OutlineSource(data: data, path: path, index: index)
    var axes: [FontAxis] = []
    var changed: [FontVariation] = []
    var coordinates: [Double] = []
    let shaper = Shaper(data: data, index: index, unitsPerEm: source.unitsPerEm) { found in
      axes = found
      coordinates = axes.map { axis in axis.value(variations.last { $0.axis == axis.tag }?.value ?? axis.defaultValue) }
      changed = zip(axes, coordinates).compactMap { $0.defaultValue == $1 ? nil : FontVariation($0.tag, $1) }
      return changed.isEmpty ? [] : coordinates
    }
    if !changed.isEmpty, !source.setCoordinates(coordinates) {
      throw .unusable(path: path, reason: "its axes are damaged")
    }
    (self.data, self.path, self.index, self.axes) = (data, path, index, axes)
    self.variations = changed
    faceCount = source.faceCount
    unitsPerEm = source.unitsPerEm
    pixelsPerEm = source.pixelsPerEm
    metrics = shaper.metrics(fallback: source)
    self.shaper = shaper
    outlines = Lock(source)
    id = Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// The outline of a glyph in units of the design, y upwards; empty if it has none.
  func outline(of glyph: UInt32) -> Path {
    outlines.withLock { $0.outline(of: glyph) }
  }

  /// True for a font whose glyphs are pictures with colours of their own, as those of emoji are. They have no outlines and no coverage.
  package var hasPictures: Bool { pixelsPerEm != nil }

  /// The picture of a glyph.
  func picture(of glyph: UInt32) -> GlyphPicture? { outlines.withLock { $0.picture(of: glyph) } }

  /// The coverage of a glyph at a size, moved along the line by `quarter` quarters of a pixel.
  func bitmap(of glyph: UInt16, _ size: GlyphSize, quarter: UInt8) -> GlyphBitmap {
    let upright = outlines.withLock { $0.bitmap(of: UInt32(glyph), size64: size.size64, quarter: Int(quarter)) }
    return upright.turned(by: size.turns)
  }

  /// Sets the boxes of glyphs.
  func addBoxes(to glyphs: inout [GlyphRun.Glyph]) {
    outlines.withLock { outlines in
      for index in glyphs.indices { glyphs[index].box = outlines.box(of: glyphs[index].id) }
    }
  }

  /// Adds the coverage of a glyph under a map from units of the design, y upwards, to pixels.
  func add(_ glyph: UInt32, _ map: Affine, to mask: CoverageMask) {
    outlines.withLock { $0.add(glyph, map, to: mask) }
  }

  /// The number of texts that were shaped with the face.
  package var shapedCount: Int { shaper.count.load(ordering: .relaxed) }
}

extension FontFace: Hashable {
  public static func == (left: FontFace, right: FontFace) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The bytes of a font file at an address that does not change.
///
/// Safe to share although unchecked: nothing writes after `init`.
final class FontData: @unchecked Sendable {
  let bytes: UnsafeRawBufferPointer

  init(_ contents: [UInt8]) {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: contents.count, alignment: 16)
    memory.copyBytes(from: contents)
    bytes = UnsafeRawBufferPointer(memory)
  }

  deinit {
    bytes.deallocate()
  }
}

/// The reason why a font is not available.
public enum FontError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The file cannot be read.
  case file(SystemError)
  /// The file is not a font, or one with neither outlines nor pictures in colour.
  case unusable(path: String, reason: String)
  /// No folder for fonts has the file; `near` has files that are there and have names like it.
  case notFound(fileName: String, folders: [String], near: [String])
  /// A library has no font at all.
  case noFont(families: [String])
  /// The folder that `SystemFonts.environmentVariable` names does not have the file, or is none.
  case notInNamedFolder(fileName: String, folder: String, isFolder: Bool, near: [String])

  public var description: String {
    switch self {
    case .file(let error):
      "font: \(error)"
    case .unusable(let path, let reason):
      "font \(path): \(reason); TrueType and OpenType files with outlines or coloured pictures (.ttf, .otf, .ttc) are accepted"
    case .notFound(let fileName, let folders, let near):
      Self.notFound(fileName, in: folders, near: near)
    case .noFont(let families):
      "there is no font at all"
        + (families.isEmpty ? "" : " for the families \(families.joined(separator: ", "))")
        + "; name files of fonts, or install some"
    case .notInNamedFolder(let fileName, let folder, true, let near):
      "font \(fileName) is not in \(folder), the folder that \(SystemFonts.environmentVariable) names; "
        + (near.isEmpty ? "" : "name a file that is found, such as \(near.list("or")), or ")
        + "put it there, or unset the variable"
    case .notInNamedFolder(let fileName, let folder, false, let near):
      "font \(fileName): \(SystemFonts.environmentVariable) names \(folder), which is no folder; "
        + (near.isEmpty ? "" : "name a file such as \(near.list("or")), or ")
        + "name one that has the font, or unset the variable"
    }
  }

  private static func notFound(_ fileName: String, in folders: [String], near: [String]) -> String {
    let (isFile, folders) = (fileName.contains("."), folders.map { $0 == "." ? "the current folder" : $0 })
    let package = SystemFonts.Name(rawValue: fileName).map { "the Debian package \($0.package)" } ?? "it"
    let remedy = "install \(package), or name its folder in \(SystemFonts.environmentVariable)"
    let missing = "font \(fileName) is not among the fonts of the system"
    return switch (isFile, near.isEmpty) {
    case (false, false): "font \(fileName) has no ending; name its file, such as \(near.list("or"))"
    case (false, true):
      "font \(fileName) has no ending, and no file in \(folders.list("or")) has a name like it; name one that is there, "
        + "or \(remedy)"
    case (true, false): "\(missing); name one that is, such as \(near.list("or")), or \(remedy)"
    case (true, true): "\(missing), in \(folders.list("or")); \(remedy)"
    }
  }
}
