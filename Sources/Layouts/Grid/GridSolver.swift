import Geometry
import Layers

/// Sizes the tracks of a grid and places its items: CSS Grid Layout Level 1, section 12.1 for the order of the steps.
///
/// The width of a grid is always known when its items are placed; the height may be what comes out.
struct GridSolver: ItemSolver {
  typealias Space = GridTrackSizer.Space

  let rules: GridRules
  let items: [LayoutItem]
  let paddings: [Size]
  /// The settings of the grid itself: a limit of its size says how often tracks are repeated while the size is not known.
  let own: LayoutItem
  let measure: (Int, SizeProposal) -> Size

  init(
    rules: GridRules, own: LayoutItem = LayoutItem(), items: [LayoutItem], paddings: [Size],
    measure: @escaping (Int, SizeProposal) -> Size
  ) {
    (self.rules, self.own, self.items, self.paddings, self.measure) = (rules, own, items, paddings, measure)
  }

  var padding: Insets { rules.padding }
  var isRightToLeft: Bool { rules.layoutDirection == .rightToLeft }
  func isReversed(_ axis: LayoutAxis) -> Bool { isTextReversed(axis) }

  func places(in size: Size, isHeightKnown: Bool) -> [ItemPlace] {
    var places = [ItemPlace](repeating: ItemPlace(), count: items.count)
    let (width, height) = (inner(size.width, .horizontal), inner(size.height, .vertical))
    let grid = layout(width: .definite(width), height: isHeightKnown ? .definite(height) : .indefinite(result: height))
    for cells in grid.cells {
      var place = itemPlace(of: cells.index, in: Size(grid.width(of: cells.area), grid.height(of: cells.area)))
      place.frame.origin.x += grid.columns[cells.area.columns.lowerBound].start
      place.frame.origin.y += padding.top + grid.rows[cells.area.rows.lowerBound].start
      let x = place.frame.origin.x
      place.frame.origin.x = padding.left + (isRightToLeft ? width - x - place.frame.size.width : x)
      places[cells.index] = place
    }
    for index in items.indices where items[index].absolute != nil {
      places[index] = absolutePlace(of: index, in: size)
    }
    return places
  }

  func size(fitting proposal: SizeProposal) -> Size {
    let height = proposal.height.map { Space.definite(inner($0, .vertical)) } ?? .indefinite(result: nil)
    var most = intrinsicWidth(isLeast: false, height: height) + padding(.horizontal)
    // A width that comes from a height can be larger in narrow columns, in which the height is.
    if isCyclic { most = max(most, intrinsicWidth(isLeast: true, height: height) + padding(.horizontal)) }
    var width = most
    if let proposed = proposal.width, proposed < most {
      width = max(proposed, intrinsicWidth(isLeast: true, height: height) + padding(.horizontal))
    }
    if let height = proposal.height { return Size(width, height) }
    let grid = layout(width: .definite(inner(proposal.width ?? most, .horizontal)), height: height)
    return Size(width, grid.rowTotal + padding(.vertical))
  }

  /// True if the width of an item can come from its height, which the rows may give.
  private var isCyclic: Bool { items.contains { $0.ratio != nil && $0.absolute == nil } }

  private func intrinsicWidth(isLeast: Bool, height: Space) -> Double {
    layout(width: isLeast ? .minContent : .maxContent, height: height, columnsOnly: true).columnTotal
  }

  /// An item and where it lies in `columns` and `rows`.
  struct Cells {
    let index: Int
    let area: GridArea
  }

  /// The items in their tracks. Indices of tracks count from the first one that there is.
  struct Grid {
    var cells: [Cells]
    var columns: [GridLine] = []
    var rows: [GridLine] = []
    var columnTotal = 0.0
    var rowTotal = 0.0

    func width(of area: GridArea) -> Double {
      columns[area.columns.upperBound - 1].end - columns[area.columns.lowerBound].start
    }
    func height(of area: GridArea) -> Double { rows[area.rows.upperBound - 1].end - rows[area.rows.lowerBound].start }
  }

