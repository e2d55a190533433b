import Compositing
public import FrameTiming
public import LinuxSystem
public import RenderTree
public import RunLoops

/// Makes the frames of one display: asks for the tree at the time at which it will be seen, finds what changed, lets the renderer
/// paint only that and hands the buffer to the presenter. An `Engine` has one for each of its displays.
///
/// ```swift
/// engine.output.policy = .lateStart
/// let watching = engine.output.observe { event in
///   if case .presented(let frame) = event { print(frame.lateness.milliseconds) }
/// }
/// ```
///
/// A frame goes from `tick` to `renderIfNeeded`, the presenter and `presented`. At most one frame is rendered in a refresh
/// interval: a change right after a frame waits for the next tick, a change after a pause is rendered in the turn that made it.
@MainActor
public final class Output {
  public let display: any Display
  /// The display's geometry, by which layers are laid out and pictures are turned.
  package private(set) var geometry: DisplayGeometry
  /// Called when `geometry` has changed, before the first frame of that geometry. It belongs to whoever lays the layers out.
  package var onGeometryChange: (@MainActor (DisplayGeometry) -> Void)?

  /// Lets the output become slower when frames take longer than their interval, and faster again: a frame every second, third …
  /// interval, made for as many vblanks later. A frame that is ready early is held back until the vblank before its target, so
  /// that frames are as far apart as their ticks. The display's other links are called as seldom. Neither the output nor any of them
  /// becomes slower than the minimum of its `preferredFrameRateRange`. Nil, the default, makes a frame at every tick however late.
  public var automaticInterval: AutomaticInterval? {
    didSet {
      let intervals = automaticInterval?.intervals ?? 1
      schedule.lead = intervals
      ticker.leastIntervalsPerTick = intervals
    }
  }

  /// The time for which animations are evaluated: the vblank at which the frame will be seen, or even steps from frame to frame.
  /// Assign another value to choose the other policy.
  public var animationTime = AnimationTime()

  /// Looks at each frame. The next one after an assignment is painted whole.
  package var inspector: FrameInspector? {
    didSet { setNeedsFullRepaint() }
  }

  /// The damage of the frame that was handed over last: in a `committed` event, that of its frame.
  package private(set) var handedOverDamage = DamageRegion()
  /// The size of that frame's buffer, in pixels.
  package var bufferSize: (width: Int, height: Int) { (ring.width, ring.height) }
  /// The work on frames that the main thread is at.
  package var stretch = WorkStretch()

  /// The time for which the animations of the frame were evaluated that was seen last; nil before the first.
  public private(set) var shownTime: MonotonicTime?

  private let observers = Observers<FrameEvent>()
  private let content: Content
  private let clock: SystemClock
  // Asked of the display once: each is a call through the protocol.
  let presenter: any Presenter
  let ticker: DisplayTicker
  private let renderer: any Renderer
  private var diff = SceneDiff()
  private var ring: BufferRing
  private var link: DisplayLink?
  private var frameUnderWay = FrameUnderWay.none
  /// Nil to render in the turn that begins a frame.
  private var renderThread: RenderThread?
  private let handOverWait: VBlankWait
  private var schedule = OutputSchedule()
  /// The tree of the last frame; the next one is compared with it.
  private var shown: TreeSnapshot?
  /// A frame whose work was done, and which could not be rendered at the end of its tick's turn: that is its `submitted`.
  private var owed: FrameRecord?
  /// The frames on their way to the screen, in the order in which they will be seen.
  package private(set) var pending: [FrameRecord] = []

  /// - Parameters:
  ///   - renderer: paints the frames of this output and of no other.
  ///   - renderThreads: render the frames, one at a time, while the main thread goes on; nil to render in the turns of the loop.
  public init(
    display: any Display, content: Content, renderer: any Renderer, clock: SystemClock, renderThreads: WorkerPool? = nil
  ) {
    self.display = display
    self.content = content
    self.clock = clock
    presenter = display.presenter
    ticker = display.ticker
    self.renderer = renderer
    geometry = display.geometry
    ring = BufferRing(width: presenter.width, height: presenter.height)
    // Before the link: a frame is handed over before the tick asks for more.
    handOverWait = VBlankWait(ticker: ticker)
    let link = DisplayLink(ticker: ticker) { [weak self] link in self?.tick(link) }
    link.isPaused = true
    self.link = link
    handOverWait.handler = { [weak self] _ in self?.handOverHeldBack() }
    renderThread = renderThreads.map { threads in
      RenderThread(threads: threads, renderer: renderer, clock: clock) { [weak self] in self?.takeRenderedFrame() }
    }
    presenter.onEvent = { [weak self] event in
      guard let self else { return }
      switch event {
      case .presented(let feedback): presented(feedback)
      case .dropped: if !pending.isEmpty { observers.notify(.lost(pending.removeFirst())) }
      case .reset: presenterDidReset()
      case .refused(let error): refused(error)
      }
    }
  }

