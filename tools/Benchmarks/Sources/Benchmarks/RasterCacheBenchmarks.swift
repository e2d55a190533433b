import Compositing
import Geometry
import Raster
import RenderTree

/// Measures layers with effects: painted anew in each frame, against kept.
enum RasterCacheBenchmarks {
  static let all = Benchmark(name: "effects") {
    let bitmap = try Bitmap(width: 800, height: 600)
    let screen = DamageRegion(IntRect(x: 0, y: 0, width: bitmap.width, height: bitmap.height))
    let (keeping, painting) = (Compositor(), Compositor(keptBytes: 0))
    var rows: [Result] = []
    for (name, parts, limit) in kinds {
      let tree = card(parts)
      rows.append(
        Harness.compare("a card with \(name), against painted anew", limit: limit) {
          keeping.render(tree, damage: screen, into: bitmap)
        } peer: {
          painting.render(tree, damage: screen, into: bitmap)
        })
      rows.append(Harness.allocations("allocations: with \(name)") { keeping.render(tree, damage: screen, into: bitmap) })
    }
    return rows
  }

  private static var kinds: [(String, RenderEffects.Parts, Double)] {
    var (shadow, innerShadow, raster) = (RenderEffects.Parts(), RenderEffects.Parts(), RenderEffects.Parts())
    shadow.shadow = Shadow(color: 0x8000_0000, offset: Size(0, 8), radius: 12)
    innerShadow.innerShadow = Shadow(color: 0x8000_0000, offset: Size(0, 8), radius: 12)
    raster.rasterizationScale = 1
    return [("a shadow", shadow, 0.5), ("an inner shadow", innerShadow, 0.8), ("a raster", raster, 1)]
  }

  /// A rounded card of 400 × 300 units on a plain ground.
  private static func card(_ parts: RenderEffects.Parts) -> TreeSnapshot {
    var tree = TreeSnapshot()
    tree.append(
      RenderRecord(
        id: 1, subtreeEnd: 2, bounds: Rect(x: 0, y: 0, width: 800, height: 600), backgroundColor: 0xFF20_3040),
      SideValues())
    tree.append(
      RenderRecord(
        id: 2, subtreeEnd: 2, transform: .translation(x: 200, y: 150), bounds: Rect(x: 0, y: 0, width: 400, height: 300),
        cornerRadius: 16, backgroundColor: 0xFFF0_F0F0),
      SideValues(effects: RenderEffects(parts)))
    return tree
  }
}
