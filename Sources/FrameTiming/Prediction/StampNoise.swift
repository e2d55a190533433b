import Glibc
import LinuxSystem

/// Measures how unsteady a display's stamps are.
///
/// It compares the distance of each stamp from the grid with that of the one before, which also works while the grid itself is
/// wrong. It follows the median of the difference by steps, up when one is beyond it and down when not (H. Robbins and S. Monro,
/// "A Stochastic Approximation Method", 1951); they are wide at first, since it begins with a guess. It takes 1.4826 times the
/// median, which for a normal distribution is its standard deviation (F. R. Hampel, "The Influence Curve and Its Role in Robust
/// Estimation", 1974): a few wild stamps do not move it. For the same reason it counts the sides of the grid on which stamps lie,
/// where it asks whether one's distance tells of the next one's.
struct StampNoise: BitwiseCopyable, Sendable {
  private var median: Double
  private var count = 0
  /// The number of differences in a row below half the median.
  private var calm = 0
  private var last: Double?
  /// The part of the stamps that lie on the same side of the grid as the one before, among the last some sixty.
  private var agreeing = 0.5
  /// The number of stamps in a row that lie whole milliseconds after the one before, though intervals are none.
  private var rounded = 0
  private let isIntervalWhole: Bool
  private let limits: (least: Double, most: Double)

  /// Begins with a guess for the interval, in nanoseconds.
  init(interval: Double) {
    // Stamps of flips are whole microseconds; beyond a sixth of an interval no grid can be seen.
    limits = (500, max(500, interval / 6))
    median = min(max(interval / 100, limits.least), limits.most)
    isIntervalWhole = interval.truncatingRemainder(dividingBy: Self.step) == 0
  }

  /// The nanoseconds that a driver without a fine clock counts in.
  private static let step = 1e6

  /// The variance of a stamp, in square nanoseconds. That of whole milliseconds is at least the variance of rounding: one after
  /// another they may be rounded alike, and seem as even as those of a steady display.
  var variance: Double {
    let deviation = 1.4826 * median
    return max(deviation * deviation, rounded >= 3 ? Self.step * Self.step / 12 : 0)
  }

  /// The correlation of a stamp's distance from the grid with that of the one before, at most 0.95; 0 if chance alone might show as
  /// much.
  ///
  /// Two normally distributed numbers of correlation r have the same sign in a part ½ + arcsin(r)/π of all cases (W. F. Sheppard, "On
  /// the Application of the Theory of Error to Cases of Normal Distribution and Normal Correlation", 1899).
  var correlation: Double {
    let excess = agreeing - 0.5
    // Two standard deviations of the part that are heads when so many coins are thrown.
    guard excess > 1 / Double(min(count, Self.mostPairs)).squareRoot() else { return 0 }
    // Below 1 the distance of one stamp fades from the predictions.
    return min(sin(.pi * excess), 0.95)
  }

  private static let mostPairs = 64

  /// Takes into account that a stamp lay so long after the one before, wherever the grid is.
  mutating func noteGap(_ gap: Nanoseconds) {
    rounded = !isIntervalWhole && gap.count % Int64(Self.step) == 0 ? rounded + 1 : 0
  }

  /// Learns from a stamp that lay so many nanoseconds off the grid.
  mutating func note(_ residual: Double) {
    defer { last = residual }
    guard let last else { return }
    count += 1
    // A stamp on the grid is on neither side.
    let agrees = residual * last > 0
    agreeing += ((agrees ? 1 : 0) - agreeing) / Double(min(count, Self.mostPairs) + 1)
    // A difference of two has twice the variance of one.
    let distance = abs(residual - last) * 0.5.squareRoot()
    calm = distance < median / 2 ? calm + 1 : 0
    // Quicker when it is far off, as when a quiet display becomes an unsteady one.
    let isFarOff = distance > 6 * median || calm >= 8
    let step = isFarOff ? 0.25 : max(0.05, 2 / Double(count + 2))
    let next = distance > median ? median * (1 + step) : median / (1 + step)
    median = min(max(next, limits.least), limits.most)
  }

  /// Forgets the last stamp: the grid begins anew.
  mutating func forgetLast() { last = nil }
}
