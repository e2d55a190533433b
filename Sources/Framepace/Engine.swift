import FrameTiming
public import Layers
public import LinuxSystem
public import Presentation
public import RunLoops

/// Loop, layers and outputs, wired: what turns dirty marks into frames.
///
/// ```swift
/// let display = try Displays.automatic(width: 1280, height: 720, refreshRate: .hertz60)
/// let engine = Engine(display: display, root: root)
/// engine.run()
/// ```
///
/// Nothing is laid out, drawn or presented before the end of a turn, whoever changed a layer and however often. When
/// nothing changes and nothing animates, the engine does not wake at all.
@MainActor
public final class Engine {
  public let loop: FrameLoop
  /// The layers that the engine commits.
  public let context: LayerContext
  public let output: Output
  public let workers: WorkerPool
  /// Memory for what lives no longer than a turn: drained at each one's end, after the frame.
  public let frameMemory = FrameLoop.FrameMemory()
  /// Whether a turn waits for the drawings it began and shows them in its own frame. For rendering to files, where every
  /// frame must hold all that belongs to it; a screen would miss vblanks.
  public var waitsForDrawings = false
  /// Called when layers kept dirtying themselves through all rounds of a commit; the frame was shown all the same. Without it
  /// the first such layer is named on the standard error output.
  public var onUnsettledLayout: (@MainActor (_ layer: Layer) -> Void)?

  private var observers: [FrameLoop.Observer] = []
  private var turn = TurnClock()
  private var isFinished = false
  private var hasReportedUnsettledLayout = false

  /// - Parameters:
  ///   - display: where frames go; the engine adds it to the loop.
  ///   - root: the layer that fills the display; its bounds become the display's size in points, and follow it.
  ///   - scale: pixels a point.
  ///   - loop: a loop bound to the main thread.
  ///   - workers: draw asynchronous contents and share the compositing of large areas.
  public init(
    display: any Display, root: Layer, scale: Double = 1, loop: FrameLoop = .main, workers: WorkerPool = WorkerPool()
  ) {
    self.loop = loop
    self.workers = workers
    let context = LayerContext(root: root, workers: workers, scale: scale, clock: loop.clock, wake: { loop.wakeUp() })
    self.context = context
    let content = Output.Content(tree: { context.renderTree(at: $0) }, isAnimating: { context.isAnimating })
    output = Output(display: display, content: content, clock: loop.clock, workers: workers)

    fitRoot()
    output.onResize = { [weak self] in self?.fitRoot() }
    context.onNeedsCommit = { [weak self] in self?.needsCommit() }
    display.add(to: loop, mode: .common)
    output.displayLink?.add(to: loop, mode: .common)
    frameMemory.add(to: loop, mode: .common)
    addObservers()
  }

  /// Runs the loop until `finish()`, at once if that was called before. Frames, timers, sources and the main queue are
  /// served.
  public func run() {
    defer { isFinished = false }
    while !isFinished {
      // A loop without any source or timer ends at once; the observers alone do not keep it alive.
      if loop.run(mode: .default) == .finished { break }
    }
  }

  /// Ends `run()` after the current turn.
  public func finish() {
    isFinished = true
    loop.stop()
  }

  /// Takes the engine off the loop and lets go of its display and its layers. The layers keep their state: another engine may
  /// show them, on another display.
  public func invalidate() {
    for observer in observers { observer.invalidate() }
    observers.removeAll()
    frameMemory.invalidate()
    context.invalidate()
    output.invalidate()
    output.display.invalidate()
  }

  /// The root layer fills the display.
  private func fitRoot() {
    let (root, presenter, scale) = (context.root, output.display.presenter, context.scale)
    Transaction.withoutActions {
      root.bounds = Rect(
        x: 0, y: 0, width: Double(presenter.width) / scale, height: Double(presenter.height) / scale)
      root.anchorPoint = .zero
      root.position = .zero
    }
  }

  private func addObservers() {
    let turnBegin = FrameLoop.Observer(
      [.entry, .afterWaiting], order: .min,
      onMain: { [weak self] _, _ in
        guard let self else { return }
        turn.begin(at: loop.clock.now)
      })
    let publish = FrameLoop.Observer(
      [.beforeWaiting, .exit], order: ObserverOrder.publish, evenWhenBusy: true,
      onMain: { [weak self] _, _ in
        self?.context.publishFinishedDrawings()
      })
    let commit = FrameLoop.Observer(
      [.beforeWaiting, .exit], order: ObserverOrder.commit, evenWhenBusy: true,
      onMain: { [weak self] _, _ in
        self?.commit()
      })
    observers = [turnBegin, publish, commit]
    for observer in observers { loop.add(observer, to: .common) }
  }

  private func commit() {
    turn.beginCommit(at: loop.clock.now)
    var phases = FrameRecord.PhaseDurations()
    phases[.callbacks] = turn.callbacks
    while context.isDirty {
      let committed = context.commit(at: loop.clock.now)
      phases[.layout] += committed.layout
      phases[.display] += committed.display
      if committed.treeChanged { output.setNeedsFrame() }
      if let layer = committed.unsettled {
        reportUnsettledLayout(layer)
        break
      }
      guard waitsForDrawings, context.pendingDrawings > 0 else { break }
      context.waitForDrawings()
      context.publishFinishedDrawings()
    }
    output.renderIfNeeded(turn: phases)
    Transaction.endTurn()
    turn.endCommit()
    // What completions and the output's callbacks changed: marks made since the commit have woken nobody.
    if context.isDirty { loop.wakeUp() }
  }

  private func reportUnsettledLayout(_ layer: Layer) {
    if let onUnsettledLayout { return onUnsettledLayout(layer) }
    guard !hasReportedUnsettledLayout else { return }
    hasReportedUnsettledLayout = true
    let name = layer.name.map { " '\($0)'" } ?? ""
    StandardError.print(
      "framepace: the layer\(name) of type \(type(of: layer)) was dirty again after \(LayerContext.maximumRounds) rounds of a "
        + "commit: it, or one beside it, marks itself in layoutSublayers() or draw(in:)")
  }

  /// A layer became dirty. Before this turn's commit nothing need be done: the turn ends in it. After it the loop is about
  /// to sleep, and is told to turn once more.
  private func needsCommit() {
    if turn.isCommitted { loop.wakeUp() }
  }
}
