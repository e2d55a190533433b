import Compositing
import Geometry
import Raster
import RenderTree

/// Measures a card that blurs what lies behind it, against one of the same size whose own picture is blurred as much.
enum BackdropBenchmarks {
  private static let card = Rect(x: 760, y: 390, width: 400, height: 300)

  static let all = Benchmark(name: "backdrops") {
    let bitmap = try Bitmap(width: 1920, height: 1080)
    let whole = DamageRegion(IntRect(x: 0, y: 0, width: bitmap.width, height: bitmap.height))
    let area = DamageRegion(IntRect(covering: card))
    let line = DamageRegion(IntRect(x: 860, y: 480, width: 200, height: 20))
    let (compositor, keeping) = (Compositor(keptBytes: 0), Compositor())
    var (glass, blurred) = (RenderEffects.Parts(), RenderEffects.Parts())
    (glass.backdropBlurRadius, blurred.blurRadius) = (20, 20)
    let (behind, own, plain) = (scene(glass), scene(blurred), scene(RenderEffects.Parts()))
    compositor.render(behind, damage: whole, into: bitmap)
    // The third frame has the kept backdrop.
    for _ in 0..<3 { keeping.render(behind, damage: whole, into: bitmap) }
    func compare(_ name: String, _ damage: DamageRegion, _ peer: TreeSnapshot) -> Result {
      Harness.compare(name, repeats: 4) {
        compositor.render(behind, damage: damage, into: bitmap)
      } peer: {
        compositor.render(peer, damage: damage, into: bitmap)
      }
    }
    var diff = SceneDiff()
    func showChangeInACorner(of tree: TreeSnapshot, _ changed: TreeSnapshot) {
      let change = diff.change(from: tree, to: changed, width: bitmap.width, height: bitmap.height)
      compositor.render(changed, change: change, into: bitmap)
    }
    let (changed, plainChanged) = (changedInACorner(behind), changedInACorner(plain))
    return [
      compare("a card over a blur of 20 pixels, against one that is blurred", area, own),
      compare("a line of 200 × 20 pixels on it, against the line on a plain card", line, plain),
      Harness.compare("the same line where what lies behind is kept, against that", repeats: 4, limit: 0.2) {
        keeping.render(behind, damage: line, into: bitmap)
      } peer: {
        compositor.render(behind, damage: line, into: bitmap)
      },
      Harness.allocations("allocations in that") { keeping.render(behind, damage: line, into: bitmap) },
      Harness.compare("a change far from it, against one beside a plain card", repeats: 20) {
        showChangeInACorner(of: behind, changed)
      } peer: {
        showChangeInACorner(of: plain, plainChanged)
      },
    ]
  }

  private static func changedInACorner(_ tree: TreeSnapshot) -> TreeSnapshot {
    var tree = tree
    tree.records[1].backgroundColor ^= 0xFF_FFFF
    return tree
  }

  /// A card with these effects over 192 others of many colours.
  private static func scene(_ parts: RenderEffects.Parts) -> TreeSnapshot {
    var tree = TreeSnapshot()
    let columns: UInt32 = 16
    let count = columns * 12
    tree.append(
      RenderRecord(
        id: 1, subtreeEnd: count + 2, bounds: Rect(x: 0, y: 0, width: 1920, height: 1080), backgroundColor: 0xFF20_3040),
      SideValues())
    for index in 0..<count {
      tree.append(
        RenderRecord(
          id: index + 2, subtreeEnd: index + 2,
          transform: .translation(x: Double(index % columns) * 120 + 10, y: Double(index / columns) * 90 + 10),
          bounds: Rect(x: 0, y: 0, width: 100, height: 70), cornerRadius: 8,
          backgroundColor: 0xFF00_0000 | (index &* 0x9E_37B1 & 0xFF_FFFF)), SideValues())
    }
    tree.append(
      RenderRecord(
        id: count + 2, subtreeEnd: count + 2, transform: .translation(x: card.minX, y: card.minY),
        bounds: Rect(x: 0, y: 0, width: card.width, height: card.height), cornerRadius: 16, backgroundColor: 0x4040_4040),
      SideValues(effects: RenderEffects(parts)))
    return tree
  }
}
