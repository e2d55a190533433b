public import Geometry

/// A smooth change of colours along a line or between two circles, in the coordinates of the shape that it fills.
///
/// ```swift
/// context.fill(rect, gradient: .linear(from: rect.origin, to: Point(rect.maxX, rect.minY), colors: [.black, .white]))
/// ```
///
/// Colours are mixed component by component before alpha is multiplied in: to fade a colour out, end with the same colour at
/// alpha 0. The colours of the first and the last stop continue beyond them.
public struct Gradient: Hashable, Sendable {
  /// A colour at a place between the start (0) and the end (1).
  public struct Stop: Hashable, BitwiseCopyable, Sendable {
    public var color: Color
    /// The place from 0 to 1; values outside are limited to that.
    public var location: Double

    public init(_ color: Color, at location: Double) {
      self.color = color
      self.location = location
    }
  }

  /// The geometry of a gradient, in the coordinates of the context.
  public enum Shape: Hashable, BitwiseCopyable, Sendable {
    /// Colours change from `start` to `end` and are constant across.
    case linear(start: Point, end: Point)
    /// Colours change from one circle to another.
    case radial(startCenter: Point, startRadius: Double, endCenter: Point, endRadius: Double)
  }

  public var shape: Shape
  /// The stops in rising order of location. Two stops at one location make a sharp edge. Without stops nothing is drawn.
  public var stops: [Stop]

  public init(_ shape: Shape, stops: [Stop]) {
    self.shape = shape
    self.stops = stops
  }

  /// A gradient with colours at equal distances from `start` to `end`.
  public static func linear(from start: Point, to end: Point, colors: [Color]) -> Gradient {
    Gradient(.linear(start: start, end: end), stops: evenly(colors))
  }

  public static func linear(from start: Point, to end: Point, stops: [Stop]) -> Gradient {
    Gradient(.linear(start: start, end: end), stops: stops)
  }

  /// A gradient with colours at equal distances from the centre to the radius.
  public static func radial(center: Point, radius: Double, colors: [Color]) -> Gradient {
    radial(center: center, radius: radius, stops: evenly(colors))
  }

  public static func radial(center: Point, radius: Double, stops: [Stop]) -> Gradient {
    Gradient(.radial(startCenter: center, startRadius: 0, endCenter: center, endRadius: radius), stops: stops)
  }

  /// Stops at equal distances.
  package static func evenly(_ colors: [Color]) -> [Stop] {
    let last = Double(max(colors.count - 1, 1))
    return colors.enumerated().map { Stop($1, at: Double($0) / last) }
  }
}
