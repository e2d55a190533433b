public import LinuxSystem
import RunLoops

/// Turns the vblanks of a display into ticks for any number of display links.
///
/// A display has one; applications reach it as `display.ticker` to make links, choose the policy and predict vblanks:
///
///     let link = DisplayLink(ticker: display.ticker) { link in spinner.angle = angle(at: link.targetTimestamp) }
///     link.add(to: .main, mode: .common)
///
/// However many links there are, one vblank is requested at a time, at the end of the turn in which the links had the last one;
/// none while no unpaused link is added to a mode. A tick carries the vblank's stamp, never the time now; stamps strictly increase; an interval is
/// never ticked twice; frame numbers count intervals, those without a tick included, so that the number of missed frames is
/// arithmetic. A link that wants fewer frames is called at every second, third … vblank; all of them are requested, since
/// another link may want them. A late callback costs the intervals that it covered: the next tick is the latest one, and
/// there is no burst.
///
/// Under `FramePolicy.lateStart` a tick is delayed to the deadline that the pacer names, and everything else waits with it: the
/// next vblank is requested after its delivery, and a tick that no link wants any more is dropped. Deadlines of several
/// displays on one loop that lie within half a millisecond share a wake-up, at the first of them.
@MainActor
public final class DisplayTicker {
  /// The source of the vblanks: the display's hardware, or a clock that replaces it. It changes when the display goes and comes.
  public private(set) var source: any VBlankSource
  private var machine: TickMachine
  /// Requests the next vblank only after the turn's commit: callbacks, layout or drawing that take longer than an interval have
  /// missed the vblanks that they covered, and their frame is handed over before the next tick's work begins.
  private lazy var turnEnd = FrameLoop.Observer(
    [.beforeWaiting, .exit], order: ObserverOrder.afterCommit, evenWhenBusy: true,
    .onMain { [weak self] _, _ in self?.turnEnded() })
  /// True inside the links' callbacks, which may run the loop.
  private var isCallingLinks = false
  private lazy var alarm = FrameLoop.Alarm(.onMain { [weak self] in self?.alarmFired() })
  /// The wake-up that the alarm is set to.
  private var armed: TickMachine.WakeUp?
  /// The links that are added to a mode, in the order of their creation.
  private var links: [DisplayLink] = []
  /// The loop of the links; nil before the first one.
  private var loop: FrameLoop?
  /// The number of deliveries to links so far.
  private var deliveries: UInt64 = 0
  private var createdLinks: UInt64 = 0

  /// Takes over the source: only this ticker may request its vblanks.
  public init(source: any VBlankSource) {
    self.source = source
    machine = TickMachine(source.facts)
    listen(to: source)
  }

  // MARK: - Knowledge

  /// The display's vblanks as they are known now.
  public var forecast: VBlankForecast { machine.forecast }
  /// The model that the forecast is made with, for figures and for a clock that replaces the display.
  public var model: VBlankModel { machine.sequencer.model }
  /// The last vblank that was a tick.
  public var lastVBlank: VBlank? { machine.sequencer.last?.vblank }
  /// The source's nominal rate.
  public var refreshRate: RefreshRate { source.refreshRate }
  /// One refresh interval: at the nominal rate, or at another one that the display was found to run at.
  package var interval: Nanoseconds { machine.interval }
  /// The rate of `interval`.
  var actualRate: RefreshRate {
    interval == refreshRate.interval
      ? refreshRate : RefreshRate(numerator: 1_000_000_000, denominator: interval.count) ?? refreshRate
  }
  /// The source's name for people, with what is wrong with it.
  public var name: String { sourceFault.map { "\(source.name), but \($0)" } ?? source.name }
  /// The distance from the source's clock to the loop's, which is added to its stamps; zero while they are right.
  public var stampOffset: Nanoseconds { machine.sequencer.stampOffset }
  /// The fault that shows in the source's vblanks; nil if none does.
  public var sourceFault: SourceFault? {
    let offset = stampOffset
    if offset > .zero { return .stampsBehind(offset) }
    if offset < .zero { return .stampsAhead(.zero - offset) }
    return machine.fruitlessRequests >= 8 ? .oldVBlanks : nil
  }

