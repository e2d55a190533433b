import FrameTiming
import LinuxSystem

/// Decides when an output may render: once in a refresh interval, or in as many as its link leaves between two ticks; for the vblank
/// that its tick asked for, or without a tick for the first one that a frame can be ready for.
///
/// A value that reads no clock and touches no display: it is given a forecast of the display's vblanks, and how long frames take.
struct OutputSchedule {
  /// Something changed that has not been rendered yet.
  var isDirty = false
  /// When the earliest input arrived after which no frame was rendered.
  private var input: MonotonicTime?
  /// How many intervals a frame may take: it is made for so many vblanks later.
  var lead = 1
  private var state = LastTick.unused(nil)
  /// The vblank that the last frame was made for.
  private var lastTarget: MonotonicTime?

  /// The last tick, nil before the first.
  private enum LastTick {
    /// Its turn runs, and its frame is still to be made.
    case due(DisplayLink.Tick)
    /// Its turn was over at that time, and its frame is still to be made: no buffer was free.
    case open(DisplayLink.Tick, since: MonotonicTime)
    /// A frame was rendered for it or since.
    case used(DisplayLink.Tick?)
    /// No frame was wanted in its turn, and none was rendered since.
    case unused(DisplayLink.Tick?)

    var tick: DisplayLink.Tick? {
      switch self {
      case .due(let tick), .open(let tick, _): tick
      case .used(let tick), .unused(let tick): tick
      }
    }
  }

  /// The tick of this turn until it has its frame.
  var dueTick: DisplayLink.Tick? { if case .due(let tick) = state { tick } else { nil } }
  /// The last tick until it has its frame.
  private var openTick: DisplayLink.Tick? { if case .open(let tick, _) = state { tick } else { dueTick } }
  /// True if a frame was rendered after the last tick.
  var hasFrameSinceTick: Bool { if case .used = state { true } else { false } }
  /// True at the end of a turn whose tick has no frame although something changed: no buffer was free, or the interval was taken.
  var owesFrame: Bool { dueTick != nil && isDirty }

  /// True if frames that are begun as late after their vblanks as the turn's tick came are ready for the next ones. Behind another
  /// frame this one and all after it would be late by an interval for good.
  ///
  /// - Parameter budget: how long before its vblank a frame has to be begun; nil while that is not known.
  func fitsTick(budget: Nanoseconds?) -> Bool {
    guard let tick = dueTick, !tick.isVariable, let budget else { return false }
    return tick.timestamp + (tick.delivered - tick.start) + budget <= tick.nextVBlank
  }

  mutating func didTick(_ tick: DisplayLink.Tick) { state = .due(tick) }

  /// The vblank for which a frame may be rendered now, or nil when this interval has its frame already.
  ///
  /// In a turn with a tick it is the tick's, even if callbacks took so long that it has passed: the frame was asked for
  /// then, and is late. In a turn without one while a tick is due there is none: the turn of the tick renders. (Some drivers
  /// send a flip's event a little before the vblank's: a frame made then would be the interval's, without what the tick's
  /// callbacks change.) Nor is there one between the ticks of a scene that moves, where a frame is begun too late for the next
  /// vblank, and one that waits for the tick is seen as soon.
  ///
  /// - Parameters:
  ///   - begun: when the turn began that is to render.
  ///   - distance: how many intervals lie between two frames.
  ///   - budget: how long before its vblank a frame has to be begun; nil while that is not known.
  func target(
    at now: MonotonicTime, begun: MonotonicTime, every distance: Int, budget: Nanoseconds?, forecast: VBlankForecast
  ) -> MonotonicTime? {
    let first =
      dueTick?.nextVBlank
      ?? targetWithoutTick(at: now, begun: begun, every: distance, budget: budget, forecast: forecast)
    guard let first else { return nil }
    let next = Self.appearance(ofFrameFor: first, pending: lead - 1, forecast: forecast)
    guard let lastTarget else { return next }
    let interval = forecast.interval
    return next > lastTarget + interval * Int64(distance) - interval / 2 ? next : nil
  }

