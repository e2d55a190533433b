public import LinuxSystem
public import RunLoops

/// Calls its handler once for each vblank of a display, while it is added to a mode of a loop and not paused.
///
/// The link is kept alive by its ticker while it is added to a mode, so that it must be invalidated, or removed from all
/// modes, to go away. Links of one ticker are called in the order in which they were created. They may be added, paused
/// and invalidated inside callbacks; a link that starts to want frames inside one is first called at the next vblank.
@MainActor
public final class DisplayLink {
  /// One vblank, as a link's handler sees it.
  public struct Tick: Hashable, BitwiseCopyable, Sendable {
    /// The vblank's stamp: the time at which the display began to show the frame before. On the display's grid, however
    /// late the handler is called.
    public var timestamp: MonotonicTime
    /// The next vblank, predicted from this one: when a frame that is made now will be seen. Evaluate animations for it.
    public var targetTimestamp: MonotonicTime
    /// One refresh interval at the nominal rate.
    public var duration: Nanoseconds
    /// Whether the display's rate is variable: then its intervals are `duration` or longer, and the target is a guess.
    public var isVariable: Bool
    /// Counts the ticker's refresh intervals, from 1 at its first tick: two ticks in neighbouring intervals differ by 1.
    public var frameNumber: UInt64
    /// When the tick was to be delivered: at the vblank, or later where it was put off to a deadline before the target.
    public var start: MonotonicTime
    /// When the loop delivered the tick; `delivered - start` is its lateness.
    public var delivered: MonotonicTime
    /// The intervals since the link's last tick that had none although the link wanted them: the loop was busy, or ran in
    /// a mode that the link is not in. Those that its frame rate leaves out do not count. 0 for the first tick and for the
    /// first after a pause.
    public var missed: UInt64
    /// Every how many refresh intervals the link is called: `missed` counts as many of them each.
    public var intervalsPerTick: Int

    /// - Parameter start: when the tick was to be delivered; nil for at its stamp.
    public init(
      timestamp: MonotonicTime, targetTimestamp: MonotonicTime, duration: Nanoseconds, frameNumber: UInt64,
      start: MonotonicTime? = nil, delivered: MonotonicTime, missed: UInt64, intervalsPerTick: Int = 1,
      isVariable: Bool = false
    ) {
      self.timestamp = timestamp
      self.targetTimestamp = targetTimestamp
      self.duration = duration
      self.frameNumber = frameNumber
      self.start = start ?? timestamp
      self.delivered = delivered
      self.missed = missed
      self.intervalsPerTick = intervalsPerTick
      self.isVariable = isVariable
    }
  }

  public let ticker: DisplayTicker
  /// The last tick that the link got; nil before the first.
  public private(set) var tick: Tick?

  let number: UInt64
  private(set) var modes: [FrameLoop.Mode] = []
  private let handler: @MainActor (DisplayLink) -> Void
  private var loop: FrameLoop?
  private var firstDelivery: UInt64 = 0
  /// Whether the link has wanted frames ever since its last tick.
  private var isContinuous = false
  private var isInvalid = false
  private var divisor: FrameDivisor
  /// The nominal interval that the divisor was made for.
  private var dividedInterval: Nanoseconds

  /// A link that ticks nowhere yet: add it to a mode of a loop.
  public init(ticker: DisplayTicker, handler: @escaping @MainActor (DisplayLink) -> Void) {
    self.ticker = ticker
    self.handler = handler
    number = ticker.nextLinkNumber()
    let rate = ticker.refreshRate
    divisor = FrameDivisor(.default, of: rate)
    dividedInterval = rate.interval
  }

  /// The last tick's vblank; zero before the first tick.
  public var timestamp: MonotonicTime { tick?.timestamp ?? .zero }
  /// The vblank after the last tick's; zero before the first tick.
  public var targetTimestamp: MonotonicTime { tick?.targetTimestamp ?? .zero }
  /// One refresh interval at the nominal rate; known before the first tick.
  public var duration: Nanoseconds { tick?.duration ?? ticker.refreshRate.interval }
  /// The last tick's number; 0 before the first tick.
  public var frameNumber: UInt64 { tick?.frameNumber ?? 0 }

