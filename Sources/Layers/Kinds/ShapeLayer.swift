public import Geometry
public import Raster
public import RenderTree

/// A layer that fills and strokes a path in its own coordinates.
///
/// ```swift
/// let ring = ShapeLayer()
/// ring.path = .circle(center: Point(50, 50), radius: 40)
/// ring.strokeColor = .white
/// ring.fillColor = nil
/// ```
///
/// No bitmap is drawn: the compositor paints the shape where it lies on the output, sharp in every size, and paints it from memory while
/// it only moves or fades. On the output it stands at quarters of a pixel. A shape is not bound to the layer's size: it is seen outside
/// of `bounds` as well, unless `masksToBounds` cuts it off there. `contents` that are set take its place.
open class ShapeLayer: Layer {
  /// The outline; nil for nothing. Animatable; a change is seen at once, as in Core Animation, unless `actions` says otherwise.
  public var path: Path? {
    get { parts.path }
    set { change(.path, path, newValue) { $0.shapeParts.path = $1 } }
  }
  /// The colour of the interior; nil for no fill. Black at first. Animatable.
  public var fillColor: Color? {
    get { parts.fillColor }
    set { change(.fillColor, fillColor, newValue) { $0.shapeParts.fillColor = $1 } }
  }
  /// The colours of the interior, in place of `fillColor`; nil, the initial value, for that colour. Animatable between gradients of one
  /// type with as many stops; others take the place of each other at once.
  public var fillGradient: ShapeGradient? {
    get { parts.fillGradient }
    set { change(.fillGradient, fillGradient, newValue) { $0.shapeParts.fillGradient = $1 } }
  }
  public var fillRule: FillRule {
    get { parts.fillRule }
    set { change(fillRule, newValue) { $0.shapeParts.fillRule = $1 } }
  }
  /// The colour of the line along the path, which lies on the interior; nil, the initial value, for none. Animatable.
  public var strokeColor: Color? {
    get { parts.strokeColor }
    set { change(.strokeColor, strokeColor, newValue) { $0.shapeParts.strokeColor = $1 } }
  }
  /// The colours of the line, in place of `strokeColor`; nil, the initial value, for that colour. Animatable as `fillGradient` is.
  public var strokeGradient: ShapeGradient? {
    get { parts.strokeGradient }
    set { change(.strokeGradient, strokeGradient, newValue) { $0.shapeParts.strokeGradient = $1 } }
  }
  /// The pen that draws the line, in points or in pixels of the output: `.hairline` is one pixel wide under every transform. Its numbers
  /// animate, see `AnimatableKey.lineWidth`.
  public var strokeStyle: StrokeStyle {
    get { parts.strokeStyle }
    set { change(strokeStyle, newValue) { $0.shapeParts.strokeStyle = $1 } }
  }
  /// The place at which the line begins, as a share of the path's length: 0 at first, and the nearest of 0…1 for a value beyond.
  /// Animatable.
  public var strokeStart: Double {
    get { parts.strokeStart }
    set { change(.strokeStart, strokeStart, newValue) { $0.shapeParts.strokeStart = $1 } }
  }
  /// The place at which the line ends, as a share of the path's length: 1 at first. Nothing is stroked unless it is above
  /// `strokeStart`. Animatable.
  public var strokeEnd: Double {
    get { parts.strokeEnd }
    set { change(.strokeEnd, strokeEnd, newValue) { $0.shapeParts.strokeEnd = $1 } }
  }

  private var parts: ShapeContent.Parts { values.shapeParts }
}

extension AnimatableKey where Value == Path {
  /// See `ShapeLayer.path`. No path counts as an empty one. Between paths of the same structure each point moves; others take the place
  /// of each other at once.
  public static var path: Self {
    Self(.path, { $0.shapeParts.path ?? Path() }, { $0.shapeParts.path = $1 })
  }
}

