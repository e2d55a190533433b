public import LinuxSystem

/// Reads and writes PNG files: 8 bits a component in sRGB.
///
/// ```swift
/// try PNG.write(bitmap.freeze(), to: "card.png")
/// let image = try PNG.read(path: "card.png")
/// ```
public enum PNG {
  /// Level 2 of libdeflate. For 1920×1080 pixels of user interface it makes files 2–5 % smaller than level 1 in 75–90 % of
  /// the time, because it skips repetitions faster; only noisy pictures take a quarter longer. Level 6 saves another 3–7 %
  /// for up to 1.4 times the time (2.6 times for noisy pictures). Measured with libdeflate 1.14.
  public static let defaultLevel = 2
  /// The pixels of an image of 8192×8192.
  public static let defaultMaximumPixels = 1 << 26

  /// Reads a PNG file; see `decode(_:maximumPixels:)`.
  public static func read(path: String, maximumPixels: Int = defaultMaximumPixels) throws(PNGError) -> Image {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try OwnedDescriptor.contents(of: path, limit: 1 << 30)
    } catch {
      throw .file(error)
    }
    return try decode(bytes, maximumPixels: maximumPixels, name: path).freeze()
  }
}

/// Why a PNG cannot be read or written.
public enum PNGError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The file cannot be read or written.
  case file(SystemError)
  /// No PNG, or a damaged one. `name` is its path, or empty for bytes in memory.
  case damaged(name: String, reason: String)
  /// More pixels than asked for, or than the format or memory has room for.
  case tooLarge(name: String, width: Int, height: Int, maximumPixels: Int)
  /// Memory cannot be had.
  case outOfMemory(bytes: Int)

  public var description: String {
    func subject(_ name: String) -> String { name.isEmpty ? "PNG" : "PNG \(name)" }
    return switch self {
    case .file(let error):
      "PNG: \(error)"
    case .damaged(let name, let reason):
      "\(subject(name)): not a PNG, or a damaged one (\(reason)); a complete PNG file is accepted"
    case .tooLarge(let name, let width, let height, let maximumPixels):
      "\(subject(name)): \(width)x\(height) pixels are too large; at most \(maximumPixels) in all and "
        + "\(Bitmap.maximumSide) on a side are accepted"
    case .outOfMemory(let bytes):
      "PNG: no memory for \(bytes) bytes; use a smaller image"
    }
  }
}
