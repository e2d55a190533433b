public import Geometry
public import Layers

/// Places the sublayers of a layer in a row or a column, or in several of them, by the rules of CSS's flexible boxes.
///
/// ```swift
/// let stack = StackLayout(.row)
/// stack.gap = Size(8, 8)
/// stack.padding = Insets(all: 12)
/// stack.alignment = .center
/// toolbar.layoutManager = stack
///
/// let (icon, title) = (Layer(frame: Rect(x: 0, y: 0, width: 24, height: 24)), TextLayer())
/// title.layoutItem.grow = 1
/// for layer in [icon, title] { toolbar.addSublayer(layer) }
/// ```
///
/// A sublayer is as large as `Layer.size(fitting:)` says where its `layoutItem` does not; a layer without a size of its own keeps that
/// of its bounds. Stacks lie in stacks. The layout is done in the commit, once for each stack of which something changed; a change in
/// a stack reaches those around it. Frames are rounded to pixels at the end, edges that meet at the same place.
///
/// One manager may serve many layers. Changing it lays out all of them.
@MainActor
public final class StackLayout: LayoutManager {
  /// The way of the items.
  public enum Direction: String, CaseIterable, Hashable, Sendable {
    /// In the direction in which text is read, see `layoutDirection`.
    case row
    case rowReverse
    /// Downwards.
    case column
    case columnReverse
  }

  /// The treatment of items for which there is no room in a line.
  public enum Wrap: String, CaseIterable, Hashable, Sendable {
    /// They shrink, and reach beyond the layer if they cannot.
    case none
    /// They begin a new line below a row, or beside a column.
    case wrap
    /// The same, and the lines follow each other in the opposite direction.
    case wrapReverse
  }

  /// The places of items along a line that they do not fill. The beginning is where the direction begins.
  public enum Distribution: String, CaseIterable, Hashable, Sendable {
    case start
    case end
    case center
    /// The first one at the beginning, the last at the end, the same room between all.
    case spaceBetween
    /// The same room on both sides of each: between two, twice that at the edges.
    case spaceAround
    /// The same room between all and at the edges.
    case spaceEvenly
  }

  /// The places of lines in a stack that they do not fill, as those of items in `Distribution`.
  public enum LineAlignment: String, CaseIterable, Hashable, Sendable {
    case start
    case end
    case center
    case spaceBetween
    case spaceAround
    case spaceEvenly
    /// The lines become wider, all by the same, until they fill the stack.
    case stretch
  }

  /// The place of an item across its line.
  public enum Alignment: String, CaseIterable, Hashable, Sendable {
    case start
    case end
    case center
    /// It fills the line, unless its size or a margin `auto` says otherwise.
    case stretch
  }

  /// The direction in which text is read: where a row begins, and the lines of columns.
  public enum LayoutDirection: String, CaseIterable, Hashable, Sendable {
    case leftToRight
    case rightToLeft
  }

  var rules: StackRules {
    didSet { if rules != oldValue { rulesChanged() } }
  }
  /// The layers that it has been set for, for as long as they live.
  private var layers: [WeakLayer] = []
  /// The number of layers at which those that no longer live are taken out.
  private var layersBeforeSweep = 16

  /// - Parameter direction: `flex-direction`.
  public init(_ direction: Direction = .row) {
    rules = StackRules()
    rules.direction = direction
  }

  /// `flex-direction`.
  public var direction: Direction {
    get { rules.direction }
    set { rules.direction = newValue }
  }

  /// `flex-wrap`. `none` at first.
  public var wrap: Wrap {
    get { rules.wrap }
    set { rules.wrap = newValue }
  }

  /// `justify-content`: the places of items along their line. `start` at first.
  public var justification: Distribution {
    get { rules.justification }
    set { rules.justification = newValue }
  }

  /// `align-items`: the places of items across their line. `stretch` at first.
  public var alignment: Alignment {
    get { rules.alignment }
    set { rules.alignment = newValue }
  }

  /// `align-content`: the places of the lines, if the stack wraps. `stretch` at first.
  public var lineAlignment: LineAlignment {
    get { rules.lineAlignment }
    set { rules.lineAlignment = newValue }
  }

  /// `column-gap` and `row-gap`: the least room between items beside each other, and between items below each other.
  public var gap: Size {
    get { rules.gap }
    set { rules.gap = newValue }
  }

  /// The room between the layer's edges and the items.
  public var padding: Insets {
    get { rules.padding }
    set { rules.padding = newValue }
  }

