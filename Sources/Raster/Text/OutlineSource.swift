internal import CFreeType
import Geometry

/// FreeType's view of a face: outlines, and coverage made of them, without hinting. One thread at a time may use it.
final class OutlineSource {
  let unitsPerEm: Int
  var ascender: Int { Int(face.pointee.ascender) }
  var descender: Int { Int(face.pointee.descender) }
  var height: Int { Int(face.pointee.height) }

  private let data: FontData
  private let library: FT_Library
  private let face: FT_Face
  private var cache = GenerationCache<UInt32, Path>(limit: 1 << 20)

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
    guard cfreetype_is_scalable(face) != 0, face.pointee.units_per_EM >= 16 else {
      FT_Done_Face(face)
      FT_Done_FreeType(library)
      throw .unusable(path: path, reason: "the font has no outlines")
    }
    self.data = data
    self.library = library
    self.face = face
    unitsPerEm = Int(face.pointee.units_per_EM)
  }

  deinit {
    FT_Done_Face(face)
    FT_Done_FreeType(library)
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

  /// The coverage at a size in 1/64 pixel, moved right by `quarter` quarters of a pixel.
  func bitmap(of glyph: UInt32, size64: Int, quarter: Int) -> GlyphBitmap {
    guard FT_Load_Glyph(face, glyph, cfreetype_load_font_units()) == 0 else { return .empty }
    // The scale from units to 1/64 pixel, in 16.16 fixed point.
    let factor = FT_Fixed((size64 << 16) / unitsPerEm)
    var matrix = FT_Matrix(xx: factor, xy: 0, yx: 0, yy: factor)
    let outline: UnsafeMutablePointer<FT_Outline> = withUnsafeMutablePointer(to: &face.pointee.glyph.pointee.outline) { $0 }
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
    guard width <= GlyphBitmap.longestSide, height <= GlyphBitmap.longestSide else { return .oversized }

    FT_Outline_Translate(outline, -left * 64, -bottom * 64)
    var coverage = [UInt8](repeating: 0, count: width * height)
    let status = coverage.withUnsafeMutableBufferPointer { buffer in
      var bitmap = FT_Bitmap()
      bitmap.rows = UInt32(height)
      bitmap.width = UInt32(width)
      bitmap.pitch = Int32(width)
      bitmap.buffer = buffer.baseAddress
      bitmap.num_grays = 256
      bitmap.pixel_mode = UInt8(FT_PIXEL_MODE_GRAY.rawValue)
      return FT_Outline_Get_Bitmap(library, outline, &bitmap)
    }
    guard status == 0 else { return .empty }
    return GlyphBitmap(left: left, top: -top, width: width, height: height, coverage: coverage)
  }
}
