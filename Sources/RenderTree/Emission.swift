package import Geometry
package import LinuxSystem

/// The place in which an emitter's particles are born.
public enum EmitterShape: String, CaseIterable, Hashable, Sendable {
  /// One place, whatever the size and the mode.
  case point
  /// A line from left to right, as long as the width.
  case line
  /// An upright rectangle.
  case rectangle
  /// A circle whose radius is the width.
  case circle
}

/// The part of an emitter's shape in which particles are born.
public enum EmitterMode: String, CaseIterable, Hashable, Sendable {
  /// The ends of a line or the corners of a rectangle; all of a circle's edge.
  case points
  /// The edges.
  case outline
  /// Any place in the shape.
  case surface
  /// The same, for the shapes here are flat.
  case volume
}

/// The order of an emitter's particles from back to front, and the way in which they are painted.
public enum EmitterRenderMode: String, CaseIterable, Hashable, Sendable {
  /// Those of one cell after those of the other, later ones of a cell above earlier ones.
  case unordered
  case oldestFirst
  case oldestLast
  /// By their distance from the viewer, see `EmitterCell.emissionLatitude`.
  case backToFront
  /// As `unordered`, but colours and alpha are added to what lies behind: particles that meet are brighter. The opacity of a layer with
  /// nothing else in it makes less of each; with a background, a border or sublayers all of it is blended over what lies behind.
  case additive
}

/// All that an emitter says of its particles: immutable, and shared by the contents of all times.
package final class Emission: Sendable {
  package let parts: Parts
  /// The cells that emit something.
  package let sources: [Source]

  package struct Parts: Hashable, Sendable {
    package var cells: [EmitterCell] = []
    package var seed: UInt32 = 0
    package var shape = EmitterShape.point
    package var mode = EmitterMode.volume
    package var renderMode = EmitterRenderMode.unordered
    package var position = Point.zero
    package var size = Size.zero
    // The factors of those of the cells.
    package var birthRate = 1.0
    package var lifetime = 1.0
    package var velocity = 1.0
    package var scale = 1.0
    package var spin = 1.0

    package init() {}
  }

  /// Values that are spread evenly, half of the range to each side of the mean.
  package struct Spread: BitwiseCopyable, Sendable {
    package let mean: Double
    package let range: Double
    package var least: Double { mean - abs(range) / 2 }
    package var most: Double { mean + abs(range) / 2 }

    init(_ mean: Double, _ range: Double, times factor: Double = 1) {
      (self.mean, self.range) = (mean * factor, range * factor)
    }
  }

  /// A cell with the emitter's factors.
  package struct Source: Sendable {
    package let cell: EmitterCell
    package let sprite: ParticleSprite
    package let seed: UInt64
    package let birthRate: Double
    package let lifetime: Spread
    package let velocity: Spread
    package let scale: Spread
    package let scaleSpeed: Double
    package let spin: Spread
    /// The seconds from `cell.beginTime` on in which particles are born.
    package let end: Double
    /// The most that are shown.
    fileprivate let limit: Int64
    /// The places of births.
    fileprivate let birthplaces: Rect
  }

  package init(_ parts: Parts) {
    self.parts = parts
    sources = parts.cells.indices.compactMap { Source(parts, $0) }
  }
}

extension Emission.Source {
  /// The most particles of an emitter, of which each cell has the same part; of more, those that were born last are shown.
  private static let limit: Int64 = 1_000_000

  /// Nil for a cell that emits nothing.
  fileprivate init?(_ parts: Emission.Parts, _ index: Int) {
    let cell = parts.cells[index]
    let factors = [parts.birthRate, parts.lifetime, parts.velocity, parts.scale, parts.spin]
    let place = [parts.position.x, parts.position.y, parts.size.width, parts.size.height]
    let isFinite = (factors + place).allSatisfy(\.isFinite) && EmitterCell.numbers.allSatisfy { cell[keyPath: $0].isFinite }
    guard cell.isEnabled, isFinite, cell.contentsScale > 0, let image = cell.contents,
      let sprite = ParticleSprite.sprite(of: image, cell.contentsRect)
    else { return nil }
    birthRate = cell.birthRate * parts.birthRate
    lifetime = Emission.Spread(cell.lifetime, cell.lifetimeRange, times: parts.lifetime)
    velocity = Emission.Spread(cell.velocity, cell.velocityRange, times: parts.velocity)
    scale = Emission.Spread(cell.scale, cell.scaleRange, times: parts.scale)
    scaleSpeed = cell.scaleSpeed * parts.scale
    spin = Emission.Spread(cell.spin, cell.spinRange, times: parts.spin)
    end = cell.duration?.seconds ?? .infinity
    // More in a second than a number can count are none.
    guard birthRate > 1e-9, birthRate < 1e9, lifetime.most > 0, end > 0 else { return nil }
    (self.cell, self.sprite) = (cell, sprite)
    limit = Self.limit / Int64(parts.cells.count)
    seed = UInt64(parts.seed) << 32 | UInt64(UInt32(truncatingIfNeeded: index))
    let (width, height) = (abs(parts.size.width), abs(parts.size.height))
    let half =
      switch parts.shape {
      case .point: Size.zero
      case .line: Size(width / 2, 0)
      case .rectangle: Size(width / 2, height / 2)
      case .circle: Size(width, width)
      }
    birthplaces = Rect(
      x: parts.position.x - half.width, y: parts.position.y - half.height, width: 2 * half.width, height: 2 * half.height)
  }

