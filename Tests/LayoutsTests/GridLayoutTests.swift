import Geometry
import Layers
import Layouts
import LinuxSystem
import Raster
import XCTest

@preconcurrency @MainActor final class GridLayoutTests: XCTestCase {
  private static let workers = WorkerPool(threads: 1)

  private func context(_ root: Layer, scale: Double = 1) -> LayerContext {
    LayerContext(root: root, workers: Self.workers, scale: scale)
  }

  private func grid(
    _ sublayers: [Layer], columns: GridTracks = [], rows: GridTracks = [], width: Double = 100, height: Double = 40
  ) -> (layer: Layer, grid: GridLayout) {
    let layer = Layer(frame: Rect(x: 0, y: 0, width: width, height: height))
    let grid = GridLayout(columns: columns, rows: rows)
    layer.layoutManager = grid
    for sublayer in sublayers { layer.addSublayer(sublayer) }
    return (layer, grid)
  }

  private func box(_ width: Double, _ height: Double = 10) -> Layer {
    Layer(frame: Rect(x: 0, y: 0, width: width, height: height))
  }

  private func boxes(_ count: Int) -> [Layer] { (0..<count).map { _ in box(10) } }

  /// The columns and rows of 10 points in which the items lie.
  private func cells(
    _ placements: [(column: GridPlacement, row: GridPlacement)], columns: Int = 3, rows: Int = 0,
    flow: GridLayout.Flow = .row
  ) -> [[Int]] {
    let items = boxes(placements.count)
    for (item, place) in zip(items, placements) { (item.layoutItem.column, item.layoutItem.row) = (place.column, place.row) }
    let (layer, grid) = grid(
      items, columns: .list(Array(repeating: 10, count: columns)), rows: .list(Array(repeating: 10, count: rows)))
    (grid.flow, grid.autoColumns, grid.autoRows) = (flow, [10], [10])
    layer.layoutIfNeeded()
    return items.map { item in
      let frame = item.frame
      return [frame.minX, frame.minY, frame.width, frame.height].map { Int(($0 / 10).rounded()) }
    }
  }

  func testTracks() {
    let items = boxes(4)
    let (layer, grid) = grid(items, columns: [20, .fraction(1), .minmax(10, .fraction(3)), .fitContent(5)], width: 120)
    (grid.gap, grid.padding) = (Size(2, 0), Insets(top: 1, left: 2, bottom: 3, right: 4))
    layer.layoutIfNeeded()
    // 10 in the last column, as nothing is cut off; 78 for the factors.
    XCTAssertEqual(items.map(\.frame.minX), [2, 24, 46, 106])
    XCTAssertEqual(items.map(\.frame.width), [20, 20, 58, 10])
    XCTAssertEqual(items.map(\.frame.minY), [1, 1, 1, 1])
    XCTAssertEqual(items.map(\.frame.height), [36, 36, 36, 36])
  }

  func testPlacement() {
    XCTAssertEqual(cells([(2, 1), (.auto, .auto), (.auto, .auto)]), [[1, 0, 1, 1], [0, 0, 1, 1], [2, 0, 1, 1]])
    XCTAssertEqual(cells([(.lines(1, -1), .auto), (-2, .auto)]), [[0, 0, 3, 1], [2, 1, 1, 1]])
    XCTAssertEqual(cells([(.lines(3, 2), 1), (.end(3, span: 2), 2)]), [[1, 0, 1, 1], [0, 1, 2, 1]])
    XCTAssertEqual(
      cells([(.line(2, span: 2), .span(2)), (.auto, .auto)]), [[1, 0, 2, 2], [0, 1, 1, 1]], "not before the other")
    XCTAssertEqual(cells([(5, 1), (-5, 1)]), [[5, 0, 1, 1], [0, 0, 1, 1]], "tracks on both sides")
    let spans: [(GridPlacement, GridPlacement)] = [(.span(2), .auto), (.span(2), .auto), (.auto, .auto)]
    XCTAssertEqual(cells(spans), [[0, 0, 2, 1], [0, 1, 2, 1], [2, 1, 1, 1]])
    XCTAssertEqual(cells(spans, flow: .rowDense), [[0, 0, 2, 1], [0, 1, 2, 1], [2, 0, 1, 1]])
    let column: [(GridPlacement, GridPlacement)] = [(.auto, .span(2)), (.auto, .span(2)), (.auto, .auto)]
    XCTAssertEqual(cells(column, columns: 0, rows: 3, flow: .column), [[0, 0, 1, 2], [1, 0, 1, 2], [1, 2, 1, 1]])
    XCTAssertEqual(cells(column, columns: 0, rows: 3, flow: .columnDense), [[0, 0, 1, 2], [1, 0, 1, 2], [0, 2, 1, 1]])
  }

