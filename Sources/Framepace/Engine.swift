import Compositing
import FrameTiming
import Interaction
public import Layers
public import LinuxSystem
public import Presentation
public import RenderTree
public import RunLoops

/// Turns changes of layers into frames: it wires a loop, layers and outputs.
///
/// ```swift
/// let engine = Engine(display: try Displays.automatic().display, root: root)
/// engine.run()
/// ```
///
/// A change of a layer only marks it. Layout, drawing and presenting follow once, at the end of the turn. While nothing changes
/// and nothing animates, the engine does not wake at all.
///
/// It may have several displays: `mirror(on:gravity:)` shows the same layers on one more, `addOutput(display:root:scale:)`
/// shows others.
@MainActor
public final class Engine {
  public let loop: FrameLoop
  /// The layers of the engine's first display.
  public let context: LayerContext
  /// The layer that fills the engine's first display.
  public var root: Layer { context.root }
  /// The output of the engine's first display.
  public let output: Output
  public let workers: WorkerPool
  /// The light in which colours mix, on all displays.
  public let blending: Blending
  /// The modes that `run()` serves. Frames go on in each common mode, `.tracking` included; a push of another mode stops
  /// them.
  public let modes: FrameLoop.ModeStack
  /// True to let a turn wait for the drawings that it began, and show them in its own frame. For rendering to files, where every
  /// frame must be complete; a screen would miss vblanks.
  public var waitsForDrawings = false
  /// True to end `run()` when somebody closes the window of the engine's first display; false for an application that does more, and
  /// observes the display for `DisplayEvent.closeRequested`.
  public var closesWithDisplay = true
  /// The time of commits before it, at which their animations begin.
  var earliestCommitTime: MonotonicTime?
  /// True to measure how long the threads that make frames have a processor: `FrameRecord.processorTime`, and the time that a busy machine
  /// takes from a frame, `runDelay` and `startDelay`. It costs a system call a turn, and one to three more a frame that takes 0.1 ms or longer;
  /// it allocates nothing; false, the default, costs nothing.
  public var measuresThreads: Bool {
    get { threadMeter != nil }
    set {
      guard newValue != measuresThreads else { return }
      threadMeter = newValue ? ThreadMeter(clock: loop.clock) : nil
      for output in outputs { output.stretch.meter = threadMeter }
    }
  }
  private(set) var threadMeter: ThreadMeter?
  var layerCosts: LayerCosts?
  var recorder: ProfileRecorder?
  /// See `inputRouter`, and who tells it of changed displays.
  var router: InputRouter?
  var screenObservations: [Observation] = []
  var pointerScreens: [PointerScreen] = []
  /// The picture of the pointer that `inputRouter` moves, on displays that show one above their layers; an arrow at first. It is seen from the
  /// first movement of a pointer until a finger touches a screen, or the pointer rests for `pointerHideDelay`. On other displays there is
  /// none: let a layer follow `InputRouter.visiblePointer` there.
  public var pointerPicture = PointerPicture.arrow {
    didSet { showPointer() }
  }
  /// How long a pointer is seen that rests: 3 s at first; nil for ever. The next movement, click or turn of the wheel shows it again. It does not
  /// rest while a button is down.
  public var pointerHideDelay: Nanoseconds? = .seconds(3) {
    didSet { pointerWasUsed() }
  }
  /// Hides a pointer that rests.
  var pointerAlarm: FrameLoop.Alarm?
  var isPointerResting = false
  private var turnMark: ThreadMeter.Mark?
  private var input: MonotonicTime?
  private var drawingWait = DrawingWait.none
  /// Called when layers kept dirtying themselves through all rounds of a commit; the frame was shown all the same. While it is
  /// nil, the first such layer is named on the standard error output.
  public var onUnsettledLayout: (@MainActor (_ layer: Layer) -> Void)?

