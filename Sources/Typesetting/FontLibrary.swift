internal import CPango
import LinuxSystem
public import Raster

/// The fonts that may be used, and the order in which they stand in for each other where one has no glyph.
///
/// A library reads a font file when one of its fonts is first used, and keeps it. Any thread may use it; calls wait for each other.
/// Pango ends the process where there is no memory, or where no thread can be started.
///
/// ```swift
/// label.font = try FontLibrary.system.font(FontRequest(["Inter", "sans-serif"], size: 24, weight: 600))
/// ```
public final class FontLibrary: Sendable {
  /// The fonts of fontconfig's configuration: those that are installed, in the order and with the aliases that the system and the
  /// user have set. What is chosen differs from machine to machine.
  public static let system = FontLibrary(fonts: PangoFonts(), files: [])

  private let fonts: Lock<PangoFonts>
  /// The files of which it is made; none of the system's.
  package let files: [String]
  private let faces = Lock(FaceTable())
  /// Paragraphs that were shaped a short while ago; costs are in bytes.
  let paragraphs = Lock(GenerationCache<ParagraphSource, ShapedParagraph>(limit: 8 << 20))

  private init(fonts: PangoFonts, files: [String]) {
    (self.fonts, self.files) = (Lock(fonts), files)
  }

  /// The fonts in these files and no others, whatever the system has: for tests, and for devices that bring their fonts.
  ///
  /// - Throws: the error of a file that holds no font with outlines or pictures, or `FontError.noFont` without files.
  public convenience init(files: [String]) throws(FontError) {
    guard !files.isEmpty else { throw .noFont(families: []) }
    // Before anything else reads them: a damaged file is named.
    let first = try files.map { path throws(FontError) in try FontFace(path: path) }
    self.init(fonts: try PangoFonts(files: files), files: files)
    faces.withLock { $0.add(first) }
  }

  /// The font that is nearest to what is asked for: one of the first family that there is, otherwise the first that the
  /// configuration names. Equal requests give equal fonts.
  ///
  /// - Throws: `FontError.noFont` if there is none at all, or the error of its file, which may have neither outlines nor pictures: no other font is
  ///   taken then.
  public func font(_ request: FontRequest) throws(FontError) -> Font {
    guard let file = fonts.withLock({ $0.match(request) }) else { throw .noFont(families: request.families) }
    return try font(file, request)
  }

  /// The names of all families, sorted; without those by which Pango asks fontconfig for a default.
  public func families() -> [String] {
    let names = Set(fonts.withLock { $0.families() })
    return names.subtracting(["Monospace", "Sans", "Serif", "System-ui"]).sorted()
  }

  /// The font of a file as it is requested: the size, the features and the places on axes.
  func font(_ file: FontFile, _ request: FontRequest) throws(FontError) -> Font {
    let face = try faces.withLock { table throws(FontError) in try table.face(file, request.allVariations) }
    return Font(face, size: request.size, features: request.features)
  }

  /// The parts of a paragraph, each in one font, script and direction, in the order of the text.
  ///
  /// A part whose font cannot be opened is in the font that was requested for it.
  ///
  /// - Parameters:
  ///   - text: a paragraph. Of a text longer than 16 MiB the rest is left out.
  ///   - language: by RFC 3066, such as `ja`; it decides between fonts for Chinese, Japanese and Korean. Parts in a script that
  ///     it is not written in are in no language. Nothing of the environment decides.
  package func itemize(_ text: String, _ spans: [RequestSpan], direction: BaseDirection = .natural, language: String = "und")
    throws(FontError) -> ItemizedText
  {
    guard !spans.isEmpty else { return ItemizedText(items: [], level: 0) }
    let (parts, level) = fonts.withLock { $0.itemize(text, spans, direction, language) }
    var items: [TextItem] = []
    items.reserveCapacity(parts.count)
    for part in parts {
      let request = spans[part.span].request
      var font = part.file.flatMap { try? self.font($0, request) }
      if font == nil { font = try self.font(request) }
      guard let font else { continue }
      items.append(
        TextItem(
          range: part.range, font: font, script: part.script, level: part.level, span: part.span))
    }
    return ItemizedText(items: items, level: level)
  }
}

/// The direction of a paragraph.
package enum BaseDirection: Sendable {
  /// The direction of the first letter that has one; without any from left to right.
  case natural
  case leftToRight
  case rightToLeft
}

/// The font of a part of a text, from `start` to the next one.
package struct RequestSpan: Sendable {
  /// In bytes of UTF-8, between two scalars; 0 for the first.
  package var start: Int
  package var request: FontRequest

  package init(start: Int = 0, _ request: FontRequest) { (self.start, self.request) = (start, request) }
}

package struct ItemizedText: Sendable {
  package let items: [TextItem]
  /// The paragraph's embedding level: 0 from left to right, 1 from right to left.
  package let level: UInt8
}

/// A part of a text that is shaped at once.
package struct TextItem: Sendable {
  /// In bytes of UTF-8.
  package let range: Range<Int>
  package let font: Font
  /// The script's tag of ISO 15924, such as `Latn`.
  package let script: FontTag
  /// The embedding level of UAX 9: odd from right to left.
  package let level: UInt8
  /// The number of the span that it is in.
  package let span: Int
}

/// The faces of a library.
private struct FaceTable {
  private struct Design: Hashable {
    let file: FontFile
    let variations: [FontVariation]
  }
  private struct WeakFace {
    weak var face: FontFace?
  }

  /// The first face of each file that was used, or the error of a file that is no font with outlines or pictures. A file that could not be
  /// read is read again by the next request.
  private var files: [String: Result<FontFace, FontError>] = [:]
  /// The other designs of those that are in use: whoever tries one weight after another keeps none of them.
  private var designs: [Design: WeakFace] = [:]

  mutating func add(_ faces: [FontFace]) {
    for face in faces { files[face.path] = .success(face) }
  }

  mutating func face(_ file: FontFile, _ wanted: [FontVariation]) throws(FontError) -> FontFace {
    let first: FontFace
    if let known = files[file.path] {
      first = try known.get()
    } else {
      let path = file.path
      let opened = Result { () throws(FontError) in try FontFace(path: path) }
      if case .failure(.file) = opened {} else { files[path] = opened }
      first = try opened.get()
    }
    if file.face == 0, first.axes.isEmpty { return first }
    let design = Design(file: file, variations: wanted)
    if let face = designs[design]?.face { return face }
    let base = file.face == 0 ? first : try FontFace(first, index: file.face)
    let instances = file.instance > 0 ? base.namedInstances : []
    // An instance has the nearest weight only: the request goes before it.
    let named = file.instance <= instances.count && file.instance > 0 ? instances[file.instance - 1].variations : []
    let face = base.axes.isEmpty ? base : try FontFace(base, variations: named + wanted)
    designs = designs.filter { $0.value.face != nil }
    designs[design] = WeakFace(face: face)
    return face
  }
}
