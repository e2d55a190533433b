public import LinuxSystem

/// Reads and writes PNG files: 8 bits a component in sRGB.
///
/// ```swift
/// try PNG.write(bitmap.freeze(), to: "card.png")
/// let image = try PNG.read(path: "card.png")
/// ```
///
/// Moving pictures are written by ``AnimatedPNG``.
public enum PNG {
  /// How much time an encoder may spend on a smaller file.
  public enum Effort: Sendable, CaseIterable {
    /// For pictures of which many are made: a screen of user interface takes about 3 ms and is some tenth larger than with the
    /// other effort. ISA-L compresses at its level 1 where Debian has it (amd64), libdeflate at its level 1 elsewhere.
    case fast
    /// For files that are kept: takes some ten times as long. libdeflate compresses at its level 6, with and without filters.
    case small
  }

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
  /// A picture of an animation has another size than the animation, or there are more pictures than it was made for.
  case animation(reason: String)
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
    case .animation(let reason):
      "animated PNG: \(reason)"
    case .outOfMemory(let bytes):
      "PNG: no memory for \(bytes) bytes; use a smaller image"
    }
  }
}
