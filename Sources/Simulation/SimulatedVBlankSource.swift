public import FrameTiming
public import LinuxSystem
public import RunLoops

/// A display for tests and rehearsals, good or bad as told, whose truth can be read.
///
/// Its vblanks lie on a `SimulatedGrid`; what it tells of them is displaced by its faults. An event comes after its vblank,
/// whatever the stamp says.
@MainActor
public final class SimulatedVBlankSource: VBlankSource {
  public let name: String
  public var onVBlank: (@MainActor (VBlank) -> Void)?
  /// Whether its intervals last as long as it likes, but not less than one at `refreshRate`.
  public var isVariable: Bool { grid.slowestRate != nil }
  /// When its vblanks are, what is told of them, and when.
  public private(set) var grid: SimulatedGrid
  /// Events that were delivered, duplicates included.
  public private(set) var deliveredEvents: UInt64 = 0

  /// May be changed at any time; holds for the vblanks that are asked for from then on.
  public var faults: DisplayFaults {
    get { grid.faults }
    set { grid.faults = newValue }
  }

  /// What the mode says. Setting it makes it what the display does as well; the grid goes on from the last vblank before now.
  public var refreshRate: RefreshRate {
    get { nominalRate }
    set { setRate(newValue, actual: newValue) }
  }

  /// A display that is off has no vblanks: a request waits until it is on again. The grid goes on meanwhile.
  public var isOn = true {
    didSet { if isOn != oldValue { rearm() } }
  }

  private let clock: SystemClock
  private var nominalRate: RefreshRate
  private var timer: FrameLoop.Timer?
  private var isRequested = false
  /// The vblank whose event is on its way.
  private var pending: UInt64?

  /// A display without faults, whose vblank 0 is now.
  ///
  /// - Parameters:
  ///   - refreshRate: what the mode says, and the display does.
  ///   - slowestRate: makes it a variable display, which `refreshRate` is the fastest rate of.
  ///   - clock: the clock of the loop that the source is added to.
  ///   - seed: names the display's random numbers.
  ///   - name: what it is, for people.
  public init(
    refreshRate: RefreshRate, slowestRate: RefreshRate? = nil, clock: SystemClock, seed: UInt64 = 0,
    name: String = "simulated display"
  ) {
    self.name = name
    nominalRate = refreshRate
    grid = SimulatedGrid(rate: refreshRate, slowestRate: slowestRate, start: clock.now, seed: seed)
    self.clock = clock
    timer = FrameLoop.Timer.parked { [weak self] in self?.fire() }
  }

  /// Changes the rate: the grid goes on from the last vblank before now.
  ///
  /// - Parameters:
  ///   - nominal: what the mode says from now on.
  ///   - actual: what the display does.
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

  public func add(to loop: FrameLoop, mode: FrameLoop.Mode) {
    guard let timer else { return }
    loop.add(timer, to: mode)
  }

  public func remove(from loop: FrameLoop, mode: FrameLoop.Mode) {
    guard let timer else { return }
    loop.remove(timer, from: mode)
  }

  public func invalidate() {
    timer?.invalidate()
    timer = nil
    isRequested = false
    onVBlank = nil
  }

  /// Sends the event of the next vblank that answers the request on its way.
  private func rearm() {
    guard let timer else { return }
    guard isRequested, isOn else {
      pending = nil
      timer.nextFireTime = .distantFuture
      return
    }
    let number = grid.answer(toRequestAt: clock.now)
    pending = number
    timer.nextFireTime = grid.delivery(ofVBlank: number)
  }

  private func fire() {
    guard let number = pending else { return }
    pending = nil
    isRequested = false
    let vblank = grid.told(ofVBlank: number)
    deliveredEvents += 1
    onVBlank?(vblank)
    if grid.duplicatesEvent(ofVBlank: number) {
      deliveredEvents += 1
      onVBlank?(vblank)
    }
  }
}