  /// Follows the output's ticks and frames. Any number may: a meter, a profiler, the application.
  ///
  /// - Returns: the token: the observer listens until it is let go of or invalidated.
  public func observe(_ handler: @escaping @MainActor (FrameEvent) -> Void) -> Observation { observers.add(handler) }

  /// The link that ticks the output, paused while no frame is wanted. Its `preferredFrameRateRange` is the output's; while it has
  /// none and nothing but animations changes, those of the animations count. Nil after `invalidate()`.
  public var displayLink: DisplayLink? { link }

  /// Lets `loop` tick the output while it runs in `mode`; `.common` stands for all common modes. Its owner adds the display.
  public func add(to loop: FrameLoop, mode: FrameLoop.Mode) {
    handOverWait.add(to: loop, mode: mode)
    renderThread?.add(to: loop, mode: mode)
    link?.add(to: loop, mode: mode)
  }

  /// True while a frame is wanted: something changed that has not been rendered yet, or an animation runs.
  public var wantsFrame: Bool { !isHeld && (schedule.isDirty || content.isAnimating()) }

  /// True to hand over no more frames, as if none were wanted. Those on their way are seen.
  package var isHeld = false

  /// Tells that a newer tree was published. Costs O(1); the frame is rendered by `renderIfNeeded`.
  public func setNeedsFrame() { schedule.isDirty = true }

  /// Lets the next frame paint the whole screen: its memory was lost, or another program drew on it.
  public func setNeedsFullRepaint() {
    shown = nil
    ring.reset(width: presenter.width, height: presenter.height)
    schedule.isDirty = true
  }

  /// Renders and presents the newest tree if a frame is wanted and this interval has none yet; otherwise sees to it that
  /// the next tick comes. Called at the end of a turn, after the commit.
  ///
  /// - Parameter turn: the work of the turn on the frame so far, in callbacks, layout and display.
  public func renderIfNeeded(turn: TurnWork) {
    takeRenderedFrame()  // Its observers may end the output.
    guard let link else { return }
    stretch.begin(turn.mark)
    schedule.add(input: turn.input)
    let now = clock.now
    if wantsFrame {
      link.contentFrameRateRange = schedule.isDirty ? .default : content.frameRateRange()
      ticker.refresh()
      let (forecast, begun) = (ticker.forecast, now - turn.phases.total)
      let target = schedule.target(
        at: now, begun: begun, every: link.intervalsPerTick, budget: ticker.frameBudget, forecast: forecast)
      if let target {
        render(for: target, schedule.newRecord(for: target, turn, owed, at: now, forecast), forecast: forecast)
      }
      if schedule.owesFrame, let target = link.tick?.nextVBlank {
        tellDiscarded(owed)
        owed = nil
        var frame = schedule.newRecord(for: target, turn, owed, at: now, forecast)
        stretch.end(&frame, at: now)
        owed = frame
      }
    }
    let isWanted = wantsFrame
    schedule.endTurn(isFrameWanted: isWanted, at: now)
    let isIdle = !isWanted && !schedule.hasFrameSinceTick && !hasFrameUnderWay
    guard isIdle != link.isPaused else { return }
    link.isPaused = isIdle
    if isIdle {
      animationTime.rest()
      observers.notify(.idle)
    }
  }

  /// Stops ticking and presenting. The display is left to its owner.
  public func invalidate() {
    link?.invalidate()
    link = nil
    handOverWait.invalidate()
    renderThread?.invalidate()
    (frameUnderWay, owed, pending) = (.none, nil, [])
    presenter.onEvent = nil
    observers.removeAll()
  }

  /// The display went, is back or was turned. Frames that were pending are never seen.
  private func presenterDidReset() {
    forgetFrames()
    schedule.didReset()
    setNeedsFullRepaint()
    guard display.geometry != geometry else { return }
    geometry = display.geometry
    onGeometryChange?(geometry)
    display.observers.notify(.geometryChanged(geometry))
  }

