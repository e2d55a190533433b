import Glibc
import ImageFiles
import LinuxSystem
import Raster
import Testing

/// The pictures beside these tests, which the script `make` there has written with Pillow.
enum Pictures {
  static let folder = String(#filePath.dropLast("/Pictures.swift".count)) + "/Pictures"

  static let names: [String] = ((try? OwnedDescriptor.names(in: folder)) ?? []).filter { $0.contains(".") }.sorted()
  /// The expected pictures, but for those that follow the first one of an animation.
  static let expected: [String] = ((try? OwnedDescriptor.names(in: folder + "/expected")) ?? []).sorted().filter { name in
    !(0...6).contains { name.hasSuffix("-\($0).png") && name.hasPrefix("moving") || name.hasSuffix(".gif-\($0).png") }
  }

  static func bytes(_ name: String) throws -> [UInt8] {
    try OwnedDescriptor.contents(of: folder + "/" + name, limit: 1 << 20)
  }

  static func file(_ name: String, limits: ImageLimits = ImageLimits()) throws -> ImageFile {
    try ImageFile(path: folder + "/" + name, limits: limits)
  }
}

extension Image {
  /// The pixels row by row, without the padding between rows.
  var pixels: [UInt32] {
    (0..<height).flatMap { y in (0..<width).map { row(y).load(fromByteOffset: $0 * 4, as: UInt32.self) } }
  }

  /// The largest difference between the bytes of this image and another of the same size; nil if sizes differ.
  func difference(to other: Image) -> Int? {
    guard width == other.width, height == other.height else { return nil }
    var largest = 0
    for (left, right) in zip(pixels, other.pixels) {
      for shift in [0, 8, 16, 24] as [UInt32] {
        let (one, two) = (Int(left >> shift & 0xFF), Int(right >> shift & 0xFF))
        largest = max(largest, abs(one - two))
      }
    }
    return largest
  }

  /// True if no colour of a pixel is above its alpha.
  var isMultiplied: Bool {
    pixels.allSatisfy { pixel in
      let alpha = pixel >> 24
      return pixel & 0xFF <= alpha && pixel >> 8 & 0xFF <= alpha && pixel >> 16 & 0xFF <= alpha
    }
  }
}
