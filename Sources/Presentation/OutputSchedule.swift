import FrameTiming
import LinuxSystem

/// When an output may render: once in a refresh interval, or in as many as its link leaves between two ticks; for the vblank
/// that its tick asked for, or without a tick for the first one after now.
///
/// A value that reads no clock and touches no display.
@MainActor
struct OutputSchedule {
  /// Something changed that has not been rendered yet.
  var isDirty = false
  /// Whether a frame was rendered after the last tick.
  private(set) var hasFrameSinceTick = false
  /// How many intervals a frame may take: it is made for so many vblanks later.
  var lead = 1
  private var tick: DisplayLink.Tick?
  /// Whether the tick came in this turn.
  private var isTickNew = false
  /// The vblank that the last frame was made for.
  private var lastTarget: MonotonicTime?

  /// Whether the turn's tick was put off, so that its frame is for the next vblank or for none.
  var isTickDelayed: Bool { isTickNew && (tick.map { $0.start > $0.timestamp } ?? false) }

  mutating func didTick(_ tick: DisplayLink.Tick) {
    self.tick = tick
    isTickNew = true
    hasFrameSinceTick = false
  }

  /// The vblank for which a frame may be rendered now, or nil when this interval has its frame already.
  ///
  /// In a turn with a tick it is the tick's, even if callbacks took so long that it has passed: the frame was asked for
  /// then, and is late. In a turn without one while a tick is due there is none: the turn of the tick renders. (Some drivers
  /// send a flip's event a little before the vblank's: a frame made then would be the interval's, without what the tick's
  /// callbacks change.) Nor is there one between the ticks of a scene that moves, where a frame is begun too late for the next
  /// vblank, and one that waits for the tick is seen as soon.
  ///
  /// - Parameter distance: how many intervals lie between two frames.
  func target(at now: MonotonicTime, every distance: Int, ticker: DisplayTicker) -> MonotonicTime? {
    let target = isTickNew ? tick?.targetTimestamp : nil
    if target == nil, ticker.isTickDue(at: now) { return nil }
    let first = target ?? ticker.predictedVBlank(after: now)
    let next = Self.appearance(ofFrameFor: first, pending: lead - 1, ticker: ticker)
    if target == nil, distance == 1, shouldAwaitTick(at: next, now: now, ticker: ticker) { return nil }
    guard let lastTarget else { return next }
    let interval = ticker.refreshRate.interval
    return next > lastTarget + interval * Int64(distance) - interval / 2 ? next : nil
  }

  /// Whether a frame that is begun now would miss the next vblank, and one that is begun with its tick is seen as soon: at the
  /// vblank after it, with what the tick's callbacks change. After a pause nobody waits.
  private func shouldAwaitTick(at next: MonotonicTime, now: MonotonicTime, ticker: DisplayTicker) -> Bool {
    let interval = ticker.refreshRate.interval
    guard let tick, now - tick.timestamp < interval * 2, let budget = ticker.pacer.budget(interval: interval),
      next - now < budget
    else { return false }
    let seen = ticker.predictedVBlank(after: now + budget)
    return ticker.predictedVBlank(after: next + budget) < seen + interval / 2
  }

  /// When a frame that is made for `target` will be seen: frames that pend take the vblanks before it.
  static func appearance(ofFrameFor target: MonotonicTime, pending: Int, ticker: DisplayTicker) -> MonotonicTime {
    let half = ticker.refreshRate.interval / 2
    return (0..<pending).reduce(target) { vblank, _ in ticker.predictedVBlank(after: vblank + half) }
  }

  /// The record of a frame for `target`, with what is known of its tick.
  ///
  /// - Parameter begun: when the turn began that makes it.
  func newRecord(for target: MonotonicTime, begun: MonotonicTime, ticker: DisplayTicker) -> FrameRecord {
    let interval = ticker.refreshRate.interval
    var record = FrameRecord()
    record.target = target
    if let tick, target - tick.timestamp < interval * Int64(lead) + interval / 2 {
      record.tick = tick.timestamp
      record.frameNumber = tick.frameNumber
    } else {
      // Out of idle no tick asked for the frame: it belongs to the interval in which it was made.
      record.tick = target - interval * Int64(lead)
      // From the middle of the interval, so that no rounding counts it to the one before.
      record.frameNumber = ticker.frameNumber(at: record.tick + interval / 2)
    }
    (record.start, record.delivered) = (record.tick, begun)
    if isTickNew, let tick { (record.start, record.delivered) = (tick.start, tick.delivered) }
    return record
  }

  mutating func didRender(for target: MonotonicTime) {
    isDirty = false
    hasFrameSinceTick = true
    lastTarget = target
  }

  /// The last frame was made before the display's grid was known, and has been shown at `time`: until then its target was a
  /// guess, which would keep the first tick from its frame.
  mutating func didShowUntargeted(at time: MonotonicTime) {
    lastTarget = time
  }

  /// The display went or came: what was made for it before does not keep the next frame back. (Of a screen that has just
  /// come no tick need be expected: its first frame switches it on.)
  mutating func didReset() {
    lastTarget = nil
    hasFrameSinceTick = false
  }

  /// The turn is over: what comes now is not answered by its tick.
  mutating func endTurn() {
    isTickNew = false
  }
}
