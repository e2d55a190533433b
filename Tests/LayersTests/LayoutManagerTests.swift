import Geometry
import Layers
import LinuxSystem
import Raster
import TestLength
import XCTest

/// Lays out in a row: each sublayer as wide as it would like, and as high as the row.
private final class Row: LayoutManager {
  var layouts = 0
  var invalidations = 0

  func layoutSublayers(of layer: Layer) {
    layouts += 1
    var x = layer.bounds.minX
    for sublayer in layer.sublayers {
      let width = sublayer.preferredSize.width
      sublayer.frame = Rect(x: x, y: layer.bounds.minY, width: width, height: layer.bounds.height)
      x += width
    }
  }

  func preferredSize(of layer: Layer) -> Size {
    layer.sublayers.reduce(Size(0, 10)) { size, sublayer in Size(size.width + sublayer.preferredSize.width, 10) }
  }

  func invalidateLayout(of layer: Layer) { invalidations += 1 }
}

private final class Delegate: LayerDelegate {
  var layouts = 0
  func layoutSublayers(of layer: Layer) { layouts += 1 }
}

@preconcurrency @MainActor final class LayoutManagerTests: XCTestCase {
  func testTheManagerLaysOutInPlaceOfTheDelegate() {
    let layer = Layer(frame: Rect(x: 0, y: 0, width: 100, height: 20))
    let sublayers = [30.0, 40].map { Layer(frame: Rect(x: 50, y: 50, width: $0, height: 5)) }
    for sublayer in sublayers { layer.addSublayer(sublayer) }
    let (row, delegate) = (Row(), Delegate())
    layer.delegate = delegate
    layer.layoutIfNeeded()
    XCTAssertEqual(delegate.layouts, 1)
    layer.layoutManager = row
    XCTAssertTrue(layer.needsLayout)
    layer.layoutIfNeeded()
    XCTAssertEqual(row.layouts, 1)
    XCTAssertEqual(delegate.layouts, 1)
    XCTAssertEqual(sublayers.map(\.frame.minX), [0, 30])
    XCTAssertEqual(layer.preferredSize, Size(70, 10))
    XCTAssertEqual(sublayers[0].preferredSize, Size(30, 20), "without a manager, that of the bounds")
    layer.layoutManager = nil
    layer.layoutIfNeeded()
    XCTAssertEqual(delegate.layouts, 2)
  }

  func testWhatInvalidates() {
    let row = Row()
    let layer = Layer(frame: Rect(x: 0, y: 0, width: 100, height: 20))
    let sublayer = Layer(frame: Rect(x: 0, y: 0, width: 30, height: 20))
    layer.addSublayer(sublayer)
    layer.layoutManager = row
    let stage = Stage()
    stage.root.addSublayer(layer)
    XCTAssertEqual(stage.turn().layoutCount, 3, "each once: what a manager sets does not ask it again")
    XCTAssertEqual(row.layouts, 1)
    let changes: [(String, Bool, @MainActor () -> Void)] = [
      ("size of a sublayer", true, { sublayer.bounds.size.width = 35 }),
      ("transform of a sublayer", true, { sublayer.transform = .scale(2) }),
      ("place of a sublayer", false, { sublayer.position.x += 9 }),
      ("look of a sublayer", false, { sublayer.opacity = 0.5 }),
      ("scrolling", false, { layer.bounds.origin.x = 5 }),
      ("own size", true, { layer.bounds.size.width = 50 }),
    ]
    for (name, isAsked, change) in changes {
      let (layouts, invalidations) = (row.layouts, row.invalidations)
      change()
      XCTAssertEqual(layer.needsLayout, isAsked, name)
      XCTAssertEqual(row.invalidations > invalidations, isAsked, name)
      stage.turn()
      XCTAssertEqual(row.layouts, layouts + (isAsked ? 1 : 0), name)
      XCTAssertFalse(layer.needsLayout, name)
    }
  }

  /// A kind whose content has a size of its own says when that changes.
  func testAnotherPreferredSizeAsksTheManager() throws {
    let row = Row()
    let layer = Layer(frame: Rect(x: 0, y: 0, width: 100, height: 20))
    let label = TextLayer()
    label.font = try SystemFonts.font(.regular, size: 20)
    layer.addSublayer(label)
    layer.layoutManager = row
    let stage = Stage()
    stage.root.addSublayer(layer)
    stage.turn()
    for change in [{ label.string = "Hill" }, { label.truncation = .none }, { label.font = nil }] {
      let layouts = row.layouts
      change()
      stage.turn()
      XCTAssertEqual(row.layouts, layouts + 1)
      XCTAssertEqual(label.bounds.width, label.preferredSize.width)
    }
    let layouts = row.layouts
    label.color = .white
    stage.turn()
    XCTAssertEqual(row.layouts, layouts)
  }