  package let renderThreads: WorkerPool?
  let makeRenderer: @MainActor () -> any Renderer
  /// Trees of layers, each with the outputs that show it.
  var groups: [OutputGroup] = []
  var observers: [FrameLoop.Observer] = []
  private var turn = Turn.open(since: nil)
  /// The state that other threads may read; nil unless somebody asked for it.
  var trail: EngineTrail?
  private var isFinished = false
  /// The end of the last `run()`, before its recording was written, which takes time in which no frame was wanted; nil before the first.
  package private(set) var ended: MonotonicTime?
  private var hasReportedUnsettledLayout = false

  /// The thread on which an engine composites its frames. The pixels are the same.
  public enum Rendering: Hashable, Sendable {
    /// In the turn that made the frame, before the next one begins.
    case inTurns
    /// On a thread of its own, while the main thread goes on with callbacks, layout and drawing of the next frame. Where a processor is
    /// free for it, work and compositing that fit into an interval each, but not together, give a frame in every interval, an interval
    /// later than promised. Other frames gain nothing.
    case onThread
  }

  /// - Parameters:
  ///   - display: where frames go; the engine adds it to the loop.
  ///   - root: the layer that fills the display; its bounds become the display's size in points, and follow it.
  ///   - scale: pixels a point; nil for the display's.
  ///   - loop: a loop bound to the main thread.
  ///   - workers: draw asynchronous contents and share the compositing of large areas.
  ///   - rendering: the thread on which frames are composited, those of all displays.
  ///   - blending: the light in which colours mix, on all displays.
  public convenience init(
    display: any Display, root: Layer, scale: Double? = nil, loop: FrameLoop = .main, workers: WorkerPool = WorkerPool(),
    rendering: Rendering = .inTurns, blending: Blending = .sRGB
  ) {
    let threads = rendering == .onThread ? WorkerPool(threads: 1) : nil
    self.init(
      display: display, root: root, scale: scale, loop: loop, workers: workers, renderThreads: threads, blending: blending)
  }

  /// - Parameters:
  ///   - renderThreads: composite the frames; nil for none.
  ///   - makeRenderer: makes the renderer of each output; nil for a compositor.
  package init(
    display: any Display, root: Layer, scale: Double?, loop: FrameLoop, workers: WorkerPool, renderThreads: WorkerPool?,
    blending: Blending = .sRGB, makeRenderer: (@MainActor () -> any Renderer)? = nil
  ) {
    self.loop = loop
    let clock = loop.clock
    self.makeRenderer = makeRenderer ?? { Compositor(workers: workers, blending: blending, clock: clock) }
    (self.renderThreads, self.blending) = (renderThreads, blending)
    modes = FrameLoop.ModeStack(of: loop)
    self.workers = workers
    var group = OutputGroup(
      for: display, root: root, scale: scale, loop: loop, workers: workers, renderThreads: renderThreads,
      makeRenderer: self.makeRenderer)
    context = group.context
    output = group.addFirst(display)
    groups = [group]
    context.onNeedsCommit = { [weak self] in self?.needsCommit() }
    loop.addCommonMode(.tracking)
    addObservers()
    Transaction.add(self)
    display.observe { [weak self] event in
      if case .closeRequested = event, let self, closesWithDisplay { finish() }
    }.keep()
    recorder = ProfileRecorder.byEnvironment(self)
    EnvironmentOverlays.show(on: output, of: self)
  }

  /// Lets this turn's commit wait for the drawings that it begins, up to a time by the machine's clock: so that a text changes in the
  /// very frame in which its layer moves. Drawings of low priority are not waited for. What is not finished then appears in a later
  /// frame, as it does without the call. A call after the turn's commit is for the next turn.
  ///
  /// ```swift
  /// label.string = "Arrived"
  /// label.position = there
  /// engine.waitForDrawings(upTo: .milliseconds(4))
  /// ```
  public func waitForDrawings(upTo limit: Nanoseconds) {
    if case .upTo(let longest) = drawingWait, longest > limit { return }
    drawingWait = .upTo(max(limit, .zero))
  }

