import CKernels
import Geometry
import LinuxSystem
import Raster
import RenderTree

/// The strips of recently painted shapes, shared by all threads and bounded in bytes.
///
/// A shape is looked up by its identity, by the linear part of its transform, and by its place between pixels, in quarters. So one
/// that only moves or fades is not rasterised again. It costs the bytes of its strips and 256 more. Shapes age in two generations,
/// see `GenerationCache`: when those used lately cost half the limit, all that were not used since the last time are dropped.
final class StripCache: Sendable {
  enum Part: Hashable {
    case fill
    case stroke
  }

  /// Strips, and the pixel of the output at which their pixel (0, 0) lies.
  struct Placed {
    let strips: Strips
    let x: Int32
    let y: Int32
  }

  private struct Key: Hashable {
    let shape: UInt64
    let part: Part
    let map: SIMD4<Double>
    /// Quarters of a pixel, 0…3.
    let quarters: SIMD2<Int32>
    /// The pixels that were made of a shape that is too large to be made as a whole.
    let window: SIMD4<Int32>?
  }

  static let shared = StripCache(limit: 16 << 20)

  private let entries: Lock<(cache: GenerationCache<Key, Strips>, made: Int)>

  init(limit: Int) { entries = Lock((GenerationCache(limit: limit), 0)) }

  /// The bytes in use.
  var cost: Int { entries.withLock { $0.cache.cost } }
  /// The number of times that a shape was rasterised.
  var madeCount: Int { entries.withLock { $0.made } }

  /// A larger shape is not made as a whole: its strips may need a byte for each pixel.
  private static let largestArea = 1 << 24

  /// The strips of one part of a shape in a layer with that transform. Of a shape with more than 2²⁴ pixels around it those in `frame`
  /// are made; none, if there is no frame.
  ///
  /// - Returns: nil if it cannot be painted: it is too far away, or there is no memory.
  func strips(of shape: ShapeContent, _ part: Part, _ transform: Affine, frame: IntRect?) -> Placed? {
    guard let (x, quarterX) = Self.quarters(transform.tx), let (y, quarterY) = Self.quarters(transform.ty) else {
      return nil
    }
    let map = Affine(
      a: transform.a, b: transform.b, c: transform.c, d: transform.d, tx: Double(quarterX) / 4, ty: Double(quarterY) / 4)
    var box = IntRect(covering: map.boundingBox(of: shape.drawnBounds(in: .zero, nil)))
    var window: SIMD4<Int32>?
    if box.area > Self.largestArea {
      guard let frame else { return nil }
      box = box.intersection(frame.offsetBy(dx: -x, dy: -y))
      window = SIMD4(box.minX, box.minY, box.maxX, box.maxY)
    }
    let key = Key(
      shape: shape.number, part: part, map: SIMD4(map.a, map.b, map.c, map.d), quarters: SIMD2(quarterX, quarterY),
      window: window)
    if let strips = entries.withLock({ $0.cache.value(for: key) }) { return Placed(strips: strips, x: x, y: y) }
    guard let strips = Self.make(shape.parts, part, map, box) else { return nil }
    entries.withLock {
      $0.cache.insert(strips, for: key, cost: strips.byteCount + 256)
      $0.made += 1
    }
    return Placed(strips: strips, x: x, y: y)
  }

  /// Whole pixels, and the rest in quarters.
  private static func quarters(_ distance: Double) -> (Int32, Int32)? {
    guard abs(distance) < 0x1p28 else { return nil }
    let quarters = Int32((distance * 4).rounded(.down)) + (distance * 4 - (distance * 4).rounded(.down) >= 0.5 ? 1 : 0)
    return (quarters >> 2, quarters & 3)
  }

  private static func make(_ parts: ShapeContent.Parts, _ part: Part, _ map: Affine, _ box: IntRect) -> Strips? {
    guard let path = parts.path, (map.a + map.b + map.c + map.d).isFinite else { return nil }
    switch part {
    case .fill: return Strips(FlatPath(path, map), box: box, parts.fillRule)
    case .stroke:
      let outline = FlatPath(stroke: path, parts.strokeStyle, from: parts.strokeStart, to: parts.strokeEnd, map)
      return Strips(outline, box: box, .nonZero)
    }
  }
}
