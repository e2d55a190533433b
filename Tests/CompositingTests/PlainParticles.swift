import Geometry
import Glibc
import LinuxSystem
import Raster

@testable import RenderTree

/// The definition of an emitter's particles at a time, in real numbers: each number of a particle by itself.
struct PlainParticle {
  var place: Point
  /// The distance towards the viewer.
  var depth: Double
  var age: Double
  var scale: Double
  var angle: Double
  /// Red, green, blue, alpha, of which none is multiplied.
  var color: SIMD4<Double>
  var sprite: ParticleSprite
  var contentsScale: Double
}

extension PlainParticle {
  /// A number from 0 up to 1, by the seed, the number of the cell, that of the particle, and what is drawn: SplitMix64.
  private static func drawn(_ seed: UInt32, _ cell: Int, _ particle: Int, _ draw: UInt64) -> Double {
    func mix(_ value: UInt64) -> UInt64 {
      var z = value
      z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
      return z ^ z >> 31
    }
    let step: UInt64 = 0x9E37_79B9_7F4A_7C15
    let hash = mix((UInt64(seed) << 32 + UInt64(cell)) ^ mix(UInt64(particle) &+ step))
    return Double(mix(hash &+ (draw + 1) &* step) >> 11) / 0x1p53
  }

  /// All that are alive, by cell and number.
  static func all(_ parts: Emission.Parts, at time: MonotonicTime) -> [PlainParticle] {
    var particles: [PlainParticle] = []
    for (index, cell) in parts.cells.enumerated() {
      guard cell.isEnabled, let image = cell.contents, cell.birthRate * parts.birthRate > 0,
        let sprite = ParticleSprite.sprite(of: image, cell.contentsRect)
      else { continue }
      let seconds = (time - cell.beginTime).seconds
      var number = 0
      while true {
        let birth = Double(number) / (cell.birthRate * parts.birthRate)
        if birth > seconds || birth >= cell.duration?.seconds ?? .infinity { break }
        let particle = PlainParticle(parts, index, number, seconds - birth, sprite)
        if let particle { particles.append(particle) }
        number += 1
      }
    }
    return particles
  }

  /// Nil for one that is dead.
  private init?(_ parts: Emission.Parts, _ index: Int, _ number: Int, _ age: Double, _ sprite: ParticleSprite) {
    let cell = parts.cells[index]
    func drawn(_ draw: UInt64) -> Double { Self.drawn(parts.seed, index, number, draw) }
    func spread(_ mean: Double, _ range: Double, _ draw: UInt64) -> Double { mean + range * (drawn(draw) - 0.5) }
    guard age < spread(cell.lifetime * parts.lifetime, cell.lifetimeRange * parts.lifetime, 0) else { return nil }
    let speed = parts.velocity * spread(cell.velocity, cell.velocityRange, 1)
    let way = spread(cell.emissionLongitude, cell.emissionRange, 2)
    let start = Self.birthplace(parts, drawn(9), drawn(10))
    let inPlane = speed * cos(cell.emissionLatitude)
    place = Point(
      start.x + inPlane * cos(way) * age + cell.xAcceleration * age * age / 2,
      start.y + inPlane * sin(way) * age + cell.yAcceleration * age * age / 2)
    depth = speed * sin(cell.emissionLatitude) * age + cell.zAcceleration * age * age / 2
    self.age = age
    scale = parts.scale * (spread(cell.scale, cell.scaleRange, 3) + cell.scaleSpeed * age)
    angle = parts.spin * spread(cell.spin, cell.spinRange, 4) * age
    color = SIMD4(
      spread(cell.color.red, cell.redRange, 5) + cell.redSpeed * age,
      spread(cell.color.green, cell.greenRange, 6) + cell.greenSpeed * age,
      spread(cell.color.blue, cell.blueRange, 7) + cell.blueSpeed * age,
      spread(cell.color.alpha, cell.alphaRange, 8) + cell.alphaSpeed * age
    ).clamped(lowerBound: .zero, upperBound: .one)
    (self.sprite, contentsScale) = (sprite, cell.contentsScale)
  }

  private static func birthplace(_ parts: Emission.Parts, _ first: Double, _ second: Double) -> Point {
    let (width, height) = (parts.size.width, parts.size.height)
    func corner(_ number: Double) -> Double { number < 0.5 ? -0.5 : 0.5 }
    let place: Point
    switch (parts.shape, parts.mode) {
    case (.point, _): place = .zero
    case (.line, .points): place = Point(width * corner(first), 0)
    case (.line, _): place = Point(width * (first - 0.5), 0)
    case (.rectangle, .points): place = Point(width * corner(first), height * corner(second))
    case (.rectangle, .outline):
      let way = first * (width + height)
      place =
        way < width
        ? Point(way - width / 2, height * corner(second)) : Point(width * corner(second), way - width - height / 2)
    case (.rectangle, _): place = Point(width * (first - 0.5), height * (second - 0.5))
    case (.circle, let mode):
      let radius = mode == .points || mode == .outline ? width : width * second.squareRoot()
      place = Point(radius * cos(2 * .pi * first), radius * sin(2 * .pi * first))
    }
    return parts.position + place
  }
}

// MARK: - Pictures

/// The picture of an emitter's particles, a pixel at a time.
struct PlainParticles {
  private let renderMode: EmitterRenderMode
  /// From back to front.
  let shown: [Shown]

  struct Shown {
    let particle: PlainParticle
    /// The level of the sprite, and the map from its pixels, without a border, to those of the output.
    let level: Int
    let map: Affine
    /// The part of alpha that is left to one that is smaller than a pixel.
    let cover: Double
  }

