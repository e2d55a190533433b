import Synchronization

/// Pixels that never change: B, G, R, A, alpha multiplied in, rows from top to bottom.
public final class Image: Sendable {
  /// Different for every image made by this process; two images with one identity have the same pixels.
  public let id: UInt64
  public let width: Int
  public let height: Int
  public let bytesPerRow: Int
  /// Whether every alpha is 255, so that the image hides what lies below.
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

  /// The first byte of the top row; valid while the image lives.
  public var base: UnsafeRawPointer { UnsafeRawPointer(memory.base) }

  /// The first byte of a row.
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
