public import LinuxSystem

/// The faults of a simulated display, and of the machine that listens to it. Parts are from 0 to 1.
///
///     source.faults.lostEvents = 0.05
public struct DisplayFaults: Hashable, BitwiseCopyable, Sendable {
  // MARK: The display

  /// The part by which the display's intervals become longer and shorter again within 40 s, like those of a clock that is being
  /// set.
  public var drift: Double = 0

  // MARK: Stamps

  /// The distance of all stamps from the loop's clock: above zero they are ahead of it, below behind.
  public var stampOffset: Nanoseconds = .zero
  /// The standard deviation of stamps around the grid, normally distributed.
  public var noise: Nanoseconds = .zero
  /// Stamps are rounded down to whole multiples of this, as those of a driver without a fine clock; zero for exact ones.
  public var stampStep: Nanoseconds = .zero
  /// The part of the stamps that lie anywhere around their grid point, up to a third of an interval away.
  public var outliers: Double = 0
  /// The part of the events without a stamp: it is zero.
  public var zeroStamps: Double = 0
  /// The part of the events that bear the stamp of a vblank up to eight intervals ago.
  public var backwardStamps: Double = 0
  /// The part of the pairs of neighbours, an even vblank and the one after it, that bear each other's stamps.
  public var swappedStamps: Double = 0
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