  /// - Parameter transform: from the layer's coordinates to pixels.
  init(_ content: ParticleContent, _ transform: Affine) {
    renderMode = content.emission.parts.renderMode
    let all = content.time.map { PlainParticle.all(content.emission.parts, at: $0) } ?? []
    let order: (PlainParticle) -> Double =
      switch renderMode {
      case .unordered, .additive: { _ in 0 }
      case .oldestFirst: { -$0.age }
      case .oldestLast: { $0.age }
      case .backToFront: { $0.depth }
      }
    shown = all.enumerated().sorted { (order($0.element), $0.offset) < (order($1.element), $1.offset) }
      .compactMap { Shown($0.element, transform) }
  }

  /// The particles that lie at a point.
  func count(at place: Point) -> Int { shown.count { $0.color(at: place) != nil } }

  func paint(_ place: Point, _ opacity: Double = 1, over backdrop: inout SIMD4<Double>, _ blending: Blending) {
    for one in shown {
      guard let source = one.color(at: place) else { continue }
      if renderMode == .additive {
        backdrop = (backdrop + source * opacity).clamped(lowerBound: .zero, upperBound: .one)
      } else {
        backdrop = PlainBlending.over(source, backdrop, blending)
      }
    }
  }
}

/// The emitters of a tree on whole pixels, each found once.
final class PlainEmitters {
  private var known: [ObjectIdentifier: PlainParticles] = [:]

  func paint(
    _ content: ParticleContent, _ place: Point, _ opacity: Double, over backdrop: inout SIMD4<Double>, _ blending: Blending
  ) {
    let plain = known[ObjectIdentifier(content)] ?? PlainParticles(content, .identity)
    known[ObjectIdentifier(content)] = plain
    plain.paint(place, opacity, over: &backdrop, blending)
  }
}

extension PlainParticles.Shown {
  /// Nil for one that is not seen.
  fileprivate init?(_ particle: PlainParticle, _ transform: Affine) {
    guard particle.scale > 0 else { return nil }
    let sprite = particle.sprite
    // The pixels of the output for one of the sprite's, along both axes, and the level at which one of them is not too small.
    func sides(_ level: Int) -> (x: Double, y: Double) {
      let pixels = particle.scale / particle.contentsScale * abs(transform.determinant).squareRoot()
      let (columns, rows) = (Double(sprite.levels[level].width - 2), Double(sprite.levels[level].height - 2))
      return (pixels * Double(sprite.width) / columns, pixels * Double(sprite.height) / rows)
    }
    let smallest = 0.5.squareRoot()
    let level = sprite.levels.indices.first { max(sides($0).x, sides($0).y) >= smallest } ?? sprite.levels.count - 1
    let growth = (x: max(smallest / sides(level).x, 1), y: max(smallest / sides(level).y, 1))
    let (columns, rows) = (Double(sprite.levels[level].width - 2), Double(sprite.levels[level].height - 2))
    let scale = particle.scale / particle.contentsScale
    map = Affine.translation(x: -columns / 2, y: -rows / 2)
      .concatenating(
        .scale(x: scale * growth.x * Double(sprite.width) / columns, y: scale * growth.y * Double(sprite.height) / rows)
      )
      .concatenating(.rotation(particle.angle))
      .concatenating(.translation(x: particle.place.x, y: particle.place.y)).concatenating(transform)
    (self.particle, self.level, cover) = (particle, level, 1 / (growth.x * growth.y))
    // Alpha has 255 steps.
    if particle.color.w * cover * 255 < 0.5 { return nil }
  }

  /// Blue, green, red, alpha at a point of the output; nil beside the particle.
  fileprivate func color(at place: Point) -> SIMD4<Double>? {
    let image = particle.sprite.levels[level]
    guard let own = map.inverted?.apply(place) else { return nil }
    // From the middle of the border's first pixel.
    let (x, y) = (own.x + 0.5, own.y + 0.5)
    guard x >= 0, y >= 0, x < Double(image.width - 1), y < Double(image.height - 1) else { return nil }
    let (column, row) = (Int(x), Int(y))
    func pixel(_ x: Int, _ y: Int) -> SIMD4<Double> {
      PlainCompositor.color(image.row(y).assumingMemoryBound(to: UInt32.self)[x])
    }
    let (right, below) = (x - Double(column), y - Double(row))
    let top = pixel(column, row) * (1 - right) + pixel(column + 1, row) * right
    let bottom = pixel(column, row + 1) * (1 - right) + pixel(column + 1, row + 1) * right
    let color = particle.color
    let tint = SIMD4(color.z, color.y, color.x, 1) * (color.w * cover)
    return (top * (1 - below) + bottom * below) * tint
  }
}

extension PlainCompositor {
  /// True for a layer of particles alone, which are added to what lies behind: opacity makes less of each.
  func addsParticles(_ index: Int, _ record: RenderRecord, _ parts: RenderEffects.Parts) -> Bool {
    (tree.sides[index].content as? ParticleContent)?.emission.parts.renderMode == .additive
      && Int(record.subtreeEnd) == index + 1 && record.backgroundColor == 0 && parts.border == nil
      && parts.innerShadow == nil && !record.flags.contains(.filtersBackdrop)
  }

  func paintParticles(_ index: Int, _ pixel: Pixel, _ opacity: Double, _ result: inout Color) {
    let record = tree.records[index]
    guard let particles = tree.sides[index].content as? ParticleContent,
      pixel.isInside(record.bounds) || !record.flags.contains(.masksToBounds)
    else { return }
    emitters.paint(particles, Point(Double(pixel.x) + 0.5, Double(pixel.y) + 0.5), opacity, over: &result, blending)
  }
}
