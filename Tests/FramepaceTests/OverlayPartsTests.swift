import FramepaceTesting
import Geometry
import Layers
import Presentation
import Raster
import RenderTree
import XCTest

@testable import Framepace

/// The outlines, names, labels and bitmaps of overlays, each by itself.
@preconcurrency @MainActor final class OverlayPartsTests: XCTestCase {
  private func outlines(_ records: [RenderRecord]) -> [LayerOutline] {
    var tree = TreeSnapshot()
    for record in records { tree.append(record, SideValues()) }
    return LayerOutline.all(of: tree, in: IntRect(x: 0, y: 0, width: 100, height: 80))
  }

  private func record(
    _ id: UInt32, end: UInt32? = nil, at place: Point = .zero, _ width: Double, _ height: Double, opacity: Float = 1,
    _ flags: RenderRecord.Flags = []
  ) -> RenderRecord {
    RenderRecord(
      id: id, subtreeEnd: end ?? id, transform: .translation(x: place.x, y: place.y),
      bounds: Rect(x: 0, y: 0, width: width, height: height), opacity: opacity, flags: flags)
  }

  /// A layer's outline is cut where the masks around it cut the layer. Its own bounds cut what is in it alone.
  func testOutlinesAreCutByTheMasksAroundThem() {
    let all = outlines([
      record(1, end: 4, 100, 80),
      record(2, end: 3, at: Point(10, 20), 30, 20, .masksToBounds), record(3, at: Point(5, 5), 90, 90),
      record(4, at: Point(70, 60), 90, 90),
    ])
    let screen = IntRect(x: 0, y: 0, width: 100, height: 80)
    XCTAssertEqual(all.map(\.clip), [screen, screen, IntRect(x: 10, y: 20, width: 30, height: 20), screen])
    XCTAssertEqual(all.map { $0.corners[0] }, [.zero, Point(10, 20), Point(15, 25), Point(70, 60)])
    XCTAssertEqual(all[2].corners[2], Point(105, 115))
  }

  /// Layers that are hidden, clear, or turn their single side away have no outline, and neither has what is in them.
  func testLayersThatAreNotShownHaveNoOutline() {
    var turned = record(6, end: 7, at: Point(50, 20), 20, 20, .singleSided)
    turned.transform = Affine(a: -1, b: 0, c: 0, d: 1, tx: 50, ty: 20)
    var mirrored = record(8, 20, 20)
    mirrored.transform = turned.transform
    let all = outlines([
      record(1, end: 8, 100, 80), record(2, end: 3, 20, 20, .hidden), record(3, 10, 10),
      record(4, end: 5, 20, 20, opacity: 0), record(5, 10, 10), turned, record(7, 10, 10), mirrored,
    ])
    XCTAssertEqual(all.map { $0.corners[0] }, [.zero, Point(50, 20)])
  }

  /// A fading layer is a picture of its own only with others in it.
  func testKinds() throws {
    var tree = TreeSnapshot()
    tree.append(record(1, end: 4, 100, 80), SideValues())
    tree.append(record(2, end: 3, 20, 20, opacity: 0.5), SideValues())
    tree.append(record(3, 20, 20, opacity: 0.5), SideValues())
    tree.append(record(4, 20, 20), SideValues(image: try Bitmap(width: 2, height: 2).freeze()))
    let all = LayerOutline.all(of: tree, in: IntRect(x: 0, y: 0, width: 100, height: 80))
    XCTAssertEqual(all.map(\.kind), [.plain, .picture, .plain, .content])
  }

  /// A layer with a shadow is a picture of its own only where its shape does not tell the shadow, and one with a mask where that is not one
  /// shape. A border needs none.
  func testShadowsAndMasksThatNeedNoPicture() {
    func kind(_ parts: RenderEffects.Parts, color: UInt32, _ flags: RenderRecord.Flags = []) -> LayerOutline.Kind? {
      var tree = TreeSnapshot()
      var card = record(1, end: 2, 40, 40, flags)
      var inner = record(2, 20, 20, flags.contains(.masked) ? .mask : [])
      (card.backgroundColor, inner.backgroundColor) = (color, 0xFFFF_FFFF)
      tree.append(card, SideValues(effects: RenderEffects(parts)))
      tree.append(inner, SideValues())
      return LayerOutline.all(of: tree, in: IntRect(x: 0, y: 0, width: 100, height: 80)).first?.kind
    }
    let none = RenderEffects.Parts()
    var shadowed = none
    shadowed.shadow = Shadow(color: 0xFF00_0000, offset: Size(0, 2), radius: 4)
    var bordered = none
    bordered.border = Border(width: 2, color: 0xFF00_0000)
    var blurred = shadowed
    blurred.blurRadius = 2
    XCTAssertEqual(kind(shadowed, color: 0xFF80_8080), .plain)
    XCTAssertEqual(kind(shadowed, color: 0x8040_4040), .picture)
    XCTAssertEqual(kind(bordered, color: 0x8040_4040), .plain)
    XCTAssertEqual(kind(blurred, color: 0xFF80_8080), .picture)
    XCTAssertEqual(kind(none, color: 0xFF80_8080, .masked), .plain)
    XCTAssertEqual(kind(shadowed, color: 0xFF80_8080, .masked), .picture)
  }

