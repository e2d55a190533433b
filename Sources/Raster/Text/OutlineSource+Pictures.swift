internal import CFreeType

// Fonts whose glyphs are pictures in colour, as those of emoji are: PNG files in the font, each in a few sizes or one.

/// The picture of a glyph.
struct GlyphPicture: Sendable {
  let image: Image
  /// The place of its upper left corner from the glyph's origin, in pixels, y upwards.
  let left: Int
  let top: Int
}

extension OutlineSource {
  /// The pixels per em of the largest pictures; nil for a font that has none.
  static func largestStrike(of face: FT_Face) -> Int? {
    guard cfreetype_has_pictures(face) != 0, let sizes = face.pointee.available_sizes else { return nil }
    let all = 0..<Int(face.pointee.num_fixed_sizes)
    guard let largest = all.max(by: { sizes[$0].y_ppem < sizes[$1].y_ppem }), sizes[largest].y_ppem >= 64,
      FT_Select_Size(face, Int32(largest)) == 0
    else { return nil }
    return sizes[largest].y_ppem / 64
  }

  /// The picture of a glyph; nil for one that has none, or a damaged or very large one.
  func picture(of glyph: UInt32) -> GlyphPicture? {
    if let picture = pictures.value(for: glyph) { return picture }
    guard let picture = loadedPicture(of: glyph) else { return nil }
    pictures.insert(picture, for: glyph, cost: picture.image.bytesPerRow * picture.image.height + 128)
    return picture
  }

  private func loadedPicture(of glyph: UInt32) -> GlyphPicture? {
    // The pixels are decoded when their number is known.
    guard pictureBox(of: glyph, unitsPerEm) != nil, FT_Load_Glyph(face, glyph, cfreetype_load_pictures()) == 0,
      let slot = face.pointee.glyph
    else { return nil }
    let bitmap = slot.pointee.bitmap
    guard bitmap.pixel_mode == UInt8(FT_PIXEL_MODE_BGRA.rawValue), let pixels = bitmap.buffer, bitmap.pitch > 0,
      let copy = try? Bitmap(width: Int(bitmap.width), height: Int(bitmap.rows))
    else { return nil }
    for y in 0..<copy.height {
      copy.row(y).copyMemory(from: pixels + y * Int(bitmap.pitch), byteCount: copy.width * 4)
    }
    return GlyphPicture(image: copy.freeze(), left: Int(slot.pointee.bitmap_left), top: Int(slot.pointee.bitmap_top))
  }

  /// The box of a glyph's picture, where an em has `pixelsPerEm` pixels, in units of the design; nil without one.
  func pictureBox(of glyph: UInt32, _ pixelsPerEm: Int) -> FT_BBox? {
    guard FT_Load_Glyph(face, glyph, cfreetype_load_picture_sizes()) == 0, let slot = face.pointee.glyph else { return nil }
    let (width, height) = (Int(slot.pointee.bitmap.width), Int(slot.pointee.bitmap.rows))
    let sides = 1...GlyphBitmap.longestSide
    guard sides.contains(width), sides.contains(height) else { return nil }
    let (left, top) = (Int(slot.pointee.bitmap_left), Int(slot.pointee.bitmap_top))
    func units(_ pixels: Int, _ rule: FloatingPointRoundingRule) -> Int {
      Int((Double(pixels) * Double(unitsPerEm) / Double(pixelsPerEm)).rounded(rule))
    }
    return FT_BBox(
      xMin: units(left, .down), yMin: units(top - height, .down), xMax: units(left + width, .up), yMax: units(top, .up))
  }
}
