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
  private let narrowerOnce = AtomicLazyReference<Image>()
  private let lowerOnce = AtomicLazyReference<Image>()
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

  /// The image at half its width, rounded up: the mean of each two pixels. Nil if it is one pixel wide.
  ///
  /// It is made at the first call and then kept, for an image that is shown smaller in every frame. All halves of halves
  /// together take less memory than the image.
  package var narrower: Image? {
    if let image = narrowerOnce.load() { return image }
    guard width > 1, let bitmap = try? Bitmap(width: (width + 1) / 2, height: height) else { return nil }
    for y in 0..<height {
      let source = row(y).assumingMemoryBound(to: UInt32.self)
      let target = (bitmap.base + y * bitmap.bytesPerRow).assumingMemoryBound(to: UInt32.self)
      for x in 0..<bitmap.width { target[x] = Self.mean(source[2 * x], source[min(2 * x + 1, width - 1)]) }
    }
    return narrowerOnce.storeIfNil(bitmap.freeze(isOpaque: isOpaque))
  }

  /// The image at half its height, rounded up. Nil if it is one pixel high.
  package var lower: Image? {
    if let image = lowerOnce.load() { return image }
    guard height > 1, let bitmap = try? Bitmap(width: width, height: (height + 1) / 2) else { return nil }
    for y in 0..<bitmap.height {
      let above = row(2 * y).assumingMemoryBound(to: UInt32.self)
      let below = row(min(2 * y + 1, height - 1)).assumingMemoryBound(to: UInt32.self)
      let target = (bitmap.base + y * bitmap.bytesPerRow).assumingMemoryBound(to: UInt32.self)
      for x in 0..<width { target[x] = Self.mean(above[x], below[x]) }
    }
    return lowerOnce.storeIfNil(bitmap.freeze(isOpaque: isOpaque))
  }

  /// The mean of two pixels in each channel, rounded down: (a & b) + (a ^ b) / 2.
  private static func mean(_ a: UInt32, _ b: UInt32) -> UInt32 {
    (a & b) &+ ((a ^ b) >> 1 & 0x7F7F_7F7F)
  }

  private static func allOpaque(base: UnsafeMutableRawPointer, width: Int, height: Int, bytesPerRow: Int) -> Bool {
    for y in 0..<height {
      let row = (base + y * bytesPerRow).assumingMemoryBound(to: UInt32.self)
      var all: UInt32 = 0xFF00_0000
      var x = 0
      while x < width {
        all &= row[x]
        x += 1
      }
      if all != 0xFF00_0000 { return false }
    }
    return true
  }
}
