import Glibc

/// Why a bitmap cannot be made.
public enum BitmapError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A side is below 1 or above `Bitmap.maximumSide`.
  case size(width: Int, height: Int)
  /// The memory for it cannot be had.
  case outOfMemory(bytes: Int)

  public var description: String {
    switch self {
    case .size(let width, let height):
      "bitmap of \(width)x\(height) pixels: both sides must be from 1 to \(Bitmap.maximumSide)"
    case .outOfMemory(let bytes):
      "bitmap: no memory for \(bytes) bytes; use a smaller size or scale"
    }
  }
}

/// Pixels to draw into: rows from top to bottom, each pixel the bytes B, G, R, A (one little-endian word 0xAARRGGBB),
/// alpha multiplied in.
///
/// A bitmap belongs to one thread at a time. What is finished becomes an `Image` by `freeze()` and may go anywhere.
public final class Bitmap {
  /// The longest side that can be had: what Cairo's coordinates can address.
  public static let maximumSide = 32_767

  public let width: Int
  public let height: Int
  /// Bytes from one row to the next; at least 4 × `width`.
  public let bytesPerRow: Int
  /// The first byte of the top row.
  public var base: UnsafeMutableRawPointer { memory.base }
  /// Whether an image was made of it.
  private(set) var isFrozen = false

  private let memory: PixelMemory

  /// All pixels clear (0). Rows start at multiples of 64 bytes.
  public init(width: Int, height: Int) throws(BitmapError) {
    guard (1...Self.maximumSide).contains(width), (1...Self.maximumSide).contains(height) else {
      throw .size(width: width, height: height)
    }
    let bytesPerRow = (width * 4 + 63) & ~63
    var pointer: UnsafeMutableRawPointer?
    guard posix_memalign(&pointer, 64, bytesPerRow * height) == 0, let pointer else {
      throw .outOfMemory(bytes: bytesPerRow * height)
    }
    memset(pointer, 0, bytesPerRow * height)
    self.width = width
    self.height = height
    self.bytesPerRow = bytesPerRow
    memory = PixelMemory(base: pointer)
  }

  /// The first byte of a row.
  @inline(__always)
  public func row(_ y: Int) -> UnsafeMutableRawPointer { base + y * bytesPerRow }

  /// Sets every pixel to clear.
  public func clear() {
    memset(base, 0, bytesPerRow * height)
  }

  /// The pixels as they are now, never to change again: the bitmap shares its memory with the image, and must not be written
  /// to afterwards.
  ///
  /// - Parameter isOpaque: whether every alpha is 255; looked up in the pixels when nil.
  public func freeze(isOpaque: Bool? = nil) -> Image {
    isFrozen = true
    return Image(width: width, height: height, bytesPerRow: bytesPerRow, memory: memory, isOpaque: isOpaque)
  }
}

/// The memory behind a bitmap and the images made of it.
///
/// Safe to share although unchecked: the pointer never changes, and behind an image nobody writes through it (a bitmap ends
/// to be written to when it is frozen). A bitmap that is no image yet is written by whoever has it; what shares it between
/// threads, as compositing in bands does, gives each its own rows.
final class PixelMemory: @unchecked Sendable {
  let base: UnsafeMutableRawPointer

  /// Takes over memory of `posix_memalign`.
  init(base: UnsafeMutableRawPointer) { self.base = base }

  deinit { free(base) }
}