extension AnimatableKey where Value == Color {
  /// See `ShapeLayer.fillColor`. No fill counts as a clear one.
  public static var fillColor: Self {
    Self(.fillColor, { $0.shapeParts.fillColor ?? .clear }, { $0.shapeParts.fillColor = $1 })
  }
  /// See `ShapeLayer.strokeColor`. No line counts as a clear one.
  public static var strokeColor: Self {
    Self(
      .strokeColor, { $0.shapeParts.strokeColor ?? .clear },
      { $0.shapeParts.strokeColor = $1 })
  }
}

extension AnimatableKey where Value == ShapeGradient {
  /// See `ShapeLayer.fillGradient`. No gradient counts as one without stops.
  public static var fillGradient: Self {
    Self(.fillGradient, { $0.shapeParts.fillGradient ?? .none }, { $0.shapeParts.fillGradient = $1 })
  }
  /// See `ShapeLayer.strokeGradient`. No gradient counts as one without stops.
  public static var strokeGradient: Self {
    Self(.strokeGradient, { $0.shapeParts.strokeGradient ?? .none }, { $0.shapeParts.strokeGradient = $1 })
  }
}

extension AnimatableKey where Value == Double {
  /// See `ShapeLayer.strokeStart`.
  public static var strokeStart: Self {
    Self(.strokeStart, { $0.shapeParts.strokeStart }, { $0.shapeParts.strokeStart = $1 })
  }
  /// See `ShapeLayer.strokeEnd`.
  public static var strokeEnd: Self {
    Self(.strokeEnd, { $0.shapeParts.strokeEnd }, { $0.shapeParts.strokeEnd = $1 })
  }
  /// The width of a shape's `strokeStyle`.
  public static var lineWidth: Self {
    Self(
      AnimatableProperty(rawValue: "lineWidth"), { $0.shapeParts.strokeStyle.width },
      { $0.shapeParts.strokeStyle.width = $1 })
  }
  /// The distance into the dashes at which a shape's line begins.
  public static var lineDashPhase: Self {
    Self(
      AnimatableProperty(rawValue: "lineDashPhase"), { $0.shapeParts.strokeStyle.dashPhase },
      { $0.shapeParts.strokeStyle.dashPhase = $1 })
  }
}

extension AnimatableValues {
  private var shape: ShapeContent? { content as? ShapeContent }

  /// The parts of the shape. A change makes another shape of them.
  fileprivate var shapeParts: ShapeContent.Parts {
    get { shape?.parts ?? ShapeContent.Parts() }
    set { if newValue != shapeParts { content = ShapeContent(newValue, after: shape) } }
  }
}

/// Gradients of one type with as many stops change stop by stop. Others take the place of each other at once.
extension ShapeGradient: Animatable {
  fileprivate static let none = ShapeGradient(from: .zero, to: .zero, stops: [])

  public func mixed(with other: ShapeGradient, fraction: Double) -> ShapeGradient {
    combined(
      with: other, { $0.mixed(with: $1, fraction: fraction) }, { $0.mixed(with: $1, fraction: fraction) },
      { $0.mixed(with: $1, fraction: fraction) }) ?? other
  }

  public func adding(_ change: ShapeGradient) -> ShapeGradient {
    combined(with: change, { $0 + $1 }, { $0.adding($1) }, { $0 + $1 }) ?? self
  }

  public var negated: ShapeGradient {
    ShapeGradient(type, from: -start, to: -end, stops: stops.map { Gradient.Stop($0.color.negated, at: -$0.location) })
  }

  /// Nil for a gradient of another structure.
  private func combined(
    with other: ShapeGradient, _ points: (Point, Point) -> Point, _ colors: (Color, Color) -> Color,
    _ locations: (Double, Double) -> Double
  ) -> ShapeGradient? {
    guard type == other.type, stops.count == other.stops.count else { return nil }
    let stops = zip(stops, other.stops).map {
      Gradient.Stop(colors($0.color, $1.color), at: locations($0.location, $1.location))
    }
    return ShapeGradient(type, from: points(start, other.start), to: points(end, other.end), stops: stops)
  }
}