  /// A paused link is not called, and does not keep its display's vblanks coming.
  public var isPaused = false {
    didSet {
      guard isPaused != oldValue else { return }
      isContinuous = false
      if isPaused { ticker.dropDelayedIfUnwanted() } else { startWanting() }
    }
  }

  /// How often the link is to be called. It is at every whole number of vblanks, so that its ticks are evenly spaced: the
  /// number whose rate lies in the range and nearest to the preferred one. Where none does, the slowest above the range. Links
  /// of the same number are called at the same vblanks.
  ///
  /// On a variable display no two ticks are closer than that many of its shortest intervals.
  public var preferredFrameRateRange = FrameRateRange.default {
    didSet { if preferredFrameRateRange != oldValue { divide() } }
  }

  /// Every how many vblanks the link is called at the display's rate; at least 1.
  public var intervalsPerTick: Int { Int(divisor.count) }

  /// The link is not called more often than every so many vblanks, whatever its range says.
  package var leastIntervalsPerTick = 1 {
    didSet { if leastIntervalsPerTick != oldValue { divide() } }
  }

  private func divide() {
    let rate = ticker.refreshRate
    dividedInterval = rate.interval
    divisor = FrameDivisor(preferredFrameRateRange, of: rate, least: UInt64(max(leastIntervalsPerTick, 1)))
  }

  /// Lets the link be called while `loop` runs in `mode`; `.common` stands for all common modes.
  ///
  /// The loop must be bound to the main thread, and all links of one ticker must be added to the same loop. Adding to a mode
  /// twice changes nothing, and neither does adding a link that was invalidated.
  public func add(to loop: FrameLoop, mode: FrameLoop.Mode) {
    guard !isInvalid, !modes.contains(mode) else { return }
    let isFirst = modes.isEmpty
    modes.append(mode)
    self.loop = loop
    if isFirst { firstDelivery = ticker.nextDelivery }
    ticker.add(self, to: loop, mode: mode)
  }

  /// Takes the link out of `mode`. One that is in no mode any more wants no frames.
  public func remove(from loop: FrameLoop, mode: FrameLoop.Mode) {
    guard self.loop === loop, let index = modes.firstIndex(of: mode) else { return }
    modes.remove(at: index)
    if modes.isEmpty { isContinuous = false }
    ticker.remove(self, from: [mode])
  }

  /// Takes the link out of all modes, for good. The handler is not called again.
  public func invalidate() {
    isInvalid = true
    isContinuous = false
    let left = modes
    modes = []
    ticker.remove(self, from: left)
  }

  private func startWanting() {
    firstDelivery = ticker.nextDelivery
    if !modes.isEmpty { ticker.requestIfWanted() }
  }

  /// Whether the link is called while its loop runs in `mode`.
  func isServed(in mode: FrameLoop.Mode, isCommon: Bool) -> Bool {
    modes.contains(mode) || (isCommon && modes.contains(.common))
  }

  /// Whether the link has wanted frames since before the delivery, and the interval is one of its own.
  func wants(_ shared: Tick, number: UInt64, isVariable: Bool) -> Bool {
    guard !isPaused, firstDelivery <= number else { return false }
    if shared.duration != dividedInterval { divide() }
    return divisor.count == 1 || isDue(shared, isVariable: isVariable)
  }

  /// Calls the handler if the link wants the tick.
  func deliver(_ shared: Tick, number: UInt64, isVariable: Bool) {
    guard wants(shared, number: number, isVariable: isVariable) else { return }
    var tick = shared
    tick.intervalsPerTick = intervalsPerTick
    // What a variable display leaves out nobody has missed.
    if isContinuous, let last = self.tick, !isVariable || divisor.count == 1 {
      tick.missed = divisor.intervals(between: last.frameNumber, and: tick.frameNumber)
    }
    self.tick = tick
    isContinuous = true
    handler(self)
  }

  private func isDue(_ shared: Tick, isVariable: Bool) -> Bool {
    guard isVariable else { return divisor.includes(shared.frameNumber) }
    guard isContinuous, let last = tick else { return true }
    // A quarter less: stamps tremble.
    return shared.timestamp - last.timestamp >= shared.duration * Int64(divisor.count) - shared.duration / 4
  }
}