  /// The first vblank for which a frame without a tick can be ready, as far as it is known how long frames take. At a variable
  /// rate it comes when the frame is ready, and no sooner than the shortest interval after the last one.
  private func targetWithoutTick(
    at now: MonotonicTime, begun: MonotonicTime, every distance: Int, budget: Nanoseconds?, forecast: VBlankForecast
  ) -> MonotonicTime? {
    if forecast.isTickDue(at: now) { return nil }
    let waited = wait(until: begun)
    // The callbacks of a tick that is still open are over: what its frame takes counts from its delivery.
    let begun = min(begun, openTick?.delivered ?? begun)
    let interval = forecast.interval
    if forecast.isVariable {
      let ready = max(now, begun + (budget ?? interval))
      return forecast.lastVBlank.map { max(ready, $0.timestamp + interval) } ?? ready
    }
    // While a slower link ticks, the intervals until its next tick have their frame, for however late a vblank this one would be made.
    if distance > 1, case .used(let tick?) = state, begun - tick.timestamp < interval * Int64(2 * distance) { return nil }
    let next = forecast.vblank(after: now)
    guard let budget else { return next }
    if distance == 1, shouldAwaitTick(at: next, begun: begun, budget: budget, forecast: forecast) { return nil }
    // A frame for a later vblank may also take the intervals until then.
    return forecast.vblank(after: max(now, begun + waited + budget - interval * Int64(lead - 1)))
  }

  /// How long the frame of an open tick has waited for a buffer, when a turn begins that may render it. That is no work of the frame's.
  private func wait(until begun: MonotonicTime) -> Nanoseconds {
    if case .open(_, let since) = state { max(begun - since, .zero) } else { .zero }
  }

  /// True if a frame without a tick would miss the next vblank. One that is begun with its tick is seen as soon, at the vblank
  /// after it, with what the tick's callbacks change. After a pause nobody waits.
  private func shouldAwaitTick(
    at next: MonotonicTime, begun: MonotonicTime, budget: Nanoseconds, forecast: VBlankForecast
  ) -> Bool {
    let interval = forecast.interval
    guard let tick = state.tick, begun - tick.timestamp < interval * 2, next - begun < budget else { return false }
    let seen = forecast.vblank(after: begun + budget)
    return forecast.vblank(after: next + budget) < seen + interval / 2
  }

  /// The vblank for a frame whose work was done in an earlier turn: the one that it was promised, or the first that is free after it.
  func target(ofOwedFrame frame: FrameRecord, at now: MonotonicTime, forecast: VBlankForecast) -> MonotonicTime {
    let half = forecast.interval / 2
    let earliest = max(now, lastTarget.map { $0 + half } ?? now)
    if forecast.isVariable { return earliest }
    return forecast.vblank(after: max(earliest, frame.promised.map { $0 - half } ?? now))
  }

  /// When a frame that is made for `target` will be seen: frames that pend take the vblanks before it.
  static func appearance(ofFrameFor target: MonotonicTime, pending: Int, forecast: VBlankForecast) -> MonotonicTime {
    let interval = forecast.interval
    if forecast.isVariable { return target + interval * Int64(pending) }
    let half = interval / 2
    return (0..<pending).reduce(target) { vblank, _ in forecast.vblank(after: vblank + half) }
  }

  /// The same of a frame that the schedule gave the target, made at `now`. For a tick's frame, what pends takes vblanks before
  /// the target, as far as there are any. Without a tick it takes the next ones, and the target may lie behind them.
  func appearance(
    ofFrameFor target: MonotonicTime, pending: Int, at now: MonotonicTime, forecast: VBlankForecast
  ) -> MonotonicTime {
    guard dueTick != nil || forecast.isVariable else {
      let next = forecast.vblank(after: now)
      return max(target, Self.appearance(ofFrameFor: next, pending: pending, forecast: forecast))
    }
    return Self.appearance(ofFrameFor: target, pending: max(0, pending - (lead - 1)), forecast: forecast)
  }

  /// After which time the next vblank is the one before a frame's target, for a frame that is ready at `now` and would be seen
  /// before its target if it were handed over. Nil for all others.
  func vblankToAwait(by frame: FrameRecord, at now: MonotonicTime, forecast: VBlankForecast) -> MonotonicTime? {
    let interval = forecast.interval
    guard lead > 1, frame.isTargetKnown, frame.target - now > interval else { return nil }
    return frame.target - interval * 3 / 2
  }

