public import FrameTiming
public import LinuxSystem

/// One frame of a log: its record, and what became of it.
public struct LoggedFrame: Sendable {
  /// The end of a frame.
  public enum Outcome: String, CaseIterable, Sendable {
    /// It was seen.
    case presented
    /// Its work was done for nothing: no buffer was free for it, and newer work took its place.
    case discarded
    /// It is never seen: the display refused it, went, or was away. Frames that a hidden window makes are not logged.
    case lost
    /// It was handed over, and waits for its vblank at the end of the log.
    case pending
    /// There is no frame: the rest of the run, after the last frame that was seen.
    case noFrame
  }

  public var record: FrameRecord
  public var outcome: Outcome
  /// Why it was late; nil if it was not, or was not seen.
  public var causes: FrameRecord.Causes?
  /// The step to it from the frame that was seen before; nil if it was not seen, and for the first one after an idle time.
  public var step: FrameStep?
  /// The standstill that it ended; nil if no intervals were missed before it, or a late frame accounts for them.
  public var standstill: Standstill?
  /// The intervals missed before it for which a late frame accounts.
  public var missedBehindLateFrames = 0
  /// The counts since the frame that was seen before; all 0 of a frame that was not seen.
  public var counts = RunCounts()
  /// How much later it was seen than at the vblank that it was made for; nil if that says nothing of the prediction, see
  /// `FrameReport.predictionError`.
  public var predictionError: Nanoseconds?
  /// The name of `blamedLayer` at that time; nil where it has none.
  public var layerName: String?
  /// The refresh rate that the display told at the beginning; nil where it is not known.
  public var toldRate: RefreshRate?
  /// The budget that was given for the run; nil without one.
  public var budget: Nanoseconds?

  public init(record: FrameRecord, outcome: Outcome) {
    self.record = record
    self.outcome = outcome
  }

  /// The number of the layer that took half or more of the phase that made it late; nil if none did, or layers were not measured.
  public var blamedLayer: UInt32? { causes?.layer(of: record) }
}

/// The step from one frame that was seen to the next one that was.
public struct FrameStep: BitwiseCopyable, Sendable {
  /// From the vblank that showed the one to the vblank that showed the other.
  public var interval: Nanoseconds
  /// By how much animations moved on more than `interval`: above zero they ran ahead, below zero they fell behind. Nil if the time
  /// of animations stood still, or if the earlier frame was made for a guess at a fixed rate. (PresentMon's `MsAnimationError`, by sign and by what is left out: frames that were not seen.)
  public var animationError: Nanoseconds?

  /// Nil if no time passed.
  package init?(from last: FrameRecord, to frame: FrameRecord) {
    interval = frame.presented - last.presented
    guard interval > .zero else { return nil }
    let picture = frame.animationTime - last.animationTime
    animationError = picture > .zero ? picture - interval : nil
  }
}

/// Finds out what becomes of each frame of an output, from the output's events. Allocates nothing for a frame.
public struct FrameLedger: Sendable {
  private var pending: [FrameRecord] = []
  /// The counts that logged frames have.
  private var logged = RunCounts()

  public init() {
    pending.reserveCapacity(16)
  }

  /// Takes an event into account.
  ///
  /// - Parameters:
  ///   - meter: has recorded the event just now.
  ///   - causes: the answer of that meter.
  ///   - log: is called with each frame whose outcome is known now.
  public mutating func handle(
    _ event: FrameEvent, of meter: FPSMeter, causes: FrameRecord.Causes?, log: (LoggedFrame) -> Void
  ) {
    switch event {
    case .committed(let frame): pending.append(frame)
    case .presented(let frame):
      // Frames are seen in the order in which they were handed over.
      let index = pending.firstIndex { $0.submitted >= frame.submitted } ?? pending.count
      for lost in pending[..<index] { log(LoggedFrame(record: lost, outcome: .lost)) }
      pending.removeFirst(min(index + 1, pending.count))
      var seen = LoggedFrame(record: frame, outcome: .presented)
      (seen.causes, seen.step) = (causes, meter.step)
      (seen.standstill, seen.missedBehindLateFrames) = (meter.lateCauses.standstill, meter.lateCauses.behind)
      (seen.counts, seen.predictionError) = (advance(to: meter.countsSoFar), meter.predictionError)
      log(seen)
    case .lost(let frame):
      pending.removeAll { $0.submitted == frame.submitted && $0.frameNumber == frame.frameNumber }
      if meter.countsLastEvent { log(LoggedFrame(record: frame, outcome: .lost)) }
    case .discarded(let frame): log(LoggedFrame(record: frame, outcome: .discarded))
    case .refused: end(as: .lost, log: log)
    case .tick, .idle: break
    }
  }

  /// Logs the frames that are still to be seen at the end.
  public mutating func end(log: (LoggedFrame) -> Void) { end(as: .pending, log: log) }

  /// The rest of the run after the last frame that was seen; nil if there is none.
  ///
  /// - Parameters:
  ///   - meter: has recorded all events.
  ///   - end: the end of the run, see `FPSMeter.report(at:)`.
  public mutating func rest(of meter: FPSMeter, at end: MonotonicTime?) -> LoggedFrame? {
    var rest = LoggedFrame(record: FrameRecord(), outcome: .noFrame)
    rest.record.frameNumber = meter.lastNumber(at: end)
    rest.counts = advance(to: RunCounts(meter.report(at: end)))
    return rest.counts == RunCounts() ? nil : rest
  }

  /// - Returns: the part of the counts that no frame has yet.
  private mutating func advance(to counts: RunCounts) -> RunCounts {
    defer { logged = counts }
    return counts - logged
  }

  private mutating func end(as outcome: LoggedFrame.Outcome, log: (LoggedFrame) -> Void) {
    for frame in pending { log(LoggedFrame(record: frame, outcome: outcome)) }
    pending.removeAll(keepingCapacity: true)
  }
}
