public import LinuxSystem

/// Predicts a display's vblanks from the stamps of those that were.
///
/// A pure value of fixed size. It is told what a source delivers, in the order in which it came, and knows nothing else. It
/// follows the display's own rate, which is not quite the nominal one; leaves stamps out of account that cannot be right;
/// and finds its way back when they turn out to be right after all. While there are few stamps the nominal rate is
/// believed, to 0.5 %: what CTA-861 lets a pixel clock be off by.
///
/// Stamps must be a display's or a clock's. The stamps of drivers without vblank, which complete a flip at once, are on no grid.
public struct VBlankModel: BitwiseCopyable, Sendable {
  /// A vblank that has not been, or has not been told.
  public struct Prediction: Hashable, BitwiseCopyable, Sendable {
    public var timestamp: MonotonicTime
    /// The standard deviation of `timestamp`: two predictions of three are better than this, and 19 of 20 than its double.
    public var uncertainty: Nanoseconds
    /// The interval that begins with it, counted from the model's first stamp, which is 0.
    public var interval: Int64
  }

  /// What a stamp was taken for.
  public enum Verdict: Hashable, Sendable {
    /// A vblank, a later one than the last.
    case accepted
    /// The last vblank again.
    case duplicate
    /// A later vblank, but its stamp cannot be right.
    case outlier
    /// It lies before the last vblank.
    case backward
    /// Zero or less: the driver had no time for it.
    case unstamped
    /// Several in a row were not where they should be: the model begins anew with this one. The period is kept if it fits
    /// them.
    case relocked
  }

  /// The nominal rate that stamps agree with; of a variable display the fastest.
  public internal(set) var refreshRate: RefreshRate
  /// Whether intervals last as long as the application likes, but not less than one at `refreshRate`.
  public let isVariable: Bool
  /// The last vblank that was believed.
  public internal(set) var last: VBlank?

  /// The interval of the nominal rate, or of one that the display was seen to have instead; nanoseconds.
  var expectedPeriod: Double
  /// A rate that was announced, but not seen yet.
  var expectedRate: RefreshRate?
  /// Nil before the first stamp.
  var filter: PhaseFilter?
  /// That of the filter's phase.
  var interval: Int64 = 0
  /// How many stamps the filter was told since it began, or began anew.
  var stampsOnGrid = 0
  var noise: StampNoise
  var suspects = Suspects()
  var spacing = EvenSpacing()
  /// The last vblank with a stamp, whatever it was taken for.
  var lastSeen: VBlank?
  var remembered = RememberedPeriods()
  /// How many more stamps must agree with the one before until the grid is believed: after the display was off. 0 while it is.
  var unproven = 0

  public init(refreshRate: RefreshRate, isVariable: Bool = false) {
    self.refreshRate = refreshRate
    self.isVariable = isVariable
    expectedPeriod = refreshRate.exactInterval
    noise = StampNoise(interval: refreshRate.exactInterval)
  }

  /// The interval between two vblanks as it is believed now, in nanoseconds.
  public var period: Double { max(filter?.period ?? refreshRate.exactInterval, shortestPeriod) }

  /// The standard deviation of `period`, in nanoseconds.
  public var periodUncertainty: Double { filter?.periodVariance.squareRoot() ?? priorDeviation }

  /// The first vblank later than `time`; nil before the first stamp. Never one that was told already.
  public func prediction(after time: MonotonicTime) -> Prediction? {
    guard let filter, let last else { return nil }
    var count = intervals(from: filter, to: time) + 1
    if time >= last.timestamp {
      count = max(count, 1)
    } else if count > 0 {
      // The last vblank's stamp is later than its place on the grid, and `time` between them.
      return Prediction(timestamp: last.timestamp, uncertainty: deviation(filter, after: 0), interval: interval)
    }
    var timestamp = place(filter, after: count)
    // Rounded down to `time`; at the end of time there is none that is later.
    while timestamp <= time, timestamp < .distantFuture {
      count += 1
      timestamp = place(filter, after: count)
    }
    return Prediction(timestamp: timestamp, uncertainty: deviation(filter, after: count), interval: interval &+ count)
  }

  /// The vblank that begins an interval, one that was included: then it is the place on the grid and not the stamp. Nil before
  /// the first stamp.
  public func prediction(ofInterval number: Int64) -> Prediction? {
    guard let filter else { return nil }
    let count = number &- interval
    return Prediction(
      timestamp: place(filter, after: count), uncertainty: deviation(filter, after: count), interval: number)
  }

  /// Whether enough stamps agree with the grid to say that another one is wrong.
  var isSettled: Bool { stampsOnGrid >= 60 }

  /// The interval in which `time` lies. That of the last vblank begins with its stamp, the others at their places on the
  /// grid. Nil before the first stamp.
  public func interval(at time: MonotonicTime) -> Int64? {
    guard let filter, let last else { return nil }
    let count = intervals(from: filter, to: time)
    return interval &+ (time >= last.timestamp ? max(count, 0) : min(count, -1))
  }

  // MARK: - Arithmetic

  /// Of a variable display no interval is shorter than this.
  private var shortestPeriod: Double { isVariable ? refreshRate.exactInterval : 0 }

  /// How far the period may be from the nominal one before a stamp tells.
  var priorDeviation: Double { refreshRate.exactInterval * 0.005 }

  /// Whole intervals from the filter's phase to `time`, rounded down.
  private func intervals(from filter: PhaseFilter, to time: MonotonicTime) -> Int64 {
    let quotient = (filter.distance(to: time) / period).rounded(.down)
    // So that a few more can be added.
    return min(max(Int64(saturating: quotient), -1 << 61), 1 << 61)
  }

  private func place(_ filter: PhaseFilter, after count: Int64) -> MonotonicTime {
    guard isVariable else { return filter.phase(after: count) }
    return filter.origin + Nanoseconds(Int64(saturating: filter.offset + Double(count) * period))
  }

  private func deviation(_ filter: PhaseFilter, after count: Int64) -> Nanoseconds {
    let deviation = filter.variance(after: count).squareRoot()
    return Nanoseconds(Int64(saturating: unproven > 0 ? max(deviation, period) : deviation))
  }
}
