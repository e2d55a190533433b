import Compositing
import Geometry
import LinuxSystem
import Raster
import RenderTree
import TestLength
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// The proof of damage: what is painted by parts equals, byte for byte, what is painted whole.
@Suite struct PartialEqualsFullTests {
  static let width = 90
  static let height = 80

  /// Trees of 100 frames, of which each has one edit or more: in a long run above 5,000 edits.
  @MainActor @Test(arguments: some(12, of: 1...50))
  func onBothBuffersOfARing(seed: UInt64) throws {
    let model = try RandomTree(seed: seed, layers: 8, width: Self.width, height: Self.height)
    var random = SplitMix64(seed: seed &+ 1 << 32)
    let compositor = Compositor()
    let whole = DamageRegion(IntRect(x: 0, y: 0, width: Self.width, height: Self.height))
    var full = try Bitmap(width: Self.width, height: Self.height)
    var previous = try Bitmap(width: Self.width, height: Self.height)
    let ring = [
      try Bitmap(width: Self.width, height: Self.height), try Bitmap(width: Self.width, height: Self.height),
    ]
    var pending = [whole, whole]
    var diff = SceneDiff()
    var shown = model.snapshot()
    var buffer = 0
    for frame in 0..<100 {
      var edits: [String] = []
      repeat { edits.append(model.edit()) } while random.chance(0.3)
      let next = model.snapshot()
      try #require(next.inconsistency == nil)
      var damage = DamageRegion()
      diff.damage(from: shown, to: next, width: Self.width, height: Self.height, into: &damage)
      for index in pending.indices { pending[index].add(damage) }
      compositor.render(next, damage: pending[buffer], into: ring[buffer])
      swap(&full, &previous)
      // Painted anew, without what the other keeps.
      Compositor().render(next, damage: whole, into: full)
      let difference =
        firstDifference(ring[buffer], full)
        ?? (frame == 0 ? nil : firstDifference(full, previous, outside: damage).map { "the diff misses that " + $0 })
      if let difference {
        Issue.record(
          """
          seed \(seed), frame \(frame), buffer \(buffer): \(difference)
          edits: \(edits.joined(separator: ", "))
          damage: \(damage.rects.map { $0 })
          before: \(shown)
          after: \(next)
          """)
        return
      }
      pending[buffer].removeAll()
      shown = next
      // Mostly in turn; sometimes a buffer waits for several frames.
      if random.chance(0.8) { buffer = 1 - buffer }
    }
  }

  /// Any damage at all, drawn onto poison: the frame's bytes inside, poison outside, in the rows' padding too.
  @MainActor @Test(arguments: some(12, of: 1...60))
  func outsideTheDamageNothingIsTouched(seed: UInt64) throws {
    let model = try RandomTree(seed: seed &+ 1000, layers: 10, width: Self.width, height: Self.height)
    var random = SplitMix64(seed: seed)
    let compositor = Compositor()
    let full = try Bitmap(width: Self.width, height: Self.height)
    let part = try Bitmap(width: Self.width, height: Self.height)
    let bounds = IntRect(x: 0, y: 0, width: Self.width, height: Self.height)
    for _ in 0..<10 {
      for _ in 0..<4 { _ = model.edit() }
      let tree = model.snapshot()
      Compositor().render(tree, damage: DamageRegion(bounds), into: full)
      var damage = DamageRegion()
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        damage.add(
          IntRect(
            x: .random(in: -10...Self.width, using: &random), y: .random(in: -10...Self.height, using: &random),
            width: .random(in: 0...30, using: &random), height: .random(in: 0...30, using: &random)))
      }
      let poison: UInt32 = 0xDEAD_BEEF
      let words = part.bytesPerRow / 4
      for y in 0..<Self.height {
        for x in 0..<words { part[x, y] = poison }
      }
      compositor.render(tree, damage: damage, into: part)
      for y in 0..<Self.height {
        for x in 0..<words {
          let (found, expected) = (part[x, y], full[x, y])
          let isInside = x < Self.width && damage.intersects(IntRect(x: x, y: y, width: 1, height: 1))
          if found != (isInside ? expected : poison) {
            Issue.record(
              "seed \(seed): pixel \(x), \(y) \(String(found, radix: 16)) for \(String(expected, radix: 16)) \(isInside ? "inside" : "outside") of \(damage.rects.map { $0 })\n\(tree)"
            )
            return
          }
        }
      }
    }
  }

  private func firstDifference(_ left: Bitmap, _ right: Bitmap, outside damage: DamageRegion = DamageRegion()) -> String? {
    for y in 0..<left.height where memcmp(left.row(y), right.row(y), left.width * 4) != 0 {
      for x in 0..<left.width
      where left[x, y] != right[x, y] && !damage.intersects(IntRect(x: x, y: y, width: 1, height: 1)) {
        return "pixel \(x), \(y) is \(String(left[x, y], radix: 16)) and not \(String(right[x, y], radix: 16))"
      }
    }
    return nil
  }
}