  /// A line and a span that do not exist are those that do next, and what is beyond the limit is moved to it.
  func testOddLines() {
    XCTAssertEqual(cells([(2, 1), (.line(0), .line(0))]), [[1, 0, 1, 1], [0, 0, 1, 1]])
    XCTAssertEqual(cells([(.line(2, span: 0), .span(-3)), (.lines(2, 2), 2)]), [[1, 0, 1, 1], [1, 1, 1, 1]])
    XCTAssertEqual(
      cells([(.lines(0, 3), 1), (.lines(2, 0), 2), (.end(0, span: 2), 3)]), [[1, 0, 1, 1], [1, 1, 1, 1], [0, 2, 2, 1]])
    let odd = [Int.min, 0, 1_000_000_000]
    for one in odd {
      for other in odd {
        let placements: [GridPlacement] = [.lines(one, other), .line(one, span: other), .end(one, span: other), .span(one)]
        for flow in [GridLayout.Flow.row, .columnDense] {
          let items = boxes(5)
          for (item, place) in zip(items, placements) { (item.layoutItem.column, item.layoutItem.row) = (place, place) }
          let (layer, grid) = grid(items, columns: [10], rows: [10])
          grid.flow = flow
          layer.layoutIfNeeded()
          XCTAssertFalse(layer.needsLayout)
        }
      }
    }
    let limit = GridPlacement.limit
    XCTAssertEqual(
      cells([(.line(1_000_000_000), 1), (1, .span(1_000_000_000))]), [[limit - 1, 0, 1, 1], [0, 0, 1, limit]])
  }

  func testManyItemsFillTheGrid() {
    for flow in GridLayout.Flow.allCases {
      let placed = cells(Array(repeating: (.auto, .auto), count: 3000), columns: 7, rows: 7, flow: flow)
      let byRows = flow == .row || flow == .rowDense
      for (index, cell) in placed.enumerated() {
        let expected = byRows ? [index % 7, index / 7, 1, 1] : [index / 7, index % 7, 1, 1]
        guard cell == expected else { return XCTFail("\(flow), \(index): \(cell)") }
      }
    }
  }

  func testRepeatedTracks() {
    let items = boxes(3)
    let (layer, grid) = grid(items, columns: .autoFill([.minmax(30, .fraction(1))]), width: 100)
    layer.layoutIfNeeded()
    XCTAssertEqual(items.map(\.frame.width), [33, 34, 33])
    layer.bounds.size.width = 60
    layer.layoutIfNeeded()
    XCTAssertEqual(items.map(\.frame.minX), [0, 30, 0])
    layer.bounds.size.width = 150
    layer.layoutIfNeeded()
    XCTAssertEqual(items.map(\.frame.width), [30, 30, 30], "five columns")
    grid.columns = .autoFit([.minmax(30, .fraction(1))])
    layer.layoutIfNeeded()
    XCTAssertEqual(items.map(\.frame.width), [50, 50, 50], "those without items take no room")
    // The pattern is repeated without end by none of these.
    for pattern: [GridTrack] in [
      [], [0], [.length(.points(.nan))], [.fraction(.infinity)], [.auto, .length(.percent(.infinity))],
    ] {
      for size in [100, 1e300, .infinity, .nan] {
        grid.columns = .autoFit(pattern, before: [10], after: [.auto])
        layer.bounds.size.width = size
        layer.layoutIfNeeded()
      }
    }
  }

  func testItemsInTheirCells() {
    let items = boxes(6)
    let (layer, grid) = grid(items, columns: [50, 50], rows: [20, 20, 20], height: 60)
    items[1].layoutItem.justifySelf = .end
    items[2].layoutItem.alignSelf = .center
    items[3].layoutItem.margin = LayoutMargins(top: 2, left: .auto, bottom: 3, right: 4)
    (items[4].layoutItem.width, items[4].layoutItem.height) = (.percent(50), 5)
    items[5].layoutItem.minWidth = 70
    layer.layoutIfNeeded()
    XCTAssertEqual(
      items.map(\.frame),
      [
        Rect(x: 0, y: 0, width: 50, height: 20), Rect(x: 90, y: 0, width: 10, height: 20),
        Rect(x: 0, y: 25, width: 50, height: 10),
        Rect(x: 86, y: 22, width: 10, height: 15), Rect(x: 0, y: 40, width: 25, height: 5),
        Rect(x: 50, y: 40, width: 70, height: 20),
      ])
    (grid.justifyItems, grid.alignItems) = (.center, .end)
    layer.layoutIfNeeded()
    XCTAssertEqual(items[0].frame, Rect(x: 20, y: 10, width: 10, height: 10))
  }

