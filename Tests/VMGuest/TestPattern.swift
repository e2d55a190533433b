import Geometry
import Glibc
import Raster
import RenderTree

/// Pictures whose every pixel is a function of frame number and place, and what of them differs from frame to frame.
struct TestPattern {
  let width: Int
  let height: Int

  var bounds: IntRect { IntRect(x: 0, y: 0, width: width, height: height) }

  /// A box that moves by a prime number of pixels each way, so that it meets all edges.
  func box(_ frame: Int) -> IntRect {
    let side = 48
    return IntRect(
      x: (frame * 13) % max(1, width - side), y: (frame * 7) % max(1, height - side), width: side, height: side)
  }

  /// The frame number in 16 black or white fields along the lower edge.
  var counter: IntRect { IntRect(x: 0, y: height - 8, width: min(width, 16 * 16), height: 8) }

  /// The pixels from `start` on in a row, up to the end of `row`.
  func fill(_ row: UnsafeMutableBufferPointer<UInt32>, from start: Int, y: Int, frame: Int) {
    let box = box(frame)
    let isInCounter = y >= counter.minY
    let isInBox = y >= box.minY && y < box.maxY
    for index in row.indices {
      let x = start + index
      if isInCounter, x < counter.maxX {
        row[index] = (frame >> (x / 16)) & 1 == 1 ? 0xFFFF_FFFF : 0xFF00_0000
      } else if isInBox, x >= box.minX, x < box.maxX {
        row[index] = 0xFF00_0000 | (UInt32(truncatingIfNeeded: frame &* 0x3779 &+ x &* 31 &+ y &* 57) & 0xFF_FFFF)
      } else {
        // No two neighbours are alike, so that a picture that is shifted by a pixel is found out.
        row[index] = 0xFF00_0000 | (UInt32(truncatingIfNeeded: x &* 0x9E37 &+ y &* 0x85EB) &* 0x27D4_EB2F) >> 8
      }
    }
  }

  func paint(_ frame: Int, _ region: DamageRegion, into bitmap: Bitmap) {
    for rect in region.rects {
      let rect = rect.intersection(bounds)
      for y in Int(rect.minY)..<Int(rect.maxY) {
        let start = bitmap.row(y).assumingMemoryBound(to: UInt32.self) + Int(rect.minX)
        fill(UnsafeMutableBufferPointer(start: start, count: rect.width), from: Int(rect.minX), y: y, frame: frame)
      }
    }
  }

  /// The difference between a frame and the one before it.
  func damage(_ frame: Int) -> DamageRegion {
    var damage = DamageRegion()
    if frame == 0 {
      damage.add(bounds)
    } else {
      damage.add(box(frame - 1))
      damage.add(box(frame))
      damage.add(counter)
    }
    return damage
  }

  /// The rows of a bitmap that are not as a full render makes them.
  func wrongRows(_ frame: Int, in bitmap: Bitmap) -> Int {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: width) { row in
      (0..<height).filter { y in
        fill(row, from: 0, y: y, frame: frame)
        guard let pixels = row.baseAddress else { return true }
        return memcmp(pixels, bitmap.row(y), width * 4) != 0
      }.count
    }
  }
}
