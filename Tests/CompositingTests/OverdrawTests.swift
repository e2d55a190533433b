import Compositing
import Geometry
import LinuxSystem
import Raster
import RenderTree
import TestLength
import Testing

@Suite struct OverdrawTests {
  static let side = 40

  /// How often each pixel is painted, row by row.
  private func counts(_ tree: TreeSnapshot, _ damage: [IntRect]) -> [Int] {
    var region = DamageRegion()
    for rect in damage { region.add(rect) }
    var counts = [Int](repeating: 0, count: Self.side * Self.side)
    Compositor().visitPaintedRuns(of: tree, damage: region, width: Self.side, height: Self.side) { y, columns in
      for x in columns { counts[Int(y) * Self.side + Int(x)] += 1 }
    }
    return counts
  }

  /// Layers of these colours, 20 × 20 at (10, 10), in a root without a colour.
  private func tree(_ colors: [UInt32], _ change: (inout TreeSnapshot) -> Void = { _ in }) -> TreeSnapshot {
    var records = [
      RenderRecord(id: 1, subtreeEnd: UInt32(colors.count + 1), bounds: Rect(x: 0, y: 0, width: 40, height: 40))
    ]
    for (index, color) in colors.enumerated() {
      let id = UInt32(index + 2)
      records.append(
        RenderRecord(
          id: id, subtreeEnd: id, transform: .translation(x: 10, y: 10), bounds: Rect(x: 0, y: 0, width: 20, height: 20),
          backgroundColor: color))
    }
    var tree = TreeSnapshot(records: records)
    change(&tree)
    for index in tree.records.indices { tree.records[index].settle(tree.sides[index]) }
    return tree
  }

  private let all = [IntRect(x: 0, y: 0, width: 40, height: 40)]

  private func count(_ tree: TreeSnapshot, at x: Int, _ y: Int) -> Int { counts(tree, all)[y * Self.side + x] }

  @Test func translucentLayersArePaintedOverOneAnother() {
    #expect(count(tree([]), at: 20, 20) == 1)
    #expect(count(tree([0x8000_0000]), at: 20, 20) == 2)
    #expect(count(tree([0x8000_0000, 0x8000_0000]), at: 20, 20) == 3)
    #expect(count(tree([0x8000_0000, 0x8000_0000]), at: 5, 20) == 1)
  }

  /// Layers behind an opaque one are hidden where that one fills what is painted.
  @Test func hiddenLayersAreNotPainted() {
    let tree = tree([0x8000_0000, 0xFF00_0000])
    let inside = counts(tree, [IntRect(x: 12, y: 12, width: 4, height: 4)])
    #expect(inside[13 * Self.side + 13] == 1)
    #expect(inside.reduce(0, +) == 16)
    // Nor is the backdrop behind one that fills a part.
    let part = self.tree([0xFF00_0000, 0x8000_0000])
    #expect(count(part, at: 20, 20) == 2)
    #expect(count(part, at: 5, 20) == 1)
  }

  @Test func aGroupIsBlendedOnceMore() {
    let group = tree([0x8000_0000, 0x8000_0000]) {
      $0.records[1].subtreeEnd = 3
      $0.records[1].opacity = 0.5
      $0.records[2].transform = .identity
    }
    #expect(count(group, at: 20, 20) == 4)
    let shadowed = tree([0x8000_0000]) {
      var parts = RenderEffects.Parts()
      parts.shadow = Shadow(color: 0xFF00_0000, offset: .zero, radius: 0)
      $0.sides[1].effects = RenderEffects(parts)
    }
    // The backdrop, the shadow, the layer, the blending of both.
    #expect(count(shadowed, at: 20, 20) == 4)
  }

  @Test func bordersAndInnerShadowsAreCounted() {
    func counts(_ change: (inout RenderEffects.Parts) -> Void) -> [Int] {
      let tree = tree([0x8000_0000]) {
        var parts = RenderEffects.Parts()
        change(&parts)
        $0.sides[1].effects = RenderEffects(parts)
      }
      return [count(tree, at: 9, 20), count(tree, at: 10, 20), count(tree, at: 20, 20), count(tree, at: 29, 29)]
    }
    #expect(counts { $0.border = Border(width: 2, color: 0xFFFF_FFFF) } == [1, 3, 2, 3])
    #expect(counts { $0.innerShadow = Shadow(color: 0xFF00_0000, offset: .zero, radius: 2) } == [1, 3, 3, 3])
    let path = Path.rect(Rect(x: -5, y: 0, width: 25, height: 20))
    #expect(counts { $0.shadow = Shadow(color: 0xFF00_0000, offset: .zero, radius: 0, path: path) } == [2, 3, 3, 3])
  }

