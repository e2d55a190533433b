/// Pictures a second, as the fraction that moving formats state.
public struct PictureRate: Hashable, Sendable {
  public let numerator: Int64
  public let denominator: Int64

  /// Both become at least 1.
  public init(numerator: Int64, denominator: Int64 = 1) {
    self.numerator = max(numerator, 1)
    self.denominator = max(denominator, 1)
  }

  /// The fraction with both numbers at most `limit`; rounded where they were larger.
  func fitting(_ limit: Int64) -> PictureRate {
    let largest = max(numerator, denominator)
    guard largest > limit else { return self }
    func scaled(_ number: Int64) -> Int64 { Int64((Double(number) * Double(limit) / Double(largest)).rounded()) }
    return PictureRate(numerator: scaled(numerator), denominator: scaled(denominator))
  }
}
