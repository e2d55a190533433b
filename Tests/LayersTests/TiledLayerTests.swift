import Compositing
import Geometry
import LinuxSystem
import Raster
import RenderTree
import XCTest

@testable import Layers

/// Tiles as they come, stand in for each other, change and go: by simulated workers.
@preconcurrency @MainActor final class TiledLayerTests: XCTestCase {
  func testTilesShowWhatTheyDraw() throws {
    for (place, scale) in [(Point(-37, -90), 1.0), (Point(13, 20), 1), (Point(-3, -5), 2)] {
      let tiles = TileStage(Size(300, 280), scale: scale)
      tiles.turn { $0.position = place }
      tiles.settle()
      let map = Affine.translation(x: place.x, y: place.y).concatenating(.scale(scale))
      XCTAssertTrue(try tiles.picture().words == tiles.expected(map).words, "at \(place), scale \(scale)")
    }
  }

  /// Whatever is not the layer's contents is left alone: sublayers lie above, and neither they nor hit tests know tiles.
  func testTilesAreNoSublayers() throws {
    let tiles = TileStage(Size(128, 128))
    let dot = Layer(frame: Rect(x: 10, y: 10, width: 20, height: 20))
    dot.backgroundColor = .white
    tiles.layer.addSublayer(dot)
    tiles.settle()
    XCTAssertEqual(tiles.layer.sublayers.count, 1)
    XCTAssertIdentical(tiles.stage.root.hitTest(Point(100, 100)), tiles.layer)
    XCTAssertIdentical(tiles.stage.root.hitTest(Point(15, 15)), dot)
    XCTAssertEqual(try tiles.picture().words[15 * 200 + 15], 0xFFFF_FFFF)
    let tree = tiles.stage.tree()
    XCTAssertEqual(
      tree.records.map(\.id), [tiles.stage.root.id, tiles.layer.id] + tiles.layer.innerLayers.map(\.id) + [dot.id])
    XCTAssertNil(tree.inconsistency)
  }

  /// The tiles are not moved by all that moves the sublayers, and stay upright in flipped coordinates.
  func testTilesLieWhereContentsDo() throws {
    let tiles = TileStage(Size(200, 150))
    tiles.settle()
    let picture = try tiles.picture().words
    tiles.turn { $0.sublayerTransform = .scale(0.5) }
    XCTAssertTrue(try tiles.picture().words == picture)
    tiles.turn {
      $0.sublayerTransform = .identity
      $0.isGeometryFlipped = true
    }
    XCTAssertTrue(try tiles.picture().words == picture)
    let bitmap = try Bitmap(width: 200, height: 150)
    let context = DrawingContext(bitmap: bitmap)
    try tiles.layer.render(in: context, with: Compositor())
    context.flush()
    XCTAssertTrue(bitmap.freeze().words == picture)
  }

  /// Opaque tiles leave nothing to see between them, however they lie.
  func testNothingIsSeenBetweenOpaqueTiles() throws {
    for (turn, scale) in [(0.3, 1.0), (0, 0.77), (-1.2, 1.3), (0, 1.01)] {
      let tiles = TileStage(Size(800, 800))
      tiles.layer.levelsOfDetail = 3
      tiles.turn {
        $0.transform = .init(Affine.rotation(turn).concatenating(.scale(scale)))
        $0.anchorPoint = Point(0.5, 0.5)
        $0.position = Point(100.3, 75.6)
      }
      tiles.settle()
      for word in try tiles.picture().words where word & 0x80_8080 != 0x80_8080 || word == 0xFFFF_00FF {
        return XCTFail("turned by \(turn), \(scale) as large: \(String(word, radix: 16))")
      }
    }
  }

