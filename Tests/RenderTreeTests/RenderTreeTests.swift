import Geometry
import Raster
import RenderTree
import Testing

@Suite struct RenderTreeTests {
  private func tree() -> TreeSnapshot {
    let bounds = Rect(x: 0, y: 0, width: 4, height: 2)
    return TreeSnapshot(
      records: [
        RenderRecord(id: 1, subtreeEnd: 4, bounds: bounds, backgroundColor: 0xFF00_00FF),
        RenderRecord(
          id: 7, subtreeEnd: 3, transform: .translation(x: 1, y: 2.5), bounds: bounds, opacity: 0.5, cornerRadius: 1,
          flags: .masksToBounds),
        RenderRecord(id: 3, subtreeEnd: 3, transform: .scale(2), bounds: bounds, flags: .hidden),
        RenderRecord(id: 4, subtreeEnd: 4, bounds: bounds),
      ], backdrop: 0xFF10_2030)
  }

  @Test func aRecordIsSmallAndHasNoGaps() {
    #expect(MemoryLayout<RenderRecord>.stride <= 192)
    // Gaps would hold anything, and records are compared by their memory.
    let fields =
      2 * MemoryLayout<UInt32>.size + MemoryLayout<Affine>.size + 2 * MemoryLayout<Rect>.size
      + 2 * MemoryLayout<ObjectIdentifier?>.size + 3 * MemoryLayout<UInt32>.size
      + 2 * MemoryLayout<UInt16>.size
    #expect(MemoryLayout<RenderRecord>.size == fields)
    #expect(MemoryLayout<RenderRecord>.stride == fields)
  }