  /// Tells that this turn handles an input event, such as a touch or a key, so that the figures have the latency from input to vblank.
  ///
  /// The next frame of each display carries it, see `FrameRecord.input`; of several events the earliest counts. An event is in no figure if
  /// no frame is wanted at the end of the turn, or that frame has nothing to paint. Where frames are wanted all the time, as for an
  /// animation, an event counts with the next one, whatever it changed. What it lets workers draw is seen later than that frame.
  ///
  /// ```swift
  /// engine.inputArrived(at: event.time)
  /// button.backgroundColor = .white
  /// ```
  ///
  /// - Parameter time: when the event arrived, by the loop's clock, such as its kernel time stamp by `CLOCK_MONOTONIC`. A time to come
  ///   counts as now.
  public func inputArrived(at time: MonotonicTime) {
    let time = min(time, loop.clock.now)
    input = min(input ?? time, time)
  }

  /// Runs the loop until `finish()`, at once if that was called before. Frames, timers, sources and the main queue are
  /// served.
  public func run() {
    defer {
      isFinished = false
      workers.activeThreadLimit = workers.threadCount
      let end = loop.clock.now
      ended = end
      recorder?.write(endingAt: end)
    }
    while !isFinished {
      // A core is the main thread's while it follows a finger.
      workers.activeThreadLimit = workers.threadCount - (modes.top == .tracking ? 1 : 0)
      // A loop without any source or timer ends at once; the observers alone do not keep it alive.
      if loop.run(mode: modes.top) == .finished { break }
    }
  }

  /// Ends `run()` after the current turn.
  public func finish() {
    isFinished = true
    loop.stop()
  }

  /// Takes the engine off the loop and lets go of its displays and its layers. The layers keep their state: another engine may
  /// show them, on another display.
  public func invalidate() {
    recorder?.finish()
    recorder = nil
    router?.invalidate()
    pointerAlarm?.invalidate()
    (router, screenObservations, pointerScreens, pointerAlarm) = (nil, [], [], nil)
    for observer in observers { observer.invalidate() }
    observers.removeAll()
    for index in groups.indices { groups[index].invalidate() }
    groups.removeAll()
  }

  private func addObservers() {
    let turnBegin = FrameLoop.Observer(
      [.entry, .afterWaiting], order: ObserverOrder.turnBegin,
      .onMain { [weak self] _, _ in
        guard let self else { return }
        let now = loop.clock.now
        turn = .open(since: now)
        turnMark = threadMeter?.markWoken(at: now)
        router?.beginTurn()
        trail?.enter(.callbacks)
      })
    let publish = FrameLoop.Observer(
      [.beforeWaiting, .exit], order: ObserverOrder.publish, evenWhenBusy: true,
      .onMain { [weak self] _, _ in
        guard let self else { return }
        for group in groups { group.context.publishFinishedDrawings() }
      })
    let commit = FrameLoop.Observer(
      [.beforeWaiting, .exit], order: ObserverOrder.commit, evenWhenBusy: true,
      .onMain { [weak self] _, _ in
        self?.commit()
      })
    observers = [turnBegin, publish, commit]
    for observer in observers { loop.add(observer, to: .common) }
  }

  private func commit() {
    var work = TurnWork()
    let now = loop.clock.now
    if case .open(let start?) = turn {
      work.phases[.input] = router?.takeDeliveryTime(at: now) ?? .zero
      work.phases[.callbacks] = now - start - work.phases[.input]
    }
    work.mark = turnMark ?? threadMeter?.mark(at: now)
    work.input = input
    (turn, turnMark, input) = (.committing, nil, nil)
    if let trail {
      let marks = groups.reduce((layouts: 0, displays: 0)) { sum, group in
        let marks = group.context.markCounts
        return (sum.layouts + marks.layouts, sum.displays + marks.displays)
      }
      trail.beginCommit(layouts: marks.layouts, displays: marks.displays)
    }
    for group in groups { commit(group, &work) }
    if let layerCosts { work.layerTimes = layerCosts.takeTurn() }
    drawingWait = .none
    trail?.enter(.rendering)
    render(work)
    for index in groups.indices { groups[index].awaitAnimations() }
    Transaction.endTurn()
    turn = .committed
    trail?.enter(.betweenTurns)
    // Completions and observers may have changed layers since the commit, which did not wake the loop.
    if Transaction.hasDueCompletions || groups.contains(where: \.context.isDirty) { loop.wakeUp() }
  }

