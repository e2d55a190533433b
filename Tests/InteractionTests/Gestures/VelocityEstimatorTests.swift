import Geometry
import Glibc
import Interaction
import LinuxSystem
import Testing

@Suite struct VelocityEstimatorTests {
  /// A way through samples at random intervals of 2 to 39 ms, and the estimate at its end.
  private func estimate(
    count: Int, _ random: inout SplitMix64, from start: Int64 = 0, way: (_ seconds: Double) -> Point
  ) -> (velocity: Point, seconds: Double) {
    var estimator = VelocityEstimator()
    var time = MonotonicTime(nanoseconds: start)
    let first = time
    for index in 0..<count {
      if index > 0 { time += .microseconds(Int64.random(in: 2000...39_000, using: &random)) }
      estimator.add(way((time - first).seconds), at: time)
    }
    return (estimator.velocity(at: time), (time - first).seconds)
  }

  private func isClose(_ a: Point, _ b: Point, _ tolerance: Double) -> Bool {
    abs(a.x - b.x) <= tolerance && abs(a.y - b.y) <= tolerance
  }

  @Test(arguments: 0..<200) func isExactForSteadyMotion(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let velocity = RandomContacts.point(&random, within: 8000)
    let start = RandomContacts.point(&random, within: 4000)
    let count = Int.random(in: 2...60, using: &random)
    let found = estimate(count: count, &random, from: Int64.random(in: 0...(1 << 50), using: &random)) {
      start + velocity * $0
    }
    #expect(isClose(found.velocity, velocity, 1e-6), "seed \(seed): \(found.velocity) instead of \(velocity)")
  }

  /// A line fits two and three samples; the slope of a parabola takes four.
  @Test(arguments: 0..<200) func isExactForSteadyDeceleration(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let velocity = RandomContacts.point(&random, within: 8000)
    let deceleration = RandomContacts.point(&random, within: 20_000)
    // At such intervals at least four samples lie within the horizon.
    var estimator = VelocityEstimator()
    var time = MonotonicTime.zero
    for index in 0..<Int.random(in: 4...40, using: &random) {
      if index > 0 { time += .microseconds(Int64.random(in: 8000...17_000, using: &random)) }
      estimator.add(velocity * time.seconds - deceleration * (time.seconds * time.seconds / 2), at: time)
    }
    let expected = velocity - deceleration * time.seconds
    #expect(isClose(estimator.velocity(at: time), expected, 1e-5), "seed \(seed)")
  }

  /// A finger that slows down as a thrown list does, by a factor of 0.998 a millisecond, is followed much better than by a line.
  @Test func followsExponentialDeceleration() {
    for interval: Int64 in [8_000, 11_111, 16_667] {
      var estimator = VelocityEstimator()
      var time = MonotonicTime.zero
      func speed(_ time: MonotonicTime) -> Double { 3000 * pow(0.998, time.seconds * 1000) }
      for index in 0..<40 {
        if index > 0 { time += .microseconds(interval) }
        // The way is the integral of the speed.
        estimator.add(Point((speed(time) - 3000) / (log(0.998) * 1000), 0), at: time)
        guard index >= 3 else { continue }
        let found = estimator.velocity(at: time).x
        #expect(abs(found / speed(time) - 1) < 0.005, "\(found) instead of \(speed(time)) after \(time)")
      }
    }
  }

  /// Random samples against the normal equations, solved by elimination.
  @Test(arguments: 0..<200) func fitsAsTheNormalEquationsSay(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var estimator = VelocityEstimator()
    var samples: [(time: MonotonicTime, location: Point)] = []
    var time = MonotonicTime(nanoseconds: Int64.random(in: 0...(1 << 50), using: &random))
    for _ in 0..<Int.random(in: 6...30, using: &random) {
      time += .microseconds(Int64.random(in: 4000...16_000, using: &random))
      samples.append((time, RandomContacts.point(&random, within: 1000)))
      estimator.add(samples[samples.count - 1].location, at: time)
    }
    let used = samples.suffix(20).filter { time - $0.time <= .milliseconds(100) }
    let seconds = used.map { ($0.time - time).seconds }
    let expected = Point(
      slope(seconds, used.map(\.location.x)), slope(seconds, used.map(\.location.y)))
    #expect(isClose(estimator.velocity(at: time), expected, 1e-6 * 40_000), "seed \(seed)")
  }

