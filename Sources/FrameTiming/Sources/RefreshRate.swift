public import LinuxSystem

/// How often a display refreshes, as the exact fraction that its mode gives: 60000/1001, not 59.94.
public struct RefreshRate: Hashable, BitwiseCopyable, Sendable, CustomStringConvertible {
  /// Refreshes in `denominator` seconds; above 0. The fraction is in lowest terms: 60000/1000 is 60/1.
  public let numerator: Int64
  /// Above 0, at most 2³³: a pixel clock in hertz over the largest frame that a mode can have.
  public let denominator: Int64

  /// One refresh interval, to the nearest nanosecond. For the time of a far tick use `offset(ofInterval:)`.
  public let interval: Nanoseconds
  /// One refresh interval in nanoseconds, not rounded to whole ones.
  package let exactInterval: Double

  /// 60 refreshes a second.
  public static let hertz60 = RefreshRate(lowestNumerator: 60, denominator: 1)

  private init(lowestNumerator numerator: Int64, denominator: Int64) {
    self.numerator = numerator
    self.denominator = denominator
    interval = Self.offset(ofInterval: 1, numerator: numerator, denominator: denominator)
    exactInterval = 1e9 * Double(denominator) / Double(numerator)
  }

  /// Nil unless both are above 0, the rate lies from 1 to 1000 Hz, and the denominator in lowest terms is at most 2³³.
  public init?(numerator: Int64, denominator: Int64) {
    guard numerator > 0, denominator > 0 else { return nil }
    var (divisor, remainder) = (numerator, denominator)
    while remainder != 0 { (divisor, remainder) = (remainder, divisor % remainder) }
    guard denominator / divisor <= 1 << 33 else { return nil }
    self.init(lowestNumerator: numerator / divisor, denominator: denominator / divisor)
    guard hertz >= 1, hertz <= 1000 else { return nil }
  }

  /// The rate to the nearest thousandth of a hertz; nil unless it lies from 1 to 1000 Hz.
  public init?(hertz: Double) {
    guard hertz.isFinite, hertz >= 1, hertz <= 1000 else { return nil }
    self.init(numerator: Int64((hertz * 1000).rounded()), denominator: 1000)
  }

  /// The rate of a period that was measured, to an eighth of a nanosecond: less than a microsecond in a minute at 60 Hz.
  init?(period nanoseconds: Double) {
    guard nanoseconds.isFinite, nanoseconds > 0, nanoseconds <= 1e9 else { return nil }
    self.init(numerator: 8_000_000_000, denominator: Int64((nanoseconds * 8).rounded()))
  }

  /// Refreshes a second.
  public var hertz: Double { Double(numerator) / Double(denominator) }

  /// The time from the grid's origin to its k-th point, to the nearest nanosecond: it is rounded once, so that no error
  /// adds up however large k is. Negative k lies before the origin. What 2⁶³ ns cannot hold becomes the nearest end.
  public func offset(ofInterval k: Int64) -> Nanoseconds {
    Self.offset(ofInterval: k, numerator: numerator, denominator: denominator)
  }

  private static func offset(ofInterval k: Int64, numerator: Int64, denominator: Int64) -> Nanoseconds {
    let product = k.magnitude.multipliedFullWidth(by: UInt64(denominator) * 1_000_000_000)
    let divisor = UInt64(numerator)
    guard product.high < divisor else { return Nanoseconds(k < 0 ? .min : .max) }
    let (quotient, remainder) = divisor.dividingFullWidth(product)
    let rounded = remainder >= divisor - remainder ? quotient.addingReportingOverflow(1).partialValue : quotient
    let offset = Int64(clamping: rounded)
    return Nanoseconds(k < 0 ? -offset : offset)
  }

  /// How many whole intervals lie in `elapsed`: the largest k with `offset(ofInterval: k) <= elapsed`, which for a
  /// negative time is negative. The inverse of `offset(ofInterval:)`, exact on every point of the grid.
  public func intervals(in elapsed: Nanoseconds) -> Int64 {
    let product = elapsed.count.magnitude.multipliedFullWidth(by: UInt64(numerator))
    let divisor = UInt64(denominator) * 1_000_000_000
    guard product.high < divisor else { return elapsed.count < 0 ? .min : .max }
    let quotient = Int64(clamping: divisor.dividingFullWidth(product).quotient)
    // The quotient is rounded towards zero, the points of the grid to the nearest nanosecond: it can be off by one, and
    // by no more. (A search would not end at offsets that saturate.)
    let k = elapsed.count < 0 ? -quotient : quotient
    if offset(ofInterval: k) > elapsed { return k - 1 }
    if offset(ofInterval: k + 1) <= elapsed { return k + 1 }
    return k
  }

  /// Two decimals: "59.94 Hz".
  public var description: String {
    let hundredths = Int64((hertz * 100).rounded())
    let fraction = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) Hz"
  }
}

extension Int64 {
  /// The nearest whole number; what lies out of range the nearest end of it, NaN 0.
  package init(saturating value: Double) {
    let rounded = value.rounded()
    self = Int64(exactly: rounded) ?? (rounded.isNaN ? 0 : rounded < 0 ? .min : .max)
  }
}
