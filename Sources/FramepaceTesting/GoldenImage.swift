public import Framepace
import Glibc

/// Compares pictures with stored ones by decoded pixels: the encoder may change the files, but not the pixels.
///
/// ```swift
/// try GoldenImage.check(stage.display.capture(), against: "Goldens/card.png")
/// ```
public enum GoldenImage {
  /// The difference that is accepted.
  public struct Tolerance: Sendable {
    /// The largest difference of one channel of one pixel, 0…255.
    public var channel: Int
    /// The number of pixels that may differ.
    public var pixels: Int

    public init(channel: Int, pixels: Int) {
      self.channel = channel
      self.pixels = pixels
    }

    /// No difference is accepted.
    public static let exact = Tolerance(channel: 0, pixels: 0)
  }

  /// The reason why a picture fails.
  public enum Failure: Error, CustomStringConvertible {
    /// There was no stored picture. It was written now, and the run fails all the same: look at the picture first.
    case written(path: String)
    /// There was no stored picture, and no folder for it.
    case folder(path: String, reason: String)
    case size(path: String, expected: String, found: String)
    /// Pixels differ. `difference` is the path of a picture that is grey where they agree and red where they differ.
    case pixels(path: String, count: Int, largest: Int, difference: String)

    public var description: String {
      switch self {
      case .written(let path):
        "\(path) did not exist and has been written: look at it, commit it, and run again"
      case .folder(let path, let reason):
        "\(path) does not exist and cannot be written: \(reason), then run again"
      case .size(let path, let expected, let found):
        "\(path) is \(expected) pixels, the picture \(found)"
      case .pixels(let path, let count, let largest, let difference):
        "\(path): \(count) pixels differ, the largest difference of a channel is \(largest); see \(difference)"
      }
    }
  }

  /// Throws a `Failure` unless `image` equals the picture at `path` within `tolerance`.
  ///
  /// - Parameter differences: the folder for difference pictures, made if missing; nil for a folder of the user under /tmp.
  public static func check(
    _ image: Image, against path: String, tolerance: Tolerance = .exact, differences: String? = nil
  ) throws {
    guard access(path, F_OK) == 0 else {
      if let missing = AtomicFile.missingFolder(of: path) { throw Failure.folder(path: path, reason: missing.sentence) }
      try PNG.write(image, to: path, effort: .small)
      throw Failure.written(path: path)
    }
    let expected = try PNG.read(path: path)
    guard expected.width == image.width, expected.height == image.height else {
      throw Failure.size(
        path: path, expected: "\(expected.width)x\(expected.height)", found: "\(image.width)x\(image.height)")
    }
    let comparison = try compare(image, expected)
    guard comparison.largest > tolerance.channel || comparison.count > tolerance.pixels else { return }
    let folder = differences ?? "/tmp/framepace-differences-\(getuid())"
    mkdir(folder, 0o755)
    // The name includes the folders, as several suites have a golden with the same name.
    let difference = "\(folder)/\(path.split(separator: "/").suffix(3).joined(separator: "-"))"
    try PNG.write(comparison.picture, to: difference)
    throw Failure.pixels(path: path, count: comparison.count, largest: comparison.largest, difference: difference)
  }

  private static func compare(_ image: Image, _ expected: Image) throws -> (count: Int, largest: Int, picture: Image) {
    let picture = try Bitmap(width: image.width, height: image.height)
    var count = 0
    var largest = 0
    for y in 0..<image.height {
      let found = image.row(y).assumingMemoryBound(to: UInt8.self)
      let wanted = expected.row(y).assumingMemoryBound(to: UInt8.self)
      let out = picture.row(y).assumingMemoryBound(to: UInt32.self)
      for x in 0..<image.width {
        var worst = 0
        for channel in 0..<4 { worst = max(worst, abs(Int(found[4 * x + channel]) - Int(wanted[4 * x + channel]))) }
        let grey = UInt32(192 + Int(wanted[4 * x + 1]) / 4)
        out[x] = worst == 0 ? 0xFF00_0000 | grey << 16 | grey << 8 | grey : 0xFFFF_0000
        if worst > 0 { count += 1 }
        largest = max(largest, worst)
      }
    }
    return (count, largest, picture.freeze(isOpaque: true))
  }
}
