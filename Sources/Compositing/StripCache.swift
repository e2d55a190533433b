import CKernels
import Geometry
import LinuxSystem
import Raster
import RenderTree

/// The strips of recently painted shapes, shared by all threads and bounded in bytes.
///
/// They are looked up by what is covered, not by its colour: by the identity of a shape's interior or line, by the linear part of the
/// transform, and by the place between pixels, in quarters. So a shape that only moves, fades or changes its colour is not rasterised
/// again. They cost their bytes and 256 more, and age in two generations, see `GenerationCache`: when those used lately cost half the
/// limit, all that were not used since the last time are dropped. The last of those that cost more than half the limit is kept beside
/// the others. What several threads miss at once is made by one of them.
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
    /// The number of the interior or of the line.
    let outline: UInt64
    let map: SIMD4<Double>
    /// Quarters of a pixel, 0…3.
    let quarters: SIMD2<Int32>
    /// The pixels that were made of a shape that is too large to be made as a whole.
    let window: SIMD4<Int32>?

    /// Few shapes are kept under several maps.
    func hash(into hasher: inout Hasher) {
      hasher.combine(outline)
      hasher.combine(quarters.x &+ 4 &* quarters.y)
    }
  }

  private struct State {
    var cache: GenerationCache<Key, Strips>
    var largest: (key: Key, strips: Strips)?
    var made = 0
    /// The strips that threads make now, each with the latch of those that wait for them.
    var underWay: [(key: Key, done: Latch?)] = []
    var idleMakers: [StripMaker] = []

    mutating func value(for key: Key) -> Strips? {
      if let strips = cache.value(for: key) { return strips }
      return largest?.key == key ? largest?.strips : nil
    }
  }

  private enum Lookup {
    case found(Strips)
    case isMade(Latch)
    case missing(StripMaker?)
  }

  static let shared = StripCache(limit: 16 << 20)

  private let state: Lock<State>

  init(limit: Int) { state = Lock(State(cache: GenerationCache(limit: limit))) }

  /// The bytes in use, but for those of one shape that costs more than half the limit.
  var cost: Int { state.withLock { $0.cache.cost } }
  /// The number of times that a shape was rasterised.
  var madeCount: Int { state.withLock { $0.made } }

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
    var box = shape.pixels(map)
    var window: SIMD4<Int32>?
    if box.area > Self.largestArea {
      guard let frame else { return nil }
      box = box.intersection(frame.offsetBy(dx: -x, dy: -y))
      window = SIMD4(box.minX, box.minY, box.maxX, box.maxY)
    }
    let key = Key(
      outline: part == .fill ? shape.fillNumber : shape.strokeNumber, map: SIMD4(map.a, map.b, map.c, map.d),
      quarters: SIMD2(quarterX, quarterY), window: window)
    while true {
      switch lookUp(key) {
      case .found(let strips): return Placed(strips: strips, x: x, y: y)
      case .isMade(let done): done.wait()
      case .missing(let idle):
        let maker = idle ?? StripMaker()
        let strips = maker?.strips(shape.parts, part, map, box)
        finish(key, strips, maker)
        return strips.map { Placed(strips: $0, x: x, y: y) }
      }
    }
  }

  /// True if the strips of a shape are the same under both transforms, and lie so many pixels apart. Those that depend on the frame
  /// are not.
  static func hasSameStrips(_ shape: ShapeContent, _ new: Affine, as old: Affine, dx: Int32, dy: Int32) -> Bool {
    guard (new.a, new.b, new.c, new.d) == (old.a, old.b, old.c, old.d), let x = quarters(new.tx), let y = quarters(new.ty),
      let oldX = quarters(old.tx), let oldY = quarters(old.ty)
    else { return false }
    let box = shape.pixels(new).framed
    return x == (oldX.0 + dx, oldX.1) && y == (oldY.0 + dy, oldY.1) && box.area <= largestArea
  }

  /// Whole pixels, and the rest in quarters.
  private static func quarters(_ distance: Double) -> (Int32, Int32)? {
    guard abs(distance) < 0x1p28 else { return nil }
    let quarters = Int32((distance * 4).rounded(.down)) + (distance * 4 - (distance * 4).rounded(.down) >= 0.5 ? 1 : 0)
    return (quarters >> 2, quarters & 3)
  }

  /// Strips that are missing are the caller's to make, and to hand to `finish`.
  private func lookUp(_ key: Key) -> Lookup {
    state.withLock { state -> Lookup in
      if let strips = state.value(for: key) { return .found(strips) }
      if let index = state.underWay.firstIndex(where: { $0.key == key }) {
        let done = state.underWay[index].done ?? Latch()
        state.underWay[index].done = done
        return .isMade(done)
      }
      state.underWay.append((key, nil))
      return .missing(state.idleMakers.popLast())
    }
  }

  private func finish(_ key: Key, _ strips: Strips?, _ maker: StripMaker?) {
    let done = state.withLock { state -> Latch? in
      if let maker { state.idleMakers.append(maker) }
      if let strips {
        state.made += 1
        let cost = strips.byteCount + 256
        if cost > state.cache.limit / 2 {
          state.largest = (key, strips)
        } else {
          state.cache.insert(strips, for: key, cost: cost)
        }
      }
      guard let index = state.underWay.firstIndex(where: { $0.key == key }) else { return nil }
      return state.underWay.remove(at: index).done
    }
    done?.open()
  }
}