  /// No link is called more often than every so many vblanks, unless it waits for one or the minimum of its range asks for more. A link
  /// that were, and took its time, would keep others from their vblanks.
  package var leastIntervalsPerTick = 1 {
    didSet {
      guard leastIntervalsPerTick != oldValue else { return }
      for link in links { link.divide() }
    }
  }

  /// When ticks are delivered. A tick that is delayed already keeps its deadline.
  public var policy: FramePolicy {
    get { machine.pacer.policy }
    set { machine.pacer.policy = newValue }
  }
  /// How long before its vblank a frame has to be begun; nil until that is known.
  package var frameBudget: Nanoseconds? { machine.pacer.usualBudget(interval: interval) }
  package var pacer: FramePacer { machine.pacer }
  var delayedTick: DisplayLink.Tick? { machine.delayedTick }

  // MARK: - The display

  /// Asks the source for its newest vblank, if after a pause the next one is a guess. Call it before taking a forecast for a
  /// frame that no tick asked for. It asks once in an interval at most.
  public func refresh() {
    guard let loop, machine.wantsNewest(at: loop.clock.now) else { return }
    send(.newest(source.newestVBlank()))
  }

  /// Finds a vblank later than `time` that is over; nil if none is known. Its tick waits for a deadline; or it came in a turn that took
  /// longer than an interval, and is never delivered, since the next one is requested at the turn's end. Then, and only then, the source
  /// is asked for its newest one, once a request.
  package func findPastVBlank(after time: MonotonicTime) -> VBlank? {
    if let last = lastVBlank, last.timestamp > time { return last }
    guard let now = loop?.clock.now, machine.hasMissed(forecast.vblank(after: time)) else { return nil }
    let newest = source.newestVBlank()
    // It also tells where the vblanks lie, if that was not known.
    send(.newest(newest))
    guard var newest else { return nil }
    newest.timestamp += stampOffset
    return newest.timestamp > time && newest.timestamp <= now ? newest : nil
  }

  /// Lets another source tick from now on, and invalidates the one that did. Use it when a display's hardware is gone or
  /// replaced, and the display goes on.
  ///
  /// Links notice another rate at most. Stamps and frame numbers go on increasing: time between the two sources is counted in
  /// intervals of the new one. The new source owes a vblank that was requested of the old one.
  public func change(to source: any VBlankSource) {
    guard !machine.isEnded, source !== self.source else { return }
    self.source.invalidate()
    self.source = source
    listen(to: source)
    for link in links {
      for mode in link.modes { addToLoop(mode) }
    }
    send(.sourceChanged(source.facts))
  }

  /// Tells the ticker that the display was off or set to another mode: its rate is still known, but not where its vblanks lie.
  ///
  /// A vblank that was requested and comes with an earlier stamp is no tick: a kernel completes the requests of a display that
  /// it switches off. Nothing counts as known until three stamps agree. (The ticker notices by itself that the machine has
  /// slept, when a vblank comes late or is requested after a pause.)
  public func losePhase() { if loop != nil { send(.phaseLost) } }

  /// Lets the pacer learn from a frame of the ticker's display. Call it for every frame that was seen, in their order.
  package func observe(_ frame: FrameRecord) { machine.pacer.observe(frame, interval: interval) }

  /// Stops for good: the source is invalidated, and no link ticks any more.
  public func invalidate() {
    _ = machine.handle(.ended, at: .zero)
    // Links may go with what their handlers hold, which may call the ticker: they are kept until the ticker is done.
    let links = links
    (self.links, loop) = ([], nil)
    for link in links { link.invalidate() }
    alarm.invalidate()
    turnEnd.invalidate()
    source.invalidate()
  }

  // MARK: - For DisplayLink

  /// The creation number of a new link.
  func nextLinkNumber() -> UInt64 {
    createdLinks += 1
    return createdLinks
  }

