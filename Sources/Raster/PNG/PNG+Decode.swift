extension PNG {
  /// Decodes a PNG file of any kind (grey, palette, 16 bits, interlaced). Its values are taken as sRGB, whatever gamma or
  /// profile the file states. Any damaged input throws.
  ///
  /// Alpha is multiplied in with rounding to the nearest; `encode` reverses it, so that encoding and decoding give the same
  /// pixels.
  ///
  /// - Parameter maximumPixels: a larger image throws `tooLarge` before memory is taken for it.
  public static func decode(_ bytes: [UInt8], maximumPixels: Int = defaultMaximumPixels) throws(PNGError) -> Bitmap {
    try decode(bytes, maximumPixels: maximumPixels, name: "")
  }

  static func decode(_ bytes: [UInt8], maximumPixels: Int, name: String) throws(PNGError) -> Bitmap {
    try bytes.withUnsafeBufferPointer { (bytes) throws(PNGError) in
      try decode(UnsafeRawBufferPointer(bytes), maximumPixels: maximumPixels, name: name)
    }
  }

  private static func decode(
    _ bytes: UnsafeRawBufferPointer, maximumPixels: Int, name: String
  ) throws(PNGError) -> Bitmap {
    let reader = try PNGReader(bytes, maximumPixels: maximumPixels, name: name)
    let bitmap: Bitmap
    do throws(BitmapError) {
      bitmap = try Bitmap(width: reader.width, height: reader.height)
    } catch {
      throw .outOfMemory(bytes: reader.width * reader.height * 4)
    }
    while let y = try reader.nextRow() { try reader.readRow(into: bitmap.row(y)) }
    for y in 0..<bitmap.height {
      premultiply(bitmap.row(y).assumingMemoryBound(to: UInt32.self), count: bitmap.width)
    }
    return bitmap
  }

  /// Converts R, G, B, A to B, G, R, A with alpha multiplied in, rounded to the nearest.
  private static func premultiply(_ row: UnsafeMutablePointer<UInt32>, count: Int) {
    for x in 0..<count {
      let word = row[x]
      row[x] = PixelFormat.premultipliedBGRA(fromRGBA: word)
    }
  }
}

/// The conversion of one pixel, a little-endian word, from PNG's form (R, G, B, A) to the bitmap's (B, G, R, A with alpha
/// multiplied in).
enum PixelFormat {
  @inline(__always)
  static func premultipliedBGRA(fromRGBA word: UInt32) -> UInt32 {
    let alpha = word >> 24
    if alpha == 255 { return word & 0xFF00_FF00 | (word & 0xFF) << 16 | (word >> 16) & 0xFF }
    // (x + 128) · 257 / 65 536 is x / 255 rounded to the nearest for every product of two bytes.
    let red = (((word & 0xFF) * alpha + 128) * 257) >> 16
    let green = (((word >> 8 & 0xFF) * alpha + 128) * 257) >> 16
    let blue = (((word >> 16 & 0xFF) * alpha + 128) * 257) >> 16
    return alpha << 24 | red << 16 | green << 8 | blue
  }
}
