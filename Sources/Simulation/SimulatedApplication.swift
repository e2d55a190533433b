public import FrameTiming
public import LinuxSystem
public import RunLoops

/// An application whose frames take simulated time, on a machine that wakes up late.
///
/// `work` says how long frames take and how late the loop wakes; the real time that both take here does not count. The
/// frames are real all the same: committed, composited and presented. Use it to rehearse on a manual clock, with a
/// `SimulatedScreen` as the engine's first display. The application makes a frame at every tick, as an animation does.
@MainActor
public final class SimulatedApplication {
  /// May be changed at any time.
  public var work: SimulatedWork
  /// A paused application makes no frames.
  public var isPaused = false {
    didSet { pauseLink() }
  }

  private let clock: ManualClock
  private let start: MonotonicTime
  private let isMoving: @MainActor () -> Bool
  private let spend: @MainActor (FrameRecord.PhaseDurations) -> Void
  private var link: DisplayLink?
  private var wakeUps: FrameLoop.Observer?
  private var turnEnds: FrameLoop.Observer?
  private var wakeUpCount: UInt64 = 0

  /// - Parameters:
  ///   - ticker: the ticker of the display that shows the frames.
  ///   - clock: the loop's clock.
  ///   - isMoving: is asked at each tick and after each commit whether the application makes a frame. At rest it asks for no ticks.
  ///   - spend: is given the time that a frame takes in layout and display. It makes a frame wanted, and advances the clock in those
  ///     phases.
  public init(
    _ work: SimulatedWork, ticker: DisplayTicker, loop: FrameLoop, clock: ManualClock,
    while isMoving: @escaping @MainActor () -> Bool = { true },
    spend: @escaping @MainActor (FrameRecord.PhaseDurations) -> Void
  ) {
    self.work = work
    self.clock = clock
    start = clock.now
    self.isMoving = isMoving
    self.spend = spend
    let link = DisplayLink(ticker: ticker) { [weak self] link in self?.makeFrame(link.frameNumber) }
    link.add(to: loop, mode: .common)
    self.link = link
    let wakeUps = FrameLoop.Observer(
      [.afterWaiting], order: ObserverOrder.turnBegin, .onMain { [weak self] _, _ in self?.wakeUp() })
    loop.add(wakeUps, to: .common)
    self.wakeUps = wakeUps
    let turnEnds = FrameLoop.Observer(
      [.beforeWaiting], order: ObserverOrder.afterCommit, .onMain { [weak self] _, _ in self?.pauseLink() })
    loop.add(turnEnds, to: .common)
    self.turnEnds = turnEnds
  }

  /// Stops the application for good.
  public func invalidate() {
    link?.invalidate()
    link = nil
    wakeUps?.invalidate()
    wakeUps = nil
    turnEnds?.invalidate()
    turnEnds = nil
    isPaused = true
  }

  private func pauseLink() {
    guard let link else { return }
    let isIdle = isPaused || !isMoving()
    if link.isPaused != isIdle { link.isPaused = isIdle }
  }

  private func makeFrame(_ number: UInt64) {
    guard isMoving() else { return }
    let phases = work.phases(ofFrame: number, at: clock.now - start)
    spend(phases)
    clock.advance(by: phases[.callbacks])
  }

  private func wakeUp() {
    clock.advance(by: work.latency(ofFrame: wakeUpCount))
    wakeUpCount += 1
  }
}