  private func layout(width: Space, height: Space, columnsOnly: Bool = false) -> Grid {
    let columns = GridTemplate(rules.columns, gap: rules.gap.width, in: room(width, own.minWidth, own.maxWidth, .horizontal))
    let rows = GridTemplate(rules.rows, gap: rules.gap.height, in: room(height, own.minHeight, own.maxHeight, .vertical))
    let order = placedItems
    let areas = GridPlacer.areas(
      of: order.map { (items[$0].column, items[$0].row) }, columns: columns.count, rows: rows.count, flow: rules.flow)
    let columnTracks = columns.tracks(with: areas.map(\.columns), implicit: rules.autoColumns)
    let rowTracks = rows.tracks(with: areas.map(\.rows), implicit: rules.autoRows)
    var grid = Grid(
      cells: zip(order, areas).map { index, area in
        Cells(
          index: index,
          area: GridArea(
            columns: area.columns.lowerBound - columnTracks.start..<area.columns.upperBound - columnTracks.start,
            rows: area.rows.lowerBound - rowTracks.start..<area.rows.upperBound - rowTracks.start))
      })
    // The height of an item, where it is known, can give a width.
    let given = rowTracks.states(of: height.known)
    func fixedHeight(of area: GridArea) -> Double? {
      let maxima = given[area.rows].map(\.fixedMaximum)
      guard maxima.allSatisfy({ $0 != nil }) else { return nil }
      return maxima.reduce(rules.gap.height * Double(maxima.count - 1)) { $0 + ($1 ?? 0) }
    }
    sizeColumns(&grid, columnTracks, in: width, heightOf: fixedHeight)
    if columnsOnly, !isCyclic { return grid }
    sizeRows(&grid, rowTracks, in: height)
    guard isCyclic else { return grid }
    let first = grid
    sizeColumns(&grid, columnTracks, in: width) { first.height(of: $0) }
    if !columnsOnly { sizeRows(&grid, rowTracks, in: height) }
    return grid
  }

  private func sizeColumns(
    _ grid: inout Grid, _ tracks: GridTemplate.Tracks, in space: Space, heightOf: (GridArea) -> Double?
  ) {
    let cells = grid.cells
    let heights = cells.map { heightOf($0.area) }
    let sizer = GridTrackSizer(
      tracks: tracks.states(of: space.known), gap: rules.gap.width, space: space,
      stretches: rules.justifyContent == .stretch, items: cells.map(\.area.columns)
    ) { item, kind, sizer in
      columnContribution(of: cells[item.index].index, kind, item, sizer, areaHeight: heights[item.index])
    }
    grid.columnTotal = sizer.total
    grid.columns = sizer.lines(rules.justifyContent, in: space.known)
  }

  private func sizeRows(_ grid: inout Grid, _ tracks: GridTemplate.Tracks, in space: Space) {
    let (cells, before) = (grid.cells, grid)
    func size(in space: Space) -> GridTrackSizer {
      GridTrackSizer(
        tracks: tracks.states(of: space.known), gap: rules.gap.height, space: space,
        stretches: rules.alignContent == .stretch, items: cells.map(\.area.rows)
      ) { item, kind, sizer in
        rowContribution(of: cells[item.index].index, kind, item, sizer, areaWidth: before.width(of: cells[item.index].area))
      }
    }
    var sizer = size(in: space)
    grid.rowTotal = sizer.total
    guard case .indefinite(let result) = space else {
      grid.rows = sizer.lines(rules.alignContent, in: space.known)
      return
    }
    // Parts of a height that follows from the content are parts of what came out.
    if tracks.dependOnSize { sizer = size(in: .definite(result ?? sizer.total)) }
    grid.rows = sizer.lines(rules.alignContent, in: result ?? grid.rowTotal)
  }

  private func room(_ space: Space, _ least: LayoutLength?, _ most: LayoutLength?, _ axis: LayoutAxis) -> GridTemplate.Room {
    if let size = space.known { return .most(size) }
    if let most = most?.points(of: nil) { return .most(inner(max(most, least?.points(of: nil) ?? 0), axis)) }
    return least?.points(of: nil).map { .least(inner($0, axis)) } ?? .unknown
  }
}

/// The place of a track.
struct GridLine {
  var start: Double
  var end: Double
}

extension GridTrackSizer {
  /// The places of the tracks in a grid of this size; in one that they fill if there is none.
  func lines(_ distribution: StackLayout.LineAlignment, in whole: Double?) -> [GridLine] {
    let count = tracks.count { !$0.isCollapsed }
    // Tracks that stretch have done so.
    let spread = Spread(
      distribution == .stretch ? .start : distribution, free: (whole ?? total) - total, count: count, isTurned: false)
    var (place, isFirst) = (spread.before, true)
    return tracks.map { track in
      guard !track.isCollapsed else { return GridLine(start: place, end: place) }
      if !isFirst { place += gap + spread.between }
      isFirst = false
      defer { place += track.base }
      return GridLine(start: place, end: place + track.base)
    }
  }
}
