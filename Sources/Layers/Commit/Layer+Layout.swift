public import Geometry

/// Gives the sublayers of layers their places by a rule. One manager may serve many layers.
///
/// ```swift
/// final class Row: LayoutManager {
///   func layoutSublayers(of layer: Layer) {
///     var x = layer.bounds.minX
///     for sublayer in layer.sublayers {
///       sublayer.frame = Rect(origin: Point(x, layer.bounds.minY), size: sublayer.preferredSize)
///       x += sublayer.preferredSize.width + 8
///     }
///   }
/// }
/// toolbar.layoutManager = Row()
/// ```
@MainActor
public protocol LayoutManager: AnyObject {
  /// Sets the frames of the layer's sublayers. Called when the layer needs layout, in place of the delegate's function; also when a
  /// sublayer got another size or transform by somebody else.
  func layoutSublayers(of layer: Layer)
  /// The size, in the layer's coordinates, in which its sublayers have room. Its `bounds` by default.
  func preferredSize(of layer: Layer) -> Size
  /// The same where a side is given: see `Layer.size(fitting:)`. `preferredSize(of:)` by default.
  func size(of layer: Layer, fitting proposal: SizeProposal) -> Size
  /// Forgets what it remembers of the layer's layout. Called by each `Layer.setNeedsLayout()`; by default there is nothing.
  func invalidateLayout(of layer: Layer)
}

extension LayoutManager {
  public func preferredSize(of layer: Layer) -> Size { layer.bounds.size }
  public func size(of layer: Layer, fitting proposal: SizeProposal) -> Size { preferredSize(of: layer) }
  public func invalidateLayout(of layer: Layer) {}
}

/// The sides that a layer is offered when a layout asks how large it would like to be.
///
/// ```swift
/// let height = paragraph.size(fitting: SizeProposal(width: 320)).height
/// ```
public struct SizeProposal: Hashable, BitwiseCopyable, Sendable {
  /// In points, 0 or more; nil where there is no limit. 0 asks for the least width in which the content is not cut off.
  public var width: Double?
  public var height: Double?

  public init(width: Double? = nil, height: Double? = nil) {
    self.width = width
    self.height = height
  }
}

/// A layer's manager, and whether it is at work.
final class ManagedLayout {
  let manager: any LayoutManager
  var isUnderWay = false
  /// The sublayer whose size is being set.
  var placed: Layer?

  init(_ manager: any LayoutManager) { self.manager = manager }
}

// A mark costs a flag and, the first time since the last commit, an entry in a list of the context.

extension Layer {
  /// Lays out the sublayers; nil, at first, to leave them to the delegate. Setting it asks for layout.
  public var layoutManager: (any LayoutManager)? {
    get { managedLayout?.manager }
    set {
      managedLayout = newValue.map(ManagedLayout.init)
      setNeedsLayout()
      preferredSizeChanged()
    }
  }

  /// Requests a call of `layoutSublayers()` in the next commit.
  public func setNeedsLayout() {
    needsLayout = true
    managedLayout?.manager.invalidateLayout(of: self)
    markLayout()
  }

  func markLayout() {
    if !isLayoutMarked { context?.markLayout(self) }
  }

  /// Asks for layout where a manager's rule may depend on the size that a sublayer got; not for sizes that the manager sets.
  func sublayerChangedSize() {
    if let managedLayout, !managedLayout.isUnderWay { setNeedsLayout() }
  }

  /// Tells the manager of the superlayer's layout, if there is one, that `preferredSize` is another now. A kind of layer with a size
  /// of its own calls it where its content changes.
  public func preferredSizeChanged() { superlayer?.sublayerChangedSize() }

  /// Lays out at once: this layer, the superlayers above it that need layout without a gap, and everything below the highest
  /// of them.
  public func layoutIfNeeded() {
    var top = self
    while let above = top.superlayer, above.needsLayout { top = above }
    top.layoutTree()
  }

  private func layoutTree() {
    layoutOnce()
    storedMask?.layoutTree()
    for layer in sublayers { layer.layoutTree() }
  }

  func layoutOnce() {
    guard needsLayout else { return }
    // The mark is removed before the call, so that a mark made inside it is a new one.
    needsLayout = false
    layoutSublayers()
    if runsActions { run(.onLayout) }
  }

  /// Lays out by the manager, else by the delegate.
  func layOutByOthers() {
    guard let managedLayout else { return delegate?.layoutSublayers(of: self) ?? () }
    managedLayout.isUnderWay = true
    defer { managedLayout.isUnderWay = false }
    managedLayout.manager.layoutSublayers(of: self)
  }
}
