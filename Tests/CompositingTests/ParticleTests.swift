import CKernels
import Geometry
import Glibc
import LinuxSystem
import TestLength
import Testing

@testable import Compositing
@testable import Raster
@testable import RenderTree

/// The particles of emitters: against their definition in real numbers, see `PlainParticle`.
@Suite struct ParticleTests {
  private static let (width, height) = (96, 64)
  private static let everywhere = IntRect(x: -100_000, y: -100_000, width: 200_000, height: 200_000)

  /// Numbers, places, sizes, turns and colours of all that are alive.
  @Test(arguments: some(200, of: 1...20_000))
  func particlesAreThoseOfTheDefinition(seed: UInt64) throws {
    var random = RandomEmission(seed: seed)
    let (parts, time, transform) = try (random.parts(), random.time(), random.transform())
    let content = ParticleContent(parts, at: time)
    let plain = PlainParticles(content, transform).shown
    let found = content.particles(in: Self.everywhere, transform)
    #expect(found.count == plain.count, "seed \(seed)")
    for ((found, sprite), plain) in zip(found, plain) {
      let (level, inverse) = (plain.particle.sprite.levels[plain.level], try #require(plain.map.inverted))
      #expect(sprite.width == level.width - 2 && sprite.height == level.height - 2, "seed \(seed)")
      // The place in the sprite of that pixel's middle, with the border.
      let place = inverse.apply(Point(Double(found.x0) + 0.5, Double(found.y0) + 0.5))
      let numbers = [
        (found.u, place.x + 0.5), (found.v, place.y + 0.5), (found.ux, inverse.a), (found.uy, inverse.c),
        (found.vx, inverse.b), (found.vy, inverse.d),
      ]
      for (fixed, real) in numbers {
        #expect(abs(Double(fixed) / 65536 - real) < 2e-5 + 1e-7 * abs(real), "seed \(seed): \(found), not \(plain)")
      }
      let middle = plain.map.apply(Point(Double(sprite.width) / 2, Double(sprite.height) / 2))
      #expect(abs(Double(found.x0) + 0.5 - middle.x) < 0.50001 && abs(Double(found.y0) + 0.5 - middle.y) < 0.50001)
      let color = plain.particle.color
      for (shift, value) in [(0, color.z), (8, color.y), (16, color.x), (24, 1)] {
        let tint = Double(found.tint >> UInt32(shift) & 255)
        #expect(abs(tint - value * color.w * plain.cover * 255) < 0.501, "seed \(seed): \(found), not \(plain)")
      }
    }
  }

  /// Each pixel of a picture, under any map of the plane.
  @Test(arguments: Blending.allCases, some(60, of: 1...5000))
  func picturesAreThoseOfTheDefinition(blending: Blending, seed: UInt64) throws {
    var random = RandomEmission(seed: seed)
    let (parts, time, transform) = try (random.parts(), random.time(), random.transform())
    let content = ParticleContent(parts, at: time)
    let bitmap = try Self.tree(content, transform).picture(width: Self.width, height: Self.height, blending: blending)
    let plain = PlainParticles(content, transform)
    for y in 0..<Self.height {
      for x in 0..<Self.width {
        var expected = PlainCompositor.color(0xFF10_2030)
        let place = Point(Double(x) + 0.5, Double(y) + 0.5)
        plain.paint(place, over: &expected, blending)
        let difference = (PlainCompositor.color(bitmap[x, y]) - expected) * 255
        // Each particle is rounded once as a colour and once over what lies below; dark steps of light are longer ones of colour.
        let tolerance = 4 + Double(plain.count(at: place)) * (blending == .linear ? 2 : 1)
        if max(difference.max(), -difference.min()) <= tolerance { continue }
        if blending == .linear, PlainCompositor.isNearInLight(bitmap[x, y], expected) { continue }
        // A particle ends within a thousandth of a pixel from there.
        if Self.isAtAnEdge(plain, x, y, bitmap[x, y], tolerance, blending) { continue }
        Issue.record("seed \(seed), pixel \(x), \(y): \(String(bitmap[x, y], radix: 16)), not \(expected * 255)\n\(parts)")
        return
      }
    }
  }

  /// Any part of a picture has the bytes of the whole, with clips, groups and sorted particles.
  @Test(arguments: some(60, of: 1...5000))
  func partsHaveTheBytesOfTheWhole(seed: UInt64) throws {
    var random = RandomEmission(seed: seed)
    let (parts, time, transform) = try (random.parts(), random.time(), random.transform())
    var tree = Self.tree(ParticleContent(parts, at: time), transform)
    tree.records[0].bounds = Rect(x: -20, y: -14.5, width: 44, height: 30)
    if random.chance() { tree.records[0].flags.insert(.masksToBounds) }
    if random.chance() { tree.records[0].cornerRadius = 9 }
    if random.chance() { tree.records[0].opacity = 0.6 }
    if random.chance() { tree.records[0].backgroundColor = 0x8020_4060 }
    tree.records[0].settle(tree.sides[0])
    let whole = try tree.picture(width: Self.width, height: Self.height)
    let bitmap = try Bitmap(width: Self.width, height: Self.height)
    var pixels = DamageRegion()
    for _ in 0..<5 { pixels.add(random.pixels(Self.width, Self.height)) }
    Compositor().render(tree, damage: pixels, into: bitmap)
    for rect in pixels.rects {
      for y in Int(rect.minY)..<Int(rect.maxY) {
        for x in Int(rect.minX)..<Int(rect.maxX) where bitmap[x, y] != whole[x, y] {
          Issue.record("seed \(seed): \(x), \(y) in \(rect)")
          return
        }
      }
    }
  }

  /// A part of the output finds the particles of the whole, with the same numbers to the last bit.
  @Test(arguments: some(100, of: 1...20_000))
  func anyPartFindsTheSameParticles(seed: UInt64) throws {
    var random = RandomEmission(seed: seed)
    let (parts, time, transform) = try (random.parts(), random.time(), random.transform())
    let content = ParticleContent(parts, at: time)
    let whole = content.particles(in: Self.everywhere, transform).map(\.0)
    for _ in 0..<5 {
      let pixels = random.pixels(Self.width, Self.height)
      let wanted = whole.compactMap { particle in
        let seen = particle.pixels.intersection(pixels)
        return seen.isEmpty ? nil : FoundParticle(particle, seen)
      }
      let found = content.particles(in: pixels, transform).map { FoundParticle($0.0, $0.0.pixels) }
      #expect(found == wanted, "seed \(seed): in \(pixels)")
    }
  }

  /// No particle reaches out of the bounds that the damage is made of.
  @Test(arguments: some(300, of: 1...20_000))
  func boundsHoldAllParticles(seed: UInt64) throws {
    var random = RandomEmission(seed: seed)
    let parts = try random.parts()
    for _ in 0..<8 {
      let content = ParticleContent(parts, at: random.time())
      let bounds = content.drawnBounds(in: .zero, nil)
      let pixels = IntRect(covering: bounds)
      for (particle, _) in content.particles(in: Self.everywhere, .identity) {
        #expect(pixels.contains(particle.pixels), "seed \(seed): \(particle.pixels) in \(bounds)")
      }
      if bounds.isEmpty { #expect(PlainParticle.all(parts, at: try #require(content.time)).isEmpty) }
    }
  }

  /// Each set of kernels paints the same bytes.
  @Test(arguments: some(60, of: 1...5000))
  func kernelsPaintTheSame(seed: UInt64) throws {
    var random = RandomEmission(seed: seed)
    let (parts, time, transform) = try (random.parts(), random.time(), random.transform())
    let content = ParticleContent(parts, at: time)
    let pixels = random.pixels(Self.width, Self.height)
    func painted(_ table: UnsafePointer<ckernels_table>, adds: UInt32) -> [UInt32] {
      var memory = (0..<Self.width * Self.height).map { UInt32(truncatingIfNeeded: $0 &* 0x0102_0305) | 0xFF00_0000 }
      memory.withUnsafeMutableBufferPointer { memory in
        guard let base = memory.baseAddress else { return }
        var target = ckernels_pixels(base: base, bytes_per_row: Int64(Self.width * 4), x: 0, y: 0)
        var room = ParticleRoom()
        content.forEachRun(in: pixels, transform, table, &room) { run in
          guard let first = run.baseAddress else { return }
          table.pointee.particles(&target, first, Int64(run.count), adds)
        }
      }
      return memory
    }
    let portable = try #require(ckernels_runnable(0))
    var index: Int32 = 1
    while let table = ckernels_runnable(index) {
      for adds in [0, 1] as [UInt32] {
        #expect(
          painted(table, adds: adds) == painted(portable, adds: adds), "seed \(seed): \(String(cString: table.pointee.name))"
        )
      }
      index += 1
    }
  }

  /// A narrow picture that is shown small is not thinner than a pixel along either axis: what it lacks in alpha it has in width, and no
  /// place between pixels hides it.
  @Test(arguments: [(1, 16), (16, 1), (2, 24), (3, 16), (1, 1), (40, 3)])
  func narrowPicturesAreSeenAtAnyPlace(width: Int, height: Int) throws {
    let bitmap = try Bitmap(width: width, height: height)
    for y in 0..<height { memset(bitmap.row(y), 0xFF, 4 * width) }
    var cell = EmitterCell(contents: bitmap.freeze())
    (cell.birthRate, cell.lifetime) = (0.1, 100)
    for scale in [1, 0.6, 0.4, 0.25, 0.15] {
      cell.scale = scale
      var parts = Emission.Parts()
      parts.cells = [cell]
      let content = ParticleContent(parts, at: .zero + .seconds(1))
      var sums: [Double] = []
      for step in 0..<16 {
        let move = Affine.translation(x: 32 + Double(step) / 16, y: 32 + Double(step % 4) / 4)
        let found = content.particles(in: Self.everywhere, move)
        let (particle, sprite) = try #require(found.first)
        // The size of the sprite's pixels in those of the output.
        let (across, down) = (65536 / Double(particle.ux), 65536 / Double(particle.vy))
        #expect(across > 0.7071 && down > 0.7071, "\(width) × \(height) at \(scale): \(across) × \(down)")
        let shown = across * Double(sprite.width) * down * Double(sprite.height) * Double(particle.tint >> 24) / 255
        let area = Double(width * height) * scale * scale
        #expect(abs(shown - area) < 0.01 * area + 0.05, "\(width) × \(height) at \(scale): \(shown), not \(area)")
        let picture = try Self.tree(content, move).picture(width: 72, height: 72)
        sums.append((0..<72 * 72).reduce(0) { $0 + Double(picture[$1 % 72, $1 / 72] & 255) - 0x30 })
      }
      let (least, most) = (sums.min() ?? 0, sums.max() ?? 0)
      #expect(least > 0.25 * most, "\(width) × \(height) at \(scale): \(sums)")
    }
  }

  /// Cells with numbers that make no sense emit nothing, and nothing traps.
  @Test func oddNumbersEmitNothing() throws {
    let image = try RandomEmission.image(width: 4, height: 4)
    for path in EmitterCell.numbers {
      for value in [Double.nan, .infinity, -.infinity, 1e300, -1e300, 1e-300, 0] {
        var cell = EmitterCell(contents: image)
        (cell.birthRate, cell.lifetime) = (10, 1)
        cell[keyPath: path] = value
        var parts = Emission.Parts()
        parts.cells = [cell]
        for seconds in [0.0, 0.5, -1, 1e9] {
          let content = ParticleContent(parts, at: MonotonicTime.zero + Nanoseconds.seconds(seconds))
          let found = content.particles(in: IntRect(x: 0, y: 0, width: 50, height: 50), .identity)
          if !value.isFinite { #expect(found.isEmpty) }
          _ = try Self.tree(content, .identity).picture(width: 20, height: 10)
        }
      }
    }
  }

  /// More than the limit are not asked for, however many are born.
  @Test func aMillionOfACellAreShownAtMost() throws {
    var cell = EmitterCell(contents: try RandomEmission.image(width: 1, height: 1))
    (cell.birthRate, cell.lifetime) = (900_000_000, 1000)
    var parts = Emission.Parts()
    parts.cells = [cell]
    let source = try #require(Emission(parts).sources.first)
    let numbers = source.numbers(at: .zero + .seconds(2000))
    #expect(numbers.count == 1_000_000)
    #expect(numbers.upperBound == 1_800_000_000_002)
  }

  private static func tree(_ content: ParticleContent, _ transform: Affine) -> TreeSnapshot {
    var tree = TreeSnapshot()
    tree.backdrop = 0xFF10_2030
    tree.append(RenderRecord(id: 1, subtreeEnd: 1, transform: transform, bounds: .zero), SideValues(content: content))
    return tree
  }

  /// True if the pixel is as defined for a place near its middle.
  private static func isAtAnEdge(
    _ plain: PlainParticles, _ x: Int, _ y: Int, _ pixel: UInt32, _ tolerance: Double, _ blending: Blending
  ) -> Bool {
    var (least, most) = (SIMD4<Double>(repeating: 2), SIMD4<Double>(repeating: -2))
    for (dx, dy) in [(-1.0, -1.0), (-1, 1), (1, -1), (1, 1), (0, 0)] {
      var expected = PlainCompositor.color(0xFF10_2030)
      let place = Point(Double(x) + 0.5 + dx * 2e-3, Double(y) + 0.5 + dy * 2e-3)
      plain.paint(place, over: &expected, blending)
      (least, most) = (pointwiseMin(least, expected), pointwiseMax(most, expected))
    }
    let color = PlainCompositor.color(pixel)
    return max((least - color).max(), (color - most).max()) * 255 <= tolerance
  }
}

extension PlainCompositor {
  /// True if opaque colours are near in light: a step of an alpha is twelve of a dark value.
  static func isNearInLight(_ found: UInt32, _ expected: SIMD4<Double>) -> Bool {
    (0..<3).allSatisfy { channel in
      let light = PlainBlending.light(of: color(found)[channel])
      return abs(light - PlainBlending.light(of: expected[channel])) < 5 / 255
    }
  }
}

extension ParticleContent {
  /// The particles that may touch pixels, in the order in which they are painted, each with its sprite.
  fileprivate func particles(in pixels: IntRect, _ transform: Affine) -> [(ckernels_particle, ckernels_sprite)] {
    var memory = ParticleRoom()
    var found: [(ckernels_particle, ckernels_sprite)] = []
    // The sprites' addresses are right inside alone.
    forEachRun(in: pixels, transform, ckernels_best(), &memory) { run in
      found += run.compactMap { particle in particle.sprite.map { (particle, $0.pointee) } }
    }
    return found
  }
}

extension ckernels_particle {
  fileprivate var pixels: IntRect { IntRect(minX: box.min_x, minY: box.min_y, maxX: box.max_x, maxY: box.max_y) }
}

/// A particle without the address of its sprite.
private struct FoundParticle: Equatable {
  let numbers: [Int64]
  let pixels: IntRect

  init(_ found: ckernels_particle, _ pixels: IntRect) {
    numbers =
      [Int64(found.x0), Int64(found.y0), Int64(found.tint), Int64(bitPattern: found.rank.bitPattern)]
      + [found.u, found.ux, found.uy, found.v, found.vx, found.vy]
    self.pixels = pixels
  }
}

/// Emitters with random numbers.
private struct RandomEmission {
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  private mutating func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
  mutating func chance() -> Bool { Bool.random(using: &random) }
  private mutating func range(_ most: Double) -> Double { chance() ? 0 : number(0...most) }
  private mutating func speed(_ most: Double) -> Double { chance() ? 0 : number(-most...most) }

  mutating func time() -> MonotonicTime { .zero + .seconds(number(0...3)) }

  mutating func pixels(_ width: Int, _ height: Int) -> IntRect {
    let (x, y) = (Int.random(in: 0..<width, using: &random), Int.random(in: 0..<height, using: &random))
    return IntRect(
      x: x, y: y, width: .random(in: 1...width - x, using: &random), height: .random(in: 1...height - y, using: &random))
  }

  mutating func transform() -> Affine {
    let move = Affine.translation(x: number(20...76), y: number(16...48))
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return .translation(x: 48, y: 32)
    case 1: return Affine.rotation(number(-4...4)).concatenating(move)
    case 2: return Affine.scale(x: number(-2...2), y: number(0.1...2)).concatenating(move)
    default:
      return Affine(a: number(-1...1), b: number(-1...1), c: number(-1...1), d: number(-1...1), tx: 0, ty: 0)
        .concatenating(move)
    }
  }

  mutating func parts() throws -> Emission.Parts {
    var parts = Emission.Parts()
    for _ in 0..<Int.random(in: 1...3, using: &random) { parts.cells.append(try cell()) }
    parts.seed = UInt32.random(in: 0...UInt32.max, using: &random)
    parts.shape = EmitterShape.allCases.randomElement(using: &random) ?? .point
    parts.mode = EmitterMode.allCases.randomElement(using: &random) ?? .volume
    parts.renderMode = EmitterRenderMode.allCases.randomElement(using: &random) ?? .unordered
    (parts.position, parts.size) = (Point(speed(20), speed(20)), Size(range(40), range(40)))
    if chance() {
      (parts.birthRate, parts.lifetime) = (number(0.5...1.5), number(0.5...1.5))
      (parts.velocity, parts.scale, parts.spin) = (speed(1.5), number(0.3...1.5), speed(2))
    }
    return parts
  }

  private mutating func cell() throws -> EmitterCell {
    let (width, height) = (Int.random(in: 1...24, using: &random), Int.random(in: 1...24, using: &random))
    var cell = EmitterCell(contents: try Self.image(width: width, height: height))
    if chance() { cell.contentsRect = Rect(x: 0, y: 0.25, width: number(0.3...1), height: 0.75) }
    cell.contentsScale = chance() ? 1 : number(0.5...3)
    cell.birthRate = number(2...25)
    cell.beginTime = .zero + .seconds(number(-1...2))
    cell.duration = chance() ? .seconds(number(0...1)) : nil
    (cell.lifetime, cell.lifetimeRange) = (number(0.1...1.2), range(0.8))
    (cell.velocity, cell.velocityRange) = (number(0...60), range(60))
    (cell.emissionLatitude, cell.emissionLongitude, cell.emissionRange) = (speed(1.5), speed(7), range(7))
    (cell.xAcceleration, cell.yAcceleration, cell.zAcceleration) = (speed(60), speed(60), speed(60))
    (cell.scale, cell.scaleRange, cell.scaleSpeed) = (number(0.02...1.5), range(0.4), speed(1))
    (cell.spin, cell.spinRange) = (speed(9), range(9))
    cell.color = Color(red: number(0...1), green: number(0...1), blue: 1, alpha: number(0.3...1))
    (cell.redRange, cell.greenRange, cell.blueRange, cell.alphaRange) = (range(1), range(1), range(1), range(1))
    (cell.redSpeed, cell.greenSpeed, cell.blueSpeed, cell.alphaSpeed) = (speed(1), speed(1), speed(1), speed(1))
    return cell
  }

  /// A disc in two colours, whose edge is soft, as far as so few pixels show one.
  static func image(width: Int, height: Int) throws -> Image {
    let bitmap = try Bitmap(width: width, height: height)
    for y in 0..<height {
      let row = bitmap.row(y).assumingMemoryBound(to: UInt32.self)
      for x in 0..<width {
        let (dx, dy) = ((Double(x) + 0.5) / Double(width) * 2 - 1, (Double(y) + 0.5) / Double(height) * 2 - 1)
        let alpha = min(max((1.2 - hypot(dx, dy)) * 2, 0), 1)
        row[x] = Color(hex: dx < 0 ? 0xF5C542 : 0xFFFFFF, alpha: alpha).premultipliedBGRA
      }
    }
    return bitmap.freeze()
  }
}
