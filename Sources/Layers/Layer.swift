public import Geometry
public import Raster

/// A rectangle with a background and contents, and further layers in it: what CALayer is in Core Animation.
///
/// Changing a layer marks it and does nothing else; layout, drawing and a new render tree follow in the commit at the end
/// of the turn. A change of an animatable property of a layer that has been committed before begins an animation by
/// itself, unless the transaction has actions disabled.
///
/// Coordinates are in points, x to the right and y down. Sublayers lie in their superlayer's coordinates, above its
/// contents, ordered by `zPosition` and then by their order in `sublayers`. What is not finite hides a layer.
@MainActor
open class Layer {
  // MARK: Stored properties of the model

  /// Use the properties below: they mark what changes.
  var values = AnimatableValues()
  private var storedContents: Image?
  private var storedGravity = ContentsGravity.resize
  private var storedScale: Double?
  private var storedFlags: Flags = []
  private var storedZPosition = 0.0

  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let hidden = Flags(rawValue: 1)
    static let masksToBounds = Flags(rawValue: 2)
  }

  /// For the application; framepace names the layer by it in messages.
  public var name: String?
  public weak var delegate: (any LayerDelegate)?
  /// What changes begin by themselves, where the delegate does not say: asked before `defaultAction(forKey:)`.
  public var actions: [AnimatableProperty: LayerAction]?

  // MARK: The tree, see Layer+Tree

  public internal(set) weak var superlayer: Layer?
  /// In the order in which they were added; back to front where their `zPosition` is the same.
  public internal(set) var sublayers: [Layer] = []

  // MARK: What the passes keep, see LayerContext

  /// The same in every render tree; never 0.
  let id: UInt32
  weak var context: LayerContext?
  /// How far below the root, while in a context.
  var depth = 0
  /// Whether a tree with this layer in it has been committed, so that changes of it can be seen as changes.
  var isCommitted = false
  /// Where its record is in the committed tree.
  var recordIndex = 0
  /// In which of the context's lists it is.
  var isRecordMarked = false
  var isDisplayMarked = false
  /// The depth for which it is in the layout lists, −1 when it is in none.
  var layoutMarkDepth = -1

  public internal(set) var needsLayout = false
  public internal(set) var needsDisplay = false
  /// Whether a change of `bounds`, of its size or its origin, asks for new contents by `setNeedsDisplay()`.
  public var needsDisplayOnBoundsChange = false
  /// Whether contents drawn asynchronously appear as soon as they are there, instead of together with all others that
  /// were begun in the same commit.
  public var publishesDrawingsAlone = false
  /// The size in points for which `contents` were drawn; nil when they were set.
  var drawnSize: Size?
  /// Pixels per point in contents that were drawn.
  var drawnScale = 1.0
  var asynchronous = AsynchronousDisplay()

  // MARK: Animations, see Layer+Animation

  var animations: [RunningAnimation] = []
  /// Since the last commit.
  var areAnimationsChanged = false
  /// What the committed tree knows of them.
  var committedAnimations: CommittedAnimations?

  private static var lastID: UInt32 = 0

  /// An empty layer, without size, at the origin.
  public init() {
    Self.lastID &+= 1
    if Self.lastID == 0 { Self.lastID = 1 }
    id = Self.lastID
  }

  /// A layer that fills `frame`.
  public convenience init(frame: Rect) {
    self.init()
    self.frame = frame
  }

  deinit {
    asynchronous.cancel()
  }

  // MARK: Overridden by kinds of layers

  /// Gives the sublayers their places; called before the sublayers' own. By default the delegate does it.
  open func layoutSublayers() {
    delegate?.layoutSublayers(of: self)
  }

  /// Draws the contents in the layer's coordinates: the rectangle `bounds` is what is seen. By default the delegate does
  /// it. Called only where `makeDrawing()` gives nil.
  open func draw(in context: DrawingContext) {
    delegate?.draw(self, in: context)
  }

  /// A picture of the contents as they are to be now, drawn by worker threads while the old contents stay; nil, the
  /// default, to be drawn at once by `draw(in:)`. It is drawn in the layer's coordinates.
  open func makeDrawing() -> (any Drawing)? { nil }

  /// What a change of the property begins by itself where neither delegate nor `actions` say: `implicit`.
  open class func defaultAction(forKey property: AnimatableProperty) -> LayerAction { .implicit }
}

// MARK: - Properties

extension Layer {
  /// The layer's rectangle in its own coordinates: what is seen of it, and where its sublayers lie. Animatable.
  public var bounds: Rect {
    get { values.bounds }
    set {
      let old = values.bounds
      guard newValue != old else { return }
      change(.bounds) { $0.bounds = newValue }
      boundsChanged(from: old)
    }
  }

  /// Where the anchor point lies in the superlayer's coordinates. Animatable.
  public var position: Point {
    get { values.position }
    set {
      guard newValue != values.position else { return }
      change(.position) { $0.position = newValue }
    }
  }

