public import LinuxSystem

/// The frames of a simulated application on a simulated display, as a policy paces them: 10⁶ in seconds.
///
/// A pure value. It does what ticker, loop, output and display do together, by the same ticks, predictions and pacer, which
/// hear only what a display would tell. All of the work counts as the callbacks', so that what takes longer than the
/// interval also costs the ticks that it covers. A frame that is handed over `takeOver` or more before a vblank is shown by
/// it. There are two buffers: while a frame waits for its vblank no other one is made.
public struct SimulatedFrames: Sendable {
  /// May be changed at any time, as may the next three.
  public var grid: SimulatedGrid
  public var work: SimulatedWork
  /// How long before a vblank the display needs a frame.
  public var takeOver: Nanoseconds
  /// What the mode says.
  public var nominalRate: RefreshRate
  public private(set) var pacer: FramePacer
  /// Frames that were made.
  public private(set) var count: UInt64 = 0
  public private(set) var now: MonotonicTime

  private var sequencer: TickSequencer
  /// A frame that was handed over, and is not seen yet.
  private var pending: FrameRecord?
  private var lastShown: UInt64 = 0

  /// - Parameters:
  ///   - nominalRate: nil for what the display does.
  ///   - takeOver: by default what Mutter leaves for it.
  public init(
    policy: FramePolicy, grid: SimulatedGrid, nominalRate: RefreshRate? = nil, work: SimulatedWork,
    takeOver: Nanoseconds = .microseconds(800)
  ) {
    self.grid = grid
    self.work = work
    self.takeOver = takeOver
    self.nominalRate = nominalRate ?? grid.rate
    pacer = FramePacer(policy: policy)
    now = grid.start
    sequencer = TickSequencer(refreshRate: self.nominalRate, isVariable: grid.slowestRate != nil)
  }

  /// Nobody wants frames for so long.
  public mutating func pause(_ duration: Nanoseconds) {
    now += duration
    pacer.pauseEnded(at: now, after: now - (sequencer.last?.timestamp ?? grid.start), interval: nominalRate.interval)
  }

  /// The loop is busy with something else for so long.
  public mutating func stall(_ duration: Nanoseconds) { now += duration }

  /// The next frame, with the vblank that shows it.
  public mutating func next() -> FrameRecord {
    while true {
      let number = grid.answer(toRequestAt: now)
      now = max(now, grid.delivery(ofVBlank: number))
      let outcome = sequencer.advance(to: grid.told(ofVBlank: number), now: now, rate: nominalRate)
      if case .tick(let vblank, let frameNumber) = outcome, let frame = frame(vblank, frameNumber) { return frame }
    }
  }

  private mutating func frame(_ vblank: VBlank, _ frameNumber: UInt64) -> FrameRecord? {
    noteShownFrame()
    let interval = nominalRate.interval
    var record = FrameRecord()
    record.frameNumber = frameNumber
    record.tick = vblank.timestamp
    let prediction = sequencer.model.prediction(after: vblank.timestamp + interval / 2)
    record.target = prediction?.timestamp ?? vblank.timestamp + interval
    record.isTargetKnown = prediction?.isKnown(period: sequencer.model.period) ?? false
    record.start = pacer.start(
      for: record.target, isTargetKnown: record.isTargetKnown, vblank: vblank.timestamp, now: now, interval: interval)

    let isDelayed = record.start > max(now, record.tick)
    if isDelayed { now = record.start }
    now += work.latency(ofFrame: count)
    record.delivered = now
    pacer.tickWasDelivered(at: now, start: record.start, wasDelayed: isDelayed)
    noteShownFrame()
    guard pending == nil else { return nil }
    record.phases[.callbacks] = work.work(ofFrame: count)
    now += record.work
    record.submitted = now

    let shown = max(grid.vblank(after: now + takeOver - Nanoseconds(1)), lastShown + 1)
    lastShown = shown
    record.presented = grid.timestamp(ofVBlank: shown)
    if !record.isTargetKnown { record.target = record.presented }
    pending = record
    count += 1
    return record
  }

  private mutating func noteShownFrame() {
    guard let pending, pending.presented <= now else { return }
    pacer.observe(pending, interval: nominalRate.interval)
    self.pending = nil
  }
}
