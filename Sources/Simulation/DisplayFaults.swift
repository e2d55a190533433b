public import LinuxSystem

/// The faults of a simulated display, and of the machine that listens to it. Parts are from 0 to 1.
///
///     source.faults.lostEvents = 0.05
public struct DisplayFaults: Hashable, BitwiseCopyable, Sendable {
  // MARK: The display

  /// The part by which the display's intervals become longer and shorter again, like those of a clock that is being set.
  public var drift: Double = 0
  /// The time from one longest interval to the next.
  public var driftCycle: Nanoseconds = .seconds(40)

  // MARK: Stamps

  /// The standard deviation of stamps around the grid, normally distributed.
  public var noise: Nanoseconds = .zero
  /// A stamp lies up to this much before or after its grid point, evenly distributed. Less than half an interval.
  public var jitter: Nanoseconds = .zero
  /// The part of the stamps that lie anywhere around their grid point.
  public var outliers: Double = 0
  /// How far outliers lie from the grid at most, in intervals.
  public var farthestOutlier: Double = 1.0 / 3
  /// The part of the events without a stamp: it is zero.
  public var zeroStamps: Double = 0
  /// The part of the events that bear the stamp of a vblank up to eight intervals ago.
  public var backwardStamps: Double = 0
  /// The part of the events without a sequence: it is zero.
  public var zeroSequences: Double = 0

  // MARK: Events

  /// The part of the events that are lost: the request is answered by a later vblank.
  public var lostEvents: Double = 0
  /// The part of the events that come twice in a row.
  public var duplicateEvents: Double = 0
  /// An event comes up to this much after its vblank.
  public var latestDelivery: Nanoseconds = .zero
  /// The part of the events for which the machine wakes late.
  public var lateWakeUps: Double = 0
  /// The longest delay of a late wake-up.
  public var latestWakeUp: Nanoseconds = .zero

  public init() {}
}
