import Geometry
import Raster
import Testing

extension Bitmap {
  subscript(x: Int, y: Int) -> UInt32 {
    get { row(y).load(fromByteOffset: x * 4, as: UInt32.self) }
    set { row(y).storeBytes(of: newValue, toByteOffset: x * 4, as: UInt32.self) }
  }

  /// The pixels row by row, without the padding between rows.
  var pixels: [UInt32] {
    (0..<height).flatMap { y in (0..<width).map { self[$0, y] } }
  }

  /// Draws on clear pixels.
  static func drawing(width: Int, height: Int, scale: Double = 1, _ body: (DrawingContext) -> Void) throws -> Bitmap {
    let bitmap = try Bitmap(width: width, height: height)
    let context = DrawingContext(bitmap: bitmap, scale: scale)
    body(context)
    context.flush()
    return bitmap
  }

  /// Random pixels that a drawing can contain: no component is above alpha.
  static func random(
    width: Int, height: Int, isOpaque: Bool, using generator: inout some RandomNumberGenerator
  ) throws -> Bitmap {
    let bitmap = try Bitmap(width: width, height: height)
    for y in 0..<height {
      for x in 0..<width {
        // Clear and opaque pixels are the special cases of every conversion.
        let alpha: UInt32 =
          isOpaque ? 255 : [0, 255, .random(in: 0...255, using: &generator)].randomElement(using: &generator) ?? 0
        let red = UInt32.random(in: 0...alpha, using: &generator)
        let green = UInt32.random(in: 0...alpha, using: &generator)
        let blue = UInt32.random(in: 0...alpha, using: &generator)
        bitmap[x, y] = alpha << 24 | red << 16 | green << 8 | blue
      }
    }
    return bitmap
  }
}

extension Image {
  var pixels: [UInt32] {
    (0..<height).flatMap { y in (0..<width).map { row(y).load(fromByteOffset: $0 * 4, as: UInt32.self) } }
  }
}

/// The largest difference between the bytes of two pixels.
func difference(_ left: UInt32, _ right: UInt32) -> Int {
  (0..<4).map { shift in
    abs(Int(left >> UInt32(shift * 8) & 0xFF) - Int(right >> UInt32(shift * 8) & 0xFF))
  }.max() ?? 0
}

func alpha(_ pixel: UInt32) -> Int { Int(pixel >> 24) }