  func testSizesFitProposals() throws {
    let layer = Layer(frame: Rect(x: 0, y: 0, width: 100, height: 20))
    XCTAssertEqual(layer.size(fitting: SizeProposal(width: 30)), Size(100, 20))
    layer.layoutManager = Row()
    layer.addSublayer(Layer(frame: Rect(x: 0, y: 0, width: 30, height: 20)))
    XCTAssertEqual(layer.size(fitting: SizeProposal(width: 5)), Size(30, 10), "a manager without another rule")
    let label = TextLayer()
    (label.string, label.font) = ("Over hill", try SystemFonts.font(.regular, size: 20))
    let whole = label.preferredSize
    XCTAssertEqual(label.size(fitting: SizeProposal()), whole)
    XCTAssertEqual(label.size(fitting: SizeProposal(width: 500, height: 3)), whole)
    XCTAssertEqual(label.size(fitting: SizeProposal(width: 30)), Size(30, whole.height))
    label.truncation = .none
    XCTAssertEqual(label.size(fitting: SizeProposal(width: 30)), whole)
  }

  /// A size that a layout gave is not taken for the layer's own.
  func testThePreferredSizeIsTheOneBeforeALayout() {
    let (superlayer, layer) = (Layer(), Layer(frame: Rect(x: 0, y: 0, width: 30, height: 20)))
    superlayer.layoutManager = Row()
    superlayer.addSublayer(layer)
    func place(_ width: Double) {
      layer.place(
        in: Rect(x: 5, y: 6, width: width, height: 20), exactSize: Size(width + 0.25, 20), offset: .zero, isHeightKnown: true
      )
    }
    place(50)
    XCTAssertEqual(layer.frame, Rect(x: 5, y: 6, width: 50, height: 20))
    XCTAssertEqual(layer.preferredSize, Size(30, 20))
    XCTAssertEqual(layer.placement?.exactSize.width, 50.25)
    place(60)
    XCTAssertEqual(layer.preferredSize, Size(30, 20))
    layer.bounds.size.width = 44
    XCTAssertEqual(layer.preferredSize, Size(44, 20))
    XCTAssertNil(layer.placement)
    place(50)
    XCTAssertEqual(layer.preferredSize, Size(44, 20))
    layer.removeFromSuperlayer()
    XCTAssertEqual(layer.preferredSize, Size(50, 20), "what a layout did counts in layouts alone")
  }

  func testAnotherScaleLaysOutWhatIsManaged() {
    let (row, plain) = (Row(), RecordingLayer("plain"))
    let layer = Layer(frame: Rect(x: 0, y: 0, width: 100, height: 20))
    layer.layoutManager = row
    layer.addSublayer(plain)
    let (stage, _) = Stage.showing(layer)
    let counts = (row.layouts, plain.layouts)
    stage.context.scale = 2
    stage.turn()
    XCTAssertEqual([row.layouts, plain.layouts], [counts.0 + 1, counts.1])
  }

  /// An animation of a size shows it on the way, and lays nothing out.
  func testAnimatedSizesLayOutOnce() {
    let row = Row()
    let layer = Layer(frame: Rect(x: 0, y: 0, width: 100, height: 20))
    let sublayer = Layer(frame: Rect(x: 0, y: 0, width: 30, height: 20))
    layer.addSublayer(sublayer)
    layer.layoutManager = row
    let (stage, _) = Stage.showing(layer)
    sublayer.bounds.size.width = 60
    stage.turn()
    for _ in 0..<20 {
      XCTAssertEqual(stage.turn(after: 10).layoutCount, 0)
      _ = stage.tree()
    }
    XCTAssertEqual(row.layouts, 2)
  }

  /// In a tree of rows in rows, sizes come from below and places from above: nothing is laid out twice in a commit, and nothing that
  /// is clean.
  func testEachLayerIsLaidOutOnceInACommit() {
    for seed in some(10, of: 1...200 as ClosedRange<UInt64>) {
      var random = SplitMix64(seed: seed)
      let root = Layer(frame: Rect(x: 0, y: 0, width: 400, height: 100))
      let rootRow = Row()
      root.layoutManager = rootRow
      var rows: [(layer: Layer, row: Row)] = [(root, rootRow)]
      var leaves: [Layer] = []
      for _ in 0..<40 {
        guard let parent = rows.randomElement(using: &random) else { continue }
        let layer = Layer(frame: Rect(x: 0, y: 0, width: Double.random(in: 1...20, using: &random), height: 5))
        parent.layer.addSublayer(layer)
        if random.chance(0.4) {
          let row = Row()
          layer.layoutManager = row
          rows.append((layer, row))
        } else {
          leaves.append(layer)
        }
      }
      let stage = Stage(root: root)
      let first = stage.turn()
      XCTAssertNil(first.unsettled)
      for (_, row) in rows { XCTAssertEqual(row.layouts, 1, "seed \(seed)") }
      for _ in 0..<20 {
        let before = rows.map(\.row.layouts)
        var marked = Set(rows.indices.filter { _ in random.chance(0.2) })
        for index in marked { rows[index].layer.setNeedsLayout() }
        if let leaf = leaves.randomElement(using: &random), random.chance(0.5) {
          leaf.bounds.size.width += 1
          if let index = rows.firstIndex(where: { $0.layer === leaf.superlayer }) { marked.insert(index) }
        }
        let sizes = rows.map(\.layer.bounds.size)
        stage.turn()
        for index in rows.indices {
          let isDirty = marked.contains(index) || rows[index].layer.bounds.size != sizes[index]
          XCTAssertEqual(rows[index].row.layouts - before[index], isDirty ? 1 : 0, "seed \(seed), row \(index)")
        }
        XCTAssertEqual(stage.turn().layoutCount, 0, "seed \(seed)")
      }
    }
  }
}
