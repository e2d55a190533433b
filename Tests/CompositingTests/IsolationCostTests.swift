import Geometry
import LinuxSystem
import Raster
import Testing

@testable import Compositing
@testable import RenderTree

/// Layers that are pictures of their own, inside of each other: each is painted once, whatever its effects.
@Suite struct IsolationCostTests {
  private static let depth = TreeLayers.maximumPictureDepth

  enum Effect: CaseIterable { case border, nearShadow, farShadow, mask, raster, perspective, transition }

  @Test(arguments: Effect.allCases)
  func nestedPicturesCostByTheirDepth(effect: Effect) throws {
    let content = CountedContent()
    let tree =
      effect == .transition ? Self.transitions(around: content) : Self.chain(content) { _ in Self.parts(effect) }
    #expect(tree.inconsistency == nil)
    content.reset()
    let bitmap = try Bitmap(width: 1500, height: 40)
    let damage = DamageRegion(IntRect(x: 0, y: 0, width: bitmap.width, height: bitmap.height))
    Compositor().render(tree, damage: damage, into: bitmap)
    // Each older picture of a transition is one of its own.
    #expect(content.paints == (effect == .transition ? Self.depth + 1 : 1))
    // The extent of a picture is measured for each picture around it.
    #expect(content.measures <= 8 * Self.depth * Self.depth, "\(content.measures) measures")
  }

  /// A picture of its own for each far shadow would double the work with each in another: three are painted, the others are left
  /// out, whatever the damage.
  @Test(arguments: 0...4)
  func farShadowsAreFew(thrown: Int) throws {
    let content = CountedContent()
    var tree = Self.chain(content) { _ in
      var parts = RenderEffects.Parts()
      parts.shadow = Shadow(color: 0xFF20_4060, offset: Size(4000, 3000), radius: 0)
      return parts
    }
    // The output shows where the last layer is thrown by so many shadows.
    tree.records[0].transform = .translation(x: 700 - 4000 * Double(thrown), y: 10 - 3000 * Double(thrown))
    content.reset()
    let full = try Bitmap(width: 1500, height: 40)
    Compositor().render(tree, damage: DamageRegion(IntRect(x: 0, y: 0, width: 1500, height: 40)), into: full)
    #expect(content.paints == [1, 3, 3, 1, 0][thrown])
    #expect((full.row(20).load(fromByteOffset: 710 * 4, as: UInt32.self) != tree.backdrop) == (thrown < 4))
    let parts = try Bitmap(width: 1500, height: 40)
    for part in [
      IntRect(minX: 0, minY: 0, maxX: 712, maxY: 40), IntRect(minX: 712, minY: 0, maxX: 1500, maxY: 21),
      IntRect(minX: 712, minY: 21, maxX: 1500, maxY: 40),
    ] {
      Compositor().render(tree, damage: DamageRegion(part), into: parts)
    }
    for y in 0..<40 {
      let rows = [full, parts].map { UnsafeRawBufferPointer(start: $0.row(y), count: 1500 * 4) }
      #expect(rows[0].elementsEqual(rows[1]), "row \(y)")
    }
  }

  /// A near shadow is painted in layers whose far shadows are left out, too.
  @Test func aNearShadowIsPaintedInsideOfFarOnes() throws {
    var tree = Self.chain(CountedContent()) { level in
      guard level <= 4 else { return Self.parts(.raster) }
      var parts = RenderEffects.Parts()
      let offset = level == 4 ? Size(3, 3) : Size(4000, 3000)
      parts.shadow = Shadow(color: 0xFF20_4060, offset: offset, radius: 0)
      return parts
    }
    tree.records[0].transform = .translation(x: 10, y: 10)
    let bitmap = try Bitmap(width: 60, height: 60)
    Compositor().render(tree, damage: DamageRegion(IntRect(x: 0, y: 0, width: 60, height: 60)), into: bitmap)
    #expect(bitmap.row(20).load(fromByteOffset: 31 * 4, as: UInt32.self) != tree.backdrop)
  }

