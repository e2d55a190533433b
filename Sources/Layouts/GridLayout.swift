public import Geometry
public import Layers

/// Places the sublayers of a layer in columns and rows, by the rules of CSS's grids.
///
/// ```swift
/// let grid = GridLayout(columns: [.auto, .fraction(1)])
/// grid.gap = Size(12, 6)
/// grid.padding = Insets(all: 16)
/// form.layoutManager = grid
///
/// for layer in [name, nameField, street, streetField, buttons] { form.addSublayer(layer) }
/// buttons.layoutItem.column = .lines(1, -1)
/// buttons.layoutItem.justifySelf = .end
/// ```
///
/// An item says by its `layoutItem` which columns and rows it takes; one that does not gets the next free cells. Tracks are as large
/// as their sizes say and as what is in them needs: see ``GridTrack``. A sublayer is measured as in a ``StackLayout``, and grids lie
/// in stacks and stacks in grids. The layout is done in the commit, once for each layer of which something changed.
///
/// One manager may serve many layers. Changing it lays out all of them.
@MainActor
public final class GridLayout: LayoutManager {
  /// The place of an item in its cells.
  public typealias Alignment = StackLayout.Alignment
  /// The places of tracks in a grid that they do not fill. With `stretch` those of size `auto` fill it.
  public typealias Distribution = StackLayout.LineAlignment
  public typealias LayoutDirection = StackLayout.LayoutDirection

  /// The way in which cells are found for items that name none: `grid-auto-flow`.
  public enum Flow: String, CaseIterable, Hashable, Sendable {
    /// Row by row; rows are added.
    case row
    /// Column by column; columns are added.
    case column
    /// The same, and each item in the first cells that are free, so that they are not in the order of the sublayers.
    case rowDense
    case columnDense
  }

  var rules = GridRules() {
    didSet { if rules != oldValue { layers.setNeedLayout(by: self) } }
  }
  private var layers = ManagedLayers()

  /// - Parameters:
  ///   - columns: `grid-template-columns`.
  ///   - rows: `grid-template-rows`.
  public init(columns: GridTracks = [], rows: GridTracks = []) {
    (rules.columns, rules.rows) = (columns, rows)
  }

  /// `grid-template-columns`. None at first.
  public var columns: GridTracks {
    get { rules.columns }
    set { rules.columns = newValue }
  }

  /// `grid-template-rows`. None at first.
  public var rows: GridTracks {
    get { rules.rows }
    set { rules.rows = newValue }
  }

  /// `grid-auto-columns`: the sizes of the columns that items need beside `columns`, again and again. `auto` at first; an empty list
  /// is the same.
  public var autoColumns: [GridTrack] {
    get { rules.autoColumns }
    set { rules.autoColumns = newValue }
  }

  /// `grid-auto-rows`, as `autoColumns`.
  public var autoRows: [GridTrack] {
    get { rules.autoRows }
    set { rules.autoRows = newValue }
  }

  /// `grid-auto-flow`. `row` at first.
  public var flow: Flow {
    get { rules.flow }
    set { rules.flow = newValue }
  }

  /// `justify-items`: the places of items in the width of their cells. `stretch` at first.
  public var justifyItems: Alignment {
    get { rules.justifyItems }
    set { rules.justifyItems = newValue }
  }

  /// `align-items`: the places of items in the height of their cells. `stretch` at first.
  public var alignItems: Alignment {
    get { rules.alignItems }
    set { rules.alignItems = newValue }
  }

  /// `justify-content`: the places of the columns. `stretch` at first.
  public var justifyContent: Distribution {
    get { rules.justifyContent }
    set { rules.justifyContent = newValue }
  }

  /// `align-content`: the places of the rows. `stretch` at first.
  public var alignContent: Distribution {
    get { rules.alignContent }
    set { rules.alignContent = newValue }
  }

  /// `column-gap` and `row-gap`: the least room between columns, and between rows.
  public var gap: Size {
    get { rules.gap }
    set { rules.gap = newValue }
  }

  /// The room between the layer's edges and the tracks.
  public var padding: Insets {
    get { rules.padding }
    set { rules.padding = newValue }
  }

  /// `direction` in CSS: the side of the first column. `leftToRight` at first.
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

  private func solver(for layer: Layer) -> GridSolver {
    let sublayers = layer.sublayers
    return GridSolver(
      rules: rules, own: layer.layoutItem, items: sublayers.map(\.layoutItem), paddings: sublayers.map(\.itemPadding)
    ) {
      sublayers[$0].size(fitting: $1)
    }
  }
}

extension GridLayout: PaddedLayout {
  var paddingSize: Size { Size(rules.padding.left + rules.padding.right, rules.padding.top + rules.padding.bottom) }
}

/// The settings of a grid.
struct GridRules: Hashable {
  var columns = GridTracks.list([])
  var rows = GridTracks.list([])
  var autoColumns = [GridTrack.auto]
  var autoRows = [GridTrack.auto]
  var flow = GridLayout.Flow.row
  var justifyItems = StackLayout.Alignment.stretch
  var alignItems = StackLayout.Alignment.stretch
  var justifyContent = StackLayout.LineAlignment.stretch
  var alignContent = StackLayout.LineAlignment.stretch
  var gap = Size.zero
  var padding = Insets()
  var layoutDirection = StackLayout.LayoutDirection.leftToRight
}
