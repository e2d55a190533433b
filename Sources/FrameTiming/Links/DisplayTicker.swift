public import LinuxSystem
import RunLoops

/// Turns the vblanks of a display into ticks for any number of display links.
///
/// However many links there are, one vblank is asked for at a time, after all links had the last one; none while no
/// unpaused link is added to a mode. A tick carries the vblank's stamp, never the time now; stamps strictly increase; an
/// interval is never ticked twice; frame numbers count intervals, those without a tick included, so that what was missed
/// is arithmetic. A link that wants fewer frames is called at every second, third … vblank; each is asked for all the same,
/// since a source is asked for the next one only, and another link may want it. A late callback costs the intervals that it
/// covered: the tick that follows is the latest one, and there is no burst.
///
/// A vblank that comes as expected is a tick at once, and the model learns from it after the links' callbacks, or as soon as
/// it is asked for anything in one.
///
/// Under `FramePolicy.lateStart` a tick is put off to the deadline that its pacer names, and everything else waits with it:
/// the next vblank is asked for after its delivery, and a tick that nobody wants any more is dropped. Deadlines of several
/// displays on one loop that lie within half a millisecond share a wake-up, at the first of them.
@MainActor
public final class DisplayTicker {
  /// Tells of the vblanks: the display's hardware, or a clock that stands in for it. Changes when the display goes and comes.
  public private(set) var source: any VBlankSource
  /// The last vblank that was a tick.
  public var lastVBlank: VBlank? {
    learn()
    return sequencer.last
  }

  /// When ticks are delivered. A tick that is put off already keeps its deadline.
  public var policy: FramePolicy {
    get { pacer.policy }
    set {
      learn()
      pacer.policy = newValue
      expected = nil
    }
  }
  /// What is known of how long frames take, and decides how far ticks are put off.
  public private(set) var pacer = FramePacer()

  /// Without the vblank that is still to be learned.
  private var sequencer: TickSequencer
  private var requester: VBlankRequester
  private var sleepWatch = SleepWatch()
  /// The tick that waits for its deadline; nil before the first link.
  private var delayed: DelayedTick?
  /// For which time the source was last asked for its newest vblank, since the last tick.
  private var asked: MonotonicTime?
  /// The tick that is put off, if one is.
  var delayedTick: DisplayLink.Tick? { delayed?.tick }
  /// Whether the next vblank is asked for right after a tick.
  private var isContinuing = false
  private var isInvalid = false
  private var createdLinks: UInt64 = 0

  // Each is touched on the way from a vblank to its links, and for an instant, in which nothing else is called: to check at
  // run time that no two accesses overlap would only take time, a fifth of that way.

  /// Of the source among those that there were.
  @exclusivity(unchecked) private var sourceNumber = 0
  /// When the vblank was asked for that has not come yet.
  @exclusivity(unchecked) private var requested: MonotonicTime?
  /// The tick that the next vblank makes if it comes as expected; nil if it is to be looked at first.
  @exclusivity(unchecked) private var expected: ExpectedTick?
  /// A vblank that came as expected, and when; until the model has learned from it.
  @exclusivity(unchecked) private var unlearned: (vblank: VBlank, arrival: MonotonicTime)?
  /// The links that are added to a mode, in the order of their creation.
  @exclusivity(unchecked) private var links: [DisplayLink] = []
  @exclusivity(unchecked) private var loop: FrameLoop?
  /// Counts what the source delivered.
  @exclusivity(unchecked) private var deliveries: UInt64 = 0
  @exclusivity(unchecked) private var isDelivering = false

  /// Takes over the source: nobody else may request its vblanks.
  public init(source: any VBlankSource) {
    self.source = source
    requester = VBlankRequester(source: source)
    sequencer = TickSequencer(refreshRate: source.refreshRate, isVariable: source.isVariable)
    take(source)
  }

  private var isVariable: Bool { sequencer.model.isVariable }

  /// The source's nominal rate.
  public var refreshRate: RefreshRate { source.refreshRate }
  /// What ticks and why, for people; and what is wrong with it.
  public var name: String { sourceFault.map { "\(source.name), but \($0)" } ?? source.name }
  /// What is wrong with what the source tells; nil for nothing that can be seen.
  public var sourceFault: SourceFault? {
    learn()
    if let ahead = sequencer.stampsAhead { return .stampsAhead(ahead) }
    return requester.fruitlessRequests >= 8 ? .oldVBlanks : nil
  }

