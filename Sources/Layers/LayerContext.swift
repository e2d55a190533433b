public import LinuxSystem
public import Raster
import RenderTree

/// How long the phases of a commit took and what came of it.
public struct CommitPhases: Sendable {
  /// In `layoutSublayers()`.
  public var layout = Nanoseconds.zero
  /// In `draw(in:)`, and in handing drawings to the workers.
  public var display = Nanoseconds.zero
  /// Whether a new frame would look different, or animations have begun.
  public var treeChanged = false
  /// How many layers were laid out.
  public var layoutCount = 0
  /// How many layers were displayed.
  public var displayCount = 0
  /// A layer that was dirty again after every round: it dirties itself, or others do it in turn. Its mark stays for a later
  /// commit, but does not ask for one.
  public var unsettled: Layer?
}

/// A tree of layers with the lists of what is dirty in it, and what was committed of it.
///
/// `commit(at:)` brings it up to date, once at the end of a turn: layout from the top down, display, and the committed
/// tree. What is changed afterwards is not seen in `renderTree(at:)` until the next commit.
@MainActor
public final class LayerContext {
  /// How often a commit goes through what was dirtied meanwhile.
  public static let maximumRounds = 8

  public let root: Layer
  /// Pixels of the output per point; above 0. Layers without a `contentsScale` of their own are drawn again when it changes.
  public var scale: Double {
    didSet {
      precondition(scale > 0 && scale.isFinite, "LayerContext: scale \(scale) must be above 0")
      if scale != oldValue { scaleChanged() }
    }
  }
  /// Called at the first mark since the last commit. Only marks and a wake-up belong into it.
  public var onNeedsCommit: (@MainActor () -> Void)?
  /// Called when there was no memory for a layer's contents; the old ones stay.
  public var onDisplayFailure: (@MainActor (Layer, BitmapError) -> Void)?

  let workers: WorkerPool
  let clock: SystemClock

  // MARK: Dirty lists

  /// By depth below the root.
  var layoutMarks: [[Layer]] = []
  var layoutMarkCount = 0
  var displayMarks: [Layer] = []
  var recordMarks: [Layer] = []
  var isStructureMarked = true
  /// Marks that did not settle in the last commit.
  var deferred: [Layer] = []
  private var isMarked = true
  private(set) var isCommitting = false

  // MARK: Animations

  /// Of `renderTree(at:)`, nil before the first.
  var lastEvaluation: MonotonicTime?
  /// Who shows the tree.
  var viewers: [TreeViewer] = []
  /// The last time since the last commit for which the tree was asked for by nobody of them.
  var ownViewTime: MonotonicTime?
  var lastCommit = MonotonicTime.zero
  /// Of the layers in the committed tree.
  var animated: [CommittedAnimations] = []
  /// Whether layers are among them that no longer have any.
  var hasEmptyAnimations = false
  /// When the next animation is over.
  var earliestEnd = MonotonicTime.distantFuture
  /// Whether an animation is not over: at the time of the last `renderTree(at:)`, that of the viewer furthest behind, and after
  /// a commit at that of the commit.
  public internal(set) var isAnimating = false
  /// Animations that were removed, to be reported.
  var removedAnimations: [RunningAnimation] = []
  /// Layers that were taken out with animations on them.
  var leftWithAnimations: [Layer] = []

  // MARK: The committed tree, see SnapshotPool

  var snapshots = SnapshotPool()

  /// How many copies of the tree are kept, for tests.
  var snapshotCount: Int { snapshots.count }

  // MARK: Asynchronous display, see LayerContext+Drawings

  let inbox = DrawingInbox()
  var groups: [DrawingGroup] = []
  /// Whether drawings are being gathered into a group, and the group once there is one.
  var isGroupOpen = false
  var openGroup: DrawingGroup?
  var lastGroupNumber: UInt64 = 0

