import LinuxSystem

/// Estimates the phase of a display's vblanks, their period, and how sure both are.
///
/// A Kalman filter (R. E. Kalman, "A New Approach to Linear Filtering and Prediction Problems", 1960) of two numbers. From
/// one vblank to the next the phase grows by the period, and the period changes by a small unknown amount; a stamp is
/// the phase plus noise. The covariances decide how much a stamp changes: the phase follows the last few stamps, the
/// period many more, and both more quickly while little is known. Constant time and size, whatever the memory.
struct PhaseFilter: BitwiseCopyable, Sendable {
  /// The phase in whole nanoseconds, which a `Double` could not hold, and the rest of it.
  private(set) var origin: MonotonicTime
  private(set) var offset: Double = 0
  /// Nanoseconds.
  private(set) var period: Double
  /// Square nanoseconds.
  private(set) var phaseVariance: Double
  private(set) var covariance: Double = 0
  private(set) var periodVariance: Double

  /// The period that the filter began with: the nominal one, or what was known of it.
  private let expectedPeriod: Double
  /// The variance that the period gains in an interval, in the first `longestDrift` of them.
  let drift: Double
  /// The variance that the phase gains in an interval if a late vblank makes all later ones late.
  let wander: Double

  init(
    phase: MonotonicTime, phaseVariance: Double, period: Double, periodVariance: Double, drift: Double, wander: Double
  ) {
    origin = phase
    self.period = period
    expectedPeriod = period
    self.phaseVariance = phaseVariance
    self.periodVariance = periodVariance
    self.drift = drift
    self.wander = wander
  }

  /// The phase `count` intervals on, to the nearest nanosecond.
  func phase(after count: Int64) -> MonotonicTime {
    origin + Nanoseconds(Int64(saturating: offset + Double(count) * period))
  }

  /// The variance of `phase(after:)`.
  func variance(after count: Int64) -> Double {
    let k = Double(count.magnitude)
    return phaseVariance + 2 * Double(count) * covariance + k * k * periodVariance + k * k / 3 * drifted(k) + k * wander
  }

  private static let longestDrift = 600.0

  /// The variance that the period gains in `count` intervals.
  private func drifted(_ count: Double) -> Double { min(count, Self.longestDrift) * drift }

  /// The filter with a period that gives way to the one it began with, as far as it was not measured well enough to differ.
  ///
  /// Most displays run at the period that they are expected to have, to a little. How little is told by what the measured one is
  /// off by, beyond its own variance (W. James and C. Stein, "Estimation with Quadratic Loss", 1961). A period from a few stamps
  /// becomes the expected one; one that is off by many deviations stays.
  var shrunk: PhaseFilter {
    let excess = period - expectedPeriod
    guard excess != 0, periodVariance > 0 else { return self }
    let step = excess * min(1, periodVariance / (excess * excess))
    var shrunk = self
    shrunk.period -= step
    // The same stamps with another period are another phase.
    shrunk.offset -= covariance / periodVariance * step
    return shrunk
  }

  /// The time from the phase to `time`, in nanoseconds.
  func distance(to time: MonotonicTime) -> Double { Double((time - origin).count) - offset }

  /// Moves the phase on by `count` intervals, at least 0.
  mutating func advance(by count: Int64) {
    let k = Double(count)
    let passed = offset + k * period
    let whole = passed.rounded()
    origin += Nanoseconds(Int64(saturating: whole))
    offset = passed - whole
    phaseVariance = variance(after: count)
    covariance += k * periodVariance + k / 2 * drifted(k)
    periodVariance += drifted(k)
  }

  /// Learns from a stamp that lay `residual` after the phase; `noise` is the variance of stamps.
  mutating func correct(residual: Double, noise: Double) {
    let total = phaseVariance + noise
    guard total > 0 else { return }
    let (phaseGain, periodGain) = (phaseVariance / total, covariance / total)
    offset += phaseGain * residual
    period += periodGain * residual
    periodVariance -= periodGain * covariance
    covariance *= 1 - phaseGain
    phaseVariance *= 1 - phaseGain
  }
}
