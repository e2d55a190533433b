public import LinuxSystem

/// Estimates an upper limit of durations from the durations so far: a few in a thousand exceed it, and spikes while they are
/// few. A pure value.
///
/// Use one for any work that must be begun early enough for a deadline; for the frames of a display a `FramePacer` has them.
///
/// With the last 64 durations in the order of their length, leave out the longest tenth; the longest of the
/// rest is `upper`, and `spread` its distance from the median. The estimate is
///
///     upper + k · spread
///
/// - The order makes it robust (F. R. Hampel, "The Influence Curve and Its Role in Robust Estimation", 1974): up to six wild
///   ones of 64 hardly move it.
/// - k is learned so that the estimate is exceeded as often as it may be, whatever the distribution: it rises by η(1 − α)
///   when a duration exceeds the estimate, and falls by ηα when one does not, with η = 1/4 and α the miss budget (H.
///   Robbins and S. Monro, "A Stochastic Approximation Method", 1951). So it rises at once and falls slowly.
/// - k stays within 0…2. A duration longer than upper + 2 · spread, which no k would have covered, is a spike and moves k
///   neither up nor down. For a normal distribution k is about 1, and a spike 3.8 standard deviations above the median.
/// - At most αN + 5 of N durations in any order exceed the estimate without being spikes: each of them raises k, which
///   begins at 1 and ends at most at 2 + η, so there can be no more of them than the others let it fall (I. Gibbs and
///   E. Candès, "Adaptive Conformal Inference Under Distribution Shift", 2021).
/// - Spikes are not covered while they are less than β, one in twenty-five: to cover them would cost all others as much. At
///   most βN + 8 of N durations in any order are not covered. Then `upper` is the longest of the 64, and the estimate covers
///   spikes, for 8192 durations; after those it is tried again.
/// - Three in a row that exceed the estimate are another load: all durations before them are forgotten, but not k. A single
///   event is forgotten after 64 durations, and is one of the longest of them until then.
public struct PacingEstimate: Sendable {
  /// The part of durations that may exceed the estimate. It is less than the 0.5 % of all frames that may be late, since frames
  /// are late for other reasons too.
  public static let missBudget = 0.004
  /// The part of durations that may be spikes without being covered.
  public static let spikeBudget = 0.04

  /// The number of durations from which an estimate is made; those of other loads are not counted.
  public var count: Int { recent.count }
  /// Nil until eight durations are known, or after a change of load three.
  public private(set) var value: Nanoseconds?

  /// The median of the last durations; nil before the first.
  package var median: Nanoseconds? { count > 0 ? recent[count / 2] : nil }

  private static let mostExcess = 8.0
  private static let coveringTime = 8_192
  private static let step = 0.25
  private static let limit = 2.0
  private static let fewest = 8
  /// The least spread: the tremble of a timer's wake-up.
  private static let leastSpread = Nanoseconds.microseconds(20)

  private var recent = RecentDurations()
  private var factor = 1.0
  /// The number of durations in a row that exceeded the estimate.
  private var exceeding = 0
  /// The uncovered spikes beyond their budget.
  private var excess = 0.0
  /// The number of durations for which spikes are still covered.
  private var covering = 0
  /// The longest duration that a k could have covered.
  public private(set) var reach = Nanoseconds.zero

  public init() {}

  /// Learns from a duration.
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

  /// Forgets the oldest duration. Call it if the estimate itself prevents further durations.
  public mutating func forgetOldest() {
    recent.removeOldest()
    if recent.count < Self.fewest { value = nil } else { update() }
  }

  private mutating func update() {
    let count = recent.count
    guard value != nil || count >= Self.fewest else { return }
    let upper = recent[count - 1 - (covering > 0 ? 0 : count * 3 / 32)]
    let spread = max(upper - recent[count / 2], Self.leastSpread)
    // The longest of a few is shorter than the longest of many.
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
