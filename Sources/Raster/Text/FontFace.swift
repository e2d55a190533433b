internal import CFreeType
internal import CHarfBuzz
public import LinuxSystem
import Synchronization

/// One font file's design, of no particular size: opened once, used by any number of threads at a time.
public final class FontFace: Sendable {
  /// Where it was read from.
  public let path: String
  /// The design's grid: how many of its units make the font's size.
  let unitsPerEm: Int

  /// Different for every face made by this process.
  let id: UInt32
  /// Heights in units of the design.
  let metrics: Metrics
  let shaper: Shaper
  private let outlines: Lock<OutlineSource>

  struct Metrics: Sendable {
    var ascent: Double
    var descent: Double
    var lineGap: Double
    var capHeight: Double
  }

  private static let lastID = Atomic<UInt32>(0)
  /// DejaVu has 0.8 MB, the largest fonts for Chinese, Japanese and Korean 30 MB.
  private static let largestFile = 256 << 20

  /// Reads a font file.
  ///
  /// - Parameter index: which face of a collection (.ttc); 0 for a file with one.
  public convenience init(path: String, index: Int = 0) throws(FontError) {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try OwnedDescriptor.contents(of: path, limit: Self.largestFile)
    } catch {
      throw .file(error)
    }
    try self.init(bytes: bytes, path: path, index: index)
  }

  /// Takes the bytes of a font file; `path` only names it in errors.
  init(bytes: [UInt8], path: String, index: Int = 0) throws(FontError) {
    // FreeType keeps other things in an index's upper half.
    guard (0...0x7FFF).contains(index) else {
      throw .unusable(path: path, reason: "there is no face \(index)")
    }
    let data = FontData(bytes)
    let source = try OutlineSource(data: data, path: path, index: index)
    let shaper = Shaper(data: data, index: index, unitsPerEm: source.unitsPerEm)
    self.path = path
    unitsPerEm = source.unitsPerEm
    metrics = shaper.metrics(fallback: source)
    self.shaper = shaper
    outlines = Lock(source)
    id = Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// The glyph's outline in units of the design, y up; empty when it has none.
  func outline(of glyph: UInt32) -> Path {
    outlines.withLock { $0.outline(of: glyph) }
  }

  /// The glyph's coverage at a size in 1/64 pixel, moved right by `quarter` quarters of a pixel.
  func bitmap(of glyph: UInt32, size64: Int, quarter: Int) -> GlyphBitmap {
    outlines.withLock { $0.bitmap(of: glyph, size64: size64, quarter: quarter) }
  }
}

extension FontFace: Hashable {
  public static func == (left: FontFace, right: FontFace) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// A font file's bytes at an address that does not change.
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