  /// What is known of the display's vblanks, from the stamps of those that were.
  public var model: VBlankModel {
    learn()
    return sequencer.model
  }

  /// The first vblank later than `time`, as the model predicts it; after a pause the source is asked for a newer one. Before
  /// the first tick nothing is known: one interval after `time`.
  public func predictedVBlank(after time: MonotonicTime) -> MonotonicTime {
    prediction(after: time)?.timestamp ?? time + refreshRate.interval
  }

  /// Whether the prediction for `time` is more than a guess: false before the first tick, and so long after the last vblank
  /// that is known that the display's own rate, which is not quite the nominal one, may have carried it anywhere. False of a
  /// variable display: its next vblank comes when the next frame does.
  public func isGridKnown(at time: MonotonicTime) -> Bool {
    !isVariable && prediction(after: time)?.isKnown(period: sequencer.model.period) ?? false
  }

  /// Whether the vblank that was asked for has come, by prediction, but its tick not yet, or is put off. What a turn changes
  /// now is not all: link callbacks are about to change more. An interval later it counts as lost: frames do not wait for it.
  package func isTickDue(at now: MonotonicTime) -> Bool {
    if let tick = delayedTick { return now < tick.targetTimestamp + refreshRate.interval }
    // With a variable rate it may be the frame that the vblank waits for.
    guard let requested, let last = sequencer.last, !isVariable else { return false }
    // A driver may stamp a vblank, and deliver it, before it is over.
    let due = predictedVBlank(after: max(requested, last.timestamp))
    return due <= now && now < due + refreshRate.interval
  }

  /// Whether a vblank was asked for that has not come: somebody wants frames.
  package var isAwaitingVBlank: Bool { requested != nil }

  /// The number of the interval in which `time` lies: that of the last tick plus the intervals since then, or less those
  /// before it; 0 before the first tick, which is number 1.
  public func frameNumber(at time: MonotonicTime) -> UInt64 {
    _ = prediction(after: time)
    return sequencer.frameNumber(at: time)
  }

  private func prediction(after time: MonotonicTime) -> VBlankModel.Prediction? {
    learn()
    let prediction = sequencer.model.prediction(after: time)
    if let prediction, prediction.isKnown(period: sequencer.model.period) { return prediction }
    // Before the first tick nobody has counted on anything; after a change of the source any vblank of it is news.
    guard sequencer.last != nil, mayAsk(at: time), let newest = source.newestVBlank(),
      sequencer.model.last.map({ newest.timestamp > $0.timestamp }) ?? true
    else { return prediction }
    sequencer.learn(newest, now: max(time, loop?.clock.now ?? time))
    expected = nil
    return sequencer.model.prediction(after: time)
  }

  /// Whether the source may be asked for its newest vblank, which for a driver is a system call: once a tick, and where no tick
  /// comes once an interval. (Those of a variable display are seldom three times as long as the shortest.)
  private func mayAsk(at time: MonotonicTime) -> Bool {
    let limit = refreshRate.interval * (isVariable ? 3 : 1)
    if let asked, time - asked < limit, asked - time < limit { return false }
    asked = time
    return true
  }

  /// Lets another source tick from now on, and invalidates the one that did: for a display whose hardware is gone or is
  /// another one, and that goes on.
  ///
  /// Links notice nothing but another rate. Stamps and frame numbers go on increasing: between the two sources time is
  /// counted in intervals of the new one. A vblank that the old one owed is owed by the new one.
  public func change(to source: any VBlankSource) {
    guard !isInvalid, source !== self.source else { return }
    let isMeasured = self.source.isDisplay
    learn()
    (asked, expected) = (nil, nil)
    requester.invalidate()
    requester = VBlankRequester(source: source)
    take(source)
    sequencer.change(
      to: source.refreshRate, isVariable: source.isVariable, isMeasured: isMeasured, isDisplay: source.isDisplay)
    if let loop {
      for link in links {
        for mode in link.modes { requester.add(to: loop, mode: mode) }
      }
    }
    guard requested != nil, let loop else { return dropDelayed() }
    request(at: loop.clock.now)
  }

  /// Says that the display was off, set to another mode, or asleep with the machine: where its vblanks lie is not known any
  /// more, although its rate is.
  ///
  /// What was asked for and comes with a stamp from before is no tick: a kernel ends what was asked of a display that it
  /// switches off. Nothing counts as known until three stamps agree. (That the machine has slept is noticed without being told,
  /// when a vblank comes late or is asked for after a pause.)
  public func losePhase() {
    guard let loop else { return }
    learn()
    sequencer.losePhase(at: loop.clock.now)
    (asked, expected) = (nil, nil)
    dropDelayed()
  }