  private func tick(_ link: DisplayLink) {
    guard let tick = link.tick else { return }
    takeRenderedFrame()
    renderOwedFrame()
    schedule.didTick(tick)
    observers.notify(.tick(tick))
  }

  /// Renders the frame that is owed before a newer tick's work begins, if there is a buffer and its work takes as long as its
  /// interval: merged into that work neither would ever be seen in time. A shorter one is merged, so that frames do not queue, unless
  /// the tick's frame is made for a later vblank than the next.
  private func renderOwedFrame() {
    guard !isHeld, var frame = owed, let link else { return }
    // A thread's part of it is not in its work yet.
    let work = frame.work + (renderThread?.usualDuration ?? .zero) + FrameRecord.takeOverTime
    guard schedule.lead > 1 || work > ticker.interval * Int64(link.intervalsPerTick) else { return }
    let (now, forecast) = (clock.now, ticker.forecast)
    frame.heldBack = now - frame.submitted
    stretch.begin(at: now)
    let target = schedule.target(ofOwedFrame: frame, at: now, forecast: forecast)
    render(for: target, frame, isOwed: true, forecast: forecast)
  }

  /// Tells of a frame whose place newer work took.
  private func tellDiscarded(_ frame: FrameRecord?) { if let frame { observers.notify(.discarded(frame)) } }

  private func render(
    for target: MonotonicTime, _ frame: FrameRecord, isOwed: Bool = false, forecast: VBlankForecast
  ) {
    var record = frame
    guard presenter.isReady else {
      // Evaluated all the same: animations end in time, and with them the ticks. The next vblank of a hidden display may be far away.
      _ = content.tree(evaluationTime(for: min(target, clock.now)))
      schedule.didRender(for: target)
      if isOwed { owed = nil }
      record.input = schedule.takeInput()
      observers.notify(.lost(record))
      return
    }
    // If the other frame is seen in time for this one, the turn of that event renders it.
    let queued = queuedFrames(at: clock.now)
    if queued > 0, schedule.fitsTick(budget: ticker.frameBudget) { return }
    // A frame under way has the buffer, and the vblank. While flips pend none may be free; `presented` or the next tick brings us back.
    guard !hasFrameUnderWay, let buffer = presenter.acquireBuffer() else { return }
    let started = clock.now
    let replaced = isOwed || schedule.dueTick == nil ? nil : owed
    owed = nil
    record.input = schedule.takeInput()
    record.target = schedule.appearance(ofFrameFor: target, pending: queued, at: started, forecast: forecast)
    if let renderThread, !forecast.isVariable {
      // It can be seen when it is rendered, and the thread takes as long as before.
      record.target = max(record.target, forecast.vblank(after: started + renderThread.usualDuration))
    }
    record.isTargetKnown = forecast.isKnown(at: record.target)
    record.animationTime = evaluationTime(for: record.target)
    var tree = content.tree(record.animationTime)
    let animated = clock.now
    record.phases[.animate] = animated - started
    if geometry.rotation != .none { tree.viewport = geometry.turned(tree.viewport) }
    let change =
      shown.map { diff.change(from: $0, to: tree, width: ring.width, height: ring.height) }
      ?? FrameChange(DamageRegion(ring.bounds))
    if change.isEmpty {
      schedule.didRenderNothing(for: target, at: started, forecast: forecast)
      return
    }
    ring.add(change)
    let lacked = ring.takeChange(ofBuffer: buffer.index)
    (record.damagePixels, record.paintedPixels) = (change.damage.area, lacked.damage.area)
    record.submitted = clock.now
    record.phases[.diff] = record.submitted - animated
    let inspection = inspector.map {
      ($0, InspectedFrame(old: shown ?? TreeSnapshot(), tree: tree, damage: change.damage, made: lacked, buffer: buffer))
    }
    shown = tree
    if isOwed { schedule.didRenderOwedFrame(for: target) } else { schedule.didRender(for: target) }
    tellDiscarded(replaced)
    guard link != nil else { return }  // An observer has ended the output.
    let frame = OutputFrame(
      buffer: buffer, written: lacked.written, damage: change.damage, record: record, inspection: inspection)
    start(frame, lacked, of: tree)
  }

