import Synchronization

/// Pixels that never change, as a bitmap has them: rows from top to bottom, each pixel the bytes B, G, R, A with alpha
/// multiplied in. Any thread may use an image.
///
/// An image comes from `Bitmap.freeze()` or `PNG.read(path:maximumPixels:)`, and is shown as the contents of a layer.
public final class Image: Sendable {
  /// A number that no other image of this process has. Two images with the same number have the same pixels.
  public let id: UInt64
  public let width: Int
  public let height: Int
  public let bytesPerRow: Int
  /// True if every alpha is 255, so that the image hides everything below it.
  public let isOpaque: Bool

  private let memory: PixelMemory
  private static let lastID = Atomic<UInt64>(0)

  init(width: Int, height: Int, bytesPerRow: Int, memory: PixelMemory, isOpaque: Bool?) {
    id = Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
    self.width = width
    self.height = height
    self.bytesPerRow = bytesPerRow
    self.memory = memory
    self.isOpaque =
      isOpaque ?? Self.allOpaque(base: memory.base, width: width, height: height, bytesPerRow: bytesPerRow)
  }

  /// The address of the top row; valid while the image lives.
  public var base: UnsafeRawPointer { UnsafeRawPointer(memory.base) }

  /// The address of a row.
  @inline(__always)
  public func row(_ y: Int) -> UnsafeRawPointer { base + y * bytesPerRow }

  private static func allOpaque(base: UnsafeMutableRawPointer, width: Int, height: Int, bytesPerRow: Int) -> Bool {
    for y in 0..<height {
      let row = (base + y * bytesPerRow).assumingMemoryBound(to: UInt32.self)
      var all: UInt32 = 0xFF00_0000
      for x in 0..<width { all &= row[x] }
      if all != 0xFF00_0000 { return false }
    }
    return true
  }
}
