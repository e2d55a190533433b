internal import CFreeType
import Geometry

/// FreeType's view of a face: outlines, and coverage made of them, without hinting, or pictures. One thread at a time may use it.
final class OutlineSource {
  let unitsPerEm: Int
  var ascender: Int { Int(face.pointee.ascender) }
  var descender: Int { Int(face.pointee.descender) }
  var height: Int { Int(face.pointee.height) }
  var faceCount: Int { max(Int(face.pointee.num_faces), 1) }

  /// The size of the pictures that are the font's glyphs; nil for a font of outlines.
  let pixelsPerEm: Int?
  private let data: FontData
  private let library: FT_Library
  let face: FT_Face
  /// Some 60 pictures of the usual size.
  var pictures = GenerationCache<UInt32, GlyphPicture>(limit: 4 << 20)
  private var cache = GenerationCache<UInt32, Path>(limit: 1 << 20)
  /// No more than the face has glyphs: 2¹⁶.
  private var boxes: [UInt32: GlyphBox] = [:]
  private var flat = FlatOutline()

  /// Each face has its own library: FreeType's libraries must not be shared without a lock.
  init(data: FontData, path: String, index: Int) throws(FontError) {
    var library: FT_Library?
    guard FT_Init_FreeType(&library) == 0, let library else {
      throw .unusable(path: path, reason: "FreeType cannot be started")
    }
    var face: FT_Face?
    let status = FT_New_Memory_Face(
      library, data.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), data.bytes.count, index, &face)
    guard status == 0, let face else {
      FT_Done_FreeType(library)
      throw .unusable(path: path, reason: index == 0 ? "not a font file" : "not a font file, or it has no face \(index)")
    }
    let strike = Self.largestStrike(of: face)
    unitsPerEm = Int(cfreetype_units_per_em(face))
    guard cfreetype_is_scalable(face) != 0 || strike != nil, unitsPerEm >= 16 else {
      FT_Done_Face(face)
      FT_Done_FreeType(library)
      throw .unusable(path: path, reason: "the font has no outlines")
    }
    pixelsPerEm = strike
    self.data = data
    self.library = library
    self.face = face
  }

  deinit {
    FT_Done_Face(face)
    FT_Done_FreeType(library)
  }

  /// Sets the place of the design on each axis, before the first outline is asked for. False if the font's axes are damaged.
  func setCoordinates(_ values: [Double]) -> Bool {
    var fixed = values.map { FT_Fixed(($0 * 65536).rounded()) }
    return FT_Set_Var_Design_Coordinates(face, UInt32(fixed.count), &fixed) == 0
  }

  /// The outline in units of the design, y upwards; empty for a glyph that is missing, damaged or without ink.
  func outline(of glyph: UInt32) -> Path {
    if let path = cache.value(for: glyph) { return path }
    let path = decompose(glyph)
    cache.insert(path, for: glyph, cost: path.elements.count * MemoryLayout<Path.Element>.stride + 128)
    return path
  }

  private func decompose(_ glyph: UInt32) -> Path {
    var path = Path()
    guard FT_Load_Glyph(face, glyph, cfreetype_load_font_units()) == 0 else { return path }
    var functions = FT_Outline_Funcs()
    functions.move_to = { to, user in
      OutlineSource.extend(user) { path in
        path.close()
        path.move(to: OutlineSource.point(to))
      }
    }
    functions.line_to = { to, user in
      OutlineSource.extend(user) { $0.line(to: OutlineSource.point(to)) }
    }
    functions.conic_to = { control, to, user in
      OutlineSource.extend(user) { $0.quadCurve(to: OutlineSource.point(to), control: OutlineSource.point(control)) }
    }
    functions.cubic_to = { control1, control2, to, user in
      OutlineSource.extend(user) {
        $0.cubicCurve(
          to: OutlineSource.point(to), control1: OutlineSource.point(control1), control2: OutlineSource.point(control2))
      }
    }
    let status = withUnsafeMutablePointer(to: &path) {
      FT_Outline_Decompose(&face.pointee.glyph.pointee.outline, &functions, $0)
    }
    guard status == 0 else { return Path() }
    path.close()
    return path
  }

  private static func extend(_ user: UnsafeMutableRawPointer?, _ body: (inout Path) -> Void) -> Int32 {
    guard let path = user?.assumingMemoryBound(to: Path.self) else { return 1 }
    body(&path.pointee)
    return 0
  }

  private static func point(_ vector: UnsafePointer<FT_Vector>?) -> Point {
    guard let vector else { return .zero }
    return Point(Double(vector.pointee.x), Double(vector.pointee.y))
  }

  // MARK: Coverage

  /// The outline of a glyph in units of the design; nil for a glyph that is missing or damaged.
  private func loadedOutline(of glyph: UInt32) -> UnsafeMutablePointer<FT_Outline>? {
    guard FT_Load_Glyph(face, glyph, cfreetype_load_font_units()) == 0 else { return nil }
    return withUnsafeMutablePointer(to: &face.pointee.glyph.pointee.outline) { $0 }
  }

  /// The box around all points of a glyph's outline.
  func box(of glyph: UInt32) -> GlyphBox {
    if let box = boxes[glyph] { return box }
    guard let points = pixelsPerEm.map({ pictureBox(of: glyph, $0) }) ?? outlineBox(of: glyph) else { return .empty }
    let box = GlyphBox(
      minX: Int32(clamping: points.xMin), minY: Int32(clamping: points.yMin), maxX: Int32(clamping: points.xMax),
      maxY: Int32(clamping: points.yMax))
    boxes[glyph] = box
    return box
  }

  private func outlineBox(of glyph: UInt32) -> FT_BBox? {
    guard let outline = loadedOutline(of: glyph) else { return nil }
    var points = FT_BBox()
    FT_Outline_Get_CBox(outline, &points)
    return points
  }

  /// The coverage at a size in 1/64 pixel, moved right by `quarter` quarters of a pixel.
  func bitmap(of glyph: UInt32, size64: Int, quarter: Int) -> GlyphBitmap {
    guard let outline = loadedOutline(of: glyph) else { return .empty }
    // The scale from units to 1/64 pixel, in 16.16 fixed point.
    let factor = FT_Fixed((size64 << 16) / unitsPerEm)
    var matrix = FT_Matrix(xx: factor, xy: 0, yx: 0, yy: factor)
    FT_Outline_Transform(outline, &matrix)
    FT_Outline_Translate(outline, quarter * 16, 0)
    var box = FT_BBox()
    FT_Outline_Get_CBox(outline, &box)
    let left = box.xMin >> 6
    let right = (box.xMax + 63) >> 6
    let bottom = box.yMin >> 6
    let top = (box.yMax + 63) >> 6
    let width = right - left
    let height = top - bottom
    guard width > 0, height > 0 else { return .empty }
    guard width <= GlyphBitmap.longestSide, height <= GlyphBitmap.longestSide else { return .empty }

    FT_Outline_Translate(outline, -left * 64, -bottom * 64)
    return GlyphBitmap(box: IntRect(x: left, y: -top, width: width, height: height)) { memory in
      var bitmap = FT_Bitmap()
      bitmap.rows = UInt32(height)
      bitmap.width = UInt32(width)
      bitmap.pitch = Int32(GlyphBitmap.bytesPerRow(width))
      bitmap.buffer = memory
      bitmap.num_grays = 256
      bitmap.pixel_mode = UInt8(FT_PIXEL_MODE_GRAY.rawValue)
      // A damaged outline covers nothing.
      FT_Outline_Get_Bitmap(library, outline, &bitmap)
    }
  }

  /// Adds the coverage of a glyph under a map from units of the design, y upwards, to pixels.
  ///
  /// A pixel's coverage depends on the map alone. FreeType has that property for lines and not for curves, whose ends it rounds
  /// where a part of them is outside of what is asked for: so curves become lines before.
  func add(_ glyph: UInt32, _ map: Affine, to mask: CoverageMask) {
    flat.removeAll()
    guard flat.add(outline(of: glyph), map) else { return }
    var target = mask
    withUnsafeMutablePointer(to: &target) { target in
      var parameters = FT_Raster_Params()
      parameters.flags = FT_RASTER_FLAG_AA | FT_RASTER_FLAG_DIRECT | FT_RASTER_FLAG_CLIP
      parameters.clip_box = FT_BBox(xMin: 0, yMin: 0, xMax: mask.pixels.width, yMax: mask.pixels.height)
      parameters.user = UnsafeMutableRawPointer(target)
      parameters.gray_spans = { y, count, spans, user in
        guard let spans, let mask = user?.assumingMemoryBound(to: CoverageMask.self) else { return }
        for span in UnsafeBufferPointer(start: spans, count: Int(count)) {
          mask.pointee.add(span.coverage, upwards: Int(y), from: Int(span.x), count: Int(span.len))
        }
      }
      flat.withOutline(at: (mask.pixels.minX, mask.pixels.maxY)) { FT_Outline_Render(library, &$0, &parameters) }
    }
  }
}

/// The box around a glyph's outline in units of the design, y upwards.
package struct GlyphBox: Hashable, BitwiseCopyable, Sendable {
  package let minX: Int32
  package let minY: Int32
  package let maxX: Int32
  package let maxY: Int32

  static let empty = GlyphBox(minX: 0, minY: 0, maxX: 0, maxY: 0)

  var isEmpty: Bool { maxX <= minX || maxY <= minY }
  /// The longer side; as long as numbers are where the font lies.
  var side: Int { max(Int(maxX) - Int(minX), Int(maxY) - Int(minY)) }
}
