import Geometry
import Layers
import Raster

/// The handles at the ends of a selection, which fingers take: stems along the first and behind the last character, with a knob above the one
/// and below the other.
@MainActor
final class TextSelectionHandles {
  enum End { case start, end }

  /// How far from a stem a finger may touch to take it: half of the 44 points that UIKit's guidelines give what is touched.
  private static let reach = 22.0
  private static let stemWidth = 2.0
  private static let knobRadius = 5.0

  /// Those of the start and of the end.
  let layers = [ShapeLayer(), ShapeLayer()]
  private var stems: [Rect?] = [nil, nil]

  init() {
    for layer in layers { (layer.isInteractionEnabled, layer.isHidden) = (false, true) }
  }

  /// Places the handles along two carets, in the coordinates of the layer that they are in; nil for those that are not seen.
  func place(start: Rect?, end: Rect?, color: Color) {
    stems = [start, end]
    for (index, layer) in layers.enumerated() {
      layer.isHidden = stems[index] == nil
      guard let stem = stems[index] else { continue }
      let knob = Point(stem.minX, index == 0 ? stem.minY : stem.maxY)
      var path = Path.rect(Rect(x: stem.minX - Self.stemWidth / 2, y: stem.minY, width: Self.stemWidth, height: stem.height))
      path.append(.circle(center: knob, radius: Self.knobRadius))
      if layer.path != path { layer.path = path }
      layer.fillColor = color
    }
  }

  /// The handle that a touch takes, and how far its stem is from the touch.
  func end(at x: Double) -> (end: End, way: Double)? {
    let ways = stems.map { $0.map { $0.minX - x } ?? .infinity }
    let isEnd = abs(ways[1]) < abs(ways[0])
    let way = isEnd ? ways[1] : ways[0]
    return abs(way) <= Self.reach ? (isEnd ? .end : .start, way) : nil
  }
}