  /// The first delivery for a link that wants frames from now on. Inside a callback that is the next vblank's, wherever the
  /// link stands in the order.
  var nextDelivery: UInt64 { deliveries + 1 }

  func add(_ link: DisplayLink, to loop: FrameLoop, mode: FrameLoop.Mode) {
    guard !machine.isEnded else { return }
    if links.isEmpty { self.loop = loop }
    precondition(self.loop === loop, "the links of one display ticker must be added to one loop")
    if !links.contains(where: { $0 === link }) {
      let index = links.firstIndex { $0.number > link.number } ?? links.endIndex
      links.insert(link, at: index)
      link.divide()
    }
    addToLoop(mode)
    wishesChanged()
  }

  /// Removes a link that left a mode, or all of them.
  func remove(_ link: DisplayLink, from modes: [FrameLoop.Mode]) {
    if link.modes.isEmpty { links.removeAll { $0 === link } }
    guard let loop else { return }
    for mode in modes where !links.contains(where: { $0.modes.contains(mode) }) {
      source.remove(from: loop, mode: mode)
      loop.remove(alarm, from: mode)
      loop.remove(turnEnd, from: mode)
    }
    // A link that leaves the common modes leaves each of them, also one that another link names itself.
    for other in links {
      for mode in other.modes { addToLoop(mode) }
    }
    wishesChanged()
  }

  /// Source and alarm are served in the same modes. They stay in the modes of paused links: leaving and entering modes at each
  /// pause costs more than the wake-ups that other links cause there.
  private func addToLoop(_ mode: FrameLoop.Mode) {
    guard let loop else { return }
    source.add(to: loop, mode: mode)
    loop.add(alarm, to: mode)
    loop.add(turnEnd, to: mode)
  }

  /// A link came or went, was paused or wants frames again.
  func wishesChanged() { send(.wanted(links.contains { !$0.isPaused })) }

  // MARK: - Events

  private func listen(to source: any VBlankSource) {
    source.onVBlank = { [weak self, weak source] vblank in
      // An earlier source may still deliver.
      guard let self, self.source === source else { return }
      send(.vblank(vblank, self.source.refreshRate, followsFrames: self.source.followsFrames))
    }
  }

  private func alarmFired() {
    armed = nil
    send(.wakeUp)
  }

  private func send(_ event: TickMachine.Event) {
    // Without a loop no link wants ticks, and the time does not matter.
    let now = loop?.clock.now ?? .zero
    let slept = machine.mayHaveSlept(at: now) ? loop?.clock.slept : nil
    let action = machine.handle(event, at: now, slept: slept)
    setAlarm()
    switch action {
    case .none: break
    case .request: source.requestVBlank()
    case .deliver(let tick): deliver(tick)
    case .delay(let tick):
      let delivery = nextDelivery
      if !links.contains(where: { $0.wants(tick, delivery: delivery) }) { send(.delayIsNeedless) }
    }
  }

  private func setAlarm() {
    let wakeUp = machine.wakeUp
    guard wakeUp != armed else { return }
    armed = wakeUp
    if let wakeUp, wakeUp.tolerance != alarm.tolerance { alarm.tolerance = wakeUp.tolerance }
    alarm.fireTime = wakeUp?.time
  }

  private func deliver(_ tick: DisplayLink.Tick) {
    deliveries += 1
    let delivery = deliveries
    if let run = loop?.innermostRun {
      // The array is kept as it is now: links may be added, paused and invalidated by each other's callbacks.
      let links = links
      isCallingLinks = true
      for link in links where link.isServed(in: run.mode, isCommon: run.isCommon) {
        link.deliver(tick, delivery: delivery)
      }
      isCallingLinks = false
    }
  }

  private func turnEnded() {
    if !isCallingLinks, machine.isDelivering { send(.delivered) }
  }
}

extension VBlankSource {
  fileprivate var facts: TickMachine.Source {
    TickMachine.Source(
      refreshRate: refreshRate, isVariable: isVariable, isDisplay: isDisplay, followsFrames: followsFrames)
  }
}
