public import LinuxSystem
public import Raster
import RenderTree

/// The durations of a commit's phases, and its results.
public struct CommitPhases: Sendable {
  /// The time spent in `layoutSublayers()`.
  public var layout = Nanoseconds.zero
  /// The time spent in `draw(in:)`, in handing drawings to workers, tiles among them, and in writing the tree's records.
  public var display = Nanoseconds.zero
  /// True if a new frame would look different, or if animations began.
  public var treeChanged = false
  /// The number of layers that were laid out.
  public var layoutCount = 0
  /// The number of layers that were displayed.
  public var displayCount = 0
  /// The number of layers whose entry in the tree was made anew.
  public var recordCount = 0
  /// A layer that was dirty again after every round: it dirties itself, or layers dirty each other. Its mark stays for a
  /// later commit, but does not request one.
  public var unsettled: Layer?
}

/// A tree of layers with its dirty lists and its committed state. The engine makes one for each root.
///
/// `commit(at:)` runs once at the end of a turn: layout from the top down, display, and the committed tree. A later change
/// is not visible in `renderTree(at:)` before the next commit.
@MainActor
public final class LayerContext {
  /// The number of times that a commit handles layers that became dirty meanwhile.
  public static let maximumRounds = 8

  public let root: Layer
  /// The pixels of the output per point; above 0. A change redraws the layers without a `contentsScale` of their own.
  public var scale: Double {
    didSet {
      precondition(scale > 0 && scale.isFinite, "LayerContext: scale \(scale) must be above 0")
      if scale != oldValue { scaleChanged() }
      outputSpace = scale == 1 ? nil : SublayerSpace(scale: scale)
    }
  }
  /// The colour of pixels that no layer covers, with alpha multiplied in; black at first. Set it before the first frame.
  package var backdrop: UInt32 = 0xFF00_0000
  /// Called at the first mark since the last commit. The handler may only set a mark or wake the loop.
  public var onNeedsCommit: (@MainActor () -> Void)?
  /// Called if there was no memory for a layer's contents; the old contents stay. While it is nil, a
  /// debug build names the first such layer of its kind on the standard error output.
  public var onDisplayFailure: (@MainActor (Layer, BitmapError) -> Void)?

  /// Called after the layout and the display of each layer, which then take 40 ns longer; nil to measure none.
  package var onLayerWork: (@MainActor (Layer, LayerWork) -> Void)?
  /// Called before the layout and the display of each layer, and after it with nil.
  package var onLayerUnderWay: (@MainActor (_ layer: Layer?, _ isLayout: Bool) -> Void)?

  /// Called with each drawing that is handed to the workers; nil to measure none.
  package var onDrawing: (@MainActor (Layer, DrawingTimes) -> Void)?

  let workers: WorkerPool
  let clock: SystemClock

  /// The space of the root.
  private(set) var outputSpace: SublayerSpace?

  // MARK: Dirty lists

  /// The layers that the next commit handles.
  var marks = DirtyLayers()
  /// The layers whose records a commit makes anew, and the entries of `animated` before it, until the commit is done.
  var handled: [Layer] = []
  var lastAnimated: [(layer: Layer, animations: CommittedAnimations)] = []
  /// The marks that did not settle in the last commit.
  var deferred: [Layer] = []
  private var state = State.dirty

  private enum State {
    case clean
    case dirty
    /// Marks are handled by the commit under way.
    case committing
  }

  // MARK: Animations

