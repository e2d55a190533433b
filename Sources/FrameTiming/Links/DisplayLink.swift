public import LinuxSystem
public import RunLoops

/// Calls its handler once for each vblank of a display, while it is added to a mode of a loop and not paused.
///
/// ```swift
/// let link = DisplayLink(ticker: display.ticker) { link in ball.position = path(at: link.targetTimestamp) }
/// link.add(to: engine.loop, mode: .common)
/// …
/// link.invalidate()
/// ```
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
    /// The predicted vblank of the link's next tick, at which a frame that is made now should be seen. Evaluate animations
    /// for it. One interval after `timestamp`, or as many as lie between two ticks of the link.
    public var targetTimestamp: MonotonicTime
    /// The display's next vblank, as it is predicted.
    public var nextVBlank: MonotonicTime
    /// One refresh interval: at the nominal rate, or at another one that the display was found to run at.
    public var duration: Nanoseconds
    /// True if the display's rate is variable: then its intervals are `duration` or longer, and the target is a guess.
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
    /// Those of `missed` whose vblanks the display did not tell of, although they were requested in time: the loop was not to blame.
    /// 0 where a clock stands in for a display.
    public var lostVBlanks: UInt64 = 0
    /// When the ticker first asked for a vblank that could be the link's tick: at the end of the turn of the tick before. Zero where
    /// that is not known.
    package var requested = MonotonicTime.zero
    /// The intervals since the link's last tick that passed while nobody knew where vblanks lie: neither missed nor idle.
    package var unknownIntervals: UInt64 = 0

    /// - Parameter start: when the tick was to be delivered; nil for at its stamp.
    public init(
      timestamp: MonotonicTime, targetTimestamp: MonotonicTime, duration: Nanoseconds, frameNumber: UInt64,
      start: MonotonicTime? = nil, delivered: MonotonicTime, missed: UInt64, intervalsPerTick: Int = 1,
      isVariable: Bool = false
    ) {
      self.timestamp = timestamp
      self.targetTimestamp = targetTimestamp
      nextVBlank = targetTimestamp
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
  public var tick: Tick? { schedule.tick }

  let number: UInt64
  /// True for a link that waits for a vblank and makes no frame: the ticker's `leastIntervalsPerTick` is not for it.
  private let isWait: Bool
  private(set) var modes: [FrameLoop.Mode] = []
  private var schedule: LinkSchedule
  private let handler: @MainActor (DisplayLink) -> Void
  private var loop: FrameLoop?
  private var isInvalid = false

  /// A link that ticks nowhere yet: add it to a mode of a loop.
  public convenience init(ticker: DisplayTicker, handler: @escaping @MainActor (DisplayLink) -> Void) {
    self.init(ticker: ticker, isWait: false, handler: handler)
  }

  package init(ticker: DisplayTicker, isWait: Bool, handler: @escaping @MainActor (DisplayLink) -> Void) {
    self.ticker = ticker
    self.isWait = isWait
    self.handler = handler
    number = ticker.nextLinkNumber()
    schedule = LinkSchedule(rate: ticker.actualRate)
  }

  /// The last tick's vblank; zero before the first tick.
  public var timestamp: MonotonicTime { tick?.timestamp ?? .zero }
  /// The vblank of the next tick, as the last one predicted it; zero before the first tick.
  public var targetTimestamp: MonotonicTime { tick?.targetTimestamp ?? .zero }
  /// One refresh interval; known before the first tick.
  public var duration: Nanoseconds { tick?.duration ?? ticker.interval }
  /// The last tick's number; 0 before the first tick.
  public var frameNumber: UInt64 { tick?.frameNumber ?? 0 }

  /// A paused link is not called, and does not keep its display's vblanks coming.
  public var isPaused: Bool {
    get { schedule.isPaused }
    set {
      guard newValue != isPaused else { return }
      if newValue {
        schedule.pause()
      } else {
        schedule.begin(at: ticker.nextDelivery)
      }
      if !modes.isEmpty { ticker.wishesChanged() }
    }
  }

  /// How often the link is called. It is at every whole number of vblanks, so that its ticks are evenly spaced: the
  /// number whose rate lies in the range and nearest to the preferred one. Where none does, the slowest above the range. Links
  /// of the same number are called at the same vblanks.
  ///
  /// On a variable display no two ticks are closer than that many of its shortest intervals.
  public var preferredFrameRateRange = FrameRateRange.default {
    didSet { if preferredFrameRateRange != oldValue { divide() } }
  }

  /// Every how many vblanks the link is called at the display's rate; at least 1.
  public var intervalsPerTick: Int { Int(schedule.divisor.count) }

  /// The most vblanks from tick to tick that the minimum of the range allows; at least 1.
  package var mostIntervalsPerTick: Int { Int(FrameDivisor.slowest(range, of: ticker.actualRate)) }

  /// The range of what the link shows, for a link without a `preferredFrameRateRange` of its own.
  package var contentFrameRateRange = FrameRateRange.default {
    didSet { if contentFrameRateRange != oldValue { divide() } }
  }

  /// The range that counts.
  private var range: FrameRateRange {
    preferredFrameRateRange == .default ? contentFrameRateRange : preferredFrameRateRange
  }

  /// Finds the number of vblanks from tick to tick by the range, the display's rate and what its links may ask for.
  func divide() {
    schedule.divide(range, of: ticker.actualRate, least: isWait ? 1 : UInt64(max(ticker.leastIntervalsPerTick, 1)))
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
    if isFirst, !isPaused { schedule.begin(at: ticker.nextDelivery) }
    ticker.add(self, to: loop, mode: mode)
  }

  /// Takes the link out of `mode`. One that is in no mode any more wants no frames.
  public func remove(from loop: FrameLoop, mode: FrameLoop.Mode) {
    guard self.loop === loop, let index = modes.firstIndex(of: mode) else { return }
    modes.remove(at: index)
    if modes.isEmpty { schedule.interrupt() }
    ticker.remove(self, from: [mode])
  }

  /// Takes the link out of all modes, for good. The handler is not called again.
  public func invalidate() {
    isInvalid = true
    schedule.interrupt()
    let left = modes
    modes = []
    ticker.remove(self, from: left)
  }

  /// True if the link is called while its loop runs in `mode`.
  func isServed(in mode: FrameLoop.Mode, isCommon: Bool) -> Bool {
    modes.contains(mode) || (isCommon && modes.contains(.common))
  }

  /// True if the link is called with the tick of a delivery.
  func wants(_ shared: Tick, delivery: UInt64) -> Bool {
    adapt(to: shared)
    return schedule.wants(shared, delivery: delivery)
  }

  /// Calls the handler if the link wants the tick.
  func deliver(_ shared: Tick, delivery: UInt64) {
    adapt(to: shared)
    if schedule.take(shared, delivery: delivery) { handler(self) }
  }

  private func adapt(to shared: Tick) {
    if schedule.isOutdated(by: shared) { divide() }
  }
}
