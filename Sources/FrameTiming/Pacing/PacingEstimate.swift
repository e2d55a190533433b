public import LinuxSystem

/// How long something takes at most, save for a few times in a thousand and for spikes, as long as those are few. Learned from
/// how long it took.
///
/// A pure value. With the last 64 durations in the order of their length, leave out the longest tenth; the longest of the
/// rest is `upper`, and `spread` its distance from the median. The estimate is
///
///     upper + k · spread
///
/// - The order makes it robust (F. R. Hampel, "The Influence Curve and Its Role in Robust Estimation", 1974): up to six wild
///   ones of 64 move it hardly.
/// - k is learned so that the estimate is exceeded as often as it may be, whatever the distribution: it rises by η(1 − α)
///   when a duration exceeds the estimate, and falls by ηα when one does not, with η = 1/4 and α the miss budget (H.
///   Robbins and S. Monro, "A Stochastic Approximation Method", 1951). So it is up at once and comes down slowly.
/// - k stays within 0…2. A duration longer than upper + 2 · spread, which no k would have covered, is a spike and moves k
///   neither up nor down. For a normal distribution k is about 1, and a spike 3.8 standard deviations above the median.
/// - Of N durations in whatever order at most αN + 5 exceed the estimate without being spikes: each of them raises k, which
///   begins at 1 and ends at most at 2 + η, so that there can be no more of them than the others let it fall (I. Gibbs and
///   E. Candès, "Adaptive Conformal Inference Under Distribution Shift", 2021).
/// - Spikes are let go as long as they are less than β, one in twenty-five: to cover them would delay all others by as
///   much. Of N durations in whatever order at most βN + 8 are let go; then `upper` is the longest of the 64, and the estimate
///   covers spikes, for 8192 durations. After those it is tried again.
/// - Three in a row that exceed the estimate are another load: all that came before is forgotten but k. A single
///   event is forgotten after 64 durations, being one of the longest of them meanwhile.
public struct PacingEstimate: Sendable {
  /// The part of durations that may exceed the estimate. The 0.5 % of all frames that may be late are more than this, since
  /// durations are not all there is to be late for.
  public static let missBudget = 0.004
  /// The part of durations that may be spikes without being covered.
  public static let spikeBudget = 0.04

  /// The number of durations from which an estimate is made; those of other loads are not counted.
  public var count: Int { recent.count }
  /// Nil until eight durations are known, or after a change of load three.
  public private(set) var value: Nanoseconds?

  private static let mostExcess = 8.0
  private static let coveringTime = 8_192
  private static let step = 0.25
  private static let limit = 2.0
  private static let fewest = 8
  /// What a timer's wake-up trembles by, and more than nothing.
  private static let leastSpread = Nanoseconds.microseconds(20)

  private var recent = RecentDurations()
  private var factor = 1.0
  /// How many in a row exceeded the estimate.
  private var exceeding = 0
  /// The spikes that were let go beyond their budget.
  private var excess = 0.0
  /// For how many durations more spikes are covered.
  private var covering = 0
  /// The longest that a k could have covered.
  public private(set) var reach = Nanoseconds.zero

  public init() {}

  /// Something took so long.
  public mutating func observe(_ duration: Nanoseconds) {
    if let value {
      note(isSpike: duration > reach)
      if duration > value {
        exceeding += 1
        if duration <= reach { factor += Self.step * (1 - Self.missBudget) }
      } else {
        exceeding = 0
        factor = max(0, factor - Self.step * Self.missBudget)
      }
    }
    recent.add(duration)
    if exceeding == 3 {
      exceeding = 0
      recent.keepNewest(3)
    }
    update()
  }

  private mutating func note(isSpike: Bool) {
    if covering > 0 {
      covering -= 1
      return
    }
    excess = max(0, excess + (isSpike ? 1 : 0) - Self.spikeBudget)
    if excess >= Self.mostExcess { (excess, covering) = (0, Self.coveringTime) }
  }

  /// Forgets the oldest duration, for what cannot be observed just because of its estimate.
  public mutating func forgetOldest() {
    recent.removeOldest()
    if recent.count < Self.fewest { value = nil } else { update() }
  }

  private mutating func update() {
    let count = recent.count
    guard value != nil || count >= Self.fewest else { return }
    let upper = recent[count - 1 - (covering > 0 ? 0 : count * 3 / 32)]
    let spread = max(upper - recent[count / 2], Self.leastSpread)
    // Of a few the longest is not as long as of many.
    let few = 4 / Double(count)
    value = upper + spread.scaled(by: min(factor, Self.limit) + few)
    reach = upper + spread.scaled(by: Self.limit + few)
  }
}

extension Nanoseconds {
  fileprivate func scaled(by factor: Double) -> Nanoseconds {
    Nanoseconds(Int64(saturating: Double(count) * factor))
  }
}
