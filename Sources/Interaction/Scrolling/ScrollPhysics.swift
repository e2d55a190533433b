import Glibc

/// How content in one direction moves by itself, and at its edges.
public struct ScrollPhysics: Hashable, BitwiseCopyable, Sendable {
  /// How slowly content comes to rest: the part of its velocity that is left after a millisecond.
  public struct DecelerationRate: Hashable, BitwiseCopyable, Sendable {
    /// Within 0.001…0.9999.
    public let perMillisecond: Double

    /// Limits the rate to 0.001…0.9999; one that is not a number becomes the usual one.
    public init(perMillisecond rate: Double) {
      perMillisecond = rate.isNaN ? 0.998 : min(max(rate, 0.001), 0.9999)
    }

    /// The usual rate, `UIScrollView.DecelerationRate.normal`: 0.998.
    public static let normal = DecelerationRate(perMillisecond: 0.998)
    /// The rate of content that stops soon, `UIScrollView.DecelerationRate.fast`: 0.99.
    public static let fast = DecelerationRate(perMillisecond: 0.99)

    /// The rate as that of an exponential decay: the part of the velocity that is lost in a second if it went on; 2.002 per second
    /// for `normal`.
    public var perSecond: Double { -1000 * log(perMillisecond) }
  }

  /// The meaning of the content's edges.
  public enum Edges: String, Hashable, BitwiseCopyable, Sendable, CaseIterable {
    /// Content ends at its edges.
    case stop
    /// Content goes beyond its edges by a rubber band and comes back, if there is anything to scroll.
    case bounce
    /// Content also does so where the viewport shows all of it.
    case alwaysBounce
  }

  public var decelerationRate = DecelerationRate.normal
  public var edges = Edges.bounce
  /// The length of pages at whose beginnings the content comes to rest, in points; nil for content that rests anywhere. One below 1, or
  /// not finite, counts as nil.
  public var pageLength: Double?

  public init() {}

  /// The velocity in points per second at which content that decelerates stands still: a point in 200 ms is no movement to the eye.
  public static let restVelocity = 5.0
  /// The distance in points from its target at which content on a spring stands still.
  public static let restDistance = 0.05
  /// The greatest velocity that content takes up, in points per second.
  public static let greatestVelocity = 1e5
  /// The frequency of the springs at edges and of pages, per second: the square root of stiffness 100 by mass 1, critically damped, as in
  /// "Scrolling mechanics of UIScrollView" (I. Lobanov, 2019), which follows UIScrollView's movements closely.
  public static let springFrequency = 10.0

  /// A velocity within `greatestVelocity`; 0 for one that is not a number.
  static func limit(_ velocity: Double) -> Double {
    velocity.isNaN ? 0 : min(max(velocity, -greatestVelocity), greatestVelocity)
  }
}