  /// The seconds since the first birth.
  package func seconds(at time: MonotonicTime) -> Double { (time - cell.beginTime).seconds }

  /// The ages that particles may have; nil if none is alive.
  package func ages(at time: MonotonicTime) -> ClosedRange<Double>? {
    let seconds = seconds(at: time)
    let (youngest, oldest) = (max(seconds - end, 0), min(seconds, lifetime.most))
    return seconds >= 0 && youngest < lifetime.most ? youngest...max(oldest, youngest) : nil
  }

  /// The numbers of the particles that may be alive.
  package func numbers(at time: MonotonicTime) -> Range<Int64> {
    guard let ages = ages(at: time) else { return 0..<0 }
    let seconds = seconds(at: time)
    func number(_ seconds: Double) -> Int64 { Int64(min(max(seconds * birthRate, 0), 0x1p52)) }
    let last = number(min(seconds, end)) + 2
    return max(number(seconds - ages.upperBound) - 1, last - limit, 0)..<last
  }

  /// The rectangle around all that the particles may paint.
  package func bounds(at time: MonotonicTime) -> Rect? {
    guard let ages = ages(at: time) else { return nil }
    let inPlane = abs(Cosine.of(cell.emissionLatitude))
    let way = Cosine.range(cell.emissionLongitude, spread: abs(cell.emissionRange))
    let down = Cosine.range(cell.emissionLongitude - .pi / 2, spread: abs(cell.emissionRange))
    let x = Self.way(velocity, way, inPlane, cell.xAcceleration, ages)
    let y = Self.way(velocity, down, inPlane, cell.yAcceleration, ages)
    let growth = max(scaleSpeed * ages.lowerBound, scaleSpeed * ages.upperBound)
    let size = max(scale.most + growth, 0) / cell.contentsScale
    // A border of one of its pixels lies around the picture, whatever way it is turned; small particles have at least a pixel.
    let (width, height) = (Double(sprite.width) + 2, Double(sprite.height) + 2)
    let reach = (width * width + height * height).squareRoot() / 2 * size + 2
    let box = Rect(
      x: birthplaces.minX + x.lowerBound - reach, y: birthplaces.minY + y.lowerBound - reach,
      width: birthplaces.width + (x.upperBound - x.lowerBound) + 2 * reach,
      height: birthplaces.height + (y.upperBound - y.lowerBound) + 2 * reach)
    return (box.minX + box.minY + box.width + box.height).isFinite ? box.intersection(Self.everywhere) : Self.everywhere
  }

  private static let everywhere = Rect(x: -1e9, y: -1e9, width: 2e9, height: 2e9)

  /// The distances that are covered along an axis.
  private static func way(
    _ velocity: Emission.Spread, _ direction: ClosedRange<Double>, _ factor: Double, _ acceleration: Double,
    _ ages: ClosedRange<Double>
  ) -> ClosedRange<Double> {
    let (slow, fast) = (velocity.least * factor, velocity.most * factor)
    let (one, other) = (direction.lowerBound * slow, direction.upperBound * slow)
    let (third, fourth) = (direction.lowerBound * fast, direction.upperBound * fast)
    var (least, most) = (Double.infinity, -Double.infinity)
    func add(_ speed: Double) {
      let turning = acceleration == 0 ? ages.lowerBound : -speed / acceleration
      let turn = min(max(turning, ages.lowerBound), ages.upperBound)
      func add(age: Double) {
        let way = age * (speed + 0.5 * acceleration * age)
        (least, most) = (min(least, way), max(most, way))
      }
      add(age: ages.lowerBound)
      add(age: ages.upperBound)
      add(age: turn)
    }
    add(min(min(one, other), min(third, fourth)))
    add(max(max(one, other), max(third, fourth)))
    return least <= most ? least...most : -Double.infinity...Double.infinity
  }
}
