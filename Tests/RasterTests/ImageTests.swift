import Testing

@testable import Raster

/// Images at half their size.
struct ImageTests {
  /// Each pixel is the mean of two or four, rounded to the nearest in each channel; at odd sides the last one is alone.
  @Test(arguments: [(2, 2), (7, 5), (8, 1), (1, 9), (33, 6), (1, 1)])
  func halvesAreMeans(width: Int, height: Int) throws {
    let bitmap = try Bitmap(width: width, height: height)
    for y in 0..<height {
      for x in 0..<width { bitmap[x, y] = UInt32(truncatingIfNeeded: (y * width + x + 1) * 0x9E37_79B1) }
    }
    let image = bitmap.freeze()
    for (halvesWidth, halvesHeight) in [(false, false), (true, false), (false, true), (true, true)] {
      let half = image.halved(width: halvesWidth, height: halvesHeight)
      let (columns, rows) = (halvesWidth && width > 1 ? 2 : 1, halvesHeight && height > 1 ? 2 : 1)
      #expect((half == nil) == (columns * rows == 1))
      guard let half else { continue }
      #expect(image.halved(width: halvesWidth, height: halvesHeight) === half, "it is made again")
      #expect(half.width == (width + columns - 1) / columns && half.height == (height + rows - 1) / rows)
      for y in 0..<half.height {
        for x in 0..<half.width {
          let (right, below) = (min(x * columns + columns - 1, width - 1), min(y * rows + rows - 1, height - 1))
          let four = [y * rows, below].flatMap { y in [x * columns, right].map { bitmap[$0, y] } }
          for shift in [0, 8, 16, 24] as [UInt32] {
            let sum = four.reduce(0) { $0 + ($1 >> shift & 255) }
            #expect(half.pixels[y * half.width + x] >> shift & 255 == (sum + 2) / 4, "\(columns):\(rows) at \(x), \(y)")
          }
        }
      }
    }
  }
}
