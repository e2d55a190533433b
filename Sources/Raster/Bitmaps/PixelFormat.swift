/// The two ways of one pixel as a little-endian word: B, G, R, A with alpha multiplied in (how we keep pixels) and R, G, B, A
/// without (how PNG does).
enum PixelFormat {
  @inline(__always)
  static func premultipliedBGRA(fromRGBA word: UInt32) -> UInt32 {
    let alpha = word >> 24
    if alpha == 255 { return swappingRedAndBlue(word) }
    // (x + 128) · 257 / 65 536 is x / 255 rounded to the nearest for every product of two bytes.
    let red = (((word & 0xFF) * alpha + 128) * 257) >> 16
    let green = (((word >> 8 & 0xFF) * alpha + 128) * 257) >> 16
    let blue = (((word >> 16 & 0xFF) * alpha + 128) * 257) >> 16
    return alpha << 24 | red << 16 | green << 8 | blue
  }

  /// Divides by alpha and rounds to the nearest. A component above alpha, which no colour has, becomes 255.
  @inline(__always)
  static func rgba(fromPremultipliedBGRA word: UInt32) -> UInt32 {
    let alpha = word >> 24
    if alpha == 255 { return swappingRedAndBlue(word) }
    if alpha == 0 { return 0 }
    let half = alpha / 2
    let red = min(((word >> 16 & 0xFF) * 255 + half) / alpha, 255)
    let green = min(((word >> 8 & 0xFF) * 255 + half) / alpha, 255)
    let blue = min(((word & 0xFF) * 255 + half) / alpha, 255)
    return alpha << 24 | blue << 16 | green << 8 | red
  }

  @inline(__always)
  static func swappingRedAndBlue(_ word: UInt32) -> UInt32 {
    word & 0xFF00_FF00 | (word & 0xFF) << 16 | (word >> 16) & 0xFF
  }
}
