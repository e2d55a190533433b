public import Geometry
public import LinuxSystem

/// Tells where a contact will be a little later than its device last had it, by its last movement. A pure value, which never allocates.
///
/// With the last sample p₁ at t₁, and p₀ at t₀, the newest one that is 2 ms older or more, the place at a time t is
///
///     p₁ + (p₁ − p₀) · (s − t₁) / (t₁ − t₀)    where s = min(max(t, t₁), t₁ + min((t₁ − t₀) / 2, 8 ms))
///
/// So a contact of constant velocity is found exactly up to the time s, and no place is farther beyond the last one than half of the way from p₀
/// to p₁, whatever the contact does. Where the two are more than 20 ms apart the contact may have rested between them, and nothing is foretold.
/// Android resamples touches by the same formula and constants for times after the last sample
/// (<https://android.googlesource.com/platform/frameworks/native/+/refs/heads/main/libs/input/InputConsumer.cpp>: `RESAMPLE_MIN_DELTA`,
/// `RESAMPLE_MAX_DELTA`, `RESAMPLE_MAX_PREDICTION`), but takes its last two samples alone, which a device of more than 500 reports a second has
/// too close to each other.
public struct ContactPredictor: Sendable {
  /// How far apart the two samples are at least, and at most.
  static let shortestGap = Nanoseconds.milliseconds(2)
  static let longestGap = Nanoseconds.milliseconds(20)
  /// How far ahead places are foretold at most.
  static let horizon = Nanoseconds.milliseconds(8)
  private static let capacity = 8

  private struct Sample: BitwiseCopyable {
    var time: MonotonicTime
    var location: Point
  }

  /// A ring: the last sample is at `last`, older ones are before it.
  private var samples = InlineArray<8, Sample>(repeating: Sample(time: .zero, location: .zero))
  private var last = 0
  private var count = 0

  public init() {}

  /// Takes a sample. One at the time of the last one takes its place; one before it begins anew. A location that is not a number, or more than 1e9
  /// points from zero, is ignored.
  public mutating func add(_ location: Point, at time: MonotonicTime) {
    guard location.isUsable else { return }
    if count > 0 {
      let gap = time - samples[last].time
      if gap == .zero {
        samples[last].location = location
        return
      }
      if gap < .zero { count = 0 }
    }
    last = (last + 1) % Self.capacity
    samples[last] = Sample(time: time, location: location)
    count = min(count + 1, Self.capacity)
  }

  /// The place at a time: the last sample's for one that is not later. Nil before the first sample.
  public func location(at time: MonotonicTime) -> Point? {
    guard count > 0 else { return nil }
    let newest = samples[last]
    guard time > newest.time, let before = anchor else { return newest.location }
    let gap = newest.time - before.time
    let ahead = min(time - newest.time, gap / 2, Self.horizon)
    let part = Double(ahead.count) / Double(gap.count)
    return newest.location + (newest.location - before.location) * part
  }

  /// The newest sample that is old enough; nil where it is too old.
  private var anchor: Sample? {
    for age in 1..<max(count, 1) {
      let sample = samples[(last + Self.capacity - age) % Self.capacity]
      let gap = samples[last].time - sample.time
      if gap > Self.longestGap { return nil }
      if gap >= Self.shortestGap { return sample }
    }
    return nil
  }
}
