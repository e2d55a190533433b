import Glibc
import LinuxSystem

/// Why a bitmap cannot be made.
public enum BitmapError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A side is below 1 or above `Bitmap.maximumSide`.
  case size(width: Int, height: Int)
  /// There is no memory for the pixels.
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

/// Pixels to draw into. Rows go from top to bottom; each pixel is the bytes B, G, R, A (one little-endian word 0xAARRGGBB)
/// with alpha multiplied in.
///
/// One thread at a time may use a bitmap. `freeze()` turns the finished pixels into an `Image`, which any thread may use.
///
/// ```swift
/// let bitmap = try Bitmap(width: 400, height: 200)
/// let context = DrawingContext(bitmap: bitmap, scale: 2)
/// context.fill(context.bounds, color: .white)
/// context.flush()
/// let image = bitmap.freeze()
/// ```
public final class Bitmap {
  /// The longest side that a bitmap may have: the range of Cairo's coordinates.
  public static let maximumSide = 32_767

  public let width: Int
  public let height: Int
  /// The bytes from one row to the next; at least 4 × `width`.
  public let bytesPerRow: Int
  /// The address of the top row.
  public var base: UnsafeMutableRawPointer { memory.base }
  /// True once an image was made of the bitmap.
  private(set) var isFrozen = false

  private let memory: PixelMemory

  /// Makes a bitmap whose pixels are all clear (0). Rows start at multiples of 64 bytes.
  public init(width: Int, height: Int) throws(BitmapError) {
    guard (1...Self.maximumSide).contains(width), (1...Self.maximumSide).contains(height) else {
      throw .size(width: width, height: height)
    }
    let bytesPerRow = (width * 4 + 63) & ~63
    let size = bytesPerRow * height
    var pointer: UnsafeMutableRawPointer?
    guard size < 1 << 20 || Memory.hasRoom(for: size), posix_memalign(&pointer, 64, size) == 0, let pointer else {
      throw .outOfMemory(bytes: size)
    }
    memset(pointer, 0, size)
    self.width = width
    self.height = height
    self.bytesPerRow = bytesPerRow
    memory = PixelMemory(base: pointer)
  }

  /// Makes a bitmap of memory that another has allocated, as tests do that end with the first byte beyond it.
  ///
  /// - Parameters:
  ///   - bytesPerRow: a multiple of 4, at least 4 × `width`.
  ///   - base: the top row, of as many bytes as all rows take.
  ///   - release: is called when neither the bitmap nor an image of it is used any more.
  package init(
    width: Int, height: Int, bytesPerRow: Int, base: UnsafeMutableRawPointer,
    release: @escaping @Sendable (UnsafeMutableRawPointer) -> Void
  ) {
    precondition(width > 0 && height > 0 && bytesPerRow >= width * 4 && bytesPerRow % 4 == 0)
    (self.width, self.height, self.bytesPerRow) = (width, height, bytesPerRow)
    memory = PixelMemory(base: base, release: release)
  }

  /// The address of a row.
  @inline(__always)
  public func row(_ y: Int) -> UnsafeMutableRawPointer { base + y * bytesPerRow }

  /// Sets every pixel to clear.
  public func clear() {
    memset(base, 0, bytesPerRow * height)
  }

  /// Makes an image of the pixels as they are now. The image shares the bitmap's memory: do not write to the bitmap
  /// afterwards.
  ///
  /// - Parameter isOpaque: true if every alpha is 255; nil looks at all pixels to find out.
  public func freeze(isOpaque: Bool? = nil) -> Image {
    isFrozen = true
    return Image(width: width, height: height, bytesPerRow: bytesPerRow, memory: memory, isOpaque: isOpaque)
  }
}

/// The memory behind a bitmap and the images made of it.
///
/// Safe to share although unchecked: the pointer never changes, and a frozen bitmap is not written to. Before that, threads
/// that write to one bitmap at the same time, as bands of the compositor do, write to different rows.
final class PixelMemory: @unchecked Sendable {
  let base: UnsafeMutableRawPointer
  private let release: @Sendable (UnsafeMutableRawPointer) -> Void

  /// Takes over memory, by default from `posix_memalign`.
  init(base: UnsafeMutableRawPointer, release: @escaping @Sendable (UnsafeMutableRawPointer) -> Void = { free($0) }) {
    (self.base, self.release) = (base, release)
  }

  deinit { release(base) }
}
