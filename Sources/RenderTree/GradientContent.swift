public import Geometry
public import Raster

/// The way in which the colours of a gradient change.
public enum GradientType: String, CaseIterable, Hashable, Sendable {
  /// Along the line from the start to the end; the colours are constant across.
  case axial
  /// From the start on, the middle of an ellipse, whose half width and height are the distances of the end from it.
  case radial
  /// Around the start, clockwise from the direction of the end.
  case conic
}

/// A gradient as content: colours that change over the bounds of a layer, with their round corners.
///
/// It has no pixels of its own: the compositor computes each of the output's where it stands, so that a gradient is smooth in every
/// size, and dithers it, so that no bands are seen.
public final class GradientContent: RenderContent {
  /// A gradient by its numbers; equal ones show the same.
  public struct Course: Hashable, Sendable {
    public let type: GradientType
    /// In parts of the bounds: (0, 0) is the top left corner, (1, 1) the bottom right one.
    public let start: Point
    public let end: Point
    /// In rising order of their locations, from 0 to 1. The first and the last colour go on beyond theirs, and two stops at one
    /// location make an edge. Colours are mixed component by component before alpha is multiplied in.
    public let stops: [Gradient.Stop]

    /// Numbers that have no meaning are brought into range: a location that is below the one before it becomes equal to that. With
    /// points that are not finite nothing is seen.
    public init(_ type: GradientType, from start: Point, to end: Point, stops: [Gradient.Stop]) {
      let isFinite = (start.x + start.y + end.x + end.y).isFinite
      self.type = type
      (self.start, self.end) = isFinite ? (start, end) : (.zero, .zero)
      var least = 0.0
      self.stops = stops.map { stop in
        least = max(least, Self.unit(stop.location))
        let color = stop.color
        return Gradient.Stop(
          Color(
            red: Self.unit(color.red), green: Self.unit(color.green), blue: Self.unit(color.blue),
            alpha: Self.unit(color.alpha)), at: least)
      }
    }

    /// The value limited to 0…1; NaN becomes 0.
    private static func unit(_ value: Double) -> Double { value > 0 ? min(value, 1) : 0 }
  }

  public let course: Course
  /// True if every pixel is opaque.
  package let isOpaque: Bool
  /// The stops as the compositor's kernel reads them: for each its location, the straight colour there (blue, green, red from 0 to 255,
  /// alpha from 0 to 1), and how much each of the four changes up to the next stop, divided by the distance. The first one has the
  /// location −1, and behind the last there is one at 3.
  package let table: [Float]

  public init(_ course: Course) {
    self.course = course
    isOpaque = !course.stops.isEmpty && course.stops.allSatisfy { $0.color.alpha == 1 }
    var table: [Float] = []
    func append(_ location: Float, _ color: SIMD4<Float>, _ slope: SIMD4<Float> = .zero) {
      table.append(location)
      for channel in 0..<4 { table.append(color[channel]) }
      for channel in 0..<4 { table.append(slope[channel]) }
    }
    let colors = course.stops.map { stop in
      SIMD4(
        Float(stop.color.blue) * 255, Float(stop.color.green) * 255, Float(stop.color.red) * 255, Float(stop.color.alpha))
    }
    append(-1, colors.first ?? .zero)
    for (index, stop) in course.stops.enumerated() {
      let (location, next) = (Float(stop.location), min(index + 1, colors.count - 1))
      let distance = Float(course.stops[next].location) - location
      // A shorter way would have a slope without a number.
      append(location, colors[index], distance > 1e-30 ? (colors[next] - colors[index]) / distance : .zero)
    }
    append(3, .zero)
    self.table = table
  }

  /// From the coordinates of a layer to the numbers u and v of the gradient: its place t is u along an axis, √(u² + v²) in an ellipse,
  /// and the angle of (u, v) around a point. Nil where nothing is seen: without stops, and when the points leave no line, ellipse or
  /// direction.
  package func map(in bounds: Rect) -> Affine? {
    func place(_ point: Point) -> Point {
      Point(bounds.minX + bounds.width * point.x, bounds.minY + bounds.height * point.y)
    }
    let start = place(course.start)
    let way = place(course.end) - start
    let square = way.x * way.x + way.y * way.y
    guard !course.stops.isEmpty, square > 0, square.isFinite else { return nil }
    let map: Affine
    switch course.type {
    case .axial: map = Affine(a: way.x / square, b: 0, c: way.y / square, d: 0, tx: 0, ty: 0)
    case .radial:
      guard way.x != 0, way.y != 0 else { return nil }
      map = Affine(a: 1 / way.x, b: 0, c: 0, d: 1 / way.y, tx: 0, ty: 0)
    case .conic:
      let length = square.squareRoot()
      map = Affine(a: way.x / length, b: -way.y / length, c: way.y / length, d: way.x / length, tx: 0, ty: 0)
    }
    let whole = Affine.translation(x: -start.x, y: -start.y).concatenating(map)
    return (whole.a + whole.b + whole.c + whole.d + whole.tx + whole.ty).isFinite ? whole : nil
  }

  public func drawnBounds(in bounds: Rect, _ effects: RenderEffects?) -> Rect { map(in: bounds) == nil ? .zero : bounds }

  public var description: String {
    let stops = course.stops.map { "\($0.color.premultipliedBGRA.hexadecimalColor) at \($0.location)" }
    return "\(course.type) gradient " + stops.joined(separator: ", ")
  }
}
