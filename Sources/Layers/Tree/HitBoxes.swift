import Geometry

/// The sublayers of a layer with a rectangle around each, outside of which a hit test need not ask it: to look at the rectangles,
/// which lie side by side in memory, takes a fraction of the time.
///
/// A hit test makes them for a layer with many sublayers. They are thrown away when sublayers come, go or change their order. A
/// sublayer that changes otherwise forgets its own rectangle; the next hit test asks it, and takes over the new one.
@MainActor
final class HitBoxes {
  /// The left, the top, the negative right and the negative bottom edge. Nothing is below one that is not a number.
  typealias Box = SIMD4<Float>

  /// Fewer sublayers are asked as quickly as their rectangles are kept.
  static let minimumCount = 16
  static let everywhere = Box(repeating: -.infinity)

  /// From back to front.
  let layers: [Layer]
  // Unchecked, as `layers` is: no application's code runs while they are read or written.
  @exclusivity(unchecked) private var boxes: [Box]

  init(_ layers: [Layer]) {
    self.layers = layers
    boxes = Array(repeating: Self.everywhere, count: layers.count)
    for layer in layers { layer.hitBoxIndex = -1 }
  }

  /// A rectangle around one that is moved, with room for what a hit test rounds.
  static func box(around rect: Rect, movedBy offset: Point) -> Box {
    let (left, right) = (rect.minX + offset.x, rect.maxX + offset.x)
    let (top, bottom) = (rect.minY + offset.y, rect.maxY + offset.y)
    // Both parts, as their sum may be far smaller than they are.
    let x = 1e-12 * (abs(offset.x) + abs(rect.minX) + abs(rect.maxX))
    let y = 1e-12 * (abs(offset.y) + abs(rect.minY) + abs(rect.maxY))
    return Box(Float(left - x), Float(top - y), Float(-right - x), Float(-bottom - y))
  }

  func take(_ box: Box, of layer: Layer, at index: Int) {
    boxes[index] = box
    layer.hitBoxIndex = Int32(index)
  }

  func forget(at index: Int32) { boxes[Int(index)] = Self.everywhere }

  /// The topmost of the layers below `end` whose rectangle may contain the point.
  func lastIndex(below end: Int, at point: Point) -> Int? {
    // Rounded as the edges are: of two numbers the smaller one does not become the greater one.
    let place = Box(Float(point.x), Float(point.y), Float(-point.x), Float(-point.y))
    var index = end
    // A closure of the main actor, as `lastIndex(where:)` takes, would look at each call whether it runs there: 15 ns.
    while index > 0 {
      index -= 1
      if !any(place .< boxes[index]) { return index }
    }
    return nil
  }
}