  func testNamesOfLayersThatAreGoneAndOfMasks() throws {
    let stage = try ManualStage(width: 40, height: 30, rate: .hertz60)
    let (card, mask, late) = (Layer(), Layer(), Layer())
    (card.name, mask.name, late.name) = ("card", "mask", "late")
    card.mask = mask
    stage.root.addSublayer(card)
    let names = LayerNames(of: stage.engine.context)
    XCTAssertEqual(names.names(of: [card.id, mask.id]), [card.id: "card", mask.id: "mask"])
    // A removed layer keeps its name, also where another one is looked for.
    card.removeFromSuperlayer()
    stage.root.addSublayer(late)
    XCTAssertEqual(names.names(of: [card.id, late.id]), [card.id: "card", late.id: "late"])
    late.name = "renamed"
    XCTAssertEqual(names.names(of: [late.id]), [late.id: "renamed"])
  }

  /// Copies, and copies of copies, have the name of the layer that they show.
  func testCopiesAreNamedByTheirLayers() throws {
    let stage = try ManualStage(width: 40, height: 30, rate: .hertz60)
    let (rows, row, dot) = (ReplicatorLayer(), ReplicatorLayer(), Layer(frame: Rect(x: 0, y: 0, width: 3, height: 3)))
    (rows.instanceCount, row.instanceCount, dot.name, row.name) = (2, 3, "dot", "row")
    row.addSublayer(dot)
    rows.addSublayer(row)
    stage.root.addSublayer(rows)
    stage.run(for: .milliseconds(50))
    let tree = stage.engine.context.renderTree(at: stage.clock.now)
    let names = LayerNames(of: stage.engine.context).names(of: Set(tree.records.map(\.id)))
    let kind = "ReplicatorLayer"
    XCTAssertEqual(
      tree.records.map { names[$0.id] }, ["root", kind, "row", "dot", "dot", "dot", "row", "dot", "dot", "dot"])
    stage.engine.invalidate()
  }

  /// No label hides another or leaves the picture, and those without room are counted in its corner.
  func testLabelsHaveRoomOrAreCounted() throws {
    let stage = try ManualStage(width: 200, height: 140, rate: .hertz60)
    let view = OverlayView(width: 200, height: 140, geometry: stage.display.geometry)
    let picture = Rect(x: 0, y: 0, width: 200, height: 140)
    func corner(_ count: Int) throws -> UInt32 {
      var labels = OverlayLabels(font: try SystemFonts.font(.sans, size: 11), view: view)
      for index in 0..<count {
        labels.add(["label \(index)", "two", "three", "four", "five"], at: Rect(x: 30, y: 40, width: 20, height: 20))
      }
      XCTAssertEqual(labels.labels.count + labels.leftOut, count)
      for (index, label) in labels.labels.enumerated() {
        XCTAssertEqual(label.lines.map(\.string), ["label \(index)", "two", "three", "and 2 more"])
        XCTAssertEqual(label.box.intersection(picture), label.box)
        for other in labels.labels[..<index] { XCTAssertTrue(other.box.intersection(label.box).isEmpty) }
      }
      XCTAssertEqual(labels.leftOut > 0, count > 3)
      let bitmap = try Bitmap(width: 200, height: 140)
      let context = DrawingContext(bitmap: bitmap)
      labels.draw(context)
      context.flush()
      return bitmap.row(136).assumingMemoryBound(to: UInt32.self)[196]
    }
    XCTAssertEqual(try corner(1), 0)
    XCTAssertNotEqual(try corner(30), 0)
  }

  /// A buffer of another size, after a change of the mode, has a bitmap of that size; the same buffer keeps its own.
  func testABitmapForEachBuffer() throws {
    let stage = try ManualStage(width: 40, height: 30, rate: .hertz60)
    let painter = try OverlayPainter(
      [.damage], names: LayerNames(of: stage.engine.context), workers: stage.engine.workers,
      geometry: { stage.display.geometry })
    func canvas(_ width: Int, _ height: Int, _ index: Int) throws -> Bitmap {
      let buffer = PresentationBuffer(target: try Bitmap(width: width, height: height), index: index)
      return try XCTUnwrap(painter.canvas(for: buffer))
    }
    let first = try canvas(40, 30, 0)
    XCTAssertTrue(try canvas(40, 30, 0) === first)
    XCTAssertFalse(try canvas(40, 30, 1) === first)
    for (width, height) in [(40, 31), (41, 31), (40, 30)] {
      let other = try canvas(width, height, 0)
      XCTAssertEqual([other.width, other.height], [width, height])
    }
  }
}
