import Geometry
import ImageFiles
import Layers
import Layouts
import LinuxSystem
import Raster
import XCTest

@preconcurrency @MainActor final class StackLayoutTests: XCTestCase {
  private static let workers = WorkerPool(threads: 1)

  private func context(_ root: Layer, scale: Double = 1) -> LayerContext {
    LayerContext(root: root, workers: Self.workers, scale: scale)
  }

  private func row(_ sublayers: [Layer], width: Double = 100, height: Double = 20) -> (layer: Layer, stack: StackLayout) {
    let layer = Layer(frame: Rect(x: 0, y: 0, width: width, height: height))
    let stack = StackLayout(.row)
    layer.layoutManager = stack
    for sublayer in sublayers { layer.addSublayer(sublayer) }
    return (layer, stack)
  }

  private func box(_ width: Double, _ height: Double = 10) -> Layer {
    Layer(frame: Rect(x: 0, y: 0, width: width, height: height))
  }

  func testALayerKeepsItsOwnSizeInItsLayouts() {
    let boxes = [box(30), box(10)]
    let (layer, stack) = row(boxes)
    boxes[0].layoutItem.grow = 1
    layer.layoutIfNeeded()
    XCTAssertEqual(boxes.map(\.frame), [Rect(x: 0, y: 0, width: 90, height: 20), Rect(x: 90, y: 0, width: 10, height: 20)])
    XCTAssertEqual(layer.preferredSize, Size(40, 10), "not what the layout made of them")
    layer.bounds.size = Size(60, 40)
    layer.layoutIfNeeded()
    XCTAssertEqual(boxes.map(\.bounds.size), [Size(50, 40), Size(10, 40)])
    stack.alignment = .start
    boxes[0].layoutItem.grow = 0
    layer.layoutIfNeeded()
    XCTAssertEqual(boxes.map(\.bounds.size), [Size(30, 10), Size(10, 10)])
    boxes[0].bounds.size = Size(5, 6)
    layer.layoutIfNeeded()
    XCTAssertEqual(
      boxes[1].frame, Rect(x: 5, y: 0, width: 10, height: 10), "a size that somebody sets is the own one from then on")
  }