  /// - Parameters:
  ///   - root: a layer without superlayer and context.
  ///   - workers: draw what `makeDrawing()` gives.
  ///   - scale: pixels of the output per point.
  ///   - clock: measures the phases.
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
    self.clock = clock
    inbox.wake = wake
    enter(root, depth: 0)
  }

  /// Called, on any thread, when asynchronous drawings have been finished: has the loop turn, so that
  /// `publishFinishedDrawings()` shows them.
  public var wake: (@Sendable () -> Void)? {
    get { inbox.wake }
    set { inbox.wake = newValue }
  }

  /// Whether there is something to commit.
  public var isDirty: Bool { isMarked }

  /// The time that what is shown belongs to, as far as is known here.
  var currentTime: MonotonicTime { lastEvaluation ?? lastCommit }

  // MARK: Marks

  func mark() {
    guard !isMarked else { return }
    isMarked = true
    onNeedsCommit?()
  }

  func markLayout(_ layer: Layer) {
    while layoutMarks.count <= layer.depth { layoutMarks.append([]) }
    layoutMarks[layer.depth].append(layer)
    layoutMarkCount += 1
    layer.layoutMarkDepth = layer.depth
    mark()
  }

  func markDisplay(_ layer: Layer) {
    displayMarks.append(layer)
    layer.isDisplayMarked = true
    mark()
  }

  func markRecord(_ layer: Layer) {
    recordMarks.append(layer)
    layer.isRecordMarked = true
    mark()
  }

  func markStructure() {
    isStructureMarked = true
    mark()
  }

  // MARK: Coming and going

  /// A layer with all below it is in the tree, or has another depth there.
  func enter(_ layer: Layer, depth: Int) {
    layer.depth = depth
    if layer.context !== self {
      layer.context = self
      // What another context that is gone may have left.
      layer.isRecordMarked = false
      layer.isDisplayMarked = false
      layer.layoutMarkDepth = -1
      layer.isCommitted = false
      layer.committedAnimations = nil
    }
    if layer.needsLayout { layer.setNeedsLayout() }
    if layer.needsDisplay { layer.markDisplay() }
    for sublayer in layer.sublayers { enter(sublayer, depth: depth + 1) }
    markStructure()
  }

  /// A layer with all below it is no longer in the tree. Its entries in the lists are passed over.
  func leave(_ layer: Layer) {
    layer.context = nil
    if layer.asynchronous.isDrawing {
      layer.asynchronous.cancel()
      layer.needsDisplay = true
    }
    if !layer.animations.isEmpty { leftWithAnimations.append(layer) }
    for sublayer in layer.sublayers { leave(sublayer) }
    markStructure()
  }

  /// Lets go of the layers, which can then get another context. They keep what they are, their animations too; contents
  /// that are being drawn are drawn anew there.
  public func invalidate() {
    onNeedsCommit = nil
    inbox.wake = nil
    detach(root)
    groups.removeAll()
  }

  private func detach(_ layer: Layer) {
    guard layer.context === self else { return }
    layer.context = nil
    if layer.asynchronous.isDrawing {
      layer.asynchronous.cancel()
      layer.needsDisplay = true
    }
    for sublayer in layer.sublayers { detach(sublayer) }
  }

  private func scaleChanged() {
    func redisplay(_ layer: Layer) {
      if layer.drawnSize != nil && layer.contentsScale == nil { layer.setNeedsDisplay() }
      for sublayer in layer.sublayers { redisplay(sublayer) }
    }
    redisplay(root)
    root.markRecord()
  }

  // MARK: Commit

  /// Brings everything up to date: reports animations that are over, lays out and draws until nothing is dirty, and makes
  /// the committed tree of it.
  ///
  /// - Parameter now: when the animations begin that this commit is the first to see.
  public func commit(at now: MonotonicTime) -> CommitPhases {
    precondition(!isCommitting, "LayerContext: commit(at:) inside a commit")
    isCommitting = true
    isMarked = true
    lastCommit = now
    endAnimations(at: max(now, shownTime))
    forgetViewTimes()
    var phases = CommitPhases()
    update(&phases)
    phases.treeChanged = commitTree(at: now)
    isCommitting = false
    isMarked = false
    return phases
  }
}
