import LinuxSystem
import Testing

@testable import FrameTiming

/// Stamps whose distance from the even grid tells of the next one's, as a compositor's do, and stamps for which it does not.
@Suite struct CorrelatedStampsTests {
  private static let deviation = 40_000.0

  /// Stamps of a display of 59.95 Hz whose distances from the grid are a first-order autoregressive process of one deviation.
  private func stamps(correlation: Double, seed: UInt64, count: Int) -> [VBlank] {
    let fresh = Self.deviation * (1 - correlation * correlation).squareRoot()
    var random = SplitMix64(seed: seed)
    var distance = 0.0
    return (0..<count).map { index in
      // The sum of twelve has a variance of 1 and is nearly normally distributed.
      let normal = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
      distance = correlation * distance + fresh * normal
      let even = MonotonicTime.zero + .seconds(1000) + RefreshRate.hertz5995.offset(ofInterval: Int64(index))
      return VBlank(timestamp: even + Nanoseconds(Int64(distance)), sequence: UInt64(index + 1))
    }
  }

  /// The root of the mean square distance of the next stamp from its prediction, in deviations of a stamp, once the model knows the
  /// display; and the part of the predictions for which stamps counted as correlated.
  private func error(_ stamps: [VBlank]) throws -> (root: Double, correlated: Double) {
    var model = VBlankModel(refreshRate: .hertz60)
    var (squares, correlated, count) = (0.0, 0, 0)
    for (index, stamp) in stamps.dropLast().enumerated() {
      model.observe(stamp)
      guard index >= 300 else { continue }
      let next = try #require(model.prediction(after: stamp.timestamp + .milliseconds(8)))
      let distance = Double((next.timestamp - stamps[index + 1].timestamp).count) / Self.deviation
      squares += distance * distance
      count += 1
      if model.noise.correlation > 0 { correlated += 1 }
    }
    return ((squares / Double(count)).squareRoot(), Double(correlated) / Double(count))
  }

  /// If the correlation is r and known, as the grid is, the error is √(1 − r²) deviations: 0.87, 0.71 and 0.53. The even grid alone has
  /// 1.0, 1.0 and 0.88.
  @Test(arguments: [(0.5, 0.95), (0.7, 0.83), (0.85, 0.74)]) func theLastDistanceIsFollowedAsFarAsItTells(
    _ correlation: Double, limit: Double
  ) throws {
    for seed: UInt64 in 1...10 {
      let found = try error(stamps(correlation: correlation, seed: seed, count: 3000))
      #expect(found.root < limit, "seed \(seed): \(found)")
    }
  }

  /// Stamps that do not tell of each other: the grid stays even, and no worse than the stamps.
  @Test func independentStampsMoveNothing() throws {
    for seed: UInt64 in 1...10 {
      let found = try error(stamps(correlation: 0, seed: seed, count: 3000))
      #expect(found.correlated < 0.03 && found.root < 1.05, "seed \(seed): \(found)")
    }
  }

  /// The predictions from any time are in order, one interval after another, and each lies in its own interval.
  @Test func predictionsStayInOrder() throws {
    for seed: UInt64 in 1...10 {
      var model = VBlankModel(refreshRate: .hertz60)
      var checked = 0
      for stamp in stamps(correlation: 0.7, seed: seed, count: 400) {
        // An even grid is checked elsewhere.
        guard model.observe(stamp) == .accepted, let grid = model.grid, grid.correlation > 0 else { continue }
        checked += 1
        var time = stamp.timestamp
        for ahead: Int64 in 1...8 {
          let next = grid.prediction(after: time)
          // Just before it is the same vblank, at it the next one.
          let again = grid.prediction(after: next.timestamp - Nanoseconds(1))
          if next.timestamp <= time || next.interval != model.interval + ahead || again != next
            || grid.interval(at: next.timestamp) != next.interval
            || grid.interval(at: next.timestamp - Nanoseconds(1)) != next.interval - 1
          {
            Issue.record("seed \(seed): \(next) after \(time), \(ahead) ahead of \(model.interval), \(again) before it")
            return
          }
          time = next.timestamp
        }
      }
      #expect(checked > 100, "seed \(seed)")
    }
  }
}
