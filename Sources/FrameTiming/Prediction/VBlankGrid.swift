import Glibc
import LinuxSystem

/// The places of a display's vblanks as a model believes them at one moment. A pure value that is cheap to copy.
struct VBlankGrid: BitwiseCopyable, Sendable {
  /// The last believed vblank's place, the period, and how sure both are.
  let filter: PhaseFilter
  /// The number of the interval that begins at the filter's phase.
  let interval: Int64
  /// The stamp of the last vblank that was believed.
  let lastStamp: MonotonicTime
  let isVariable: Bool
  /// False after the display was off, until enough stamps agree.
  let isProven: Bool
  /// The interval between two vblanks, in nanoseconds. On a variable display at least the shortest.
  let period: Double
  /// The correlation of a stamp's distance from the filter's place with that of the one before; from 0 to 0.95.
  let correlation: Double

  typealias Prediction = VBlankModel.Prediction

  /// The first vblank later than `time`. Never one that was delivered already.
  func prediction(after time: MonotonicTime) -> Prediction {
    var count = intervals(to: time) + 1
    if time >= lastStamp {
      count = max(count, 1)
    } else if count > 0 {
      // The last vblank's stamp is later than its place on the grid, and `time` lies between the two.
      return makePrediction(at: lastStamp, after: 0)
    }
    var timestamp = place(after: count)
    // Rounding may have put it at `time`. At the end of time nothing is later.
    while timestamp <= time, timestamp < .distantFuture {
      count += 1
      timestamp = place(after: count)
    }
    return makePrediction(at: timestamp, after: count)
  }

  /// The vblank that begins an interval. For the interval of a delivered vblank this is its place on the grid, not its stamp.
  func prediction(ofInterval number: Int64) -> Prediction {
    let count = number &- interval
    return makePrediction(at: place(after: count), after: count)
  }

  /// The number of the interval in which `time` lies. The last vblank's interval begins with its stamp, the others at their
  /// places on the grid.
  func interval(at time: MonotonicTime) -> Int64 {
    let count = intervals(to: time)
    return interval &+ (time >= lastStamp ? max(count, 0) : min(count, -1))
  }

  /// The number of whole intervals from the filter's phase to `time`, rounded down.
  private func intervals(to time: MonotonicTime) -> Int64 {
    let quotient = (filter.distance(to: time) / period).rounded(.down)
    // The limits leave room to add a few.
    let count = min(max(Int64(saturating: quotient), -1 << 61), 1 << 61)
    guard correlation > 0, count >= 0 else { return count }
    if place(after: count + 1) <= time { return count + 1 }
    return count > 0 && place(after: count) > time ? count - 1 : count
  }

  /// The place of a vblank: where the filter has it, and after the last one what is left of that one's distance from its own place.
  ///
  /// The forecast of a first-order autoregressive process (G. E. P. Box and G. M. Jenkins, "Time Series Analysis: Forecasting and
  /// Control", 1970). A stamp that is further off than an interval begins the grid anew, and the distance shrinks: places stay
  /// in order.
  private func place(after count: Int64) -> MonotonicTime {
    if isVariable { return filter.origin + Nanoseconds(Int64(saturating: filter.offset + Double(count) * period)) }
    let even = filter.phase(after: count)
    guard correlation > 0, count > 0 else { return even }
    return even + Nanoseconds(Int64(saturating: pow(correlation, Double(count)) * filter.distance(to: lastStamp)))
  }

  private func makePrediction(at timestamp: MonotonicTime, after count: Int64) -> Prediction {
    let measured = filter.variance(after: count).squareRoot()
    let deviation = isProven ? measured : max(measured, period)
    return Prediction(
      timestamp: timestamp, uncertainty: Nanoseconds(Int64(saturating: deviation)), interval: interval &+ count,
      // A quarter of an interval away it could be the next vblank as well.
      isKnown: deviation <= period / 4)
  }
}