  func testRightToLeft() {
    let items = boxes(3)
    let (layer, grid) = grid(items, columns: [20, 30], rows: [10, 10])
    grid.layoutDirection = .rightToLeft
    grid.padding = Insets(top: 0, left: 5, bottom: 0, right: 7)
    items[1].layoutItem.justifySelf = .start
    items[2].layoutItem.margin.left = 3
    layer.layoutIfNeeded()
    XCTAssertEqual(items.map(\.frame.minX), [73, 63, 76])
    XCTAssertEqual(items.map(\.frame.width), [20, 10, 17])
    grid.justifyContent = .end
    layer.layoutIfNeeded()
    XCTAssertEqual(items.map(\.frame.minX), [35, 25, 38])
  }

  func testAbsoluteItemsTakeNoRoom() {
    let items = [box(10), box(6, 4), box(10)]
    let (layer, grid) = grid(items, columns: [20, 20])
    grid.padding = Insets(all: 5)
    items[1].layoutItem.absolute = AbsoluteInsets(top: 1, right: .percent(10))
    layer.layoutIfNeeded()
    XCTAssertEqual(items.map(\.frame.minX), [5, 84, 25])
    items[1].layoutItem.absolute = AbsoluteInsets()
    grid.alignItems = .end
    layer.layoutIfNeeded()
    XCTAssertEqual(items[1].frame, Rect(x: 5, y: 31, width: 6, height: 4), "in the whole grid")
  }

  /// Grids in stacks and stacks in grids: each is laid out again, once, and each commit settles.
  func testAChangeReachesTheLayoutsAround() throws {
    let label = TextLayer()
    label.font = try SystemFonts.font(.regular, size: 20)
    label.string = "Hill"
    let (inner, innerGrid) = grid([label, box(10)], columns: [.auto, .auto])
    let middle = Layer()
    middle.layoutManager = StackLayout(.row)
    for layer in [inner, box(10)] { middle.addSublayer(layer) }
    let (outer, outerGrid) = grid([middle, box(10)], columns: [.auto, .fraction(1)], width: 300, height: 60)
    let context = context(outer)
    XCTAssertNil(context.commit(at: .zero).unsettled)
    let (width, other) = (label.preferredSize.width, outer.sublayers[1])
    XCTAssertEqual(middle.bounds.width, (width + 20).rounded())
    let changes: [(String, Double, @MainActor () -> Void)] = [
      ("text", 0, { label.string = "Hills and dales" }),
      ("item", 7, { label.layoutItem.margin.left = 7 }),
      ("size of a layer", 12, { inner.sublayers[1].bounds.size.width = 15 }),
      (
        "sublayer", 42,
        {
          inner.addSublayer(self.box(30)); inner.sublayers[2].layoutItem.column = 3
        }
      ),
      ("rules of a grid", 52, { innerGrid.gap = Size(5, 0) }),
      ("columns of a grid", 62, { innerGrid.columns = [.auto, 25] }),
      ("another manager", 42, { inner.layoutManager = StackLayout() }),
    ]
    for (name, more, change) in changes {
      change()
      XCTAssertTrue(outer.needsLayout, name)
      XCTAssertNil(context.commit(at: .zero).unsettled, name)
      XCTAssertEqual(middle.bounds.width, (label.preferredSize.width + 20 + more).rounded(), accuracy: 1, name)
      XCTAssertEqual(other.frame.minX, middle.frame.maxX, name)
      XCTAssertEqual(context.commit(at: .zero).layoutCount, 0, name)
    }
    outerGrid.alignItems = .end
    XCTAssertFalse(middle.needsLayout)
    _ = context.commit(at: .zero)
    XCTAssertEqual(other.frame.maxY, 60)
  }

  func testOneManagerOfManyLayers() {
    let layers = (0..<3).map { _ in grid(boxes(2), columns: [.auto, .auto]).layer }
    let shared = GridLayout(columns: [.auto, .auto])
    shared.justifyContent = .start
    for layer in layers { layer.layoutManager = shared }
    for layer in layers { layer.layoutIfNeeded() }
    layers[2].layoutManager = nil
    layers[2].layoutIfNeeded()
    shared.gap = Size(4, 0)
    XCTAssertEqual(layers.map(\.needsLayout), [true, true, false])
    for layer in layers { layer.layoutIfNeeded() }
    XCTAssertEqual(layers.map { $0.sublayers[1].frame.minX }, [14, 14, 10])
    shared.gap = Size(4, 0)
    XCTAssertEqual(layers.map(\.needsLayout), [false, false, false], "nothing has changed")
  }

