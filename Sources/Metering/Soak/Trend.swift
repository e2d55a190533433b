/// The trend of a series of values, by statistics that neither a single value nor a sawtooth deceives.
///
/// The series is cut into `blockCount` blocks of values that follow each other, of which each counts with its smallest value, its floor.
/// A cache that fills and is emptied within a block has a level floor.
public struct Trend: Equatable, Sendable {
  /// The number of blocks.
  public static let blockCount = 12

  /// The median of the slopes between all pairs of floors (Theil-Sen), in units a block.
  public var slope: Double
  /// The same of the later half of the blocks.
  public var laterSlope: Double
  /// How likely floors without a trend would rise as steadily as these or more so: the one-sided Mann-Kendall test, with the normal
  /// approximation, corrected for ties and continuity.
  public var chance: Double

  /// The chance below which floors rise: of a thousand series without a trend, one is taken for a rising one.
  public static let level = 0.001

  /// The growth from the first block to the last, by the slope.
  public var growth: Double { slope * Double(Self.blockCount - 1) }

  /// True if the floors rise steadily, by `least` or more, and in their later half at a quarter of the whole slope at least: what fills up
  /// and stays full is no trend.
  public func rises(by least: Double) -> Bool {
    chance < Self.level && growth >= least && laterSlope >= slope / 4
  }

  /// Nil for fewer than two values for each block.
  public init?(_ values: [Double]) {
    guard values.count >= 2 * Self.blockCount else { return nil }
    let floors = (0..<Self.blockCount).map { block in
      let start = values.count * block / Self.blockCount
      let end = values.count * (block + 1) / Self.blockCount
      return values[start..<end].min() ?? 0
    }
    self.init(floors: floors)
  }

  /// - Parameter floors: one value for each block.
  init(floors: [Double]) {
    slope = Self.theilSen(floors)
    laterSlope = Self.theilSen(Array(floors.suffix(Self.blockCount / 2)))
    chance = Self.mannKendall(floors)
  }

  /// The median of the slopes between all pairs of values.
  static func theilSen(_ values: [Double]) -> Double {
    var slopes: [Double] = []
    for (later, value) in values.enumerated() {
      for earlier in 0..<later { slopes.append((value - values[earlier]) / Double(later - earlier)) }
    }
    guard !slopes.isEmpty else { return 0 }
    slopes.sort()
    let middle = slopes.count / 2
    return slopes.count % 2 == 1 ? slopes[middle] : (slopes[middle - 1] + slopes[middle]) / 2
  }

  /// The chance of a score as high as that of the values, if they had no trend.
  static func mannKendall(_ values: [Double]) -> Double {
    var score = 0
    for (later, value) in values.enumerated() {
      for earlier in 0..<later { score += value > values[earlier] ? 1 : value < values[earlier] ? -1 : 0 }
    }
    let ties = Dictionary(grouping: values) { $0 }.values.map(\.count)
    func term(_ count: Int) -> Double { Double(count * (count - 1) * (2 * count + 5)) }
    let variance = (term(values.count) - ties.reduce(0) { $0 + term($1) }) / 18
    guard variance > 0 else { return 1 }
    return RankTest.upperTail(Double(score - score.signum()) / variance.squareRoot())
  }
}