  /// A picture of 61×43 pixels is as wide as its column, or grid, and as high as its ratio says, without a size that anybody set.
  func testAPictureHasItsPlaceBeforeItIsDecoded() throws {
    let folder = String(#filePath.dropLast("LayoutsTests/StackLayoutTests.swift".count)) + "ImageFilesTests/Pictures/"
    let managers: [(String, () -> any LayoutManager)] = [
      ("stack", { StackLayout(.column) }),
      (
        "grid",
        {
          let grid = GridLayout()
          grid.columns = [.fraction(1)]
          grid.alignContent = .start
          return grid
        }
      ),
    ]
    for (name, manager) in managers {
      for file in ["colour.png", "drawing.svg"] {
        let column = Layer(frame: Rect(x: 0, y: 0, width: 30.5, height: 200))
        column.layoutManager = manager()
        let (photo, below) = (ImageLayer(), box(10, 5))
        photo.cache = ImageCache(bytes: 1 << 20)
        photo.layoutItem.alignSelf = .start
        photo.file = folder + file
        for layer in [photo, below] { column.addSublayer(layer) }
        let context = context(column)
        var sizes: [Size] = []
        for _ in 0..<4 {
          XCTAssertNil(context.commit(at: .zero).unsettled)
          sizes.append(photo.bounds.size)
          context.waitForDrawings()
          context.publishFinishedDrawings()
        }
        XCTAssertEqual(sizes[0].height, 0, "\(name) of \(file)")
        XCTAssertEqual(sizes[1].height, 21.5, accuracy: 0.5, "\(name) of \(file)")
        XCTAssertEqual(sizes[1].width, 30.5, accuracy: 0.5, "\(name) of \(file)")
        XCTAssertEqual(sizes[1], sizes[3], "\(name) of \(file)")
        XCTAssertEqual(below.frame.minY, sizes[1].height, "\(name) of \(file)")
        XCTAssertNotNil(photo.contents, "\(name) of \(file)")
      }
    }
  }

  /// Each of the outer stacks is laid out again, once, and each commit settles.
  func testAChangeReachesTheStacksAround() throws {
    let label = TextLayer()
    label.font = try SystemFonts.font(.regular, size: 20)
    label.string = "Hill"
    let (inner, _) = row([box(10), label])
    let (middle, _) = row([inner, box(10)])
    let (outer, stack) = row([middle, box(10)], width: 300)
    let context = context(outer)
    XCTAssertNil(context.commit(at: .zero).unsettled)
    let width = label.preferredSize.width
    XCTAssertEqual(middle.bounds.width, width + 20)
    let other = outer.sublayers[1]
    let changes: [(String, Double, @MainActor () -> Void)] = [
      ("text", 0, { label.string = "Hills and dales" }),
      ("item", 7, { label.layoutItem.margin.left = 7 }),
      ("size of a layer", 12, { inner.sublayers[0].bounds.size.width = 15 }),
      ("sublayer", 32, { inner.addSublayer(self.box(20)) }),
      ("rules of a stack", 42, { (inner.layoutManager as? StackLayout)?.gap = Size(5, 0) }),
      ("another manager", 32, { inner.layoutManager = StackLayout() }),
    ]
    for (name, more, change) in changes {
      change()
      XCTAssertTrue(outer.needsLayout, name)
      XCTAssertNil(context.commit(at: .zero).unsettled, name)
      XCTAssertEqual(middle.bounds.width, label.preferredSize.width + 20 + more, name)
      XCTAssertEqual(other.frame.minX, middle.frame.maxX, name)
      XCTAssertEqual(context.commit(at: .zero).layoutCount, 0, name)
    }
    stack.justification = .end
    XCTAssertFalse(middle.needsLayout)
    _ = context.commit(at: .zero)
    XCTAssertEqual(other.frame.maxX, 300)
  }

  func testTextGivesWayUnlessItMustNotBeCut() throws {
    let label = TextLayer()
    label.font = try SystemFonts.font(.regular, size: 20)
    label.string = "Over hill, over dale"
    let whole = label.preferredSize
    let (layer, _) = row([label, box(60)], width: 100)
    layer.layoutIfNeeded()
    XCTAssertGreaterThan(whole.width, 100)
    XCTAssertEqual(label.bounds.width, 40, "the box has room for its content")
    label.truncation = .none
    layer.layoutIfNeeded()
    XCTAssertEqual(label.bounds.width, whole.width)
  }

  func testOneManagerOfManyLayers() {
    let stack = StackLayout()
    let layers = (0..<3).map { _ in row([box(10), box(10)]).layer }
    for layer in layers { layer.layoutManager = stack }
    for layer in layers { layer.layoutIfNeeded() }
    layers[2].layoutManager = nil
    layers[2].layoutIfNeeded()
    stack.gap = Size(4, 0)
    XCTAssertEqual(layers.map(\.needsLayout), [true, true, false])
    for layer in layers { layer.layoutIfNeeded() }
    XCTAssertEqual(layers.map { $0.sublayers[1].frame.minX }, [14, 14, 10])
    stack.gap = Size(4, 0)
    XCTAssertEqual(layers.map(\.needsLayout), [false, false, false], "nothing has changed")
  }

  /// Edges that meet in the layout meet on the screen, through all stacks, and the last one is where it belongs.
  func testFramesAreRoundedToPixels() {
    for scale in [1.0, 1.5, 2] {
      let boxes = (0..<21).map { _ in box(0) }
      let groups = (0..<7).map { group in row(Array(boxes[group * 3..<group * 3 + 3])).layer }
      let (layer, _) = row(groups, width: 100)
      for item in groups + boxes {
        item.layoutItem.grow = 1
        item.layoutItem.basis = 0
      }
      let context = context(layer, scale: scale)
      _ = context.commit(at: .zero)
      var edge = 0.0
      for (index, box) in boxes.enumerated() {
        let place = (box.superlayer?.frame.minX ?? 0) + box.frame.minX
        XCTAssertEqual(place, edge, accuracy: 1e-9)
        XCTAssertEqual(place * scale, (Double(index) * 100 / 21 * scale).rounded(), accuracy: 1e-9)
        edge = place + box.frame.width
      }
      XCTAssertEqual(edge, 100, accuracy: 1e-9)
      context.scale = 3
      _ = context.commit(at: .zero)
      XCTAssertEqual(boxes[1].frame.minX, (100.0 / 21 * 3).rounded() / 3, accuracy: 1e-9, "a scale lays out anew")
    }
  }

  /// Content that just fits when it is measured does not wrap because of the pixels.
  func testRoundingDoesNotWrap() {
    let boxes = (0..<3).map { _ in box(10.4) }
    let (inner, stack) = row(boxes)
    stack.wrap = .wrap
    let (layer, outer) = row([inner], width: 200)
    outer.alignment = .start
    layer.layoutIfNeeded()
    XCTAssertEqual(inner.bounds.size, Size(31, 10))
    XCTAssertEqual(boxes.map(\.frame.minY), [0, 0, 0])
    XCTAssertEqual(boxes.map(\.frame.minX), [0, 10, 21])
  }

  /// A stack that leaves the one around it lays out as any other.
  func testAStackThatIsTakenOutForgetsItsPlace() {
    let half = box(10)
    half.layoutItem.height = .percent(50)
    let (inner, _) = row([box(10.4, 40), half])
    let (layer, stack) = row([box(10.4), inner])
    stack.alignment = .start
    layer.layoutIfNeeded()
    XCTAssertEqual(inner.bounds.size, Size(21, 40))
    XCTAssertEqual(half.frame, Rect(x: 11, y: 0, width: 10, height: 10), "a part of a height that comes from the content")
    inner.removeFromSuperlayer()
    inner.setNeedsLayout()
    inner.layoutIfNeeded()
    XCTAssertEqual(half.frame, Rect(x: 10, y: 0, width: 10, height: 20))
  }

  func testATransformedLayerKeepsItsTransform() {
    let boxes = [box(20, 20), box(10)]
    boxes[0].transform = .scale(2)
    let (layer, stack) = row(boxes)
    stack.alignment = .start
    layer.layoutIfNeeded()
    XCTAssertEqual(boxes[0].bounds.size, Size(20, 20))
    XCTAssertEqual(boxes[0].frame, Rect(x: -10, y: -10, width: 40, height: 40))
    XCTAssertEqual(boxes[1].frame.minX, 20)
  }

  func testScrollingMovesTheItems() {
    let boxes = [box(20)]
    let (layer, _) = row(boxes)
    layer.bounds.origin = Point(30, 0)
    layer.layoutIfNeeded()
    XCTAssertEqual(boxes[0].frame.minX, 0)
  }

  /// Nothing of what an application can set traps or runs on; what is no number shows nothing.
  /// A side that is set is the layer's own, and the other one stays what it was before the layout.
  func testASideThatIsSetIsAnOwnOne() {
    let boxes = [box(48, 48), box(10, 64)]
    let (layer, stack) = row(boxes, height: 64)
    stack.alignment = .stretch
    layer.layoutIfNeeded()
    boxes[0].bounds.size = Size(60, boxes[0].bounds.height)
    XCTAssertEqual(boxes[0].preferredSize, Size(60, 48))
  }

  /// A setting that is no number does no harm once it is mended.
  func testAWrongSettingCanBeMended() {
    let boxes = [box(20), box(10)]
    let (layer, stack) = row(boxes)
    stack.padding = Insets(all: .nan)
    boxes[0].layoutItem.grow = 1
    boxes[0].layoutItem.width = .percent(.nan)
    layer.layoutIfNeeded()
    stack.padding = Insets(all: 0)
    boxes[0].layoutItem = LayoutItem()
    layer.layoutIfNeeded()
    XCTAssertEqual(boxes.map(\.frame.width), [20, 10])
    XCTAssertEqual(boxes[0].preferredSize.width, 20)
  }

  /// A manager may change what is in a stack, and then ask for its size.
  func testAManagerMayChangeWhatIsInAStack() {
    @MainActor final class List: LayoutManager {
      var sizes: [Size] = []
      func layoutSublayers(of layer: Layer) {
        for row in layer.sublayers {
          sizes.append(row.size(fitting: SizeProposal()))
          row.sublayers[0].bounds.size = Size(70, 10)
          sizes.append(row.size(fitting: SizeProposal()))
        }
      }
      func preferredSize(of layer: Layer) -> Size { layer.bounds.size }
    }
    let (row, _) = row([box(30)])
    let (list, layer) = (List(), Layer(frame: Rect(x: 0, y: 0, width: 100, height: 100)))
    layer.layoutManager = list
    layer.addSublayer(row)
    layer.layoutIfNeeded()
    XCTAssertEqual(list.sizes.map(\.width), [30, 70])
  }

  func testOddNumbers() {
    let odd = [-1, 0, 1e300, .infinity, -.infinity, .nan, .leastNonzeroMagnitude]
    for first in odd {
      for second in odd {
        let boxes = [box(20), box(10)]
        let (layer, stack) = row(boxes)
        var item = LayoutItem()
        (item.grow, item.shrink, item.aspectRatio) = (first, second, first)
        (item.width, item.minHeight, item.maxWidth) = (.percent(first), .points(second), .points(first))
        item.basis = .length(.points(second))
        item.margin.left = .points(first)
        boxes[0].layoutItem = item
        stack.gap = Size(first, second)
        stack.padding = Insets(all: second)
        for wrap in StackLayout.Wrap.allCases {
          stack.wrap = wrap
          layer.layoutIfNeeded()
          _ = layer.size(fitting: SizeProposal(width: first, height: second))
        }
        XCTAssertFalse(layer.needsLayout)
      }
    }
  }

  // MARK: Counts

  /// A chain of stacks in stacks, each with two further items; the innermost one has content that wraps.
  private func nest(_ depth: Int, wrap: StackLayout.Wrap) -> (root: ContentLayer, layers: [ContentLayer]) {
    let leaf = ContentLayer()
    leaf.words = Words(count: 7, size: Size(11, 10))
    var (inner, layers) = (leaf, [leaf])
    for level in 0..<depth {
      let layer = ContentLayer()
      let stack = StackLayout(level.isMultiple(of: 2) ? .row : .column)
      (stack.wrap, stack.padding) = (wrap, Insets(all: 1))
      stack.alignment = level.isMultiple(of: 3) ? .center : .stretch
      layer.layoutManager = stack
      for item in [inner, ContentLayer()] { layer.addSublayer(item) }
      layers += layer.sublayers.compactMap { $0 as? ContentLayer }
      inner = layer
    }
    return (inner, layers)
  }

  /// Each stack is laid out once in a commit, and measured in a number of ways that does not grow with a power of its depth.
  func testNestedStacksAreMeasuredInProportion() {
    for wrap in [StackLayout.Wrap.none, .wrap] {
      for depth in [5, 10, 20, 40] {
        let (root, below) = nest(depth, wrap: wrap)
        root.bounds = Rect(x: 0, y: 0, width: 120, height: 300)
        let layers = [root] + below
        let context = context(root)
        XCTAssertNil(context.commit(at: .zero).unsettled)
        let most = layers.map(\.measures).max() ?? 0
        // Deeper ones would take for ever then.
        guard most <= 40 + depth else { return XCTFail("\(depth) stacks, \(wrap): a layer is measured \(most) times") }
        XCTAssertEqual(layers.map(\.layouts).max(), 1)
        // Another size of the outermost one asks for no more of those in it.
        root.bounds.size.height = 280
        _ = context.commit(at: .zero)
        XCTAssertLessThanOrEqual(layers.map(\.measures).max() ?? 0, most + 40 + depth)
        XCTAssertEqual(root.layouts, 2)
        XCTAssertLessThanOrEqual(layers.map(\.layouts).max() ?? 0, 2)
      }
    }
  }
}