  /// Renders a frame, now or on a thread.
  private func start(_ frame: OutputFrame, _ change: FrameChange, of tree: TreeSnapshot) {
    if let renderThread {
      var frame = frame
      stretch.end(&frame.record, at: frame.record.submitted)
      frameUnderWay = .rendering(frame)
      return renderThread.start(tree, change: change, into: frame.canvas, isMeasured: stretch.meter != nil)
    }
    switch renderer.render(tree, change: change, into: frame.canvas) {
    case .signaled: break
    }
    let ended = clock.now
    var rendered = frame
    rendered.record.take(renderer.work, isMeasured: stretch.meter != nil)
    didRender(rendered, at: ended, now: ended)
  }

  /// True while another frame cannot be begun. A thread may still render one that will not be shown.
  private var hasFrameUnderWay: Bool {
    if case .none = frameUnderWay { return renderThread?.isBusy ?? false }
    return true
  }

  /// Takes the frame that a thread has rendered, if it has; then it may render the next one.
  private func takeRenderedFrame() {
    guard let end = renderThread?.takeEnd() else { return }
    if case .rendering(var frame) = frameUnderWay {
      frameUnderWay = .none
      if let usage = end.usage { frame.record.add(usage) }
      frame.record.take(end.work, isMeasured: end.usage != nil)
      didRender(frame, at: end.time, now: stretch.begin(at: clock.now))
    }
    renderOwedFrame()
  }

  /// - Parameter ended: when the frame was rendered.
  private func didRender(_ frame: OutputFrame, at ended: MonotonicTime, now: MonotonicTime) {
    var (frame, now) = (frame, now)
    frame.record.phases[.composite] = ended - frame.record.submitted
    frame.record.submitted = ended
    frame.paintOver(&now, clock, &stretch)
    if let vblank = schedule.vblankToAwait(by: frame.record, at: now, forecast: ticker.forecast) {
      stretch.end(&frame.record, at: now)
      frameUnderWay = .heldBack(frame)
      handOverWait.start(after: vblank)
    } else {
      handOver(frame, at: now)
    }
  }

  private func handOver(_ frame: OutputFrame, at time: MonotonicTime) {
    var record = frame.record
    record.heldBack += time - record.submitted
    do {
      try presenter.present(frame.buffer, damage: frame.written, target: record.isTargetKnown ? record.target : nil)
    } catch {
      return refused(error, record)
    }
    record.submitted = clock.now
    record.phases[.present] = record.submitted - time
    stretch.end(&record, at: record.submitted)
    pending.append(record)
    handedOverDamage = frame.damage
    frame.tellObserver()
    observers.notify(.committed(record))
  }

  private func handOverHeldBack() {
    guard case .heldBack(let frame) = frameUnderWay else { return }
    frameUnderWay = .none
    handOver(frame, at: stretch.begin(at: clock.now))
  }

  /// Forgets the frames that are pending or under way, and one that was handed over in vain: they are never seen.
  private func forgetFrames(and refused: FrameRecord? = nil) {
    var lost = pending + [refused].compactMap(\.self)
    switch frameUnderWay {
    case .none: break
    case .rendering(let frame), .heldBack(let frame): lost.append(frame.record)
    }
    if let owed { lost.append(owed) }
    pending.removeAll(keepingCapacity: true)
    (frameUnderWay, owed) = (.none, nil)
    handOverWait.cancel()
    for frame in lost { observers.notify(.lost(frame)) }
  }

  /// - Parameter feedback: when the oldest pending frame was seen.
  private func presented(_ feedback: PresentationFeedback) {
    if pending.isEmpty { return }
    var record = pending.removeFirst()
    let feedback = feedback.plausible(at: clock.now, submitted: record.submitted, interval: ticker.interval)
    let time = feedback.timestamp
    (record.presented, record.isPresentedKnown, shownTime) = (time, feedback.isKnown, record.animationTime)
    // A frame whose target was a guess, as before the first vblank and after a pause, is in time.
    let isEarly = record.target - time > ticker.interval / 2
    if !record.isTargetKnown { (record.promised, record.target) = (nil, time) }
    // A newer frame has a target of its own.
    if pending.isEmpty, !hasFrameUnderWay, !record.isTargetKnown || isEarly { schedule.didShowUntargeted(at: time) }
    learn(from: record, isCompositedBeside: renderThread != nil)
    observers.notify(.presented(record))
    renderOwedFrame()
  }

  /// The display refused `frame` at once, or those that are pending. It may show something else: the next one paints all of it.
  private func refused(_ error: any Error, _ frame: FrameRecord? = nil) {
    forgetFrames(and: frame)
    setNeedsFullRepaint()
    observers.notify(.refused(error))
  }
}
