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
    didSet { if rules != oldValue { layers.setNeedLayout(by: self) } }
  }
  private var layers = ManagedLayers()

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

  public func layoutSublayers(of layer: Layer) { layer.placeItems(by: solver(for: layer)) }

  public func preferredSize(of layer: Layer) -> Size { size(of: layer, fitting: SizeProposal()) }

  public func size(of layer: Layer, fitting proposal: SizeProposal) -> Size {
    layer.itemBox.size(fitting: proposal, by: solver(for: layer))
  }

  public func invalidateLayout(of layer: Layer) { layers.invalidateLayout(of: layer, by: self) }

  private func solver(for layer: Layer) -> FlexSolver {
    let sublayers = layer.sublayers
    return FlexSolver(rules: rules, items: sublayers.map(\.layoutItem), paddings: sublayers.map(\.itemPadding)) {
      sublayers[$0].size(fitting: $1)
    }
  }
}

extension StackLayout: PaddedLayout {
  var paddingSize: Size { rules.paddingSize }
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
