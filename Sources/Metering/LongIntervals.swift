import LinuxSystem

/// The parts of frame intervals that are longer than those of 60, 30 and 20 frames a second.
///
/// An interval is *over* one of these if it is longer by more than a twentieth: over 16.7 ms if it is longer than 17.5 ms, over 33.3 ms if
/// longer than 35 ms, over 50 ms if longer than 52.5 ms. So a steady display of 60 Hz, the stamps of whose vblanks scatter around 16.67 ms, has
/// none over 16.7 ms, and one of 50 Hz has all of them.
public struct LongIntervals: Equatable, Sendable {
  /// The part of all intervals that is over 16.7 ms, from 0 to 1.
  public var over16: Double
  /// The same over 33.3 ms.
  public var over33: Double
  /// The same over 50 ms.
  public var over50: Double

  public init(over16: Double, over33: Double, over50: Double) {
    (self.over16, self.over33, self.over50) = (over16, over33, over50)
  }

  /// The longest intervals that are not over.
  static let limits: [Nanoseconds] = [.microseconds(17_500), .microseconds(35_000), .microseconds(52_500)]

  /// Nil without intervals.
  init?(_ intervals: some DurationDistribution) {
    guard intervals.count > 0 else { return nil }
    let shares = intervals.counts(upTo: Self.limits).map { Double(intervals.count - $0) / Double(intervals.count) }
    self.init(over16: shares[0], over33: shares[1], over50: shares[2])
  }

  /// The rule in one line, for reports.
  package static let summary =
    "over 16.7, 33.3, 50 ms: intervals that are longer than that by more than a twentieth, so that the scatter of stamps does not count"

  /// The items of the line of a report; what is over a time is over the shorter ones too, so that it ends with the first that none is over.
  package var items: [String] {
    let shares = [("16.7", over16), ("33.3", over33), ("50", over50)]
    let end = shares.firstIndex { $0.1 <= 0 } ?? shares.count - 1
    return shares[...end].map { time, share in "\(Self.text(share)) over \(time) ms" }
  }

  private static func text(_ share: Double) -> String {
    switch share {
    case ...0: "none"
    case ..<0.0005: "less than 0.1 %"
    default: Text.decimal(share * 100, 1) + " %"
    }
  }
}
