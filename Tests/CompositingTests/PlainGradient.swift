import Geometry
import Glibc
import Raster
import RenderTree

/// The definition of a gradient over the bounds of a layer, in real numbers.
struct PlainGradient {
  private let course: GradientContent.Course
  private let blending: Blending
  private let start: Point
  /// From there to the end.
  private let way: Point

  init(_ course: GradientContent.Course, _ bounds: Rect, _ blending: Blending = .sRGB) {
    (self.course, self.blending) = (course, blending)
    func place(_ part: Point) -> Point {
      Point(bounds.minX + bounds.width * part.x, bounds.minY + bounds.height * part.y)
    }
    start = place(course.start)
    way = place(course.end) - start
  }

  /// The place in the gradient of a point of the layer; nil where none is seen.
  func place(of point: Point) -> Double? {
    guard !course.stops.isEmpty, way != .zero else { return nil }
    let own = point - start
    switch course.type {
    case .axial: return (own.x * way.x + own.y * way.y) / (way.x * way.x + way.y * way.y)
    case .radial: return way.x == 0 || way.y == 0 ? nil : hypot(own.x / way.x, own.y / way.y)
    case .conic:
      let turns = (atan2(own.y, own.x) - atan2(way.y, way.x)) / (2 * .pi)
      return turns - turns.rounded(.down)
    }
  }

  /// The colour at a place: blue, green, red, alpha, with alpha multiplied in.
  func color(at place: Double) -> SIMD4<Double> {
    let stops = course.stops
    let next = stops.firstIndex { $0.location > place } ?? stops.count
    let (before, after) = (stops[max(next - 1, 0)], stops[min(next, stops.count - 1)])
    let distance = after.location - before.location
    let share = next > 0 && distance > 0 ? min((place - before.location) / distance, 1) : 0
    func mix(_ channel: KeyPath<Color, Double>) -> Double {
      let (first, second) = (before.color[keyPath: channel], after.color[keyPath: channel])
      guard blending == .linear else { return first + (second - first) * share }
      let light = PlainBlending.light(of: first) * (1 - share) + PlainBlending.light(of: second) * share
      return PlainBlending.value(of: light)
    }
    let alpha = before.color.alpha + (after.color.alpha - before.color.alpha) * share
    return SIMD4(mix(\.blue) * alpha, mix(\.green) * alpha, mix(\.red) * alpha, alpha)
  }
}
