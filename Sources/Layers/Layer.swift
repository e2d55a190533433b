public import Geometry
public import Raster
import RenderTree

/// A rectangle with a background and contents, and further layers in it, as CALayer is in Core Animation.
///
/// Changing a layer marks it and does nothing else; layout, drawing and a new render tree follow in the commit at the end
/// of the turn. A change of an animatable property of a layer that has been committed before begins an animation by
/// itself, unless the transaction has actions disabled.
///
/// ```swift
/// let card = Layer(frame: Rect(x: 20, y: 20, width: 120, height: 80))
/// card.backgroundColor = Color(hex: 0x1E90FF)
/// card.cornerRadius = 12
/// engine.root.addSublayer(card)
/// ```
///
/// Coordinates are in points, x to the right and y down. Sublayers lie in their superlayer's coordinates, above its
/// contents, ordered by `zPosition` and then by their order in `sublayers`. A value that is not finite hides the layer.
@MainActor
open class Layer {
  // MARK: Stored properties of the model

  // Unchecked, as `sublayers` is: commits, hit tests and each property read them, and no change of them runs an application's code.
  /// The layer's own values. Its properties change them, and mark the layer then; a hit test shows others in their place.
  @exclusivity(unchecked) var values = AnimatableValues()
  private(set) var flags: RenderRecord.Flags = []

  /// The place of the contents where they lie in the bounds. `resize` at first.
  public var contentsGravity = ContentsGravity.resize {
    didSet { if contentsGravity != oldValue { markRecord() } }
  }
  // Small values follow each other, so that they take less memory.
  /// See `isGeometryFlipped`.
  var isFlipped = false
  /// True if an odd number of the layers above is flipped. Known once committed.
  var isPlacedFlipped = false
  /// True if the last commit placed the sublayers by more than their own values.
  var placedSublayers = false
  /// False if the clocks of the layer and of all above it go as the display's, see `updateClocks()`.
  var hasClock = false
  /// See RareSettings; nil until one of them is set.
  var rareSettings: RareSettings?

  // MARK: The tree, see Layer+Tree

  // Unchecked for the same reason as `values`.
  @exclusivity(unchecked) public internal(set) weak var superlayer: Layer? {
    didSet {
      hitBoxIndex = -1
      updateClocks()
    }
  }
  /// In the order in which they were added; back to front where their `zPosition` is the same.
  @exclusivity(unchecked) public internal(set) var sublayers: [Layer] = []

  /// See `mask`.
  var storedMask: Layer?

  // MARK: State of the passes, see LayerContext

  weak var context: LayerContext?
  /// The number of layers above it, while in a context.
  var depth = 0
  /// The index of its record in the committed tree.
  var recordIndex = 0
  /// Identifies the layer, with the same number in every render tree; never 0.
  package let id: UInt32
  /// True once a tree with this layer in it has been committed: later changes are seen as changes.
  var isCommitted = false
  /// True while the layer is in one of the context's lists.
  var isRecordMarked = false
  var isDisplayMarked = false
  var isLayoutMarked = false
  /// True while animations came or went since the last commit.
  var areAnimationsChanged = false
  /// True if a sublayer may have a `zPosition` other than 0.
  var ordersSublayers = false

  public internal(set) var needsLayout = false
  public package(set) var needsDisplay = false
  /// True if a change of `bounds`, of its size or its origin, asks for new contents by `setNeedsDisplay()`.
  public var needsDisplayOnBoundsChange = false
  /// True if contents drawn asynchronously appear as soon as they are there, instead of together with all others of the same
  /// `drawingPriority` that were begun in the same commit.
  public var publishesDrawingsAlone = false
  /// How soon workers take a drawing of the layer. `normal` at first. A change requests the drawing anew if it still waits.
  public var drawingPriority = DrawingPriority.normal {
    didSet { if drawingPriority != oldValue, asynchronous.isWaiting { setNeedsDisplay() } }
  }
  /// True if the layer promises that its contents let nothing behind them be seen. What it draws itself begins as opaque black
  /// then, which keeps the promise. False at first.
  public var isOpaque = false {
    didSet { if isOpaque != oldValue, drawsContents { setNeedsDisplay() } }
  }
  /// The measures of `contents` that were drawn; nil when they were set.
  package private(set) var drawnMeasures: DrawnMeasures?
  /// False to let hit tests, and with them touches and gestures, find neither the layer nor anything in it. True at first.
  public var isInteractionEnabled = true
  /// True for a `TransformLayer`, and a `ReplicatorLayer` that preserves depth.
  var isSpace = false
  /// True for a `ReplicatorLayer`.
  var isReplicator = false
  /// True if the last commit made copies of the layer, or of its sublayers.
  var isReplicated = false
  /// True for one of the superlayer's `innerLayers`, which lie where its contents do: nothing that moves its sublayers moves them.
  var isTile = false
  /// The index of its box in the superlayer's `hitBoxes`; below 0 while that is not known there.
  var hitBoxIndex: Int32 = -1
  var asynchronous = AsynchronousDisplay.idle
  /// True if its contents were drawn, or are being drawn for the first time.
  var drawsContents: Bool { drawnMeasures != nil || asynchronous.isDrawing }
  /// The effects of the last record, which later ones share while nothing in them changes.
  var recordEffects: RenderEffects?