  /// A translucent picture is seen once wherever tiles meet.
  func testTranslucentTilesDoNotOverlap() throws {
    let tiles = TileStage(Size(200, 150))
    tiles.layer.isTranslucent = true
    tiles.settle()
    let bounds = tiles.records.map(\.bounds)
    for one in bounds.indices {
      for other in bounds.indices where other > one {
        XCTAssertTrue(bounds[one].intersection(bounds[other]).isEmpty)
      }
    }
    XCTAssertEqual(bounds.reduce(0) { $0 + $1.width * $1.height }, 200 * 150)
  }

  func testTilesOfAnotherLevelStandIn() throws {
    let tiles = TileStage(Size(1024, 1024))
    (tiles.layer.levelsOfDetail, tiles.layer.levelsOfDetailBias) = (4, 1)
    tiles.settle()
    // Nearer: parts of the coarse tiles until each finer one is there.
    tiles.turn { $0.transform = .scale(2) }
    func isSeen() throws -> Bool { try tiles.picture().words.allSatisfy { $0 != 0xFFFF_00FF } }
    XCTAssertTrue(try isSeen())
    XCTAssertEqual(Set(tiles.layer.pieces.keys.map(\.source.level)), [0])
    while tiles.drawOne() {
      tiles.turn()
      XCTAssertTrue(try isSeen())
    }
    XCTAssertEqual(Set(tiles.layer.pieces.keys.map(\.source.level)), [1])
    XCTAssertTrue(try tiles.picture().words == tiles.expected(.scale(2)).words)
    // Farther: the finer tiles that there are.
    tiles.turn { $0.transform = .scale(0.5) }
    let covered = tiles.records.map(\.bounds)
    XCTAssertTrue(tiles.isCovered(Point(90, 70)))
    XCTAssertFalse(covered.isEmpty)
    while tiles.drawOne() {
      tiles.turn()
      XCTAssertTrue(tiles.isCovered(Point(90, 70)))
    }
    XCTAssertEqual(Set(tiles.layer.pieces.keys.map(\.source.level)), [-1])
    XCTAssertTrue(tiles.layer.pieces.keys.allSatisfy { $0.place == $0.source })
  }

  /// No place of a translucent layer is covered by two levels at once.
  func testStandInsOfATranslucentLayerAreSeenOnce() {
    let tiles = TileStage(Size(1024, 1024))
    tiles.layer.isTranslucent = true
    (tiles.layer.levelsOfDetail, tiles.layer.levelsOfDetailBias) = (4, 1)
    tiles.settle()
    for scale in [2, 1, 0.5, 0.25, 2] {
      tiles.turn { $0.transform = .scale(scale) }
      repeat {
        let bounds = tiles.records.map(\.bounds)
        for one in bounds.indices {
          for other in bounds.indices where other > one {
            XCTAssertTrue(bounds[one].intersection(bounds[other]).isEmpty, "scale \(scale)")
          }
        }
        tiles.turn()
      } while tiles.drawOne()
      tiles.settle()
    }
  }

  func testNewTilesFadeIn() throws {
    let tiles = TileStage(Size(64, 64), fade: .milliseconds(100))
    (tiles.layer.levelsOfDetail, tiles.layer.levelsOfDetailBias) = (2, 1)
    tiles.turn()
    tiles.workOff()
    tiles.turn()
    func opacities(_ milliseconds: Int64) -> [Float] {
      let tree = tiles.stage.tree(after: milliseconds)
      return tiles.layer.innerLayers.map { layer in tree.records.first { $0.id == layer.id }?.opacity ?? -1 }
    }
    XCTAssertEqual(opacities(0), [0])
    XCTAssertEqual(opacities(50), [0.5])
    XCTAssertEqual(opacities(100), [1])
    tiles.turn(after: 100)
    // Over the tile that stands in for it, which goes when it is seen wholly.
    tiles.turn { $0.transform = .scale(2) }
    tiles.workOff()
    tiles.turn()
    XCTAssertEqual(opacities(25), [1, 1, 1, 1, 0.25, 0.25, 0.25, 0.25])
    _ = tiles.stage.tree(after: 100)
    XCTAssertTrue(tiles.stage.context.isDirty)
    tiles.turn(after: 100)
    XCTAssertEqual(opacities(0), [1, 1, 1, 1])
    // A tile that changes does so at once.
    tiles.turn { $0.setNeedsDisplay() }
    tiles.workOff()
    tiles.turn()
    XCTAssertEqual(opacities(0), [1, 1, 1, 1])
  }