  /// The times for which the tree was requested.
  var times = ViewTimes()
  /// The time of the evaluation that asked for a commit to report what begins or ends; nil while other events are the earliest.
  var markedEvaluation: MonotonicTime?
  /// The time of the frame that is written down, as by `framepace dump`: animations that this frame shows are kept, though they are over.
  package var lastFrameTime = MonotonicTime.distantFuture
  /// The layers in the committed tree that have animations, and these.
  var animated: [(layer: Layer, animations: CommittedAnimations)] = []
  /// Those of `animated` that may still change what is shown. The committed tree shows the others already.
  var moving: [CommittedAnimations] = []
  /// The animations of copies of layers, see LayerContext+Copies.
  var copiedAnimations: [CommittedAnimations] = []
  /// See `ReplicatorLayer.maximumTreeSize`.
  var maximumTreeSize = ReplicatorLayer.maximumTreeSize
  /// The earliest beginning and the earliest end of an animation that are still to be reported.
  var earliestStart = MonotonicTime.distantFuture
  var earliestEnd = MonotonicTime.distantFuture
  /// The need of the committed animations, at the time of the last `renderTree(at:)` of the viewer that is furthest behind; after a commit, at
  /// the time of the commit.
  var need = AnimationNeed.nothing
  /// True while an animation is under way, or begins within 0.1 s. Later ones are in `nextBeginning`.
  public var isAnimating: Bool { need == .frames }
  /// The time of the display's clock at which the next animation begins, where all wait for their beginnings.
  public var nextBeginning: MonotonicTime? { if case .wakeUp(let time) = need { time } else { nil } }
  /// How often the moving animations are to be shown, as of the last commit.
  package internal(set) var frameRateRange = FrameRateRange.default
  /// The layer that is drawn at the moment for these values, which are its presentation meanwhile.
  var drawing: (layer: Layer, values: AnimatableValues)?
  /// The removed animations whose end must be reported.
  var removedAnimations: [RunningAnimation] = []
  /// Layers that were removed with animations.
  var leftWithAnimations: [Layer] = []

  // MARK: The committed tree, see SnapshotPool

  var snapshots = SnapshotPool()

  // MARK: Asynchronous display, see LayerContext+Drawings

  var drawings = DrawingGroups()
  var retired = RetiredPictures()
  /// False where each turn waits for its drawings, so that nobody would see what a picture shows meanwhile.
  package var showsCoarsePictures = true
  /// The layers in the tree that show a surface, by their ids.
  var surfaceLayers: [UInt32: SurfaceLayer] = [:]
  /// The layers in the tree that have tiles, in the order in which they came.
  var tiledLayers: [TiledLayer] = []

  /// - Parameters:
  ///   - root: a layer without superlayer and context.
  ///   - workers: the threads that draw the drawings of `makeDrawing()`.
  ///   - scale: the pixels of the output per point.
  ///   - clock: the clock that measures the phases.
  ///   - wake: see `wake`.
  public init(
    root: Layer, workers: WorkerPool, scale: Double = 1, clock: SystemClock = .monotonic,
    wake: (@Sendable () -> Void)? = nil
  ) {
    precondition(root.superlayer == nil, "LayerContext: the root must not have a superlayer")
    precondition(root.context == nil, "LayerContext: the root already is the root of another context")
    precondition(scale > 0 && scale.isFinite, "LayerContext: scale \(scale) must be above 0")
    self.root = root
    self.workers = workers
    self.scale = scale
    outputSpace = scale == 1 ? nil : SublayerSpace(scale: scale)
    self.clock = clock
    drawings.inbox.wake = wake
    enter(root, depth: 0)
  }

  /// Called on any thread when asynchronous drawings are finished. It must wake the loop, so that
  /// `publishFinishedDrawings(surfaces:)` shows them.
  public var wake: (@Sendable () -> Void)? {
    get { drawings.inbox.wake }
    set { drawings.inbox.wake = newValue }
  }

  /// True if there is something to commit.
  public var isDirty: Bool { state != .clean }

  var isCommitting: Bool { state == .committing }

  // MARK: Marks

  func mark() {
    guard state == .clean else { return }
    state = .dirty
    onNeedsCommit?()
  }

  func markLayout(_ layer: Layer) {
    marks.markLayout(layer)
    mark()
  }

  func markDisplay(_ layer: Layer) {
    marks.markDisplay(layer)
    mark()
  }

  func markRecord(_ layer: Layer) {
    marks.markRecord(layer)
    mark()
  }

  func markClocks() {
    marks.areClocksMarked = true
    mark()
  }

  func markStructure() {
    marks.isStructureMarked = true
    mark()
  }

  // MARK: Coming and going

