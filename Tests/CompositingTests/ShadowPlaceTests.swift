import Compositing
import Geometry
import Raster
import RenderTree
import Testing

/// Shadows that are not blurred, moved by parts of pixels.
@Suite struct ShadowPlaceTests {
  /// A sharp shadow that ends within a pixel covers its share of that pixel, on each side.
  @Test(arguments: [Size(20.5, 20.25), Size(-8.5, -8.25), Size(20.25, -8.5), Size(-8.75, 20.5)])
  func theEdgesOfASharpShadowAreCovered(offset: Size) throws {
    var parts = RenderEffects.Parts()
    parts.shadow = Shadow(color: 0xFFFF_0000, offset: offset, radius: 0)
    var tree = TreeSnapshot()
    let square = RenderRecord(
      id: 1, subtreeEnd: 1, transform: .translation(x: 20, y: 20), bounds: Rect(x: 0, y: 0, width: 10, height: 10),
      backgroundColor: 0xFF00_00FF)
    tree.append(square, SideValues(content: nil, effects: RenderEffects(parts)))
    let picture = try tree.picture(width: 60, height: 60)
    let shadow = Rect(x: 20, y: 20, width: 10, height: 10).offsetBy(dx: offset.width, dy: offset.height)
    for y in 0..<60 {
      for x in 0..<60 where !(20..<30).contains(x) || !(20..<30).contains(y) {
        let part = shadow.intersection(Rect(x: Double(x), y: Double(y), width: 1, height: 1))
        let red = UInt32((part.width * part.height * 255).rounded())
        #expect(picture[x, y].isNear(0xFF00_0000 | red << 16, tolerance: 2), "\(x) \(y): \(picture[x, y])")
      }
    }
  }
}