  private func render(_ work: TurnWork) {
    var work = work
    let areSeveral = groups.count > 1 || groups.first?.members.count ?? 0 > 1
    var begin: ThreadMeter.Mark?
    for group in groups {
      for member in group.members {
        if let threadMeter, areSeveral {
          // No frame counts what another output's takes. One mark ends that of one and begins that of the next.
          let mark = threadMeter.mark(at: loop.clock.now)
          if let begin { work.mark?.leaveOut(from: begin, to: mark) }
          begin = mark
        }
        member.output.renderIfNeeded(turn: work)
      }
    }
  }

  private func commit(_ group: OutputGroup, _ work: inout TurnWork) {
    let context = group.context
    context.showsCoarsePictures = !waitsForDrawings
    while context.isDirty {
      let committed = context.commit(at: max(loop.clock.now, earliestCommitTime ?? loop.clock.now))
      work.phases[.layout] += committed.layout
      work.phases[.display] += committed.display
      work.dirtyLayers += committed.recordCount
      work.laidOutLayers += committed.layoutCount
      work.drawnLayers += committed.displayCount
      if committed.treeChanged {
        for member in group.members { member.output.setNeedsFrame() }
      }
      if let layer = committed.unsettled {
        reportUnsettledLayout(layer)
        break
      }
      let start = loop.clock.now
      guard waitForDrawings(of: context) else { break }
      work.phases[.wait] += loop.clock.now - start
      context.publishFinishedDrawings(surfaces: false)
    }
  }

  /// Waits for the drawings of a commit if that was asked for. Returns false if there was nothing to wait for.
  private func waitForDrawings(of context: LayerContext) -> Bool {
    if case .upTo(let limit) = drawingWait { drawingWait = .until(SystemClock.monotonic.now + limit) }
    guard context.pendingDrawings > 0 else { return false }
    if waitsForDrawings {
      context.waitForDrawings()
      return true
    }
    guard case .until(let end) = drawingWait else { return false }
    // One wait for all rounds and all displays.
    if !context.waitForNewDrawings(until: end) { drawingWait = .none }
    return true
  }

  private func reportUnsettledLayout(_ layer: Layer) {
    if let onUnsettledLayout { return onUnsettledLayout(layer) }
    guard !hasReportedUnsettledLayout else { return }
    hasReportedUnsettledLayout = true
    let name = layer.name.map { " '\($0)'" } ?? ""
    StandardError.print(
      sentence:
        "framepace: the layer\(name) of type \(type(of: layer)) was dirty again after \(LayerContext.maximumRounds) rounds of a "
        + "commit: it, or one beside it, marks itself in layoutSublayers() or draw(in:)")
  }

  /// Commits before the turn's end, for `Transaction.flush()`.
  package func commitNow() {
    if case .committing = turn { return }
    commit()
  }

  /// A layer became dirty, or a display came. Before this turn's commit nothing need be done: the turn ends in it. After it the
  /// loop is about to sleep, and is woken for another turn.
  package func needsCommit() {
    if case .committed = turn { loop.wakeUp() }
  }
}

extension Engine: TransactionHost {}

/// The part of a turn of the loop in which the engine is.
private enum Turn {
  /// Before the commit; nil where the loop has not woken since the last one.
  case open(since: MonotonicTime?)
  case committing
  case committed
}

/// The wait of a commit for its drawings.
private enum DrawingWait {
  case none
  /// The coming commit waits so long.
  case upTo(Nanoseconds)
  /// The commit under way waits until then.
  case until(MonotonicTime)
}