  @Test func textShowsEachLayerBelowItsParent() throws {
    var tree = tree()
    let images = try [2, 3].map { try Bitmap(width: $0, height: 1).freeze() }
    let effects = RenderEffects(placement: ContentPlacement(gravity: .left, size: Size(2, 1)))
    for (index, image, effects) in [(0, 1, nil), (2, 0, effects), (3, 1, effects)] as [(Int, Int, RenderEffects?)] {
      tree.sides[index] = SideValues(content: images[image], effects: effects)
    }
    #expect(
      tree.description == """
        backdrop #ff102030
        layer 1 bounds 0.0 0.0 4.0 2.0 color #ff0000ff content 1 image 3x1
          layer 7 bounds 0.0 0.0 4.0 2.0 at 1.0 2.5 radius 1.0 opacity 0.5 masks
            layer 3 bounds 0.0 0.0 4.0 2.0 transform 2.0 0.0 0.0 2.0 0.0 0.0 hidden content 2 image 2x1 left 2.0 1.0
          layer 4 bounds 0.0 0.0 4.0 2.0 content 1 image 3x1 left 2.0 1.0
        """)
  }

  @Test func textSaysWhereTheTreeIsShown() {
    let clip = IntRect(x: 8, y: 0, width: 4, height: 2)
    let tree = TreeSnapshot(viewport: Viewport(transform: .translation(x: 8, y: 0), clip: clip))
    #expect(
      tree.description == """
        backdrop #ff000000
        viewport 8 0 4 2 transform 1.0 0.0 0.0 1.0 8.0 0.0
        """)
  }

  @Test func consistentTrees() {
    #expect(tree().inconsistency == nil)
    #expect(TreeSnapshot().inconsistency == nil)
  }

  @Test(arguments: 0...8)
  func inconsistentTrees(fault: Int) throws {
    var tree = tree()
    switch fault {
    case 0: tree.sides.removeLast()
    case 1: tree.records[0].subtreeEnd = 3
    case 2: tree.records[3].id = 7
    case 3: tree.records[3].id = 0
    case 4: tree.records[2].subtreeEnd = 4
    case 5: tree.records[2].subtreeEnd = 2
    case 6: tree.sides[2].effects = RenderEffects(placement: ContentPlacement(gravity: .top, size: .zero))
    case 7: tree.records[0].bounds.size.width = 9
    default: tree.sides[2].content = try Bitmap(width: 1, height: 1).freeze()
    }
    #expect(tree.inconsistency != nil)
  }

  @Test func layersSayWhereTheyDraw() throws {
    let bounds = Rect(x: 0, y: 0, width: 10, height: 4)
    let image = try Bitmap(width: 4, height: 4).freeze()
    func drawn(_ color: UInt32, _ placement: ContentPlacement?) -> Rect {
      var record = RenderRecord(id: 1, bounds: bounds, backgroundColor: color)
      record.settle(SideValues(content: image, effects: placement.map(RenderEffects.init)))
      return record.drawnBounds
    }
    let right = ContentPlacement(gravity: .right, size: Size(4, 8))
    #expect(RenderRecord(id: 1, bounds: bounds).drawnBounds == .zero)
    #expect(drawn(0, nil) == bounds)
    #expect(drawn(0, right) == Rect(x: 6, y: 0, width: 4, height: 4), "cut to the bounds")
    #expect(drawn(1, right) == bounds)
    var parts = ShapeContent.Parts()
    (parts.path, parts.fillColor) = (.rect(Rect(x: -5, y: 1, width: 20, height: 9)), .white)
    let shape = ShapeContent(parts)
    func drawn(_ flags: RenderRecord.Flags) -> Rect {
      var record = RenderRecord(id: 1, bounds: bounds)
      record.flags = flags
      record.settle(SideValues(shape: shape))
      return record.drawnBounds
    }
    let whole = shape.drawnBounds(in: bounds, nil)
    #expect(drawn([]) == whole && drawn(.masksToBounds) == whole.intersection(bounds))
    #expect(whole.minX < 0 && whole.minY > 0)
    func drawnBy(_ change: (inout RenderEffects.Parts) -> Void) -> Rect {
      var parts = RenderEffects.Parts()
      change(&parts)
      var record = RenderRecord(id: 1, bounds: bounds)
      record.settle(SideValues(effects: RenderEffects(parts)))
      return record.drawnBounds
    }
    #expect(drawnBy { $0.corners = [] } == .zero)
    #expect(drawnBy { $0.border = Border(width: 1, color: 1) } == bounds)
    #expect(drawnBy { $0.backdropBlurRadius = 2 } == bounds)
    #expect(drawnBy { $0.innerShadow = Shadow(color: 1, offset: .zero, radius: 1) } == bounds)
    let part = Rect(x: 1, y: 1, width: 3, height: 2)
    #expect(drawnBy { $0.innerShadow = Shadow(color: 1, offset: .zero, radius: 1, path: .rect(part)) } == part)
  }

  @Test func placementsLeadThereAndBack() throws {
    var tree = tree()
    tree.records[1].transform = .rotation(.pi / 2).concatenating(.translation(x: 8, y: 1))
    let placement = tree.placement(ofRecordAt: 2, width: 100, height: 100)
    #expect(placement.clip == IntRect(x: 6, y: 1, width: 2, height: 4), "masked by the turned layer 7")
    let seen = try #require(placement.homography.apply(Point(1, 0.5)))
    #expect(abs(seen.x - 7) < 1e-12 && abs(seen.y - 3) < 1e-12)
    let back = try #require(placement.layerPoint(at: seen))
    #expect(abs(back.x - 1) < 1e-12 && abs(back.y - 0.5) < 1e-12)
    #expect(tree.placement(ofRecordAt: 3, width: 50, height: 40).clip == IntRect(x: 0, y: 0, width: 50, height: 40))
    tree.records[0].transform = .scale(0)
    #expect(tree.placement(ofRecordAt: 3, width: 9, height: 9).layerPoint(at: .zero) == nil)
  }

  @Test func placementsLeadThroughPerspective() throws {
    var tree = tree()
    let view = Transform3D.rotation(0.5, x: 0, y: 1, z: 0).concatenating(.perspective(distance: 20))
    var parts = RenderEffects.Parts()
    parts.homography = view.homography
    tree.sides[1].effects = RenderEffects(parts)
    let inner = tree.records[2].transform
    let placement = tree.placement(ofRecordAt: 2, width: 100, height: 100)
    let outer = tree.placement(ofRecordAt: 1, width: 100, height: 100)
    let seen = try #require(placement.homography.apply(Point(1, 0.5)))
    #expect(outer.homography.apply(inner.apply(Point(1, 0.5))) == seen)
    let back = try #require(placement.layerPoint(at: seen))
    #expect(abs(back.x - 1) < 1e-12 && abs(back.y - 0.5) < 1e-12)
    #expect(tree.description.contains("homography"))
  }

  @Test func placementsNeedNoSideValues() {
    var tree = tree()
    let placement = tree.placement(ofRecordAt: 2, width: 100, height: 100)
    tree.sides.removeAll()
    #expect(tree.placement(ofRecordAt: 2, width: 100, height: 100) == placement)
  }

  /// The corners of a tree on an output of 30×20 that is mounted turned, and of a mirror of it.
  @Test(arguments: [
    (0, Point(0, 0), Point(30, 20)), (1, Point(30, 0), Point(0, 20)), (2, Point(30, 20), Point(0, 0)),
    (3, Point(0, 20), Point(30, 0)), (5, Point(30, 0), Point(0, 20)), (-1, Point(0, 20), Point(30, 0)),
  ])
  func quarterTurns(turns: Int, first: Point, last: Point) {
    let size = turns.isMultiple(of: 2) ? Point(30, 20) : Point(20, 30)
    let viewport = Viewport(quarterTurns: turns, width: 30, height: 20)
    #expect(viewport.transform.apply(.zero) == first && viewport.transform.apply(size) == last)
    #expect(viewport.clip == IntRect(x: 0, y: 0, width: 30, height: 20))
    let mirror = Viewport(
      transform: Affine.scale(0.5).concatenating(.translation(x: 4, y: 2)), clip: IntRect(x: 4, y: 2, width: 3, height: 2))
    let turned = mirror.turned(byQuarterTurns: turns, width: 30, height: 20)
    #expect(turned.transform.apply(Point(6, 4)) == viewport.transform.apply(Point(7, 4)))
    #expect(turned.transform.pixels(of: Rect(x: 0, y: 0, width: 6, height: 4)) == turned.clip)
  }

  /// The square of these scales is infinite or no number.
  @Test(arguments: [1e155, .infinity, .nan])
  func sharpShadowsStaySharp(scale: Double) {
    let blur = PictureBlur(Shadow(color: 0xFF00_0000, offset: .zero, radius: 0), .scale(scale))
    #expect(blur.deviationX == 0 && blur.deviationY == 0)
  }

  /// Along both axes of the output, by whole pixels and a rest.
  @Test(
    arguments: [(1.75, 0, 1, 0.75, 0, 0), (0, -1.75, 0, 0, -2, 0.25), (2, -3, 2, 0, -3, 0)]
      as [(Double, Double, Int32, Double, Int32, Double)])
  func shadowsAreMovedAcrossTheOutput(width: Double, height: Double, x: Int32, restX: Double, y: Int32, restY: Double) {
    let shadow = Shadow(color: 0xFF00_0000, offset: Size(width, height), radius: 4)
    let blur = PictureBlur(shadow, .identity)
    #expect((blur.moveX, blur.moveY) == (x, y) && (blur.restX, blur.restY) == (restX, restY))
    // Half as large, and a quarter of a turn with the clock: (x, y) goes to (−y, x).
    let turn = Affine(a: 0, b: 0.5, c: -0.5, d: 0, tx: 7, ty: 7)
    let turned = PictureBlur(shadow, turn)
    #expect(Double(turned.moveX) + turned.restX == -height / 2 && Double(turned.moveY) + turned.restY == width / 2)
    #expect((turned.deviationX, turned.deviationY) == (1, 1))
  }

  @Test(arguments: [(-.infinity, 0), (.nan, 0), (-0.5, 0), (0.25, 0.25), (2, 1), (.infinity, 1)])
  func transitionsProgressFromNoneToAll(progress: Double, expected: Double) {
    let transition = LayerTransition(old: OldPicture(), type: .fade, subtype: .fromLeft, progress: progress)
    #expect(transition.progress == expected)
  }
}
