import Compositing
import Geometry
import LinuxSystem
import Raster
import TestLength
import Testing

@testable import RenderTree

/// The pixels that change on an output where regions of a surface do.
@Suite struct SurfaceDamageTests {
  private static let (width, height) = (120, 80)

  private static func tree(_ surface: Surface, _ transform: Affine, _ parts: RenderEffects.Parts) -> TreeSnapshot {
    var tree = TreeSnapshot()
    let bounds = Rect(x: 0, y: 0, width: Double(surface.width), height: Double(surface.height))
    tree.append(
      RenderRecord(id: 1, subtreeEnd: 1, transform: transform, bounds: bounds),
      SideValues(content: surface.content, effects: .make(parts, last: nil)))
    return tree
  }

  private static func damage(from old: TreeSnapshot, to new: TreeSnapshot) -> DamageRegion {
    var diff = SceneDiff()
    return diff.change(from: old, to: new, width: width, height: height).damage
  }

  /// Random regions under random maps and filters, shown much smaller and larger, in parts and turned.
  @Test(arguments: some(60, of: 1...2000))
  func damageIsProven(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
    let surface = try Surface(
      width: .random(in: 1...300, using: &random), height: .random(in: 1...200, using: &random), isOpaque: seed % 2 == 0)
    func transform() -> Affine {
      let fit = Affine.scale(
        x: number(20...150) / Double(surface.width), y: number(20...100) / Double(surface.height))
      let place = Affine.translation(x: number(-20...40), y: number(-20...30))
      switch Int.random(in: 0...5, using: &random) {
      case 0: return .translation(x: number(-30...30).rounded(), y: number(-30...30).rounded())
      case 1: return fit.concatenating(.rotation(number(-4...4))).concatenating(place)
      case 2: return .translation(x: number(-30...30), y: number(-30...30))
      default: return fit.concatenating(place)
      }
    }
    func parts() -> RenderEffects.Parts {
      var parts = RenderEffects.Parts()
      parts.cut.minification = ImageFilter.allCases.randomElement(using: &random) ?? .linear
      parts.cut.magnification = ImageFilter.allCases.randomElement(using: &random) ?? .linear
      if random.chance(0.3) {
        parts.cut.rect = Rect(x: number(-0.2...0.4), y: number(0...0.4), width: number(0.1...0.6), height: number(0.1...0.6))
      }
      if random.chance(0.2) { parts.placement = ContentPlacement(gravity: .center, size: Size(number(1...90), 40)) }
      return parts
    }
    var (place, look) = (transform(), parts())
    var shown = Self.tree(surface, place, look)
    var painted = try shown.picture(width: Self.width, height: Self.height)
    for _ in 0..<12 {
      if random.chance(0.3) {
        (place, look) = (transform(), parts())
        shown = Self.tree(surface, place, look)
        painted = try shown.picture(width: Self.width, height: Self.height)
      }
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let (x, y) = (Int.random(in: 0..<surface.width, using: &random), Int.random(in: 0..<surface.height, using: &random))
        let region = IntRect(
          x: x, y: y, width: .random(in: 1...min(surface.width - x, 20), using: &random),
          height: .random(in: 1...min(surface.height - y, 20), using: &random))
        try surface.update(region) { pixels in
          for y in 0..<region.height {
            for x in 0..<region.width {
              pixels.row(y)[x] = Color(hex: .random(in: 0...0xFF_FFFF, using: &random)).premultipliedBGRA
            }
          }
        }
      }
      try surface.commit()
      let next = Self.tree(surface, place, look)
      let damage = Self.damage(from: shown, to: next)
      Compositor().render(next, damage: damage, into: painted)
      let whole = try next.picture(width: Self.width, height: Self.height)
      for y in 0..<Self.height {
        for x in 0..<Self.width where painted[x, y] != whole[x, y] {
          Issue.record("seed \(seed): pixel \(x), \(y)\n\(next)\ndamage: \(damage.rects.map { $0 })")
          return
        }
      }
      shown = next
    }
  }

  /// The damage is the updated region and no more, if each pixel is one of the output's.
  @Test func damageIsExactPixelByPixel() throws {
    let surface = try Surface(width: 200, height: 200)
    let old = Self.tree(surface, .translation(x: 4, y: -3), RenderEffects.Parts())
    try surface.update(IntRect(x: 20, y: 30, width: 5, height: 6)) { pixels in
      for y in 0..<6 { pixels.row(y).update(repeating: 0xFF00_FF00) }
    }
    try surface.commit()
    let damage = Self.damage(from: old, to: Self.tree(surface, .translation(x: 4, y: -3), RenderEffects.Parts()))
    #expect(damage.rects.map { $0 } == [IntRect(x: 24, y: 27, width: 5, height: 6)])
  }
}