  /// The factor of the first power in the parabola that fits best.
  private func slope(_ times: [Double], _ values: [Double]) -> Double {
    var rows = (0..<3).map { row in
      (0..<3).map { column in times.reduce(0) { $0 + pow($1, Double(row + column)) } }
        + [zip(times, values).reduce(0) { $0 + pow($1.0, Double(row)) * $1.1 }]
    }
    for pivot in 0..<3 {
      for row in 0..<3 where row != pivot {
        let factor = rows[row][pivot] / rows[pivot][pivot]
        for column in 0..<4 { rows[row][column] -= factor * rows[pivot][column] }
      }
    }
    return rows[1][3] / rows[1][1]
  }

  @Test func aPointThatRestsHasNoVelocity() {
    var estimator = VelocityEstimator()
    #expect(estimator.velocity(at: .zero) == .zero)
    var time = MonotonicTime.zero
    for index in 0..<8 {
      time = .zero + .milliseconds(Int64(index) * 10)
      estimator.add(Point(Double(index) * 10, 0), at: time)
    }
    #expect(isClose(estimator.velocity(at: time + .milliseconds(40)), Point(1000, 0), 1e-6))
    #expect(estimator.velocity(at: time + .milliseconds(40) + Nanoseconds(1)) == .zero)
    #expect(estimator.velocity(at: time + .milliseconds(100)) == .zero)
    // The small movement with which a finger leaves the screen.
    estimator.add(Point(72, 1), at: time + .milliseconds(100))
    #expect(estimator.velocity(at: time + .milliseconds(100)) == .zero)

    // A finger that rests and of which the device goes on telling.
    estimator.reset()
    for index in 0..<30 {
      time = .zero + .milliseconds(Int64(index) * 8)
      estimator.add(Point(Double(min(index, 10)) * 10, 0), at: time)
    }
    #expect(isClose(estimator.velocity(at: time), .zero, 1e-9))
  }

  /// The line through the middle of three, and no parabola, whose slope would be 3000.
  @Test func threeSamplesFitALine() {
    var estimator = VelocityEstimator()
    for (index, x) in [0.0, 0, 20].enumerated() {
      estimator.add(Point(x, 0), at: .zero + .milliseconds(10 * Int64(index)))
    }
    #expect(isClose(estimator.velocity(at: .zero + .milliseconds(20)), Point(1000, 0), 1e-6))
  }

  @Test func badSamplesAreHarmless() {
    var estimator = VelocityEstimator()
    let bad = [Point(.nan, 0), Point(0, .infinity), Point(1e300, -1e300)]
    for location in bad { estimator.add(location, at: .zero) }
    #expect(estimator.velocity(at: .zero) == .zero)
    // The later of two samples at a time counts.
    estimator.add(Point(5, 5), at: .zero)
    estimator.add(Point(0, 0), at: .zero)
    estimator.add(Point(10, -20), at: .zero + .milliseconds(10))
    for location in bad { estimator.add(location, at: .zero + .milliseconds(11)) }
    #expect(isClose(estimator.velocity(at: .zero + .milliseconds(10)), Point(1000, -2000), 1e-6))
    // A time that goes back begins anew.
    estimator.add(Point(1000, 1000), at: MonotonicTime(nanoseconds: .min))
    #expect(estimator.velocity(at: .distantFuture) == .zero)
    #expect(estimator.velocity(at: MonotonicTime(nanoseconds: .min)) == .zero)
    estimator.add(Point(1001, 1000), at: MonotonicTime(nanoseconds: .min) + .milliseconds(1))
    #expect(isClose(estimator.velocity(at: MonotonicTime(nanoseconds: .min)), Point(1000, 0), 1e-6))
    estimator.add(Point(0, 0), at: .distantFuture)
    #expect(estimator.velocity(at: .distantFuture) == .zero)
  }
}
