import Geometry
import Glibc
import ImageFiles
import Layers
import LinuxSystem
import Raster
import RenderTree
import Typesetting

/// A file of a scene, as it was before it was read.
struct SceneFile {
  let path: String
  /// The numbers of its device and inode, its size, and the time of its last change; nil if there was none.
  private let version: [Int]?

  init(_ path: String) { (self.path, version) = (path, Self.version(of: path)) }

  var hasChanged: Bool { version != Self.version(of: path) }

  private static func version(of path: String) -> [Int]? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return [Int(truncatingIfNeeded: status.st_dev), Int(truncatingIfNeeded: status.st_ino), Int(status.st_size)]
      + [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
  }
}

/// The fonts and images that a scene names, each read once.
@MainActor
final class SceneResources {
  /// The file's name for messages.
  let file: String?
  /// The folder that paths are relative to, without a slash at the end.
  private let folder: String
  /// Images that the text defines by a name, with the token of their definition.
  private var definitions: [String: Image] = [:]
  private var images: [String: Image] = [:]
  /// The files of image layers whose headers were read.
  private var pictureFiles: Set<String> = []
  private var fontPaths: [String: String] = [:]
  private var pixels = 0
  /// The scene's own file and its images, each as it was before it was read.
  var files: [SceneFile] = []
  /// Called with the path of an image before it is read.
  var onImage: (@MainActor (String) -> Void)?

  /// Faces of all scenes: a scene that is read again has the same ones.
  private static var faces: [String: FontFace] = [:]

  /// A design that is not the one in which a font file is opened.
  private struct Design: Hashable {
    let path: String
    let index: Int
    let variations: [FontVariation]
  }
  private struct WeakFace {
    weak var face: FontFace?
  }

  private var designs: [Design: FontFace] = [:]
  /// The same of all scenes that live: whoever tries one weight after another keeps none of them.
  private static var livingDesigns: [Design: WeakFace] = [:]
  /// The designs that paragraphs ask for, in no particular size.
  private var requests: Set<FontRequest> = []
  /// The number of designs that are not those in which font files are opened, and of those that paragraphs ask for.
  var designCount: Int { designs.count + requests.count }

  private struct WeakLibrary {
    weak var library: FontLibrary?
  }

  private var libraries: [[String]: FontLibrary] = [:]
  /// Those of all scenes that live: a scene that is read again has the same ones.
  private static var livingLibraries: [[String]: WeakLibrary] = [:]

  init(file: String?, folder: String) {
    self.file = file
    self.folder = folder
  }

  /// Those of a scene's file, in whose folder they are.
  convenience init(file: String) {
    let folder = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
    self.init(file: file, folder: folder.isEmpty ? "/" : folder)
  }

  func path(_ path: String) -> String { path.hasPrefix("/") ? path : "\(folder)/\(path)" }

  // MARK: Fonts

  /// The font file at this path, or the font of the system with this name.
  func face(_ name: String) throws(FontError) -> FontFace {
    let path = try fontPath(name)
    if let face = Self.faces[path] { return face }
    let known = SystemFonts.Name(rawValue: name).flatMap { try? SystemFonts.face($0) }
    let face = if let known, known.path == path { known } else { try FontFace(path: path) }
    Self.faces[path] = face
    return face
  }

  /// The path of the font file at this path, or of the font of the system with this name.
  func fontPath(_ name: String) throws(FontError) -> String {
    if let known = fontPaths[name] { return known }
    let path = name.contains("/") ? path(name) : try SystemFonts.path(of: name, beside: folder)
    fontPaths[name] = path
    return path
  }

  /// The fonts in these files; nil if the scene has too many such libraries already.
  func library(_ paths: [String]) throws(FontError) -> FontLibrary? {
    if let library = libraries[paths] { return library }
    guard libraries.count < SceneLimit.libraries else { return nil }
    let library = if let living = Self.livingLibraries[paths]?.library { living } else { try FontLibrary(files: paths) }
    libraries[paths] = library
    Self.livingLibraries = Self.livingLibraries.filter { $0.value.library != nil }
    Self.livingLibraries[paths] = WeakLibrary(library: library)
    return library
  }

  /// Counts the design that is asked for.
  func count(_ request: FontRequest) {
    var request = request
    (request.size, request.features) = (1, [])
    requests.insert(request)
  }

  /// Another face of the font's file, or another place on its axes.
  func face(_ first: FontFace, index: Int, variations: [FontVariation] = []) throws(FontError) -> FontFace {
    if index == first.index, variations.isEmpty { return first }
    let design = Design(path: first.path, index: index, variations: variations)
    if let face = designs[design] { return face }
    let living = Self.livingDesigns[design]?.face
    let face = if let living { living } else { try FontFace(first, index: index, variations: variations) }
    designs[design] = face
    Self.livingDesigns = Self.livingDesigns.filter { $0.value.face != nil }
    Self.livingDesigns[design] = WeakFace(face: face)
    return face
  }

  // MARK: Images

  func define(_ name: String, _ image: Image) { definitions[name] = image }
  func isDefined(_ name: String) -> Bool { definitions[name] != nil }
  func defined(_ name: String) -> Image? { definitions[name] }