  /// The record of a frame for `target`, with what is known of its tick.
  ///
  /// - Parameter begun: when the turn began that makes it.
  func newRecord(for target: MonotonicTime, begun: MonotonicTime, forecast: VBlankForecast) -> FrameRecord {
    let interval = forecast.interval
    var record = FrameRecord()
    record.target = target
    if let tick = state.tick, openTick != nil || target - tick.timestamp < interval * Int64(lead) + interval / 2 {
      record.tickTimestamp = tick.timestamp
      record.frameNumber = tick.frameNumber
    } else {
      // After an idle time a frame has no tick: it belongs to the interval in which it was made.
      record.tickTimestamp = target - interval * Int64(lead)
      // From the middle of the interval, so that no rounding counts it to the one before.
      record.frameNumber = forecast.frameNumber(at: record.tickTimestamp + interval / 2)
    }
    (record.start, record.delivered) = (begun, begun)
    if let tick = openTick {
      record.promised = tick.targetTimestamp
      (record.start, record.delivered) = (tick.start, tick.delivered)
      record.intervalsPerTick = tick.intervalsPerTick
      let step = tick.duration * Int64(tick.intervalsPerTick)
      record.missedTime = step * Int64(clamping: tick.missed)
      record.lostVBlankTime = step * Int64(clamping: tick.lostVBlanks)
      record.missedWait = tick.missedWait(in: record.missedTime, lost: record.lostVBlankTime)
    }
    return record
  }

  /// The record of a frame whose work was done in this turn, or earlier and it is still owed. `submitted` is when it was done.
  func newRecord(
    for target: MonotonicTime, _ turn: TurnWork, _ owed: FrameRecord?, at now: MonotonicTime, _ forecast: VBlankForecast
  ) -> FrameRecord {
    let begun = now - turn.phases.total
    guard var frame = owed, dueTick == nil else {
      var frame = newRecord(for: target, begun: begun, forecast: forecast)
      frame.heldBack = wait(until: begun)
      frame.add(turn)
      frame.submitted = now
      return frame
    }
    frame.heldBack = begun - frame.submitted
    frame.add(turn)
    return frame
  }

  /// Takes the input of a turn, for the next frame.
  mutating func add(input new: MonotonicTime?) {
    if let new { input = min(input ?? new, new) }
  }

  /// Takes the earliest input that no frame has shown, for the frame that is made now.
  mutating func takeInput() -> MonotonicTime? {
    defer { input = nil }
    return input
  }

  mutating func didRender(for target: MonotonicTime) {
    isDirty = false
    state = .used(state.tick)
    lastTarget = target
  }

  /// A frame was rendered whose work was done in an earlier turn. A tick that has come since gets its own.
  mutating func didRenderOwedFrame(for target: MonotonicTime) {
    let dueTick = dueTick
    didRender(for: target)
    if let dueTick { state = .due(dueTick) }
  }

  /// A frame changed nothing and is not shown. Its target is moved forward to the next vblank that is free, so that the next tick
  /// gets a frame.
  mutating func didRenderNothing(for target: MonotonicTime, at now: MonotonicTime, forecast: VBlankForecast) {
    let next = Self.appearance(ofFrameFor: forecast.vblank(after: now), pending: lead - 1, forecast: forecast)
    didRender(for: min(target, next))
  }

  /// The last frame was shown at `time`, which replaces its target: the frame was made before the display's grid was known,
  /// or was ready sooner than expected, and its target would keep the next tick from its frame.
  mutating func didShowUntargeted(at time: MonotonicTime) {
    lastTarget = time
  }

  /// The display went or came: the next frame no longer waits for the target of the last one.
  mutating func didReset() { lastTarget = nil }

  /// The turn is over: later changes do not belong to its tick, unless the frame of that tick is still wanted.
  ///
  /// - Parameter now: when the work of the turn was done.
  mutating func endTurn(isFrameWanted: Bool, at now: MonotonicTime) {
    // The input changed nothing that is seen.
    if !isFrameWanted { input = nil }
    guard let tick = openTick else { return }
    if !isFrameWanted { state = .unused(tick) } else if dueTick != nil { state = .open(tick, since: now) }
  }
}