  /// A frame of the ticker's display was seen. Every frame that was, in their order: the pacer learns from them.
  package func observe(_ frame: FrameRecord) { pacer.observe(frame, interval: refreshRate.interval) }

  private func take(_ source: any VBlankSource) {
    self.source = source
    sourceNumber += 1
    source.onVBlank = { [weak self, sourceNumber] vblank in
      // What an earlier one still delivers was not asked of it.
      if let self, self.sourceNumber == sourceNumber { deliver(vblank) }
    }
  }

  /// Stops for good: the source is invalidated, and no link ticks any more.
  public func invalidate() {
    isInvalid = true
    expected = nil
    // Held until they are out of here: links may go with what their handlers hold, which may call the ticker.
    let (links, loop) = (links, loop)
    (self.links, self.loop) = ([], nil)
    for link in links { link.invalidate() }
    withExtendedLifetime(loop) {}
    delayed?.invalidate()
    delayed = nil
    requester.invalidate()
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
    precondition(self.loop === loop, "the links of one display ticker must be added to one loop")
    if !links.contains(where: { $0 === link }) {
      let index = links.firstIndex { $0.number > link.number } ?? links.endIndex
      links.insert(link, at: index)
    }
    addToLoop(mode)
    requestIfWanted()
  }

  /// A link left a mode, or all of them.
  func remove(_ link: DisplayLink, from modes: [FrameLoop.Mode]) {
    if link.modes.isEmpty { links.removeAll { $0 === link } }
    guard let loop else { return }
    for mode in modes where !links.contains(where: { $0.modes.contains(mode) }) {
      requester.remove(from: loop, mode: mode)
      delayed?.remove(from: loop, mode: mode)
    }
    // To leave the common modes is to leave each of them, also one that another link names itself.
    for other in links {
      for mode in other.modes { addToLoop(mode) }
    }
    dropDelayedIfUnwanted()
  }

  /// Source and deadline are served in the same modes.
  private func addToLoop(_ mode: FrameLoop.Mode) {
    guard let loop, !isInvalid else { return }
    requester.add(to: loop, mode: mode)
    let delayed = delayed ?? DelayedTick { [weak self] in self?.deadlineCame() }
    self.delayed = delayed
    delayed.add(to: loop, mode: mode)
  }

  /// Asks for a vblank if a link wants one. Inside a delivery that waits until all links had their tick.
  ///
  /// The source is in the modes of paused links too: in such a mode the links of other modes wake the loop, but nobody is
  /// called. (Leaving and entering modes at each pause costs more than those wake-ups.)
  func requestIfWanted() {
    guard let loop, requested == nil, delayedTick == nil, !isDelivering, wantsTicks else { return }
    let now = loop.clock.now
    noticeSleep(at: now)
    if !isContinuing {
      let pause = sequencer.last.map { now - $0.timestamp } ?? .zero
      pacer.pauseEnded(at: now, after: pause, interval: refreshRate.interval)
    }
    request(at: now)
  }

  /// A link was paused, or left a mode: what was put off may be for nobody.
  func dropDelayedIfUnwanted() {
    if delayedTick != nil, !wantsTicks { delayed?.drop() }
  }

  /// What was put off is no tick any more; who still wants one waits for the next vblank.
  private func dropDelayed() {
    guard delayedTick != nil else { return }
    delayed?.drop()
    requestIfWanted()
  }

  private var wantsTicks: Bool {
    // No closure: each call of one asks what it is isolated to, at each tick.
    for link in links where !link.isPaused { return true }
    return false
  }

  private func request(at now: MonotonicTime) {
    requested = now
    requester.request(now: now)
  }

  /// Notices that the machine has slept. It never does so within an interval and a half: a steady display costs a comparison.
  private func noticeSleep(at now: MonotonicTime) {
    guard let loop, sleepWatch.isDue(at: now, interval: refreshRate.interval) else { return }
    if sleepWatch.hasSlept(loop.clock.slept) { losePhase() }
  }

  // MARK: - Ticks

