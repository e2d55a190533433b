/// A range of rates for a display link or an animation, in hertz, as CAFrameRateRange on Apple's systems.
///
///     link.preferredFrameRateRange = FrameRateRange(minimum: 20, maximum: 40, preferred: 30)
public struct FrameRateRange: Hashable, BitwiseCopyable, Sendable {
  /// The slowest acceptable rate. A negative value or NaN becomes 0.
  public let minimum: Double
  /// The fastest useful rate, at least `minimum`. NaN becomes infinity.
  public let maximum: Double
  /// The best rate, between the two; nil for the fastest.
  public let preferred: Double?

  /// The display's own rate.
  public static let `default` = FrameRateRange()

  public init(minimum: Double = 0, maximum: Double = .infinity, preferred: Double? = nil) {
    let least = minimum > 0 && minimum.isFinite ? minimum : 0
    let most = maximum.isNaN ? .infinity : max(maximum, least)
    self.minimum = least
    self.maximum = most
    self.preferred = preferred.flatMap { $0.isNaN ? nil : min(max($0, least), most) }
  }

  /// The range for what has this one and for what has the other: as fast as the faster of them wants it.
  package func union(_ other: FrameRateRange) -> FrameRateRange {
    var fastest: Double?
    if let preferred, let second = other.preferred { fastest = max(preferred, second) }
    return FrameRateRange(
      minimum: max(minimum, other.minimum), maximum: max(maximum, other.maximum), preferred: fastest)
  }
}
