public import LinuxSystem

/// A vertical blank: the moment at which a display begins to show the next frame.
public struct VBlank: Hashable, BitwiseCopyable, Sendable {
  /// When it happened, by the source's own stamp, never the time at which the event was read.
  public var timestamp: MonotonicTime
  /// Counts refresh intervals of the source, those that nobody asked for included.
  public var sequence: UInt64

  public init(timestamp: MonotonicTime, sequence: UInt64) {
    self.timestamp = timestamp
    self.sequence = sequence
  }
}

/// How often a display refreshes, as the exact fraction that its mode gives: 60000/1001, not 59.94.
public struct RefreshRate: Hashable, BitwiseCopyable, Sendable, CustomStringConvertible {
  /// Refreshes in `denominator` seconds; above 0.
  public let numerator: Int64
  /// Above 0.
  public let denominator: Int64

  /// Nil unless both are above 0 and the rate lies from 1 to 1000 Hz.
  public init?(numerator: Int64, denominator: Int64) {
    guard numerator > 0, denominator > 0 else { return nil }
    let rate = Double(numerator) / Double(denominator)
    guard rate >= 1, rate <= 1000 else { return nil }
    self.numerator = numerator
    self.denominator = denominator
  }

  /// The rate to the nearest thousandth of a hertz; nil unless it lies from 1 to 1000 Hz.
  public init?(hertz: Double) {
    guard hertz.isFinite, hertz >= 1, hertz <= 1000 else { return nil }
    self.init(numerator: Int64((hertz * 1000).rounded()), denominator: 1000)
  }

  /// Refreshes a second.
  public var hertz: Double { Double(numerator) / Double(denominator) }

  /// One refresh interval, to the nearest nanosecond. For the time of a far tick use `offset(ofInterval:)`.
  public var interval: Nanoseconds { offset(ofInterval: 1) }

  /// The time from the grid's origin to its k-th point, rounded once: no error adds up however large k is.
  public func offset(ofInterval k: Int64) -> Nanoseconds {
    let (high, low) = k.multipliedFullWidth(by: denominator * 1_000_000_000)
    // The grid of a run lasts less than 2⁶³ ns, so that the quotient fits.
    let (quotient, remainder) = numerator.dividingFullWidth((high, low))
    return Nanoseconds(remainder * 2 >= numerator ? quotient + 1 : quotient)
  }

  /// Two decimals: "59.94 Hz".
  public var description: String {
    let hundredths = Int64((hertz * 100).rounded())
    let fraction = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) Hz"
  }
}