  /// `direction` in CSS. `leftToRight` at first.
  public var layoutDirection: LayoutDirection {
    get { rules.layoutDirection }
    set { rules.layoutDirection = newValue }
  }

  // MARK: LayoutManager

  public func layoutSublayers(of layer: Layer) {
    let placement = layer.placement
    let size = placement?.exactSize ?? layer.bounds.size
    let offset = placement?.offset ?? .zero
    let scale = layer.outputScale
    let places = solver(for: layer).places(in: size, isHeightKnown: placement?.isHeightKnown ?? true)
    func pixel(_ place: Double) -> Double { (place * scale).rounded() / scale }
    for (sublayer, place) in zip(layer.sublayers, places) {
      let frame = place.frame
      // Both edges are rounded where they lie in the topmost stack, so that what meets before meets after.
      let (x, y) = (offset.x + frame.minX, offset.y + frame.minY)
      let corner = Point(pixel(x), pixel(y))
      let rounded = Rect(
        x: corner.x, y: corner.y, width: pixel(x + frame.width) - corner.x, height: pixel(y + frame.height) - corner.y)
      sublayer.place(
        in: rounded, exactSize: frame.size, offset: Point(x, y) - corner, isHeightKnown: place.isHeightKnown)
    }
  }

  public func preferredSize(of layer: Layer) -> Size { size(of: layer, fitting: SizeProposal()) }

  public func size(of layer: Layer, fitting proposal: SizeProposal) -> Size {
    let box = layer.itemBox
    if let known = box.measures.first(where: { $0.proposal == proposal }) { return known.size }
    let size = solver(for: layer).size(fitting: proposal)
    if box.measures.count >= LayoutItemBox.mostMeasures { box.measures.removeAll(keepingCapacity: true) }
    box.measures.append((proposal, size))
    return size
  }

  public func invalidateLayout(of layer: Layer) {
    let box = layer.itemBox
    if box.stack !== self {
      box.stack = self
      if layers.count >= layersBeforeSweep {
        layers.removeAll { $0.layer == nil }
        layersBeforeSweep = 2 * layers.count + 16
      }
      layers.append(WeakLayer(layer: layer))
    }
    // The size that its place gives the layer changes nothing in it.
    guard !layer.isBeingPlaced else { return }
    box.measures.removeAll(keepingCapacity: true)
    layer.preferredSizeChanged()
  }

  private func solver(for layer: Layer) -> FlexSolver {
    let sublayers = layer.sublayers
    let paddings = sublayers.map { ($0.layoutManager as? StackLayout)?.rules.paddingSize ?? .zero }
    return FlexSolver(rules: rules, items: sublayers.map(\.layoutItem), paddings: paddings) {
      sublayers[$0].size(fitting: $1)
    }
  }

  private func rulesChanged() {
    for case let layer? in layers.map(\.layer) where layer.layoutManager === self { layer.setNeedsLayout() }
  }

  private struct WeakLayer {
    weak var layer: Layer?
  }
}

/// The settings of a stack.
struct StackRules: Hashable {
  var direction = StackLayout.Direction.row
  var wrap = StackLayout.Wrap.none
  var justification = StackLayout.Distribution.start
  var alignment = StackLayout.Alignment.stretch
  var lineAlignment = StackLayout.LineAlignment.stretch
  var gap = Size.zero
  var padding = Insets()
  var layoutDirection = StackLayout.LayoutDirection.leftToRight

  var paddingSize: Size { Size(padding.left + padding.right, padding.top + padding.bottom) }
}

/// The settings of a layer as an item, and the sizes that its own stack has measured.
@MainActor
final class LayoutItemBox {
  var item = LayoutItem()
  weak var stack: StackLayout?
  /// A layout asks for few sizes, unless the size of a stack changes again and again.
  static let mostMeasures = 32
  var measures: [(proposal: SizeProposal, size: Size)] = []
}

extension Layer {
  /// How the layout of the superlayer treats the layer. A layout manager of another kind need not look at it.
  public var layoutItem: LayoutItem {
    get { (layoutItemBox as? LayoutItemBox)?.item ?? LayoutItem() }
    set {
      guard newValue != layoutItem else { return }
      itemBox.item = newValue
      preferredSizeChanged()
    }
  }

  var itemBox: LayoutItemBox {
    if let box = layoutItemBox as? LayoutItemBox { return box }
    let box = LayoutItemBox()
    layoutItemBox = box
    return box
  }
}
