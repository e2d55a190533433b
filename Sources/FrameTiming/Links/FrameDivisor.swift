import LinuxSystem

/// The whole number of a display's intervals between two ticks of a link. A pure value.
///
/// Apple's display link "typically provides a consistent frame rate by choosing one that's a factor of the display's maximum
/// refresh rate" (developer.apple.com, CADisplayLink.preferredFrameRateRange). So does this one, always. An interval is ticked
/// if its number is a multiple, so links of the same divisor tick together, and those of a multiple of it with them.
struct FrameDivisor: Hashable, BitwiseCopyable, Sendable {
  /// At least 1.
  let count: UInt64

  /// The part by which a rate may miss the range: a display's rate differs from the nominal one, and 59.94 Hz passes for 60.
  private static let tolerance = 0.005

  /// The divisor whose rate is within the range and nearest to the preferred one; the faster of two that are equally near. If
  /// the range holds none, the slowest rate that is not below the minimum; if all are below it, the display's own.
  ///
  /// - Parameter least: the smallest divisor. It counts for more than the range's maximum, and for less than its minimum.
  init(_ range: FrameRateRange, of rate: RefreshRate, least: UInt64 = 1) {
    let hertz = rate.hertz
    let fastest = Self.divisor(hertz / (range.maximum * (1 + Self.tolerance)), .up)
    let slowest = Self.slowest(range, of: rate)
    var count = min(fastest, slowest)
    if fastest <= slowest, let preferred = range.preferred {
      let quicker = min(max(Self.divisor(hertz / preferred, .down), fastest), slowest)
      let slower = min(quicker + 1, slowest)
      let isSlower = abs(hertz / Double(slower) - preferred) < abs(hertz / Double(quicker) - preferred)
      count = isSlower ? slower : quicker
    }
    self.count = max(count, min(least, slowest))
  }

  /// The largest divisor whose rate is not below the range's minimum; a million where it has none.
  static func slowest(_ range: FrameRateRange, of rate: RefreshRate) -> UInt64 {
    divisor(rate.hertz / (range.minimum * (1 - tolerance)), .down)
  }

  /// A divisor from 1 to a million, which is 1000 seconds of the fastest display.
  private static func divisor(_ quotient: Double, _ rule: FloatingPointRoundingRule) -> UInt64 {
    guard quotient < 1e6 else { return 1_000_000 }
    return UInt64(max(quotient.rounded(rule), 1))
  }

  /// True if the link ticks in the interval.
  func includes(_ frameNumber: UInt64) -> Bool { frameNumber % count == 0 }

  /// The number of the link's intervals between two of the display's.
  func intervals(between earlier: UInt64, and later: UInt64) -> UInt64 {
    let (first, last) = (earlier / count, (max(later, 1) - 1) / count)
    return last > first ? last - first : 0
  }
}
