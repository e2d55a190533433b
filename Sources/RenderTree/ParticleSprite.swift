import Geometry
import LinuxSystem
package import Raster

/// The picture of an emitter's particles, with a clear border, and its halves.
package final class ParticleSprite: Sendable {
  /// The size of the picture in pixels, without a border.
  package let width: Int
  package let height: Int
  /// The picture with a border that is one pixel wide, and each halved once more than the one before, down to one pixel.
  package let levels: [Image]

  private struct Key: Hashable {
    let id: UInt64
    let part: IntRect
  }
  private struct Kept {
    weak var sprite: ParticleSprite?
  }

  private static let all = Lock<[Key: Kept]>([:])

  /// The sprite of a part of an image. While somebody holds it, it is made once. Nil for an empty part, and without memory.
  static func sprite(of image: Image, _ part: Rect) -> ParticleSprite? {
    guard (part.minX + part.minY + part.width + part.height).isFinite else { return nil }
    func pixel(_ part: Double, _ count: Int) -> Int { Int(min(max((part * Double(count)).rounded(), 0), Double(count))) }
    let (left, top) = (pixel(part.minX, image.width), pixel(part.minY, image.height))
    let pixels = IntRect(
      x: left, y: top, width: pixel(part.maxX, image.width) - left, height: pixel(part.maxY, image.height) - top)
    guard pixels.width > 0, pixels.height > 0, pixels.width < Bitmap.maximumSide - 2, pixels.height < Bitmap.maximumSide - 2
    else { return nil }
    let key = Key(id: image.id, part: pixels)
    if let kept = all.withLock({ $0[key]?.sprite }) { return kept }
    guard let sprite = try? ParticleSprite(image, pixels) else { return nil }
    return all.withLock { all in
      if let kept = all[key]?.sprite { return kept }
      all = all.filter { $0.value.sprite != nil }
      all[key] = Kept(sprite: sprite)
      return sprite
    }
  }

  private init(_ image: Image, _ part: IntRect) throws(BitmapError) {
    (width, height) = (part.width, part.height)
    var levels: [Image] = []
    let own = try Bitmap(width: width, height: height)
    for y in 0..<height {
      own.row(y).copyMemory(from: image.row(Int(part.minY) + y) + Int(part.minX) * 4, byteCount: width * 4)
    }
    var next: Image? = own.freeze()
    while let level = next {
      let bitmap = try Bitmap(width: level.width + 2, height: level.height + 2)
      for y in 0..<level.height { (bitmap.row(y + 1) + 4).copyMemory(from: level.row(y), byteCount: level.width * 4) }
      levels.append(bitmap.freeze(isOpaque: false))
      next = level.halved(width: true, height: true)
    }
    self.levels = levels
  }
}
