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
  /// True if the series still rises at its end: if its last quarter brings at least half of what the quarter before it brought, each by the
  /// mean of its floors, and rises from its first floor to its last at a quarter of that quarter's rate or more. What fills up does neither.
  public var goesOn: Bool
  /// How likely floors without a trend would rise as steadily as these or more so: the one-sided Mann-Kendall test, with the normal
  /// approximation, corrected for ties and continuity.
  public var chance: Double

  /// The chance below which floors rise: of a thousand series without a trend, one is taken for a rising one.
  public static let level = 0.001

  /// The growth from the first block to the last, by the slope.
  public var growth: Double { slope * Double(Self.blockCount - 1) }

  /// True if the floors rise steadily, by `least` or more, and in their later half at a quarter of the whole slope at least.
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
    goesOn = Self.goesOn(floors)
    chance = Self.mannKendall(floors)
  }

  private static func goesOn(_ floors: [Double]) -> Bool {
    let length = blockCount / 4
    let quarters = (1...3).map { floors.dropFirst($0 * length).prefix(length).reduce(0, +) / Double(length) }
    let last = floors.suffix(length)
    guard let begin = last.first, let end = last.last else { return false }
    let (before, now) = (quarters[1] - quarters[0], quarters[2] - quarters[1])
    let rate = before / Double(length)
    return now >= before / 2 && end > begin && end - begin >= rate / 4 * Double(length - 1)
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