  // MARK: Animations, see Layer+Animation

  @exclusivity(unchecked) var animations = LayerAnimations()  // For the same reason as `values`.
  /// The animations as the committed tree has them; nil without any.
  var committedAnimations: CommittedAnimations?

  private static var lastID: UInt32 = 0

  /// An empty layer, without size, at the origin.
  public init() {
    id = Self.makeID()
  }

  /// A number that no layer and no copy of one has had.
  static func makeID() -> UInt32 {
    lastID = lastID == .max ? 1 : lastID + 1
    return lastID
  }

  /// A layer that fills `frame`.
  public convenience init(frame: Rect) {
    self.init()
    self.frame = frame
  }

  deinit { asynchronous.cancel() }

  // MARK: Overridden by kinds of layers

  /// Gives the sublayers their places; called before the sublayers' own. By default `layoutManager` does it, or the delegate
  /// where there is none.
  open func layoutSublayers() { layOutByOthers() }

  /// The size that the layer would like to have, for those who lay it out: by default its manager's answer, or that of `bounds`
  /// before a stack set another. A kind whose content has a size of its own calls `preferredSizeChanged()` where that changes.
  open var preferredSize: Size { layoutManager?.preferredSize(of: self) ?? ownSize }

  /// The size that the layer would like to have where a layout offers these sides: a width not greater than the proposed one where
  /// the content allows it, and the height that the content has in the
  /// proposed width. A stack that is offered a height answers with it. By default its manager's answer, or `preferredSize`. A kind
  /// whose content wraps overrides it. It is called several times in a layout and must not change layers.
  open func size(fitting proposal: SizeProposal) -> Size {
    layoutManager?.size(of: self, fitting: proposal) ?? preferredSize
  }

  /// Draws the contents in the layer's coordinates: the rectangle `bounds` is seen. By default the delegate does it. Called
  /// only where `makeDrawing()` gives nil.
  open func draw(in context: DrawingContext) {
    delegate?.draw(self, in: context)
  }

  /// A picture of the contents for the layer's present state, drawn by worker threads while the old contents stay; nil, the
  /// default, to be drawn at once by `draw(in:)`. It is drawn in the layer's coordinates.
  open func makeDrawing() -> (any Drawing)? { nil }

  /// True if a hit test finds the layer at this point of its own coordinates: by default inside of `bounds`, whose right and
  /// bottom edges are outside. A kind with another outline, or one that is to be touched beside its picture, overrides it.
  open func contains(_ point: Point) -> Bool { bounds.contains(point) }

  /// The action that a change of the property begins by itself where neither the delegate nor `actions` nor `style` says. Nil, as
  /// by default, leaves it to `action(forKey:)`.
  open class func defaultAction(forKey property: AnimatableProperty) -> LayerAction? { nil }

  /// True for a property, added by a kind of layer, from which it draws itself: the layer is drawn anew when the property changes,
  /// and for each frame in which an animation shows another value of it. See `AnimatableKey`.
  open class func needsDisplay(forKey property: AnimatableProperty) -> Bool { false }

