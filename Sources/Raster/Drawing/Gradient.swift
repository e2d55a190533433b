public import Geometry

/// A smooth change of colours along a line or between two circles, in the coordinates of what it fills.
///
/// Colours are mixed component by component before alpha is multiplied in: to fade a colour out, end with the same colour
/// at alpha 0. Beyond the first and the last stop their colours go on.
public struct Gradient: Hashable, Sendable {
  /// A colour at a place between start (0) and end (1).
  public struct Stop: Hashable, BitwiseCopyable, Sendable {
    public var color: Color
    /// From 0 to 1; what lies outside is taken as the nearest of the two.
    public var location: Double

    public init(_ color: Color, at location: Double) {
      self.color = color
      self.location = location
    }
  }

  public enum Shape: Hashable, BitwiseCopyable, Sendable {
    /// From `start` to `end`, the same across.
    case linear(start: Point, end: Point)
    /// From one circle to another.
    case radial(startCenter: Point, startRadius: Double, endCenter: Point, endRadius: Double)
  }

  public var shape: Shape
  /// In rising order of location; of two at one location the earlier one ends and the later one begins there. Nothing is
  /// drawn without any.
  public var stops: [Stop]

  public init(_ shape: Shape, stops: [Stop]) {
    self.shape = shape
    self.stops = stops
  }

  /// Colours at equal distances from `start` to `end`.
  public static func linear(from start: Point, to end: Point, colors: [Color]) -> Gradient {
    Gradient(.linear(start: start, end: end), stops: evenly(colors))
  }

  public static func linear(from start: Point, to end: Point, stops: [Stop]) -> Gradient {
    Gradient(.linear(start: start, end: end), stops: stops)
  }

  /// Colours at equal distances from the centre to the radius.
  public static func radial(center: Point, radius: Double, colors: [Color]) -> Gradient {
    radial(center: center, radius: radius, stops: evenly(colors))
  }

  public static func radial(center: Point, radius: Double, stops: [Stop]) -> Gradient {
    Gradient(.radial(startCenter: center, startRadius: 0, endCenter: center, endRadius: radius), stops: stops)
  }

  private static func evenly(_ colors: [Color]) -> [Stop] {
    let last = Double(max(colors.count - 1, 1))
    return colors.enumerated().map { Stop($1, at: Double($0) / last) }
  }
}
