public import Geometry
public import LinuxSystem

/// Estimates how fast a point moves from where it was during the last 100 ms.
///
/// It fits a polynomial of the second degree to the samples by least squares, all with the same weight, and takes its slope at the last sample:
/// steady motion and steady deceleration are found exactly. Fewer than four samples, and samples at hardly more than two times, fit a straight
/// line. Android's VelocityTracker does the same by its strategy "lsq2", with the same limits: 20 samples of 100 ms, and a point that was not
/// heard of for more than 40 ms has stopped
/// (<https://android.googlesource.com/platform/frameworks/native/+/refs/heads/main/libs/input/VelocityTracker.cpp>). So a finger that rests before
/// it is lifted throws nothing, and the small movement with which it leaves the screen does not either.
///
/// It has room for its samples in itself, and never allocates.
public struct VelocityEstimator: Sendable {
  /// How far back samples count.
  static let horizon = Nanoseconds.milliseconds(100)
  /// A point that was not heard of for longer has stopped: devices send nothing for a finger that rests.
  static let longestGap = Nanoseconds.milliseconds(40)
  private static let capacity = 20

  private struct Sample: BitwiseCopyable {
    var time: MonotonicTime
    var location: Point
  }

  /// A ring: the last sample is at `last`, older ones are before it.
  private var samples = InlineArray<20, Sample>(repeating: Sample(time: .zero, location: .zero))
  private var last = 0
  private var count = 0

  public init() {}

  /// Forgets all samples.
  public mutating func reset() { count = 0 }

  /// Takes a sample: where the point is at a time.
  ///
  /// A sample at the time of the last one takes its place. One before it begins anew, as does one after a pause. A location that is not a number,
  /// or more than 1e9 points from zero, is ignored.
  public mutating func add(_ location: Point, at time: MonotonicTime) {
    guard location.isUsable else { return }
    if count > 0 {
      let gap = time - samples[last].time
      if gap == .zero {
        samples[last].location = location
        return
      }
      if gap < .zero || gap > Self.longestGap { count = 0 }
    }
    last = (last + 1) % Self.capacity
    samples[last] = Sample(time: time, location: location)
    count = min(count + 1, Self.capacity)
  }

  /// The velocity in points per second at a time: that at the last sample, or zero if it was more than 40 ms ago.
  public func velocity(at time: MonotonicTime) -> Point {
    guard count >= 2, time - samples[last].time <= Self.longestGap else { return .zero }
    // Seconds and ways from the last sample.
    let newest = samples[last]
    var times = InlineArray<20, Double>(repeating: 0)
    var ways = InlineArray<20, Point>(repeating: .zero)
    var (used, index, sum) = (0, last, 0.0)
    while used < count {
      let sample = samples[index]
      let age = newest.time - sample.time
      if age > Self.horizon { break }
      times[used] = -age.seconds
      ways[used] = sample.location - newest.location
      sum -= age.seconds
      used += 1
      index = index == 0 ? Self.capacity - 1 : index - 1
    }
    guard used >= 2 else { return .zero }

    // Fits b·u + c·(u² − skew·u − mean of u²) to the ways, u being the time from the middle of the samples. The two parts are orthogonal to each
    // other and to a constant, so that each factor is found by itself (Forsythe 1957, "Generation and Use of Orthogonal Polynomials").
    let middle = sum / Double(used)
    var (second, third) = (0.0, 0.0)
    var alongLine = Point.zero
    for index in 0..<used {
      let u = times[index] - middle
      second += u * u
      third += u * u * u
      alongLine += ways[index] * u
    }
    guard second > 0 else { return .zero }
    let slope = alongLine / second
    guard used >= 4 else { return slope }

    let (skew, mean) = (third / second, second / Double(used))
    var norm = 0.0
    var alongCurve = Point.zero
    for index in 0..<used {
      let u = times[index] - middle
      let bend = u * (u - skew) - mean
      norm += bend * bend
      alongCurve += ways[index] * bend
    }
    // The part is 0.8 for samples at equal intervals, and 0 for samples at two times.
    guard norm > 0.1 * second * mean else { return slope }
    return slope + alongCurve / norm * (-2 * middle - skew)
  }
}
