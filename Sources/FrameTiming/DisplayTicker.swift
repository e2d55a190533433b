public import LinuxSystem
import RunLoops

/// Turns the vblanks of one source into ticks for any number of display links.
///
/// However many links there are, one vblank is asked for at a time, after all links had the last one; none while no
/// unpaused link is added to a mode. A tick carries the vblank's stamp, never the time now; stamps strictly increase; an
/// interval is never ticked twice; frame numbers count intervals, those without a tick included, so that what was missed
/// is arithmetic. A late callback costs the intervals that it covered: the tick that follows is the latest one, and there is
/// no burst.
@MainActor
public final class DisplayTicker {
  public let source: any VBlankSource
  /// The last vblank that was a tick.
  public var lastVBlank: VBlank? { sequencer.last }

  private var sequencer = TickSequencer()
  /// The links that are added to a mode, in the order of their creation.
  private var links: [DisplayLink] = []
  private var loop: FrameLoop?
  /// In the loop's common modes, and called for nothing: tells which modes are common.
  private let commonMarker = FrameLoop.Observer([]) { _, _ in }
  private var isRequested = false
  private var isDelivering = false
  private var createdLinks: UInt64 = 0
  /// Counts what the source delivered.
  private var deliveries: UInt64 = 0

  /// Takes over the source: nobody else may request its vblanks.
  public init(source: any VBlankSource) {
    self.source = source
    source.onVBlank = { [weak self] vblank in self?.deliver(vblank) }
  }

  /// The source's nominal rate.
  public var refreshRate: RefreshRate { source.refreshRate }
  /// What ticks and why, for people.
  public var name: String { source.name }

  /// The first vblank later than `time`, on the grid that the last one and the nominal rate give. Before the first vblank
  /// no grid is known: one interval after `time`.
  public func predictedVBlank(after time: MonotonicTime) -> MonotonicTime {
    let rate = refreshRate
    guard let last = sequencer.last else { return time + rate.interval }
    let origin = last.timestamp
    return origin + rate.offset(ofInterval: rate.intervals(in: time - origin) + 1)
  }

  /// The number of the interval in which `time` lies: that of the last tick plus the intervals since then, or less those
  /// before it; 0 before the first tick, which is number 1.
  public func frameNumber(at time: MonotonicTime) -> UInt64 {
    guard let last = sequencer.last else { return 0 }
    let intervals = refreshRate.intervals(in: time - last.timestamp)
    if intervals >= 0 { return sequencer.frameNumber + UInt64(intervals) }
    let before = intervals.magnitude
    return before > sequencer.frameNumber ? 0 : sequencer.frameNumber - before
  }

  /// Stops for good: the source is invalidated, and no link ticks any more.
  public func invalidate() {
    links.removeAll()
    loop = nil
    commonMarker.invalidate()
    source.invalidate()
  }

  // MARK: - For DisplayLink

  /// The creation number of a new link.
  func nextLinkNumber() -> UInt64 {
    createdLinks += 1
    return createdLinks
  }

  /// From which delivery on a link that wants frames from now on is ticked: one that began inside a callback waits for the
  /// next vblank, wherever it stands in the order.
  var nextDelivery: UInt64 { deliveries + 1 }

  func add(_ link: DisplayLink, to loop: FrameLoop, mode: FrameLoop.Mode) {
    if links.isEmpty { self.loop = loop }
    if mode == .common { loop.add(commonMarker, to: .common) }
    precondition(self.loop === loop, "the links of one display ticker must be added to one loop")
    if !links.contains(where: { $0 === link }) {
      let index = links.firstIndex { $0.number > link.number } ?? links.endIndex
      links.insert(link, at: index)
    }
    source.add(to: loop, mode: mode)
    requestIfWanted()
  }

  /// A link left a mode, or all of them.
  func remove(_ link: DisplayLink, from modes: [FrameLoop.Mode]) {
    if link.modes.isEmpty { links.removeAll { $0 === link } }
    guard let loop else { return }
    for mode in modes where !links.contains(where: { $0.modes.contains(mode) }) {
      source.remove(from: loop, mode: mode)
    }
    if links.isEmpty { loop.remove(commonMarker, from: .common) }
    // To leave the common modes is to leave each of them, also one that another link names itself.
    for other in links {
      for mode in other.modes { source.add(to: loop, mode: mode) }
    }
  }

  /// Asks for a vblank if a link wants one. Inside a delivery that waits until all links had their tick.
  ///
  /// The source is in the modes of paused links too: in such a mode the links of other modes wake the loop, but nobody is
  /// called. (Leaving and entering modes at each pause costs more than those wake-ups.)
  func requestIfWanted() {
    guard !isRequested, !isDelivering, links.contains(where: { !$0.isPaused }) else { return }
    isRequested = true
    source.requestVBlank()
  }

  // MARK: - Ticks

  private func deliver(_ vblank: VBlank) {
    // A source that delivers unasked ticks nobody, and does not start a chain of requests.
    guard isRequested, !isDelivering, let loop, let mode = loop.currentMode else { return }
    isRequested = false
    let now = loop.clock.now
    let rate = source.refreshRate
    if case .tick(let vblank, let frameNumber) = sequencer.advance(to: vblank, now: now, rate: rate) {
      let interval = rate.interval
      let tick = DisplayLink.Tick(
        timestamp: vblank.timestamp, targetTimestamp: vblank.timestamp + interval, duration: interval,
        frameNumber: frameNumber, delivered: now, missed: 0)
      let isCommon = loop.contains(commonMarker, in: mode)
      deliveries += 1
      isDelivering = true
      // The array is kept as it is now: links may be added, paused and invalidated by each other's callbacks.
      let links = links
      for link in links where link.isServed(in: mode, isCommon: isCommon) { link.deliver(tick, number: deliveries) }
      isDelivering = false
    }
    // Only now: a callback that took longer than an interval has missed the vblanks that it covered.
    requestIfWanted()
  }
}