  /// The path of a picture's file that can be read, which is looked at for changes from now on.
  func pictureFile(_ name: String) throws(ImageFileError) -> String {
    let path = path(name)
    guard pictureFiles.insert(path).inserted else { return path }
    onImage?(path)
    files.append(SceneFile(path))
    _ = try ImageFile(path: path)
    return path
  }

  func image(path name: String) throws(PNGError) -> Image {
    let path = path(name)
    if let image = images[path] { return image }
    onImage?(path)
    files.append(SceneFile(path))
    let image = try PNG.read(path: path, maximumPixels: roomForPixels)
    images[path] = count(image)
    return image
  }

  func image(png bytes: [UInt8]) throws(PNGError) -> Image {
    count(try PNG.decode(bytes, maximumPixels: roomForPixels).freeze())
  }

  /// Counts the pixels that text may become where only an image can be shown. False if the scene has no room for them.
  func takesPixels(_ count: Int) -> Bool {
    guard count <= roomForPixels else { return false }
    pixels += count
    return true
  }

  private var roomForPixels: Int { max(min(SceneLimit.imagePixels - pixels, PNG.defaultMaximumPixels), 1) }

  private func count(_ image: Image) -> Image {
    pixels += image.width * image.height
    return image
  }
}

// MARK: - Syntax

extension ValueSyntax where Value == LayerContents {
  /// The ends of a fade: an image, none, or `mixture` with the share and the name of each image in it.
  static var contents: Self {
    Self("\(ValueSyntax<Image>.image.expected), none, or mixture with a share and an image") { reader throws(SceneError) in
      if reader.take("none") { return .image(nil) }
      guard reader.take("mixture") else { return .image(try ValueSyntax<Image>.image.read(reader)) }
      var shares: [(share: Double, image: Image)] = []
      repeat {
        guard shares.count < ImageMixture.limit else {
          throw reader.error(.tooMany("images in a mixture", limit: ImageMixture.limit), at: reader.token)
        }
        shares.append((try reader.number("the share of an image"), try ValueSyntax<Image>.image.read(reader)))
      } while reader.isAtNumber
      return .mixture(shares)
    } text: { value, writer in
      let shares = value.shares
      if shares.isEmpty { return "none" }
      if shares.count == 1, shares[0].share == 1 { return writer.name(of: shares[0].image) }
      return "mixture " + shares.map { "\(SceneNumber.text($0.share)) \(writer.name(of: $0.image))" }.joined(separator: " ")
    }
  }
}

extension ValueSyntax where Value == Image {
  static var image: Self {
    let expected = "an image: the path of a PNG file, as a string, or the name of an image"
    return Self(expected) { reader throws(SceneError) in
      let token = reader.token
      if case .string(let path) = token.kind {
        reader.advance()
        do throws(PNGError) {
          return try reader.resources.image(path: path)
        } catch {
          throw reader.error(.image(error), at: token)
        }
      }
      let name = try reader.takeWord(expected)
      guard let image = reader.resources.defined(name) else {
        throw reader.error(.expected("the name of an image that the scene defines", found: token.name), at: token)
      }
      return image
    } text: { value, writer in
      writer.name(of: value)
    }
  }
}

extension ValueSyntax where Value == String {
  /// The path of a file that an image layer shows.
  static var pictureFile: Self {
    let expected = "the path of a picture file, as a string"
    return Self(expected) { reader throws(SceneError) in
      let token = reader.token
      let name = try reader.string(expected)
      do throws(ImageFileError) {
        return try reader.resources.pictureFile(name)
      } catch {
        throw reader.error(.picture(error), at: token)
      }
    } text: { path, writer in
      SceneWriter.quoted(writer.filePath(path))
    }
  }
}

extension ValueSyntax where Value == LayerPicture {
  /// An image, with `drawn` one that was drawn for a size at a scale; `text` that was set before; `none`; `drawn` alone for what the
  /// layer draws.
  static var picture: Self {
    Self("\(ValueSyntax<Image>.image.expected), drawn, text, or none") { reader throws(SceneError) in
      if reader.take("none") { return .image(nil) }
      if reader.take("drawn") { return .own(nil) }
      if reader.take("text") { return .text(try ValueSyntax<TextContent>.text.read(reader)) }
      let image = try ValueSyntax<Image>.image.read(reader)
      guard reader.takeInValue("drawn") else { return .image(image) }
      let size = ValueSyntax<Size>.size.only("a finite size above 0") { !$0.isEmpty && ($0.width + $0.height).isFinite }
      let measures = DrawnMeasures(size: try size.read(reader), scale: try ValueSyntax<Double>.positive.read(reader))
      return .drawn(image, measures)
    } text: { value, writer in
      switch value {
      case .image(let image): image.map { writer.name(of: $0) } ?? "none"
      case .drawn(let image, let drawn):
        "\(writer.name(of: image)) drawn \(sceneNumbers(drawn.size.width, drawn.size.height, drawn.scale))"
      case .text(let text): "text \(ValueSyntax<TextContent>.text.text(text, writer))"
      case .own: "drawn"
      }
    }
  }
}
