package import LinuxSystem

/// The states of a display ticker: events in, actions out. A pure value that reads no clock and makes no calls.
///
/// The ticker tells it what happened and does what it answers; `wakeUp` says until when the ticker may sleep. The arithmetic of
/// stamps and numbers is the sequencer's, the time of delivery the pacer's.
///
/// A vblank that is no news is requested again: the first time at once, since the source answered with what was on its way. If
/// that brings nothing new either, the next request waits until half an interval after the last. (A source that answers each
/// request at once with an old vblank would otherwise keep the loop from ever sleeping.)
package struct TickMachine {
  package enum Event {
    /// A link wants ticks from now on, or none does any more.
    case wanted(Bool)
    /// The source delivered a vblank, at its nominal rate of this moment.
    case vblank(VBlank, RefreshRate, followsFrames: Bool = false)
    /// The time of `wakeUp` has come.
    case wakeUp
    /// No link is called with the delayed tick: it needs no wake-up.
    case delayIsNeedless
    /// The turn in which the links were called is over, and with it the work for the tick.
    case delivered
    /// The source has returned the newest vblank that has happened; nil if it cannot know.
    case newest(VBlank?)
    /// The display was off, or its mode was set.
    case phaseLost
    /// Another source ticks from now on.
    case sourceChanged(Source)
    case ended
  }

  package enum Action {
    case none
    /// Request the next vblank.
    case request
    /// Call the links with the tick, then handle `delivered`.
    case deliver(DisplayLink.Tick)
    /// Sleep until `wakeUp` if a link is called with the tick; otherwise handle `delayIsNeedless`.
    case delay(DisplayLink.Tick)
  }

  /// The facts about a source that the machine needs.
  package struct Source {
    package var refreshRate: RefreshRate
    package var isVariable: Bool
    /// True if its stamps are a display's own.
    package var isDisplay: Bool
    package var followsFrames = false
  }

  /// A time to be woken at, or up to `tolerance` later if nothing else wakes the loop.
  package struct WakeUp: Hashable {
    package var time: MonotonicTime
    package var tolerance: Nanoseconds
  }

  private enum State {
    /// Nothing is requested.
    case resting
    /// A vblank was requested and has not come.
    case requested(since: MonotonicTime)
    /// The source answered with old vblanks, and is asked again later.
    case retrying(since: MonotonicTime, at: MonotonicTime)
    /// The tick waits for its deadline.
    case delayed(DisplayLink.Tick, until: WakeUp)
    /// The turn of a tick runs: the links' callbacks, and the commit of what they changed.
    case delivering(since: MonotonicTime)
    /// No more ticks.
    case ended
  }

  package private(set) var sequencer: TickSequencer
  package var pacer = FramePacer()
  private var state = State.resting
  private var source: Source
  /// True while a link wants ticks.
  private var isWanted = false
  private var lastRequest = MonotonicTime.zero
  /// Requests since the last one that was answered by something new.
  package private(set) var fruitlessRequests = 0
  /// The time of the last refresh since the last tick.
  private var refreshed: MonotonicTime?
  /// True if there was a refresh since the last request that a tick or a wish made.
  private var isRefreshed = false
  private var lastEvent: MonotonicTime?
  /// How long the machine has slept since it was started, as it was last read.
  private var slept: Nanoseconds?

  /// Displays whose deadlines lie so close together share a wake-up. (SurfaceFlinger's dispatcher groups by the same time.)
  static let sharedWakeUp = Nanoseconds.microseconds(500)
  /// A thread that is held up while it reads two clocks loses less than this, and a machine sleeps longer.
  private static let shortestSleep = Nanoseconds.milliseconds(100)

  package init(_ source: Source) {
    self.source = source
    sequencer = TickSequencer(refreshRate: source.refreshRate, isVariable: source.isVariable)
  }

  // MARK: - Queries

  package var isEnded: Bool { if case .ended = state { true } else { false } }
  /// True in the turn of a tick, until `delivered`.
  package var isDelivering: Bool { if case .delivering = state { true } else { false } }

  /// When the machine wants to be woken; nil for never.
  package var wakeUp: WakeUp? {
    switch state {
    case .retrying(_, let time): WakeUp(time: time, tolerance: .zero)
    case .delayed(_, let wakeUp): wakeUp
    case .resting, .requested, .delivering, .ended: nil
    }
  }

  package var delayedTick: DisplayLink.Tick? {
    if case .delayed(let tick, _) = state { tick } else { nil }
  }

  package var forecast: VBlankForecast {
    let expectation: VBlankForecast.Expectation =
      switch state {
      case _ where !isWanted: .nothing
      case .requested(let since), .retrying(let since, _), .delivering(let since): .vblank(requested: since)
      case .delayed(let tick, _): .tick(target: tick.targetTimestamp)
      case .resting, .ended: .nothing
      }
    return VBlankForecast(
      refreshRate: source.refreshRate, isVariable: source.isVariable, interval: interval, grid: sequencer.model.grid,
      lastTick: sequencer.last,
      expectation: expectation)
  }

  /// True if so much time has passed since the last event that the machine may have slept. On a steady display this costs a
  /// comparison.
  package func mayHaveSlept(at now: MonotonicTime) -> Bool {
    lastEvent.map { now - $0 > interval * 3 / 2 } ?? true
  }

  /// True if the next vblank is a guess at `now`, and the source has not been asked for its newest one since the last tick or for
  /// an interval. (For a driver that is a system call.)
  package func wantsNewest(at now: MonotonicTime) -> Bool {
    // Before the first tick no frame relies on a prediction. On a variable display the newest vblank says nothing of the next.
    guard sequencer.last != nil, !source.isVariable else { return false }
    if let refreshed, now - refreshed < interval { return false }
    // The frame may be made for the vblank after the next one.
    return !(sequencer.model.prediction(after: now + interval)?.isKnown ?? false)
  }

  /// True if a vblank was over before the next one was requested, so that the source delivers a later one, and it has not been asked
  /// for its newest one since. On a variable display no vblank is known beforehand.
  package func hasMissed(_ vblank: MonotonicTime) -> Bool {
    guard case .requested(let since) = state, !source.isVariable, vblank <= since else { return false }
    return !isRefreshed
  }

  /// One refresh interval: at the nominal rate, or at another one that the display was found to run at.
  package var interval: Nanoseconds { sequencer.model.unannouncedInterval ?? source.refreshRate.interval }

  // MARK: - Events

  /// - Parameter slept: how long the machine has slept since it was started; nil unless `mayHaveSlept`.
  package mutating func handle(_ event: Event, at now: MonotonicTime, slept: Nanoseconds? = nil) -> Action {
    if case .ended = state { return .none }
    noticeSleep(slept, at: now)
    switch event {
    case .wanted(let isWanted):
      self.isWanted = isWanted
      return wishesChanged(at: now)
    case .vblank(let vblank, let rate, let followsFrames):
      (source.refreshRate, source.followsFrames) = (rate, followsFrames)
      return take(vblank, at: now)
    case .wakeUp: return wake(at: now)
    case .delayIsNeedless:
      guard case .delayed(let tick, _) = state else { return .none }
      return deliver(tick, at: now, wasDelayed: false)
    case .delivered:
      guard isDelivering else { return .none }
      state = .resting
      return isWanted ? request(at: now) : .none
    case .newest(let vblank):
      (refreshed, isRefreshed) = (now, true)
      guard let vblank else { return .none }
      sequencer.learn(vblank, now: now)
      return .none
    case .phaseLost:
      losePhase(at: now)
      return wishesChanged(at: now)
    case .sourceChanged(let new): return change(to: new, at: now)
    case .ended:
      state = .ended
      return .none
    }
  }

  /// A wish that came, or an answer that is owed no more, may need a request; a wish that went makes waiting needless.
  private mutating func wishesChanged(at now: MonotonicTime) -> Action {
    switch state {
    case .resting where isWanted:
      let pause = sequencer.last.map { now - $0.vblank.timestamp } ?? .zero
      pacer.pauseEnded(at: now, after: pause, interval: interval)
      return request(at: now)
    case .retrying where !isWanted, .delayed where !isWanted: state = .resting
    case .resting, .requested, .retrying, .delayed, .delivering, .ended: break
    }
    return .none
  }

  private mutating func request(at now: MonotonicTime) -> Action {
    state = .requested(since: now)
    (lastRequest, isRefreshed) = (now, false)
    return .request
  }

  private mutating func take(_ vblank: VBlank, at now: MonotonicTime) -> Action {
    let requested: MonotonicTime
    switch state {
    case .requested(let since), .retrying(let since, _): requested = since
    // A vblank without a request ticks no link, and starts no chain of requests.
    case .resting, .delayed, .delivering, .ended: return .none
    }
    guard
      case .tick(let vblank, let frameNumber) =
        sequencer.advance(to: vblank, requested: requested, now: now, rate: source.refreshRate)
    else { return requestAgain(at: now) }
    fruitlessRequests = 0
    refreshed = nil
    var tick = makeTick(of: vblank, frameNumber, at: now)
    tick.requested = requested
    guard isWanted, tick.start > max(now, tick.timestamp) else { return deliver(tick, at: now, wasDelayed: false) }
    let earliest = tick.start - Self.sharedWakeUp
    // A wake-up in the past would share nothing.
    let tolerance = earliest > now ? Self.sharedWakeUp : .zero
    state = .delayed(tick, until: WakeUp(time: tick.start - tolerance, tolerance: tolerance))
    return .delay(tick)
  }

  /// The source's answer was no news.
  private mutating func requestAgain(at now: MonotonicTime) -> Action {
    switch state {
    case _ where !isWanted: state = .resting
    case .requested(let since):
      fruitlessRequests += 1
      let earliest = fruitlessRequests == 1 ? now : lastRequest + interval / 2
      guard earliest > now else {
        // Still the same request: the vblank that the source owes is taken.
        lastRequest = now
        return .request
      }
      state = .retrying(since: since, at: earliest)
    case .resting, .retrying, .delayed, .delivering, .ended: break
    }
    return .none
  }

  private mutating func wake(at now: MonotonicTime) -> Action {
    switch state {
    case .retrying(let since, _):
      state = .requested(since: since)
      lastRequest = now
      return .request
    case .delayed(var tick, _):
      // One that shares a wake-up may come before its time.
      tick.start = min(tick.start, now)
      let planned = tick.start
      // The loop was busy for so long that the tick's frame could only be late: the latest vblank takes its place.
      if now >= tick.targetTimestamp, case .tick(let vblank, let frameNumber) = sequencer.renew(at: now) {
        let requested = tick.requested
        tick = makeTick(of: vblank, frameNumber, at: now)
        (tick.start, tick.requested) = (min(tick.start, now), requested)
      }
      return deliver(tick, at: now, plannedAt: planned, wasDelayed: true)
    // The machine slept while the tick waited, and the tick was dropped.
    case .resting: return wishesChanged(at: now)
    case .requested, .delivering, .ended: return .none
    }
  }

  private mutating func deliver(
    _ tick: DisplayLink.Tick, at now: MonotonicTime, plannedAt planned: MonotonicTime? = nil, wasDelayed: Bool
  ) -> Action {
    pacer.tickWasDelivered(at: now, start: planned ?? tick.start, wasDelayed: wasDelayed)
    state = .delivering(since: now)
    var tick = tick
    tick.delivered = now
    return .deliver(tick)
  }

  /// Inlined, since a call copies the machine.
  @inline(__always)
  private func makeTick(of vblank: VBlank, _ frameNumber: UInt64, at now: MonotonicTime) -> DisplayLink.Tick {
    // An unsteady stamp may lie a little before its vblank.
    let middle = vblank.timestamp + (source.isVariable ? .zero : interval / 2)
    let prediction = sequencer.model.prediction(after: middle)
    let target = prediction?.timestamp ?? middle + interval
    // On a variable display the next vblank comes when the frame does.
    let isTargetKnown = !source.isVariable && prediction?.isKnown ?? false
    let start = pacer.start(
      for: target, isTargetKnown: isTargetKnown && !source.followsFrames, vblank: vblank.timestamp, now: now,
      interval: interval)
    var tick = DisplayLink.Tick(
      timestamp: vblank.timestamp, targetTimestamp: target, duration: interval, frameNumber: frameNumber, start: start,
      delivered: now, missed: 0, isVariable: source.isVariable)
    // A clock that stands in for a display tells of its latest vblank only.
    if sequencer.lostVBlanks > 0, source.isDisplay { tick.lostVBlanks = sequencer.lostVBlanks }
    tick.unknownIntervals = sequencer.unknownIntervals
    return tick
  }

  // MARK: - The display and the machine

  private mutating func change(to new: Source, at now: MonotonicTime) -> Action {
    sequencer.change(
      to: new.refreshRate, isVariable: new.isVariable, isMeasured: source.isDisplay, isDisplay: new.isDisplay)
    source = new
    (fruitlessRequests, refreshed) = (0, nil)
    switch state {
    // The new source owes the vblank that the old one owed.
    case .requested, .retrying: return request(at: now)
    case .delayed:
      state = .resting
      return wishesChanged(at: now)
    case .resting, .delivering, .ended: return .none
    }
  }

  /// The grid is unknown. A delayed tick was made for a vblank of the old grid, and is dropped.
  private mutating func losePhase(at now: MonotonicTime) {
    sequencer.losePhase(at: now)
    refreshed = nil
    if case .delayed = state { state = .resting }
  }

  private mutating func noticeSleep(_ total: Nanoseconds?, at now: MonotonicTime) {
    lastEvent = now
    guard let total else { return }
    if let slept, total - slept > Self.shortestSleep { losePhase(at: now) }
    slept = max(total, slept ?? total)
  }
}
