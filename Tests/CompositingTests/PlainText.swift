import Geometry
import Raster

@testable import RenderTree

// The definition of text on whole pixels: each part is painted as Cairo draws it, and is seen in the layer and, where ink leans out of
// it, beyond its edges.

extension PlainCompositor {
  /// The pixels around a text that its ink may reach.
  private static let margin = 60

  /// False for a text of which an image is cut into parts.
  func isShownWhole(_ text: TextContent, _ index: Int) -> Bool {
    let (bounds, effects) = (tree.records[index].bounds, tree.sides[index].effects)
    let cut = effects?.parts.cut ?? ContentCut()
    return text.map(in: bounds, effects, .identity) != nil || cut.rect == ContentCut().rect && !cut.hasNineParts
  }

  func color(of text: TextContent, _ index: Int, _ pixel: Pixel) -> Color {
    let record = tree.records[index]
    let shown = tree.sides[index].effects.contentRect(in: record.bounds)
    var seen = shown.intersection(record.bounds)
    if seen.isEmpty { return .zero }
    if !record.flags.contains(.masksToBounds) { seen = widened(seen, where: text) }
    seen = seen.intersection(Rect(x: Double(pixel.x), y: Double(pixel.y), width: 1, height: 1))
    let (x, y) = (pixel.x - Int(shown.minX) + Self.margin, pixel.y - Int(shown.minY) + Self.margin)
    return parts(of: text, at: index).reduce(.zero) { result, image in
      guard (0..<image.width).contains(x), (0..<image.height).contains(y) else { return result }
      let color = Self.color(image.row(y).assumingMemoryBound(to: UInt32.self)[x])
      return over(color * (seen.width * seen.height), result)
    }
  }

  private func widened(_ rect: Rect, where text: TextContent) -> Rect {
    func margin(_ lean: Double) -> Double { lean > 0 ? Double(Self.margin) : 0 }
    let (left, top) = (margin(text.lean.left), margin(text.lean.top))
    return Rect(
      x: rect.minX - left, y: rect.minY - top, width: rect.width + left + margin(text.lean.right),
      height: rect.height + top + margin(text.lean.bottom))
  }

  /// Images of the parts of a text by themselves, with a margin.
  private func parts(of text: TextContent, at index: Int) -> [Image] {
    if let images = textParts[index] { return images }
    let margin = Double(Self.margin) / text.scale
    let images = text.parts.compactMap { part in
      TextContent(
        [part], area: text.area.insetBy(dx: -margin, dy: -margin), width: text.width + 2 * Self.margin,
        height: text.height + 2 * Self.margin, scale: text.scale
      ).image
    }
    textParts[index] = images
    return images
  }
}
