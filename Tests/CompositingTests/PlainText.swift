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

  /// True for a layer that shows what lies around the middle of an image.
  func showsAround(_ index: Int) -> Bool {
    let cut = tree.sides[index].effects?.parts.cut ?? ContentCut()
    return !tree.records[index].flags.contains(.masksToBounds) && cut.rect == ContentCut().rect && !cut.hasNineParts
  }

  /// The colour of a larger image of which a layer has the middle.
  func color(of whole: Image.Whole, around image: Image, _ index: Int, _ pixel: Pixel) -> Color {
    let bounds = tree.records[index].bounds
    let shown = tree.sides[index].effects.contentRect(in: bounds)
    var seen = shown.intersection(bounds)
    if seen.isEmpty { return .zero }
    let (x, y) = (shown.width / Double(image.width), shown.height / Double(image.height))
    seen.origin -= Point(Double(whole.x) * x, Double(whole.y) * y)
    seen.size.width += Double(whole.image.width - image.width) * x
    seen.size.height += Double(whole.image.height - image.height) * y
    seen = seen.intersection(Rect(x: Double(pixel.x), y: Double(pixel.y), width: 1, height: 1))
    let column = ((Double(pixel.x) + 0.5 - shown.minX) / x).rounded(.down) + Double(whole.x)
    let row = ((Double(pixel.y) + 0.5 - shown.minY) / y).rounded(.down) + Double(whole.y)
    if seen.isEmpty { return .zero }
    let (lastColumn, lastRow) = (Double(whole.image.width - 1), Double(whole.image.height - 1))
    let pixels = whole.image.row(Int(min(max(row, 0), lastRow))).assumingMemoryBound(to: UInt32.self)
    return Self.color(pixels[Int(min(max(column, 0), lastColumn))]) * (seen.width * seen.height)
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