  /// The content that a layer of this kind shows with these values, whether they are its own or those of an animation. A kind
  /// whose content is made of its own properties overrides it. What it returns may depend on those and on the image alone: while
  /// animations change nothing else, it is not asked again.
  ///
  /// - Parameter image: the layer's `contents`.
  class func content(for values: AnimatableValues, image: Image?) -> (any RenderContent)? {
    values.mixture ?? image ?? values.content
  }

  /// Called when the layer has entered a tree that is shown, and when it has left it.
  func entered(_ context: LayerContext) {}
  func left(_ context: LayerContext) {}

  /// False for a layer that has nothing to draw: its contents stay.
  var hasPicture: Bool { true }

  /// Called where the contents are to be drawn but the layer has no size yet: a kind may find out which one it would like to have.
  func displayWithoutSize() {}

  /// Called after `bounds` have changed.
  func boundsChanged(from old: Rect) {
    // A tile has nothing to lay out, and nobody lays it out.
    if bounds.size != old.size, !isTile {
      setNeedsLayout()
      superlayer?.sublayerChangedSize()
    }
    if needsDisplayOnBoundsChange { setNeedsDisplay() }
    // It may have been asked for while there was no size to draw.
    if needsDisplay { markDisplay() }
  }

  /// Called when the contents are to be drawn, and before `hasPicture` is asked.
  func willDisplay() {}

  /// The maker of the contents on another thread; nil to draw them at once.
  func pictureMaker() -> (any PictureMaker)? { makeDrawing().map(DrawnPicture.init) }

  /// Shows a picture that was made.
  func take(_ picture: MadePicture) { setContents(picture.image, drawn: picture.measures) }

  /// Called when no picture could be made. The contents stay.
  func displayFailed(_ error: any Error) {
    if let error = error as? BitmapError { context?.displayFailed(self, error) }
  }

  /// Text that shows what the layer would draw for the target; nil for a layer that must be drawn.
  func text(for target: DrawingTarget) -> TextContent? { nil }
  /// The gravity by which the contents are placed.
  var placingGravity: ContentsGravity { contentsGravity }
}

// MARK: - Properties

extension Layer {
  /// The value of a property by its key: for the properties that a kind of layer adds. See `AnimatableKey`.
  public subscript<Value>(key: AnimatableKey<Value>) -> Value {
    get { values[key] }
    set {
      if key.property == .contents, let contents = newValue as? LayerContents { return self.contents = contents.image }
      guard newValue != values[key] else { return }
      // The old value, of whatever type, goes after the change: objects in it may run an application's code when they go.
      withExtendedLifetime(values.named[key.property]) {
        change(key) {
          $0[key] = newValue
          $0.bounds = $0.bounds.standardized
        }
      }
      if Self.needsDisplay(forKey: key.property) { setNeedsDisplay() }
    }
  }

  // Built-in properties are set directly: by their key it takes four times as long.

  /// Changes a property, with the animation that begins by itself.
  ///
  /// - Returns: true if the new value is another one.
  @inline(__always)
  @discardableResult
  func change<Value, Stored: Equatable>(
    _ key: @autoclosure () -> AnimatableKey<Value>, _ old: Stored, _ new: Stored,
    _ set: (inout AnimatableValues, Stored) -> Void
  ) -> Bool {
    guard new != old else { return false }
    change(key()) { set(&$0, new) }
    return true
  }

  /// Changes a property that begins no animation by itself.
  func change<Stored: Equatable>(_ old: Stored, _ new: Stored, _ set: (inout AnimatableValues, Stored) -> Void) {
    guard new != old else { return }
    set(&values, new)
    markRecord()
  }

  private func change<Value>(_ key: AnimatableKey<Value>, _ body: (inout AnimatableValues) -> Void) {
    guard runsActions, let begun = animation(forChangeOf: key) else { return make(body) }
    make(body)
    add(begun.animation, forKey: key.property.rawValue, defaultTiming: .default, from: begun.shown)
  }

  private func make(_ change: (inout AnimatableValues) -> Void) {
    let (bounds, depth) = (bounds, zPosition)
    change(&values)
    markRecord()
    if self.bounds != bounds { boundsChanged(from: bounds) }
    if zPosition != depth {
      superlayer?.ordersSublayers = true
      superlayer?.hitBoxes = nil
      context?.markStructure()
    }
  }

