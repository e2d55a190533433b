public import LinuxSystem

/// Predicts a display's vblanks from the stamps of those that were.
///
/// A pure value of fixed size that is given a source's vblanks in the order in which they came. It follows the display's own
/// rate, which differs a little from the nominal one; ignores stamps that cannot be right; and finds its way back when they
/// turn out to be right after all. While there are few stamps it believes the nominal rate to 0.5 %, the tolerance of
/// CTA-861 for a pixel clock. Applications use the ticker's `VBlankForecast` instead.
///
/// How unsteady stamps are is a guess too, 1.5 % of an interval. So a step of the grid by 2 to 7 % after one to three stamps is
/// taken for noise at first: one to ten predictions are off by more than 0.9 %. A quarter of the guess has its ten at steps of 4 %
/// instead, and takes unsteady stamps for steps: with noise of 1.8 % eight of the first forty predictions are off by more than
/// that, instead of two. A rate that changes by 2 to 5 % then costs 5 to 15 predictions, and 13 to 19 after sixty stamps: a mean of
/// a dozen distances shows it.
///
/// Stamps must be a display's or a clock's. The stamps of drivers without vblank, which complete a flip at once, are on no grid.
public struct VBlankModel: BitwiseCopyable, Sendable {
  /// A vblank to come, or one that was not delivered.
  public struct Prediction: Hashable, BitwiseCopyable, Sendable {
    public var timestamp: MonotonicTime
    /// The standard deviation of `timestamp`: two predictions of three are better than this, and 19 of 20 than its double.
    public var uncertainty: Nanoseconds
    /// The interval that begins with the vblank, counted from the model's first stamp, which is 0.
    public var interval: Int64
    /// True if the prediction is more than a guess: its uncertainty is a quarter of an interval at most.
    public var isKnown: Bool
  }

  /// The model's judgement of a stamp.
  public enum Verdict: Hashable, Sendable {
    /// A vblank, a later one than the last.
    case accepted
    /// The last vblank again.
    case duplicate
    /// A later vblank, but its stamp cannot be right.
    case outlier
    /// The stamp lies before the last vblank.
    case backward
    /// The stamp is zero or less: the driver had none.
    case unstamped
    /// Several stamps in a row were not where they should be, and the model begins anew with this one. It keeps the period if
    /// that fits them.
    case relocked
  }

  /// The nominal rate that stamps agree with; the fastest rate of a variable display.
  public internal(set) var refreshRate: RefreshRate
  /// True if intervals last as long as the application likes, but not less than one at `refreshRate`.
  public let isVariable: Bool
  /// The last vblank that was believed.
  public var last: VBlank? { fit?.last }

  /// The interval of the nominal rate, or of the rate that was measured instead; in nanoseconds.
  var expectedPeriod: Double
  /// A rate that was announced, but that no stamp has shown yet.
  var expectedRate: RefreshRate?
  /// Nil before the first stamp.
  var fit: Fit?
  var noise: StampNoise
  /// The number of stamps in a row that were not believed and lie whole periods apart.
  var suspects = 0
  var spacing = EvenSpacing()
  /// The last vblank with a stamp, whatever its verdict.
  var lastSeen: VBlank?
  var remembered = RememberedPeriods()
  /// The number of stamps that must still agree with the one before until the grid is believed, after the display was off; else
  /// 0.
  var unproven = 0

  public init(refreshRate: RefreshRate, isVariable: Bool = false) {
    self.refreshRate = refreshRate
    self.isVariable = isVariable
    expectedPeriod = refreshRate.exactInterval
    noise = StampNoise(interval: refreshRate.exactInterval)
  }

  /// The interval between two vblanks as it is measured now, in nanoseconds. Predictions believe the nominal one, or one
  /// that was measured before, as long as it differs by no more than chance.
  public var period: Double { max(fit?.filter.period ?? refreshRate.exactInterval, shortestPeriod) }

  /// The interval of the rate that the display was found to run at instead of its nominal one; nil if it runs at that.
  var unannouncedInterval: Nanoseconds? {
    expectedPeriod == refreshRate.exactInterval || expectedRate != nil ? nil : Nanoseconds(Int64(saturating: expectedPeriod))
  }

  /// The standard deviation of `period`, in nanoseconds.
  package var periodUncertainty: Double { fit?.filter.periodVariance.squareRoot() ?? priorDeviation }

  /// The first vblank later than `time`; nil before the first stamp. Never one that was delivered already.
  public func prediction(after time: MonotonicTime) -> Prediction? { grid?.prediction(after: time) }

  /// The grid as it is believed now; nil before the first stamp.
  var grid: VBlankGrid? {
    guard let fit else { return nil }
    let place = isVariable ? fit.filter : fit.filter.shrunk
    return VBlankGrid(
      filter: place, interval: fit.interval, lastStamp: fit.last.timestamp, isVariable: isVariable, isProven: unproven == 0,
      period: max(place.period, shortestPeriod), correlation: noise.correlation)
  }

  /// True if enough stamps agree with the grid to call another one wrong.
  var isSettled: Bool { fit.map { $0.stamps >= 60 } ?? false }

  /// The number of the last believed vblank's interval; 0 before the first stamp.
  var interval: Int64 { fit?.interval ?? 0 }

  // MARK: - Arithmetic

  /// The shortest interval of a variable display; 0 for others.
  private var shortestPeriod: Double { isVariable ? refreshRate.exactInterval : 0 }

  /// The deviation of the period from the nominal one before there are stamps.
  var priorDeviation: Double { refreshRate.exactInterval * 0.005 }
}