  /// An old picture shows what its layers' transitions led to, and a layer that they hid not at all.
  @Test func anOldPictureHoldsNoTransition() {
    var hiding = LayerTransition(old: OldPicture(), type: .fade, subtype: .fromLeft, progress: 0.5)
    hiding.isNewHidden = true
    for isHidden in [false, true] {
      let tree = Self.chain(CountedContent()) { level in
        var parts = RenderEffects.Parts()
        if level == 3 { parts.border = Border(width: 1, color: 0xFFFF_FFFF) }
        parts.transition =
          level == 3 && isHidden
          ? hiding
          : LayerTransition(
            old: OldPicture(), type: .push, subtype: .fromTop, progress: 0.5)
        return parts
      }
      let old = OldPicture(of: 2, in: tree).tree
      #expect(old.inconsistency == nil)
      #expect(old.records.count == tree.records.count - 2)
      #expect(old.sides.allSatisfy { $0.effects?.parts.transition == nil })
      #expect(old.sides[4].effects?.parts.border != nil)
      #expect(old.records[4].flags.contains(.hidden) == isHidden)
      #expect(OldPicture(of: 6, in: tree).tree.records.isEmpty == isHidden)
    }
  }

  // MARK: Trees

  private static func parts(_ effect: Effect) -> RenderEffects.Parts {
    var parts = RenderEffects.Parts()
    switch effect {
    case .border: parts.border = Border(width: 1, color: 0xFFFF_FFFF)
    case .nearShadow: parts.shadow = Shadow(color: 0xFF00_0000, offset: Size(3, 3), radius: 4)
    case .farShadow: parts.shadow = Shadow(color: 0xFF00_0000, offset: Size(100, 0), radius: 0)
    case .raster: parts.rasterizationScale = 1
    case .perspective: parts.homography = Homography(a: 1, b: 0, px: 1e-6, c: 0, d: 1, py: 0, tx: 0, ty: 0, pw: 1)
    case .mask, .transition: break
    }
    return parts
  }

  /// Layers of which each lies in the one before, with the content in the last. Those without effects have a mask.
  private static func chain(_ content: CountedContent, _ parts: (Int) -> RenderEffects.Parts) -> TreeSnapshot {
    var tree = TreeSnapshot()
    let bounds = Rect(x: 0, y: 0, width: 20, height: 20)
    let end = UInt32(depth * 2)
    for level in 0..<depth {
      let effects = RenderEffects.make(parts(level), last: nil)
      let record = RenderRecord(
        id: UInt32(level * 2 + 1), subtreeEnd: end, bounds: bounds, backgroundColor: 0x8040_2010,
        flags: effects == nil ? .masked : [])
      tree.append(record, SideValues(content: level == depth - 1 ? content : nil, effects: effects))
      let mask = RenderRecord(
        id: UInt32(level * 2 + 2), subtreeEnd: UInt32(level * 2 + 2), bounds: bounds, backgroundColor: 0xFFFF_FFFF,
        flags: .mask)
      tree.append(mask, SideValues())
    }
    for index in tree.records.indices where index.isMultiple(of: 2) { tree.records[index].subtreeEnd = end }
    return tree
  }

  /// Each layer is in a transition; those of the inner ones began first, so that they are in the outer ones' old pictures.
  private static func transitions(around content: CountedContent) -> TreeSnapshot {
    var olds: [Int: OldPicture] = [:]
    func tree() -> TreeSnapshot {
      chain(content) { level in
        var parts = RenderEffects.Parts()
        parts.border = Border(width: 1, color: 0xFFFF_FFFF)
        parts.transition = olds[level].map {
          LayerTransition(old: $0, type: .fade, subtype: .fromTop, progress: 0.5)
        }
        return parts
      }
    }
    for level in (0..<depth).reversed() { olds[level] = OldPicture(of: level * 2, in: tree()) }
    return tree()
  }
}