  /// The layer's rectangle in its own coordinates: the part of them that is seen. One with a negative size becomes the same
  /// with a positive one. Animatable.
  public var bounds: Rect {
    get { values.bounds }
    set { change(.bounds, bounds, newValue.standardized) { $0.bounds = $1 } }
  }

  /// The place of the anchor point in the superlayer's coordinates. Animatable.
  public var position: Point {
    get { values.position }
    set { change(.position, position, newValue) { $0.position = $1 } }
  }

  /// The point of `bounds` that `position` places and `transform` turns around: (0, 0) is the top left corner, (1, 1) the
  /// bottom right one. (0.5, 0.5) at first. Animatable.
  public var anchorPoint: Point {
    get { values.anchorPoint }
    set { change(.anchorPoint, anchorPoint, newValue) { $0.anchorPoint = $1 } }
  }

  /// The smallest upright rectangle around the layer in its superlayer's coordinates; setting it sets the size of `bounds`
  /// and `position`, see `AnimatableValues.frame`.
  public var frame: Rect {
    get { values.frame }
    set {
      var changed = values
      changed.frame = newValue
      position = changed.position
      bounds = changed.bounds
    }
  }

  /// The opacity of the layer with all its sublayers as one group: 0…1, and the nearest of these for a value beyond.
  /// Animatable.
  public var opacity: Double {
    get { values.opacity }
    set { change(.opacity, opacity, newValue) { $0.opacity = $1 } }
  }

  /// The colour that fills `bounds`, behind the contents. Animatable.
  public var backgroundColor: Color? {
    get { values.backgroundColor }
    set { change(.backgroundColor, backgroundColor, newValue) { $0.backgroundColor = $1 } }
  }

  /// The radius of the corners of the background, and with `masksToBounds` of the clip: from 0 to half the shorter side.
  /// Animatable.
  public var cornerRadius: Double {
    get { values.cornerRadius }
    set { change(.cornerRadius, cornerRadius, newValue) { $0.cornerRadius = $1 } }
  }

  /// The picture in the layer. A picture that is set takes the place of one that was drawn or is still being drawn. Animatable, see
  /// `LayerContents`; a change begins no animation by itself unless an action for `contents` says so.
  ///
  /// A frame that shows it at less than 0.7 of its pixels for the first time averages it, which takes four milliseconds for 3840×2160. The
  /// image keeps the result: a third of its memory, or three times as much if its width and height come to be shown in all ratios. So
  /// make a large picture in the size that it has on the screen, on another thread.
  ///
  /// Layers of text show it without a picture: one, with the ink that leans out of it, is drawn when it is asked for here.
  public var contents: Image? {
    get { values.contents }
    set {
      asynchronous.cancel()
      setContents(newValue, drawn: nil)
    }
  }

  /// True while neither the layer nor its sublayers are shown.
  public var isHidden: Bool {
    get { flags.contains(.hidden) }
    set { setFlag(.hidden, newValue, action: .hidden) }
  }

  /// True if contents and sublayers are clipped to `bounds` with its corner radius.
  public var masksToBounds: Bool {
    get { flags.contains(.masksToBounds) }
    set { setFlag(.masksToBounds, newValue, action: .masksToBounds) }
  }

  func setFlag(_ flag: RenderRecord.Flags, _ isOn: Bool, action: AnimatableProperty? = nil) {
    guard flags.contains(flag) != isOn else { return }
    flags.formSymmetricDifference(flag)
    markRecord()
    if let action, runsActions { run(action) }
  }

  package func setContents(_ image: Image?, drawn: DrawnMeasures?) {
    let wasDrawn = drawnMeasures != nil
    drawnMeasures = drawn
    guard image !== values.image || values.content is TextContent else { return }
    if let old = values.image, wasDrawn { context?.retired.append(old) }
    change(.contents) { $0.contents = image }
  }

  /// Takes over text in place of a picture that would have been drawn.
  func setText(_ text: TextContent, drawn: DrawnMeasures) {
    // A kind with a content of its own keeps that below a picture.
    guard values.content.map({ $0 is TextContent }) ?? true else { return setContents(text.image, drawn: drawn) }
    asynchronous.cancel()
    if let old = values.image, drawnMeasures != nil { context?.retired.append(old) }
    drawnMeasures = drawn
    change(.contents) { ($0.image, $0.content) = (nil, text) }
  }
}