  /// The point of `bounds` that `position` places and `transform` turns around: (0, 0) is the top left corner, (1, 1) the
  /// bottom right one. (0.5, 0.5) at first.
  public var anchorPoint: Point {
    get { values.anchorPoint }
    set {
      guard newValue != values.anchorPoint else { return }
      values.anchorPoint = newValue
      markRecord()
    }
  }

  /// Applied around the anchor point. Animatable, taken apart into movement, turn, skew and scale: a turn goes the short way.
  public var transform: Affine {
    get { values.transform }
    set {
      guard newValue != values.transform else { return }
      change(.transform) { $0.transform = newValue }
    }
  }

  /// The turn in `transform`, in radians from −π to π, clockwise. Setting it keeps movement, skew and scale.
  public var rotation: Double {
    get { values.rotation }
    set { transform = values.transform.withRotation(newValue) }
  }

  /// The smallest upright rectangle around the layer in its superlayer's coordinates; setting it sets the size of `bounds`
  /// and `position`, see `AnimatableValues.frame`.
  public var frame: Rect {
    get { values.frame }
    set {
      var changed = values
      changed.frame = newValue
      bounds = changed.bounds
      position = changed.position
    }
  }

  /// Of the layer with all its sublayers as one group, 0…1; what is beyond counts as the nearest of these. Animatable.
  public var opacity: Double {
    get { values.opacity }
    set {
      guard newValue != values.opacity else { return }
      change(.opacity) { $0.opacity = newValue }
    }
  }

  /// Fills `bounds`, behind the contents. Animatable.
  public var backgroundColor: Color? {
    get { values.backgroundColor }
    set {
      guard newValue != values.backgroundColor else { return }
      change(.backgroundColor) { $0.backgroundColor = newValue }
    }
  }

  /// Of the background, and with `masksToBounds` of the clip: from 0 to half the shorter side. Animatable.
  public var cornerRadius: Double {
    get { values.cornerRadius }
    set {
      guard newValue != values.cornerRadius else { return }
      change(.cornerRadius) { $0.cornerRadius = newValue }
    }
  }

  /// The picture in the layer. Set here, it takes the place of what was drawn, also of what is still being drawn.
  public var contents: Image? {
    get { storedContents }
    set {
      asynchronous.cancel()
      setContents(newValue, drawnSize: nil, scale: 1)
    }
  }

  /// Where the contents lie. `resize` at first.
  public var contentsGravity: ContentsGravity {
    get { storedGravity }
    set {
      guard newValue != storedGravity else { return }
      storedGravity = newValue
      markRecord()
    }
  }

  /// Pixels per point in the contents, above 0. Nil, at first: 1 for contents that are set, and for what the layer draws
  /// the context's `scale`, so that it is as fine as the display.
  public var contentsScale: Double? {
    get { storedScale }
    set {
      precondition(newValue.map { $0 > 0 && $0.isFinite } ?? true, "Layer: the contents scale must be above 0")
      guard newValue != storedScale else { return }
      storedScale = newValue
      markRecord()
    }
  }

  /// Whether neither the layer nor its sublayers are shown.
  public var isHidden: Bool {
    get { storedFlags.contains(.hidden) }
    set { setFlag(.hidden, newValue) }
  }

  /// Whether sublayers are clipped to `bounds` with its corner radius.
  public var masksToBounds: Bool {
    get { storedFlags.contains(.masksToBounds) }
    set { setFlag(.masksToBounds, newValue) }
  }

  /// Siblings with a higher one lie above; those with the same one in the order of `sublayers`. 0 at first.
  public var zPosition: Double {
    get { storedZPosition }
    set {
      guard newValue != storedZPosition else { return }
      storedZPosition = newValue
      context?.markStructure()
    }
  }

  private func setFlag(_ flag: Flags, _ isOn: Bool) {
    guard storedFlags.contains(flag) != isOn else { return }
    storedFlags.formSymmetricDifference(flag)
    markRecord()
  }

  func setContents(_ image: Image?, drawnSize: Size?, scale: Double) {
    self.drawnSize = drawnSize
    drawnScale = scale
    guard image !== storedContents else { return }
    storedContents = image
    markRecord()
  }

  private func boundsChanged(from old: Rect) {
    if bounds.size != old.size { setNeedsLayout() }
    if needsDisplayOnBoundsChange {
      setNeedsDisplay()
    } else if needsDisplay {
      // Asked for while there was no size to draw.
      markDisplay()
    }
  }

  @inline(__always)
  private func change(_ property: AnimatableProperty, _ body: (inout AnimatableValues) -> Void) {
    guard isCommitted, !Transaction.disablesActions, let context else {
      body(&values)
      markRecord()
      return
    }
    let shown = presentation(at: context.currentTime)[property]
    body(&values)
    markRecord()
    runAction(for: property, from: shown)
  }
}