  /// The shadow of an opaque layer is painted around it alone, and so is the backdrop.
  @Test func aShadowThatIsHiddenIsNotCounted() {
    let tree = tree([0xFF80_8080]) {
      var parts = RenderEffects.Parts()
      parts.shadow = Shadow(color: 0xFF00_0000, offset: Size(4, 0), radius: 0)
      $0.sides[1].effects = RenderEffects(parts)
    }
    #expect([count(tree, at: 9, 20), count(tree, at: 20, 20), count(tree, at: 32, 20)] == [1, 1, 2])
  }

  /// The compositor counts what it paints of upright layers as the overlay does.
  @Test func bordersAndShadowsAreCountedWhilePainting() throws {
    let bitmap = try Bitmap(width: Self.side, height: Self.side)
    func check(_ color: UInt32, _ change: (inout RenderEffects.Parts) -> Void) {
      let tree = tree([color]) {
        var parts = RenderEffects.Parts()
        change(&parts)
        $0.sides[1].effects = RenderEffects(parts)
      }
      let compositor = Compositor()
      compositor.render(tree, damage: DamageRegion(all[0]), into: bitmap)
      #expect(compositor.work.layerPixels == counts(tree, all).reduce(0, +))
    }
    let shadow = Shadow(color: 0xFF00_0000, offset: Size(4, 0), radius: 3)
    check(0x8000_0000) { $0.border = Border(width: 2, color: 0xFFFF_FFFF) }
    check(0xFF00_0000) { $0.shadow = shadow }
    check(0xFF00_0000) { $0.innerShadow = shadow }
    check(0x8000_0000) { $0.backdropBlurRadius = 2 }
  }

  @Test func roundedCornersAreLeftOut() {
    let round = tree([0x8000_0000]) { $0.records[1].cornerRadius = 10 }
    #expect(count(round, at: 10, 10) == 1)
    #expect(count(round, at: 20, 20) == 2)
  }

  /// An opaque layer in round corners hides what is behind them, where they are far away.
  @Test func anOpaqueLayerHidesThroughAClip() {
    let card = tree([0xFFFF_FFFF, 0xFF80_8080]) {
      $0.records[1].subtreeEnd = 3
      $0.records[1].cornerRadius = 4
      $0.records[1].flags = .masksToBounds
      $0.records[2].transform = .translation(x: -50, y: -50)
      $0.records[2].bounds = Rect(x: 0, y: 0, width: 100, height: 100)
    }
    let inside = counts(card, [IntRect(x: 15, y: 15, width: 10, height: 10)])
    #expect(inside[20 * Self.side + 20] == 1)
    // Around a corner all are painted, the backdrop too where the clip may cover pixels in part, and of the clip these pixels.
    let corner = counts(card, [IntRect(x: 8, y: 8, width: 10, height: 10)])
    #expect([corner[9 * Self.side + 9], corner[16 * Self.side + 16], corner[11 * Self.side + 11]] == [1, 2, 4])
  }

  /// Random trees and damage: every pixel of the damage is painted, and no other.
  @MainActor @Test(arguments: some(6, of: 1...60))
  func allOfTheDamageIsPaintedAndNothingElse(seed: UInt64) throws {
    let model = try RandomTree(seed: seed &+ 900, layers: 12, width: Self.side, height: Self.side)
    var random = SplitMix64(seed: seed)
    for step in 0..<20 {
      for _ in 0..<4 { _ = model.edit() }
      let tree = model.snapshot()
      let rects = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        IntRect(
          x: .random(in: -5...40, using: &random), y: .random(in: -5...40, using: &random),
          width: .random(in: 0...20, using: &random), height: .random(in: 0...20, using: &random))
      }
      var region = DamageRegion()
      for rect in rects { region.add(rect) }
      for (index, count) in counts(tree, rects).enumerated() {
        let pixel = IntRect(x: index % Self.side, y: index / Self.side, width: 1, height: 1)
        guard (count > 0) != region.intersects(pixel) else { continue }
        Issue.record("seed \(seed), step \(step): \(pixel) is painted \(count) times\n\(tree)")
        return
      }
    }
  }
}
