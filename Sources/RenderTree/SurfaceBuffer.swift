import Geometry
import LinuxSystem
import Raster

/// The memory of one picture of a surface.
///
/// Safe to share although unchecked: it is written by the thread that updates the surface, one at a time, which has it from the moment
/// when it takes it out of the free ones until it freezes it. From then on it is read as an image, until that is released, and free
/// again.
final class SurfaceBuffer: @unchecked Sendable {
  let bitmap: Bitmap
  /// The generation whose pixels it has; nil for none.
  var generation: UInt64?

  init(width: Int, height: Int) throws(BitmapError) { bitmap = try Bitmap(width: width, height: height) }

  /// An image of the pixels. When it is released the buffer is free.
  func freeze(_ isOpaque: Bool, into buffers: SurfaceBuffers) -> Image {
    Bitmap(width: bitmap.width, height: bitmap.height, bytesPerRow: bitmap.bytesPerRow, base: bitmap.base) { [self] _ in
      buffers.put(self)
    }.freeze(isOpaque: isOpaque)
  }

  func copy(_ rect: IntRect, of image: Image) {
    let (start, count) = (Int(rect.minX) * 4, rect.width * 4)
    for y in Int(rect.minY)..<Int(rect.maxY) {
      (bitmap.row(y) + start).copyMemory(from: image.row(y) + start, byteCount: count)
    }
  }

  func makeOpaque(_ rect: IntRect) {
    for y in Int(rect.minY)..<Int(rect.maxY) {
      let row = bitmap.row(y).assumingMemoryBound(to: UInt32.self)
      var x = Int(rect.minX)
      while x < rect.maxX {
        row[x] |= 0xFF00_0000
        x += 1
      }
    }
  }
}

/// The buffers of a surface that nobody shows.
final class SurfaceBuffers: Sendable {
  /// More are given back to the system.
  private static let limit = 2
  private let free = Lock<[SurfaceBuffer]>([])

  /// The one that was shown last: the least of it is old.
  func take() -> SurfaceBuffer? {
    free.withLock { free in
      guard let newest = free.indices.max(by: { free[$0].generation ?? 0 < free[$1].generation ?? 0 }) else { return nil }
      return free.remove(at: newest)
    }
  }

  func put(_ buffer: SurfaceBuffer) {
    free.withLock { if $0.count < Self.limit { $0.append(buffer) } }
  }
}
