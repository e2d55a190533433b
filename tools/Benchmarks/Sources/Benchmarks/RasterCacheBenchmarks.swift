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
    let (plain, bordered, pictures) = (rectangles(nil), rectangles(.direct), rectangles(.pictures))
    func render(_ tree: TreeSnapshot, by compositor: Compositor) -> () -> Void {
      { compositor.render(tree, damage: screen, into: bitmap) }
    }
    let name = "500 rounded rectangles with borders"
    rows.append(
      Harness.compare(
        "\(name), against pictures painted anew", limit: 0.9, ours: render(bordered, by: keeping),
        peer: render(pictures, by: painting)))
    rows.append(
      Harness.compare(
        "\(name), against kept pictures", ours: render(bordered, by: keeping), peer: render(pictures, by: keeping)))
    rows.append(
      Harness.compare("\(name), against none", ours: render(bordered, by: keeping), peer: render(plain, by: keeping)))
    rows.append(Harness.allocations("allocations: \(name)", render(bordered, by: keeping)))
    return rows
  }

  private static var kinds: [(String, RenderEffects.Parts, Double)] {
    var (shadow, innerShadow, raster) = (RenderEffects.Parts(), RenderEffects.Parts(), RenderEffects.Parts())
    shadow.shadow = Shadow(color: 0x8000_0000, offset: Size(0, 8), radius: 12)
    innerShadow.innerShadow = Shadow(color: 0x8000_0000, offset: Size(0, 8), radius: 12)
    raster.rasterizationScale = 1
    return [("a shadow", shadow, 0.8), ("an inner shadow", innerShadow, 0.8), ("a raster", raster, 1)]
  }

  private enum Borders { case direct, pictures }

  /// Rounded rectangles here and there.
  private static func rectangles(_ borders: Borders?) -> TreeSnapshot {
    var tree = TreeSnapshot()
    tree.append(
      RenderRecord(
        id: 1, subtreeEnd: 501, bounds: Rect(x: 0, y: 0, width: 800, height: 600), backgroundColor: 0xFF20_3040),
      SideValues())
    var parts = RenderEffects.Parts()
    parts.border = Border(width: 2, color: 0xFF80_A0C0)
    if borders == .pictures { parts.rasterizationScale = 1 }
    let effects = borders == nil ? nil : RenderEffects(parts)
    for id in UInt32(2)...501 {
      tree.append(
        RenderRecord(
          id: id, subtreeEnd: id,
          transform: .translation(x: Double(id * 7919 % 740), y: Double(id * 104_729 % 560)),
          bounds: Rect(x: 0, y: 0, width: 60, height: 40), cornerRadius: 8, backgroundColor: 0xFFF0_F0F0),
        SideValues(effects: effects))
    }
    return tree
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