  private func deliver(_ vblank: VBlank) {
    // A source that delivers unasked ticks nobody, and does not start a chain of requests.
    guard requested != nil, !isDelivering, let loop, let run = loop.innermostRun else { return }
    let now = loop.clock.now
    let expected = expected
    self.expected = nil
    if let expected, expected.isMade(by: vblank, at: now) {
      requested = nil
      unlearned = (vblank, now)
      let tick = DisplayLink.Tick(
        timestamp: vblank.timestamp, targetTimestamp: expected.target, duration: expected.duration,
        frameNumber: expected.frameNumber, delivered: now, missed: 0)
      return deliver(tick, in: run)
    }
    noticeSleep(at: now)
    guard case .tick(let vblank, let frameNumber) = sequencer.advance(to: vblank, now: now, rate: source.refreshRate) else {
      guard wantsTicks else {
        requested = nil
        return requester.cancel()
      }
      // Still asked for, so that what the source owes from an earlier request is taken.
      return requester.requestAgain(now: now)
    }
    requester.succeeded()
    requested = nil
    asked = nil
    let tick = tick(of: vblank, frameNumber, now: now)
    if tick.start > max(now, tick.timestamp), isWanted(tick), let delayed { return delayed.delay(tick, at: now) }
    pacer.tickWasDelivered(at: now, start: tick.start, wasDelayed: false)
    deliver(tick, in: run)
  }

  /// Catches up with a vblank that came as expected.
  private func learn() {
    guard let (vblank, arrival) = unlearned else { return }
    unlearned = nil
    // At the rate at which it was expected.
    _ = sequencer.advance(to: vblank, now: arrival, rate: sequencer.model.refreshRate)
    asked = nil
    requester.succeeded()
    pacer.tickWasDelivered(at: arrival, start: vblank.timestamp, wasDelayed: false)
  }

  /// Whether a link is called with the tick. Nobody wakes for one that is left out.
  private func isWanted(_ tick: DisplayLink.Tick) -> Bool {
    for link in links where link.wants(tick, delivery: nextDelivery) { return true }
    return false
  }

  private func tick(of vblank: VBlank, _ frameNumber: UInt64, now: MonotonicTime) -> DisplayLink.Tick {
    let interval = refreshRate.interval
    // An unsteady stamp may lie a little before its vblank.
    let middle = vblank.timestamp + (isVariable ? .zero : interval / 2)
    let prediction = prediction(after: middle)
    let target = prediction?.timestamp ?? middle + interval
    // Of a variable display the next vblank comes when the frame does.
    let isTargetKnown = prediction?.isKnown(period: sequencer.model.period) ?? false && !isVariable
    let start = pacer.start(
      for: target, isTargetKnown: isTargetKnown, vblank: vblank.timestamp, now: now, interval: interval)
    return DisplayLink.Tick(
      timestamp: vblank.timestamp, targetTimestamp: target, duration: interval, frameNumber: frameNumber, start: start,
      delivered: now, missed: 0, isVariable: isVariable)
  }

  /// The time to which a tick was put off.
  private func deadlineCame() {
    guard let loop else { return }
    let now = loop.clock.now
    // If the machine has slept meanwhile, the tick is dropped.
    noticeSleep(at: now)
    guard var tick = delayed?.take() else { return }
    // One that shares a wake-up may come before its time.
    tick.start = min(tick.start, now)
    let planned = tick.start
    // The loop was busy for so long that the tick's frame could only be late: the latest vblank takes its place.
    if now >= tick.targetTimestamp, case .tick(let vblank, let frameNumber) = sequencer.renew(at: now) {
      tick = self.tick(of: vblank, frameNumber, now: now)
      tick.start = min(tick.start, now)
    }
    pacer.tickWasDelivered(at: now, start: planned, wasDelayed: true)
    guard let run = loop.innermostRun else { return }
    tick.delivered = now
    deliver(tick, in: run)
  }

  private func deliver(_ tick: DisplayLink.Tick, in run: (mode: FrameLoop.Mode, isCommon: Bool)) {
    deliveries += 1
    isDelivering = true
    // The array is kept as it is now: links may be added, paused and invalidated by each other's callbacks.
    let links = links
    for link in links where link.isServed(in: run.mode, isCommon: run.isCommon) {
      link.deliver(tick, delivery: deliveries)
    }
    isDelivering = false
    learn()
    // Only now: a callback that took longer than an interval has missed the vblanks that it covered.
    isContinuing = true
    requestIfWanted()
    isContinuing = false
    // A tick that may be put off has to be looked at, and so has the first at another rate.
    let isPlain = requested != nil && policy == .vblank && source.refreshRate == sequencer.model.refreshRate
    expected = isPlain ? sequencer.expectedTick : nil
  }
}