  func testADisplayOfAPartDrawsTheTilesThatItTouches() throws {
    let tiles = TileStage(Size(256, 256), output: Size(256, 256))
    tiles.settle()
    XCTAssertEqual(tiles.layer.log.requested.count, 16)
    let old = try tiles.picture().words
    tiles.layer.log.requested = []
    tiles.turn {
      $0.edition = 2
      // Two tiles; with a pixel of their neighbours' edges no more.
      $0.setNeedsDisplay(in: Rect(x: 70, y: 80, width: 100, height: 30))
    }
    XCTAssertEqual(
      Set(tiles.layer.log.requested.map(\.rect)),
      [Rect(x: 63, y: 63, width: 66, height: 66), Rect(x: 127, y: 63, width: 66, height: 66)])
    // The old pictures stay until both are there.
    tiles.drawOne()
    tiles.turn()
    XCTAssertTrue(try tiles.picture().words == old)
    tiles.drawOne()
    tiles.turn()
    let (new, all) = (try tiles.picture().words, try tiles.expected(edition: 2, .identity).words)
    for y in 0..<256 {
      for x in 0..<256 {
        let isNew = (65..<191).contains(x) && (65..<127).contains(y)
        // Overlaps outside of the part that was to change may be of either edition.
        if (63..<193).contains(x) && (63..<129).contains(y) && !isNew { continue }
        guard new[y * 256 + x] == (isNew ? all : old)[y * 256 + x] else { return XCTFail("\(x), \(y)") }
      }
    }
    tiles.layer.log.requested = []
    tiles.turn { $0.setNeedsDisplay(in: Rect(x: 300, y: 0, width: 9, height: 9)) }
    XCTAssertEqual(tiles.layer.log.requested.count, 0)
    tiles.turn { $0.setNeedsDisplay() }
    XCTAssertEqual(tiles.layer.log.requested.count, 16)
  }

  func testDrawingsOfTilesThatLeaveAreCancelled() {
    let tiles = TileStage(Size(4096, 150))
    var isFirst = true
    tiles.layer.log.meanwhile = { _ in
      guard isFirst else { return }
      isFirst = false
      tiles.turn { $0.position = Point(-2000, 0) }
    }
    tiles.turn()
    tiles.workOff()
    XCTAssertEqual(tiles.layer.log.cancelled.count, 1)
    // The one that was under way, and all of the new place.
    XCTAssertEqual(tiles.layer.log.begun.count, 1 + Set(tiles.layer.log.begun.dropFirst().map(\.rect)).count)
    XCTAssertTrue(tiles.layer.log.begun.dropFirst().allSatisfy { $0.rect.minX > 1800 })
    tiles.turn()
    XCTAssertEqual(tiles.stage.context.pendingDrawings, 0)
    XCTAssertTrue(tiles.isCovered(Point(2050, 70)))
  }

  /// Those that wait are drawn in the order of the new middle.
  func testAMovementOrdersWhatWaits() {
    let tiles = TileStage(Size(4096, 150), output: Size(640, 64))
    tiles.turn()
    tiles.turn { $0.position = Point(-128, 0) }
    tiles.workOff()
    let seen = tiles.layer.log.begun.filter { $0.rect.minX >= 127 && $0.rect.minX < 760 && $0.rect.minY == 0 }
    let distances = seen.map { abs($0.rect.midX - 448) }
    XCTAssertEqual(seen.count, 10)
    XCTAssertTrue(zip(distances, distances.dropFirst()).allSatisfy { $0 <= $1 + 1 }, "\(distances)")
  }

