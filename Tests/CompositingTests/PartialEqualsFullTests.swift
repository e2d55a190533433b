import Compositing
import Geometry
import LinuxSystem
import Raster
import RenderTree
import TestLength
import Testing

/// Any damage gives the bytes of a whole frame: `DamageProofTests` prove that of the damage of edits.
@Suite struct PartialEqualsFullTests {
  static let width = 90
  static let height = 80

  /// Any damage at all, drawn onto poison: the frame's bytes inside, poison outside, in the rows' padding too.
  @MainActor @Test(arguments: some(12, of: 1...60))
  func outsideTheDamageNothingIsTouched(seed: UInt64) throws {
    let model = try RandomTree(seed: seed &+ 1000, layers: 10, width: Self.width, height: Self.height)
    var random = SplitMix64(seed: seed)
    let blending = Blending.allCases[Int(seed % 2)]
    let compositor = Compositor(blending: blending)
    let full = try Bitmap(width: Self.width, height: Self.height)
    let part = try Bitmap(width: Self.width, height: Self.height)
    let bounds = IntRect(x: 0, y: 0, width: Self.width, height: Self.height)
    for _ in 0..<10 {
      for _ in 0..<4 { _ = model.edit() }
      let tree = model.snapshot()
      Compositor(blending: blending).render(tree, damage: DamageRegion(bounds), into: full)
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
}
