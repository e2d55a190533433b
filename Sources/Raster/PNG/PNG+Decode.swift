internal import CSpng
import Glibc

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
    func check(_ status: Int32) throws(PNGError) {
      guard status != 0 else { return }
      if status == Int32(SPNG_EMEM.rawValue) { throw .outOfMemory(bytes: bytes.count) }
      throw .damaged(name: name, reason: spng_strerror(status).map { String(cString: $0) } ?? "error \(status)")
    }

    guard !bytes.isEmpty else { throw .damaged(name: name, reason: "empty") }
    guard let decoder = spng_ctx_new(0) else { throw .outOfMemory(bytes: bytes.count) }
    defer { spng_ctx_free(decoder) }
    // Text and profiles are ignored, so they need no room to unpack.
    try check(spng_set_chunk_limits(decoder, 1 << 20, 1 << 22))
    try check(spng_set_png_buffer(decoder, bytes.baseAddress, bytes.count))
    var header = spng_ihdr()
    try check(spng_get_ihdr(decoder, &header))
    let width = Int(header.width)
    let height = Int(header.height)
    guard width <= Bitmap.maximumSide, height <= Bitmap.maximumSide, width * height <= maximumPixels else {
      throw .tooLarge(name: name, width: width, height: height, maximumPixels: maximumPixels)
    }

    // Deflate makes at most 1,032 bytes of one: a file that states more than it can hold takes no memory.
    let bits = Int(header.bit_depth) * channels(of: header.color_type)
    guard (width * bits + 7) / 8 * height / 1032 <= bytes.count else {
      throw .damaged(name: name, reason: "\(bytes.count) bytes cannot hold \(width)x\(height) pixels")
    }

    let bitmap: Bitmap
    do throws(BitmapError) {
      bitmap = try Bitmap(width: width, height: height)
    } catch {
      throw .outOfMemory(bytes: width * height * 4)
    }
    // The decoder writes rows without gaps. They are then moved to their places, the last one first, since all of them move
    // down.
    try check(
      spng_decode_image(
        decoder, bitmap.base, width * height * 4, Int32(SPNG_FMT_RGBA8.rawValue), Int32(SPNG_DECODE_TRNS.rawValue)))
    for y in stride(from: height - 1, through: 0, by: -1) {
      memmove(bitmap.row(y), bitmap.base + y * width * 4, width * 4)
      premultiply(bitmap.row(y).assumingMemoryBound(to: UInt32.self), count: width)
    }
    return bitmap
  }

  /// The components of a pixel of PNG's colour type.
  private static func channels(of colorType: UInt8) -> Int {
    switch Int(colorType) {
    case Int(SPNG_COLOR_TYPE_TRUECOLOR.rawValue): 3
    case Int(SPNG_COLOR_TYPE_GRAYSCALE_ALPHA.rawValue): 2
    case Int(SPNG_COLOR_TYPE_TRUECOLOR_ALPHA.rawValue): 4
    default: 1
    }
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