  /// Enters a layer and all layers below it into the tree, or changes their depth.
  func enter(_ layer: Layer, depth: Int) {
    // It may be in the list of another depth.
    if layer.depth != depth { layer.isLayoutMarked = false }
    layer.depth = depth
    if layer.context !== self {
      layer.context = self
      // An earlier context that is gone may have left these marks.
      layer.isRecordMarked = false
      layer.isDisplayMarked = false
      layer.isLayoutMarked = false
      layer.isCommitted = false
      layer.committedAnimations = nil
      // A stack rounds to pixels, which may be others here.
      if layer.layoutManager != nil { layer.needsLayout = true }
      layer.entered(self)
    }
    if layer.needsLayout { layer.markLayout() }
    if layer.needsDisplay { layer.markDisplay() }
    if let mask = layer.storedMask { enter(mask, depth: depth + 1) }
    for inner in layer.innerLayers { enter(inner, depth: depth + 1) }
    for sublayer in layer.sublayers { enter(sublayer, depth: depth + 1) }
    markStructure()
  }

  /// Removes a layer and all layers below it from the tree. Their entries in the lists are skipped.
  func leave(_ layer: Layer) {
    layer.context = nil
    layer.left(self)
    if layer.asynchronous.isDrawing {
      layer.asynchronous.cancel()
      layer.needsDisplay = true
    }
    if layer.drawnMeasures != nil, let picture = layer.values.image { retired.append(picture) }
    if !layer.animations.isEmpty { leftWithAnimations.append(layer) }
    if let mask = layer.storedMask { leave(mask) }
    for inner in layer.innerLayers { leave(inner) }
    for sublayer in layer.sublayers { leave(sublayer) }
    markStructure()
  }

  /// Releases the layers, which can then enter another context. They keep their state and their animations; contents that
  /// are still being drawn are drawn again there. The ends of animations that were removed before are reported; those of layers
  /// that were removed end with the turn, unless their layer is in another tree by then.
  public func invalidate() {
    onNeedsCommit = nil
    drawings.inbox.wake = nil
    drawings.removeAll()
    for layer in leftWithAnimations where layer.context == nil { Transaction.animatesOutside(layer) }
    if root.context === self { leave(root) }
    leftWithAnimations.removeAll()
    let old = animated
    animated = []
    withExtendedLifetime(old) {}
    let removed = removedAnimations
    removedAnimations.removeAll()
    RunningAnimation.reportEnds(removed.map { ($0, false) })
  }

  private func scaleChanged() {
    func redisplay(_ layer: Layer) {
      // A stack rounds to pixels.
      if layer.layoutManager != nil { layer.setNeedsLayout() }
      if layer.drawsContents && layer.contentsScale == nil { layer.setNeedsDisplay() }
      if let mask = layer.storedMask { redisplay(mask) }
      for sublayer in layer.sublayers { redisplay(sublayer) }
    }
    redisplay(root)
    root.markRecord()
  }

  // MARK: Commit

  /// Brings everything up to date: it reports animations that have ended, lays out and draws until nothing is dirty, and
  /// makes the committed tree.
  ///
  /// - Parameter now: the begin time of the animations that are new in this commit.
  public func commit(at now: MonotonicTime) -> CommitPhases {
    precondition(!isCommitting, "LayerContext: commit(at:) inside a commit")
    state = .committing
    let shown = times.commit(at: now)
    endAnimations(at: shown)
    times.forgetRequests()
    var phases = CommitPhases()
    drawings.open()
    update(&phases)
    let drawn = clock.now
    if marks.areClocksMarked {
      marks.areClocksMarked = false
      // The clock of a layer moves all that is below it.
      for (layer, _) in animated where layer.context === self { layer.markAnimations() }
    }
    phases.treeChanged = commitTree(at: now, &phases)
    if !tiledLayers.isEmpty { commitTiles(at: now, &phases) }
    for group in drawings.takeCollected() { group.close() }
    phases.display += clock.now - drawn
    state = .clean
    letGo()
    if owesEnds || hasMarks { mark() }
    // After the commit: changes that are made there belong to the next one.
    reportStarts(at: shown)
    return phases
  }

  /// Lets go of what the commit has handled. Where a layer dies with it, an application's code may run, and use the context.
  private func letGo() {
    var layers = exchange(&handled, with: [])
    var entries = exchange(&lastAnimated, with: [])
    layers.removeAll(keepingCapacity: true)
    entries.removeAll(keepingCapacity: true)
    // Their memory is for the next commit.
    (handled, lastAnimated) = (layers, entries)
  }
}