  func testSizeFitting() {
    let words = ContentLayer()
    words.words = Words(count: 4, size: Size(10, 8))
    let (layer, grid) = grid([words, box(20)], columns: [.auto, .auto])
    (grid.gap, grid.padding) = (Size(5, 0), Insets(all: 1))
    XCTAssertEqual(layer.size(fitting: SizeProposal()), Size(67, 12))
    XCTAssertEqual(layer.size(fitting: SizeProposal(width: 0)).width, 37)
    XCTAssertEqual(layer.size(fitting: SizeProposal(width: 50)), Size(50, 18))
    XCTAssertEqual(layer.preferredSize, Size(67, 12))
    grid.columns = .autoFill([20])
    XCTAssertEqual(layer.size(fitting: SizeProposal()).width, 22)
    layer.layoutItem.maxWidth = 60
    XCTAssertEqual(layer.size(fitting: SizeProposal()).width, 47, "two columns of 20 with their gap")
  }

  /// Edges of tracks that meet in the layout meet on the screen, and the last one is where it belongs.
  func testFramesAreRoundedToPixels() {
    for scale in [1.0, 1.5, 2] {
      let items = boxes(14)
      let (layer, _) = grid(items, columns: .list(Array(repeating: .fraction(1), count: 7)), width: 100, height: 25)
      let context = context(layer, scale: scale)
      _ = context.commit(at: .zero)
      for (index, item) in items.enumerated() {
        let (column, row) = (Double(index % 7), Double(index / 7))
        XCTAssertEqual(item.frame.minX * scale, (column * 100 / 7 * scale).rounded(), accuracy: 1e-9)
        XCTAssertEqual(item.frame.maxX * scale, ((column + 1) * 100 / 7 * scale).rounded(), accuracy: 1e-9)
        XCTAssertEqual(item.frame.minY * scale, (row * 12.5 * scale).rounded(), accuracy: 1e-9)
      }
    }
  }

  /// Nothing of what an application can set traps or runs on; what is no number shows nothing.
  func testOddNumbers() {
    let odd = [-1, 0, 1e300, .infinity, -.infinity, .nan, .leastNonzeroMagnitude]
    for first in odd {
      for second in odd {
        let items = boxes(3)
        let tracks: [GridTrack] = [
          .length(.points(first)), .fraction(second), .fitContent(.percent(second)),
          .minmax(.length(.points(second)), .fraction(first)),
          .minmax(.length(.percent(first)), .length(.points(second))),
        ]
        let (layer, grid) = grid(items, columns: .list(tracks), rows: .list(tracks.reversed()))
        var item = LayoutItem()
        (item.aspectRatio, item.width, item.minHeight, item.maxWidth) = (
          first, .percent(first), .points(second), .points(first)
        )
        (item.column, item.row) = (.span(4), .span(3))
        item.margin.left = .points(first)
        items[0].layoutItem = item
        (grid.gap, grid.padding, grid.autoRows) = (Size(first, second), Insets(all: second), [.fraction(first)])
        for distribution in GridLayout.Distribution.allCases {
          (grid.justifyContent, grid.alignContent) = (distribution, distribution)
          layer.layoutIfNeeded()
          _ = layer.size(fitting: SizeProposal(width: first, height: second))
          _ = layer.size(fitting: SizeProposal(width: second))
        }
        XCTAssertFalse(layer.needsLayout)
      }
    }
  }

  // MARK: Counts

  /// Each grid is laid out once in a commit, and measured in a number of ways that does not grow with a power of its depth.
  func testNestedGridsAreMeasuredInProportion() {
    for track in [GridTrack.auto, .fraction(1), .fitContent(40)] {
      for depth in [5, 10, 20, 40] {
        let leaf = ContentLayer()
        leaf.words = Words(count: 7, size: Size(11, 10))
        var (inner, layers) = (leaf, [leaf])
        for level in 0..<depth {
          let layer = ContentLayer()
          let grid = GridLayout(columns: [track, .auto], rows: level.isMultiple(of: 2) ? [] : [.fraction(1)])
          (grid.padding, grid.justifyItems) = (Insets(all: 1), level.isMultiple(of: 3) ? .center : .stretch)
          layer.layoutManager = level.isMultiple(of: 5) ? StackLayout() : grid
          for item in [inner, ContentLayer()] { layer.addSublayer(item) }
          layers += layer.sublayers.compactMap { $0 as? ContentLayer }
          inner = layer
        }
        layers.append(inner)
        inner.bounds = Rect(x: 0, y: 0, width: 120, height: 300)
        let context = context(inner)
        XCTAssertNil(context.commit(at: .zero).unsettled)
        let most = layers.map(\.measures).max() ?? 0
        // Deeper ones would take for ever then.
        guard most <= 240 + depth else { return XCTFail("\(depth) grids, \(track): a layer is measured \(most) times") }
        XCTAssertEqual(layers.map(\.layouts).max(), 1)
      }
    }
  }
}
