import CImageFiles
import LinuxSystem
import Testing

@Suite struct PixelTests {
  /// Each pixel is the mean of the area that it covers, by whole numbers.
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func reductionIsTheMeanOfAnArea(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    for _ in 0..<40 {
      let (width, height) = (Int.random(in: 1...40, using: &generator), Int.random(in: 1...40, using: &generator))
      let (columns, rows) = (Int.random(in: 1...width, using: &generator), Int.random(in: 1...height, using: &generator))
      let source = (0..<width * height).map { _ in
        Bool.random(using: &generator) ? UInt32.max : UInt32.random(in: 0 ... .max, using: &generator)
      }
      #expect(
        try reduced(source, width: width, height: height, columns: columns, rows: rows)
          == plain(source, width: width, height: height, columns: columns, rows: rows),
        "\(width)x\(height) to \(columns)x\(rows)")
    }
  }

  /// The longest sides overflow nothing: a white line stays white.
  @Test func longestSidesAreReduced() throws {
    let white = [UInt32](repeating: .max, count: 65_535)
    #expect(try reduced(white, width: 65_535, height: 1, columns: 7, rows: 1) == [UInt32](repeating: .max, count: 7))
    #expect(try reduced(white, width: 1, height: 65_535, columns: 1, rows: 7) == [UInt32](repeating: .max, count: 7))
  }

  private func reduced(_ source: [UInt32], width: Int, height: Int, columns: Int, rows: Int) throws -> [UInt32] {
    let reduction = try #require(
      cimagefiles_reduction_open(UInt32(width), UInt32(height), UInt32(columns), UInt32(rows)))
    defer { cimagefiles_reduction_close(reduction) }
    var result: [UInt32] = []
    var row = [UInt32](repeating: 0, count: columns)
    for y in 0..<height {
      let isComplete = source.withUnsafeBufferPointer { source in
        source.baseAddress.map { cimagefiles_reduction_add(reduction, $0 + y * width, &row) } ?? false
      }
      if isComplete { result += row }
    }
    return result
  }

  private func plain(_ source: [UInt32], width: Int, height: Int, columns: Int, rows: Int) -> [UInt32] {
    /// The common part of pixel `index` of `count` and pixel `result` of `results`, in units of which the source has `results` a pixel.
    func overlap(_ index: Int, of count: Int, _ result: Int, of results: Int) -> Int {
      max(min((index + 1) * results, (result + 1) * count) - max(index * results, result * count), 0)
    }
    var means: [UInt32] = []
    for row in 0..<rows {
      for column in 0..<columns {
        var mean: UInt32 = 0
        for shift in [0, 8, 16, 24] as [UInt32] {
          var sum = 0
          for y in 0..<height {
            let tall = overlap(y, of: height, row, of: rows)
            for x in 0..<width where tall > 0 {
              let value = Int(source[y * width + x] >> shift & 0xFF)
              sum += tall * overlap(x, of: width, column, of: columns) * value
            }
          }
          let rounded = (sum + width * height / 2) / (width * height)
          mean |= UInt32(rounded) << shift
        }
        means.append(mean)
      }
    }
    return means
  }

  @Test func everyAlphaIsMultipliedIn() {
    for alpha in 0...255 as ClosedRange<UInt32> {
      func pixel(_ value: UInt32, _ other: UInt32) -> UInt32 { alpha << 24 | value << 16 | other << 8 | value }
      func share(_ value: UInt32) -> UInt32 { UInt32((Double(value) * Double(alpha) / 255).rounded()) }
      let values = Array(0...255 as ClosedRange<UInt32>)
      var pixels = values.map { pixel($0, 255 - $0) }
      cimagefiles_premultiply(&pixels, pixels.count)
      #expect(pixels == values.map { pixel(share($0), share(255 - $0)) })
    }
  }
}
