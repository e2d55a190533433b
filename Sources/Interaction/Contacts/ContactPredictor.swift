public import Geometry
public import LinuxSystem

/// Tells where a contact is at a time: between the samples of its device, or a little later than the last of them, by its last movement. A pure
/// value, which never allocates.
///
/// Between two samples the place is on the straight line from one to the other. With the last sample p₁ at t₁, and p₀ at t₀, the newest one that
/// is 2 ms older or more, the place at a later time t is
///
///     p₁ + (p₁ − p₀) · (s − t₁) / (t₁ − t₀)    where s = min(t, t₁ + min((t₁ − t₀) / 2, 8 ms))
///
/// So a contact of constant velocity is found exactly up to the time s, and no place is farther beyond the last one than half of the way from p₀
/// to p₁, whatever the contact does.
///
/// Devices are silent about a contact that rests. So one that was silent for more than 20 ms rests where it was last: after the last sample nothing is
/// foretold, and before a later sample it does not begin to move.
///
/// Android resamples touches by the same formula and constants
/// (<https://android.googlesource.com/platform/frameworks/native/+/refs/heads/main/libs/input/InputConsumer.cpp>: `RESAMPLE_MIN_DELTA`,
/// `RESAMPLE_MAX_DELTA`, `RESAMPLE_MAX_PREDICTION`), but takes its last two samples alone, which a device of more than 500 reports a second has
/// too close to each other, and leaves a contact that rests where it was foretold to be.
public struct ContactPredictor: Sendable {
  /// How far apart the two samples are at least, and at most.
  static let shortestGap = Nanoseconds.milliseconds(2)
  /// A contact that was silent for longer rests.
  static let longestGap = Nanoseconds.milliseconds(20)
  /// How far ahead places are foretold at most.
  static let horizon = Nanoseconds.milliseconds(8)
  /// A device of 1,000 reports a second fills it in two frames at 60 Hz.
  static let capacity = 32

  private struct Sample: BitwiseCopyable {
    var time: MonotonicTime
    var location: Point
  }

  /// A ring: the last sample is at `last`, older ones are before it.
  private var samples = InlineArray<32, Sample>(repeating: Sample(time: .zero, location: .zero))
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

  /// The place at a time; nil before the first sample. Before the oldest sample that is kept, which is the 32nd, it is that one's.
  ///
  /// - Parameters:
  ///   - time: such as that at which a frame will be seen.
  ///   - now: when that is asked, by which a contact is known to rest.
  public func location(at time: MonotonicTime, now: MonotonicTime) -> Point? {
    guard count > 0 else { return nil }
    let newest = samples[last]
    guard time > newest.time else { return knownLocation(at: time) }
    guard now - newest.time <= Self.longestGap, let before = anchor else { return newest.location }
    let gap = newest.time - before.time
    let ahead = min(time - newest.time, gap / 2, Self.horizon)
    return newest.location + (newest.location - before.location) * (ahead.seconds / gap.seconds)
  }

  /// The place at a time that is not after the newest sample's.
  private func knownLocation(at time: MonotonicTime) -> Point {
    var after = samples[last]
    for age in 0..<count {
      let before = sample(age)
      if before.time <= time {
        let gap = after.time - before.time
        guard gap > .zero, gap <= Self.longestGap else { return before.location }
        return before.location + (after.location - before.location) * ((time - before.time).seconds / gap.seconds)
      }
      after = before
    }
    return after.location
  }

  /// The newest sample that is old enough; nil where it is too old.
  private var anchor: Sample? {
    for age in 1..<max(count, 1) {
      let sample = sample(age)
      let gap = samples[last].time - sample.time
      if gap > Self.longestGap { return nil }
      if gap >= Self.shortestGap { return sample }
    }
    return nil
  }

  /// - Parameter age: how many samples are newer.
  private func sample(_ age: Int) -> Sample { samples[(last + Self.capacity - age) % Self.capacity] }
}