  func testWhatIsNearIsDrawnAfterWhatIsSeen() {
    let tiles = TileStage(Size(1024, 1024))
    tiles.turn()
    var order: [Bool] = []
    tiles.layer.log.meanwhile = { order.append($0.rect.minX < 200 && $0.rect.minY < 150) }
    tiles.workOff()
    XCTAssertEqual(order.count, 20)
    XCTAssertEqual(order.firstIndex(of: false), 12)
  }

  /// Another layer's drawing that comes later is drawn before the tiles that are only near.
  func testWhatIsNearHasLowPriority() {
    let tiles = TileStage(Size(1024, 1024))
    let label = NumberedLayer(log: PictureLog())
    label.bounds.size = Size(4, 4)
    tiles.stage.root.addSublayer(label)
    tiles.turn()
    var drawn: Int?
    label.request(1) { drawn = tiles.layer.log.begun.count }
    tiles.turn()
    tiles.workOff()
    XCTAssertEqual(tiles.layer.log.begun.count, 20)
    XCTAssertEqual(drawn, 12)
  }

  /// Nobody waits for the tiles of a tree that is gone.
  func testATreeThatGoesDrawsNothingMore() {
    var tiles: TileStage? = TileStage()
    guard let pool = tiles?.pool, let log = tiles?.layer.log else { return XCTFail("no stage") }
    tiles?.turn()
    tiles = nil
    while pool.runNextJob() {}
    XCTAssertEqual(log.requested.count, 20)
    XCTAssertEqual(log.begun.count, 0)
  }

  func testTheLayerMayDieWhileItIsDrawn() {
    for moment in 0..<3 {
      var tiles: TileStage? = TileStage()
      weak let layer = tiles?.layer
      let (pool, log, stage) = (tiles!.pool, tiles!.layer.log, tiles!.stage)
      tiles?.turn()
      func die() {
        tiles?.layer.removeFromSuperlayer()
        tiles = nil
      }
      if moment == 0 { die() }
      if moment == 1 { log.meanwhile = { _ in if tiles != nil { die() } } }
      _ = pool.runNextJob()
      if moment == 2 { die() }
      while pool.runNextJob() {}
      stage.turn()
      stage.turn()
      XCTAssertNil(layer, "moment \(moment)")
      XCTAssertEqual(log.begun.count, moment == 0 ? 0 : 1)
      XCTAssertEqual(log.cancelled.count, moment == 1 ? 1 : 0)
      XCTAssertEqual(stage.context.pendingDrawings, 0)
      XCTAssertEqual(stage.tree().records.count, 1)
    }
  }

  /// A layer that comes back shows the tiles that it had, and draws the rest.
  func testALayerThatComesBackHasItsTiles() {
    let tiles = TileStage()
    tiles.turn()
    for _ in 0..<6 { tiles.drawOne() }
    tiles.turn()
    tiles.turn { $0.removeFromSuperlayer() }
    XCTAssertEqual(tiles.stage.context.pendingDrawings, 0)
    XCTAssertEqual(tiles.stage.tree().records.count, 1)
    tiles.layer.log.requested = []
    tiles.turn { [stage = tiles.stage] in stage.root.addSublayer($0) }
    XCTAssertEqual(tiles.records.count, 6)
    XCTAssertEqual(tiles.layer.log.requested.count, 14)
    tiles.settle()
    XCTAssertEqual(tiles.records.count, 20)
  }

