public import FrameTiming
public import LinuxSystem
public import RunLoops

/// A source of vblanks for tests and rehearsals: as good or bad as its faults say, with a grid that knows the true times.
///
/// Its vblanks lie on a `SimulatedGrid`; its faults displace the stamps and lose or delay events. An event comes after its
/// vblank, whatever the stamp says.
///
///     let source = SimulatedVBlankSource(.flaky, clock: loop.clock, seed: 1)
///     let ticker = DisplayTicker(source: source)
@MainActor
public final class SimulatedVBlankSource: VBlankSource {
  public let name: String
  public var onVBlank: (@MainActor (VBlank) -> Void)?
  /// Called with the number of a vblank before its event is delivered. Events come in the order of their vblanks, as a kernel
  /// queues them: those of the flips before come first, however late their own wake-up would be.
  var onEvent: (@MainActor (UInt64) -> Void)?
  /// True if intervals last as long as the display likes, but not less than one at `refreshRate`.
  public var isVariable: Bool { grid.slowestRate != nil }
  /// The true vblanks, and their events.
  public private(set) var grid: SimulatedGrid
  /// The number of delivered events, with duplicates.
  public private(set) var deliveredEvents: UInt64 = 0

  /// The display's faults. They may be changed at any time, and hold for vblanks that are requested from then on.
  public var faults: DisplayFaults {
    get { grid.faults }
    set { grid.faults = newValue }
  }

  /// The rate of the mode. Setting it sets the real rate too; the grid continues from the last vblank before now.
  public var refreshRate: RefreshRate {
    get { nominalRate }
    set { setRate(newValue, actual: newValue) }
  }

  /// A display that is off has no vblanks: a request waits until it is on again. The grid continues meanwhile.
  public var isOn = true {
    didSet { if isOn != oldValue { rearm() } }
  }

  private let clock: SystemClock
  private var nominalRate: RefreshRate
  private lazy var alarm = FrameLoop.Alarm(.onMain { [weak self] in self?.fire() })
  private var isRequested = false
  /// The vblank whose event is on its way.
  private var pending: UInt64?

  /// A display without faults, whose vblank 0 is now.
  ///
  /// - Parameters:
  ///   - refreshRate: the rate of the mode, and the real one.
  ///   - slowestRate: makes it a variable display, whose fastest rate is `refreshRate`.
  ///   - clock: the clock of the loop that the source is added to.
  ///   - seed: the seed of the display's random numbers.
  ///   - name: the source's name for people.
  public init(
    refreshRate: RefreshRate, slowestRate: RefreshRate? = nil, clock: SystemClock, seed: UInt64 = 0,
    name: String = "simulated display"
  ) {
    self.name = name
    nominalRate = refreshRate
    grid = SimulatedGrid(rate: refreshRate, slowestRate: slowestRate, start: clock.now, seed: seed)
    self.clock = clock
  }

  /// Changes the rate. The grid continues from the last vblank before now.
  ///
  /// - Parameters:
  ///   - nominal: the rate of the mode.
  ///   - actual: the display's real rate.
  public func setRate(_ nominal: RefreshRate, actual: RefreshRate) {
    nominalRate = nominal
    guard actual != grid.rate else { return }
    let last = grid.vblank(after: clock.now) &- 1
    var changed = SimulatedGrid(
      rate: actual, slowestRate: grid.slowestRate, start: grid.time(ofVBlank: last), firstVBlank: last, seed: grid.seed)
    changed.faults = grid.faults
    grid = changed
    rearm()
  }

  // MARK: - VBlankSource

  public func requestVBlank() {
    guard !isRequested else { return }
    isRequested = true
    rearm()
  }

  public func newestVBlank() -> VBlank? { isOn ? grid.told(ofVBlank: grid.vblank(after: clock.now) &- 1) : nil }

  public var loopItem: any FrameLoop.Item { alarm }

  public func invalidate() {
    alarm.invalidate()
    isRequested = false
    (onVBlank, onEvent) = (nil, nil)
  }

  /// Sends the event of the next vblank that answers the request on its way.
  private func rearm() {
    pending = isRequested && isOn ? grid.answer(toRequestAt: clock.now) : nil
    alarm.fireTime = pending.map { grid.delivery(ofVBlank: $0) }
  }

  private func fire() {
    guard let number = pending else { return }
    pending = nil
    isRequested = false
    onEvent?(number)
    for _ in 0...(grid.duplicatesEvent(ofVBlank: number) ? 1 : 0) {
      deliveredEvents += 1
      onVBlank?(grid.told(ofVBlank: number))
    }
  }
}
