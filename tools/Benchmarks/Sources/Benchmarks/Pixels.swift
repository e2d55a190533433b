import Raster

/// A bitmap as large as a screen.
final class Pixels {
  static let width: Int32 = 1920
  static let height: Int32 = 1080
  static let count = Int(width) * Int(height)
  /// The pixels, row after row without padding.
  let bitmap: Bitmap
  let base: UnsafeMutablePointer<UInt32>

  enum Alpha {
    case opaque
    /// Any alpha, pixel by pixel.
    case noise
    /// Opaque cards with soft shadows on a clear ground, the picture of a user interface.
    case interface
  }

  init(_ alpha: Alpha, seed: UInt64) throws {
    bitmap = try Bitmap(width: Int(Self.width), height: Int(Self.height))
    guard bitmap.bytesPerRow == bitmap.width * 4 else { throw BenchmarkError("a bitmap's rows are padded") }
    base = bitmap.base.assumingMemoryBound(to: UInt32.self)
    var random = Random(seed: seed)
    for index in 0..<Self.count {
      let alpha: UInt32 =
        switch alpha {
        case .opaque: 255
        case .noise: .random(in: 0...255, using: &random)
        case .interface: Self.card(x: index % Int(Self.width) % 320, y: index / Int(Self.width) % 180)
        }
      func channel() -> UInt32 { UInt32(truncatingIfNeeded: random.next() >> 32 & 255) * alpha / 255 }
      base[index] = alpha << 24 | channel() << 16 | channel() << 8 | channel()
    }
  }

  /// The alpha of a card of 280 × 140 pixels, which fades away within the next eight.
  private static func card(x: Int, y: Int) -> UInt32 {
    let distance = max(abs(x - 160) - 140, abs(y - 90) - 70, 0)
    return distance == 0 ? 255 : distance > 8 ? 0 : UInt32(90 - distance * 10)
  }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: Self.count * 4) }

  /// Makes all of it opaque black.
  func clear() { base.update(repeating: 0xFF00_0000, count: Self.count) }

  /// The pixels as they are now.
  func copy() throws -> Image {
    let copy = try Bitmap(width: bitmap.width, height: bitmap.height)
    copy.base.copyMemory(from: base, byteCount: Self.count * 4)
    return copy.freeze()
  }

  /// Calls a kernel with each row and that of a source, as the compositor does.
  func rows(_ source: Pixels, _ kernel: (UnsafeMutablePointer<UInt32>, UnsafePointer<UInt32>, Int64) -> Void) {
    for y in 0..<Int(Self.height) {
      let start = y * Int(Self.width)
      kernel(base + start, source.base + start, Int64(Self.width))
    }
  }
}

/// A linear congruential generator (Knuth's MMIX): every run measures the same pixels.
private struct Random: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 32
  }
}
