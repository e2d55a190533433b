/// How often a display link would like to tick, in hertz: what CAFrameRateRange is on Apple's systems.
public struct FrameRateRange: Hashable, BitwiseCopyable, Sendable {
  /// The slowest that still does. Below 0, or no number: 0.
  public let minimum: Double
  /// The fastest that is of use; at least `minimum`. No number: no limit.
  public let maximum: Double
  /// What is wanted most, between the two; nil for the fastest.
  public let preferred: Double?

  /// Whatever the display does.
  public static let `default` = FrameRateRange()

  public init(minimum: Double = 0, maximum: Double = .infinity, preferred: Double? = nil) {
    let least = minimum > 0 && minimum.isFinite ? minimum : 0
    let most = maximum.isNaN ? .infinity : max(maximum, least)
    self.minimum = least
    self.maximum = most
    self.preferred = preferred.flatMap { $0.isNaN ? nil : min(max($0, least), most) }
  }
}

/// Which of a display's intervals a link ticks in: every how many, a whole number. A pure value.
///
/// Apple's display link "typically provides a consistent frame rate by choosing one that's a factor of the display's maximum
/// refresh rate" (developer.apple.com, CADisplayLink.preferredFrameRateRange). So does this one, always. An interval is ticked
/// if its number is a multiple: so links of the same divisor tick together, and those of a multiple of it with them.
struct FrameDivisor: Hashable, BitwiseCopyable, Sendable {
  /// At least 1.
  let count: UInt64

  /// A display's rate is off its nominal one, and 59.94 Hz is what one gets for 60.
  private static let tolerance = 0.005

  /// The divisor whose rate is within the range and nearest to the preferred one; of two as near the faster. Where the range
  /// holds none, the slowest rate that is not below the minimum; where all are, the display's own.
  ///
  /// - Parameter least: every how many intervals at most often, whatever the range says.
  init(_ range: FrameRateRange, of rate: RefreshRate, least: UInt64 = 1) {
    let hertz = rate.hertz
    let fastest = Self.divisor(hertz / (range.maximum * (1 + Self.tolerance)), .up)
    let slowest = Self.divisor(hertz / (range.minimum * (1 - Self.tolerance)), .down)
    var count = min(fastest, slowest)
    if fastest <= slowest, let preferred = range.preferred {
      let quicker = min(max(Self.divisor(hertz / preferred, .down), fastest), slowest)
      let slower = min(quicker + 1, slowest)
      let isSlower = abs(hertz / Double(slower) - preferred) < abs(hertz / Double(quicker) - preferred)
      count = isSlower ? slower : quicker
    }
    // What the range holds is asked of a display that can; one that cannot is not asked more often than it can.
    self.count = max(count, least)
  }

  /// A divisor from 1 to 1000 seconds' worth of the fastest display.
  private static func divisor(_ quotient: Double, _ rule: FloatingPointRoundingRule) -> UInt64 {
    guard quotient < 1e6 else { return 1_000_000 }
    return UInt64(max(quotient.rounded(rule), 1))
  }

  /// Whether an interval is one of the link's.
  func includes(_ frameNumber: UInt64) -> Bool { frameNumber % count == 0 }

  /// How many of the link's intervals lie between two of the display's.
  func intervals(between earlier: UInt64, and later: UInt64) -> UInt64 {
    let (first, last) = (earlier / count, (max(later, 1) - 1) / count)
    return last > first ? last - first : 0
  }
}
