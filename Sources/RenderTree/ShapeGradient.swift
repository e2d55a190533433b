public import Geometry
public import Raster

/// Colours that change over a shape, in the coordinates of its layer.
///
/// ```swift
/// ring.strokeGradient = ShapeGradient(.conic, from: Point(50, 50), to: Point(50, 0), colors: [.blue, .cyan])
/// ```
///
/// It is computed where it stands on the output, and dithered, as that of a gradient layer. Colours are mixed component by component
/// before alpha is multiplied in: to fade a colour out, end with the same colour at alpha 0.
public struct ShapeGradient: Hashable, Sendable {
  public var type: GradientType
  public var start: Point
  /// Nothing is seen where it lies on the start, nor in an ellipse without width or height.
  public var end: Point
  /// In rising order of their locations, from 0 to 1. The first and the last colour go on beyond theirs, and two stops at one location
  /// make an edge. Without stops the shape has its plain colour.
  public var stops: [Gradient.Stop]

  public init(_ type: GradientType = .axial, from start: Point, to end: Point, stops: [Gradient.Stop]) {
    (self.type, self.start, self.end, self.stops) = (type, start, end, stops)
  }

  /// A gradient with colours at equal distances from the start to the end.
  public init(_ type: GradientType = .axial, from start: Point, to end: Point, colors: [Color]) {
    self.init(type, from: start, to: end, stops: Gradient.evenly(colors))
  }

  fileprivate var course: GradientContent.Course { GradientContent.Course(type, from: start, to: end, stops: stops) }
}

/// The paint of a shape's interior or of its line.
package enum ShapePaint: CustomStringConvertible, Sendable {
  /// With alpha multiplied in, see `Color.premultipliedBGRA`; never clear.
  case color(UInt32)
  /// Its points are in the coordinates of the layer, see `mapInLayer`.
  case gradient(GradientContent)

  /// Nil where nothing is seen.
  ///
  /// - Parameter last: the paint that this one takes the place of.
  init?(_ color: Color?, _ gradient: ShapeGradient?, after last: ShapePaint?) {
    if let course = gradient?.course, !course.stops.isEmpty {
      if case .gradient(let content)? = last, content.course == course {
        self = .gradient(content)
      } else {
        let content = GradientContent(course)
        guard content.mapInLayer != nil, course.stops.contains(where: { $0.color.alpha > 0 }) else { return nil }
        self = .gradient(content)
      }
    } else {
      guard let pixel = color?.premultipliedBGRA, pixel != 0 else { return nil }
      self = .color(pixel)
    }
  }

  package var description: String {
    switch self {
    case .color(let pixel): pixel.hexadecimalColor
    case .gradient(let content): content.description
    }
  }

  /// True if all of it is opaque.
  package var isOpaque: Bool {
    switch self {
    case .color(let pixel): pixel >> 24 == 255
    case .gradient(let content): content.isOpaque
    }
  }
}

extension GradientContent {
  /// `map(in:)` of a gradient whose points are in the layer's coordinates.
  package var mapInLayer: Affine? { map(in: Rect(x: 0, y: 0, width: 1, height: 1)) }
}
