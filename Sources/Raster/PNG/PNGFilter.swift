/// The filter step of PNG: each row is stored as its differences to the pixel on the left ("sub") or to the row above ("up"),
/// whichever promises to compress better.
enum PNGFilter {
  // Loops count by hand: without optimisation a `for` over a range takes ten times as long.

  /// The filtered rows, each behind the number of its filter.
  static func rows(of image: Image, bytesPerPixel: Int) -> [UInt8] {
    let width = image.width
    let rowBytes = 1 + width * bytesPerPixel
    var output = [UInt8](repeating: 0, count: rowBytes * image.height)
    // The row and the one above it as words R, G, B, A; the top byte is 0 in RGB. One clear pixel stands before each row.
    var current = [UInt32](repeating: 0, count: width + 1)
    var above = current
    for y in 0..<image.height {
      let source = image.row(y).assumingMemoryBound(to: UInt32.self)
      let start = y * rowBytes
      current.withUnsafeMutableBufferPointer { current in
        above.withUnsafeBufferPointer { above in
          output.withUnsafeMutableBufferPointer { output in
            guard let current = current.baseAddress, let above = above.baseAddress, let output = output.baseAddress else {
              return
            }
            let row = Row(current: current + 1, above: above + 1, width: width)
            row.load(source, isOpaque: bytesPerPixel == 3)
            row.write(to: output + start, bytesPerPixel: bytesPerPixel)
          }
        }
      }
      swap(&current, &above)
    }
    withExtendedLifetime(image) {}
    return output
  }

  private struct Row {
    let current: UnsafeMutablePointer<UInt32>
    let above: UnsafePointer<UInt32>
    let width: Int

    func load(_ source: UnsafePointer<UInt32>, isOpaque: Bool) {
      var x = 0
      while x < width {
        let word = source[x]
        current[x] =
          isOpaque ? PixelFormat.swappingRedAndBlue(word) & 0x00FF_FFFF : PixelFormat.rgba(fromPremultipliedBGRA: word)
        x += 1
      }
    }

    func write(to output: UnsafeMutablePointer<UInt8>, bytesPerPixel: Int) {
      let left = UnsafePointer(current) - 1
      let isSub = Self.cost(of: current, against: left, width) < Self.cost(of: current, against: above, width)
      output[0] = isSub ? 1 : 2
      let reference = isSub ? left : above
      if bytesPerPixel == 3 {
        packThreeBytes(reference, UnsafeMutableRawPointer(output + 1))
      } else {
        let target = UnsafeMutableRawPointer(output + 1)
        var x = 0
        while x < width {
          target.storeBytes(of: Self.difference(current[x], reference[x]), toByteOffset: x * 4, as: UInt32.self)
          x += 1
        }
      }
    }

    /// Four pixels of which the top byte is 0 into three words.
    private func packThreeBytes(_ reference: UnsafePointer<UInt32>, _ target: UnsafeMutableRawPointer) {
      let whole = width & ~3
      var x = 0
      while x < whole {
        let a = Self.difference(current[x], reference[x])
        let b = Self.difference(current[x + 1], reference[x + 1])
        let c = Self.difference(current[x + 2], reference[x + 2])
        let d = Self.difference(current[x + 3], reference[x + 3])
        target.storeBytes(of: a | b << 24, toByteOffset: x * 3, as: UInt32.self)
        target.storeBytes(of: b >> 8 | c << 16, toByteOffset: x * 3 + 4, as: UInt32.self)
        target.storeBytes(of: c >> 16 | d << 8, toByteOffset: x * 3 + 8, as: UInt32.self)
        x += 4
      }
      while x < width {
        let word = Self.difference(current[x], reference[x])
        for byte in 0..<3 {
          target.storeBytes(
            of: UInt8(truncatingIfNeeded: word >> UInt32(8 * byte)), toByteOffset: x * 3 + byte, as: UInt8.self)
        }
        x += 1
      }
    }

    /// The four differences of bytes, each modulo 256, without a borrow from one to the next.
    @inline(__always)
    private static func difference(_ a: UInt32, _ b: UInt32) -> UInt32 {
      ((a | 0x8080_8080) &- (b & 0x7F7F_7F7F)) ^ ((a ^ ~b) & 0x8080_8080)
    }

    /// How much is left to pack: pixels that differ at all count most, as equal ones nearly vanish; then how far apart
    /// their green is.
    private static func cost(of row: UnsafeMutablePointer<UInt32>, against reference: UnsafePointer<UInt32>, _ width: Int)
      -> UInt32
    {
      var cost: UInt32 = 0
      var x = 0
      while x < width {
        let (word, other) = (row[x], reference[x])
        if word != other {
          let (green, otherGreen) = (word >> 8 & 0xFF, other >> 8 & 0xFF)
          cost &+= 16 &+ (green > otherGreen ? green &- otherGreen : otherGreen &- green)
        }
        x += 1
      }
      return cost
    }
  }
}