  func testOtherTilesTakeThePlaceOfThoseThatWereNotNeededForLongest() {
    let tiles = TileStage(Size(64 * 40, 64), output: Size(64, 64))
    let tile = TileGrid(tileSize: Size(64, 64), scale: 1).tileBytes
    tiles.layer.tileBytes = tile * 8
    func columns() -> [Int] { tiles.layer.tiles.values.filter { $0.picture != nil }.map(\.key.x).sorted() }
    func go(to column: Int) {
      tiles.turn { $0.position = Point(-64 * Double(column), 0) }
      tiles.settle()
    }
    go(to: 1)
    XCTAssertEqual(columns(), [0, 1, 2])
    go(to: 10)
    XCTAssertEqual(columns(), [0, 1, 2, 9, 10, 11])
    go(to: 1)
    go(to: 20)
    // 9 was not needed for longest; of those that are as old the ones on the left go first.
    XCTAssertEqual(columns(), [0, 1, 2, 10, 11, 19, 20, 21])
    go(to: 2)
    XCTAssertEqual(columns(), [0, 1, 2, 3, 11, 19, 20, 21])
    // Tiles that are near do not drive out each other.
    tiles.layer.tileBytes = tile * 2
    tiles.settle()
    XCTAssertEqual(columns().count, 2)
    XCTAssertTrue(columns().contains(2))
    let drawn = tiles.layer.log.begun.count
    for _ in 0..<5 { tiles.settle() }
    XCTAssertEqual(tiles.layer.log.begun.count, drawn)
  }

  /// More than there is room for: the middle.
  func testMoreTilesAreSeenThanThereIsRoomFor() {
    let tiles = TileStage(Size(100_000, 100_000), output: Size(640, 640))
    let tile = TileGrid(tileSize: Size(64, 64), scale: 1).tileBytes
    tiles.layer.tileBytes = tile * 9
    tiles.turn { $0.transform = .scale(0.0064) }
    tiles.settle()
    XCTAssertEqual(tiles.layer.log.begun.count, 9)
    XCTAssertTrue(tiles.layer.tiles.keys.allSatisfy { abs($0.x - 781) <= 1 && abs($0.y - 781) <= 1 })
  }

  /// With the scale of the output or the size of tiles all change.
  func testAnotherGridDrawsAnew() {
    let tiles = TileStage(Size(256, 256), output: Size(256, 256))
    tiles.settle()
    tiles.layer.log.requested = []
    tiles.turn { $0.tileSize = Size(128, 256) }
    XCTAssertEqual(tiles.layer.log.requested.count, 2)
    tiles.turn { $0.contentsScale = 2 }
    XCTAssertEqual(Set(tiles.layer.log.requested.suffix(8).map(\.scale)), [2])
    tiles.settle()
    XCTAssertEqual(tiles.records.count, 8)
    // Numbers that nobody can mean do no harm.
    for size in [Size(-1, 0), Size(.nan, .infinity), Size(1e300, 1)] {
      tiles.turn { $0.tileSize = size }
      tiles.turn { ($0.levelsOfDetail, $0.levelsOfDetailBias, $0.tileBytes) = (.min, .max, .min) }
      tiles.turn { ($0.levelsOfDetail, $0.levelsOfDetailBias, $0.tileBytes) = (.max, .min, .max) }
      tiles.turn { ($0.levelsOfDetail, $0.levelsOfDetailBias, $0.tileBytes) = (1, 0, 1 << 20) }
    }
  }

  /// The bounds of a layer that grows cut its tiles elsewhere: those at the old edge are drawn anew.
  func testTilesAtAnEdgeThatMovesAreDrawnAnew() throws {
    let tiles = TileStage(Size(100, 100))
    tiles.settle()
    tiles.layer.log.requested = []
    tiles.turn { $0.bounds.size = Size(150, 100) }
    XCTAssertEqual(tiles.layer.log.requested.count, 4)
    tiles.settle()
    XCTAssertTrue(try tiles.picture().words == tiles.expected(.identity).words)
    tiles.turn { $0.bounds.size = Size(90, 70) }
    XCTAssertTrue(try tiles.picture().words == tiles.expected(.identity).words)
  }
}
