import Geometry
import LinuxSystem
import Raster
import RenderTree
import XCTest

@testable import Layers

/// The changes that make tiles be chosen, drawn and shown anew, and those that ask for no more commits and frames.
@preconcurrency @MainActor final class TileMarkTests: XCTestCase {
  // MARK: Clocks

  private func opacities(_ tiles: TileStage, after milliseconds: Int64 = 0) -> [Float] {
    let tree = tiles.stage.tree(after: milliseconds)
    return tiles.layer.innerLayers.map { layer in tree.records.first { $0.id == layer.id }?.opacity ?? -1 }
  }

  /// A fade on a clock that stands, runs backwards or has not begun would not end.
  func testTilesFadeOnlyOnAClockThatRunsForwards() {
    for change in [
      { $0.speed = 0 }, { $0.speed = -1 }, { $0.beginTime = milliseconds(5000) }, { $0.superlayer?.speed = 0 },
    ] as [@MainActor (SquaresLayer) -> Void] {
      let tiles = TileStage(Size(64, 64), fade: .milliseconds(100))
      tiles.turn(change)
      tiles.turn(after: 20)
      tiles.workOff()
      tiles.turn()
      XCTAssertEqual(opacities(tiles), [1])
      for time in [Int64(10), 90, 200, 10_000] {
        XCTAssertEqual(opacities(tiles, after: time), [1])
        XCTAssertFalse(tiles.stage.context.isAnimating)
        XCTAssertFalse(tiles.stage.context.isDirty)
      }
    }
  }

  /// A tile is shown wholly when the clock of its fade stops before the end.
  func testAFadeEndsWithItsClock() {
    for speed in [0.0, -1] {
      let tiles = TileStage(Size(64, 64), fade: .milliseconds(100))
      tiles.turn()
      tiles.workOff()
      tiles.turn()
      XCTAssertEqual(opacities(tiles, after: 50), [0.5])
      tiles.turn(after: 50) { $0.speed = speed }
      for time in [Int64(0), 30, 500] {
        XCTAssertEqual(opacities(tiles, after: time), [1])
        XCTAssertFalse(tiles.stage.context.isAnimating)
        XCTAssertFalse(tiles.stage.context.isDirty)
      }
    }
  }

  // MARK: Another look

  /// The layer is smaller than a tile: the same one is needed before and after.
  func testAnotherScaleOrAnotherPromiseDrawsTheSameTilesAnew() {
    let tiles = TileStage(Size(20, 20))
    tiles.settle()
    XCTAssertEqual(tiles.layer.log.requested.map(\.scale), [1])
    tiles.turn { $0.contentsScale = 2 }
    XCTAssertEqual(tiles.layer.log.requested.map(\.scale), [1, 2])
    tiles.settle()
    XCTAssertEqual(tiles.layer.tiles.values.map(\.picture?.image.width), [40])
    tiles.turn { $0.contentsScale = nil }
    tiles.settle()
    tiles.stage.context.scale = 3
    tiles.turn()
    XCTAssertEqual(tiles.layer.log.requested.map(\.scale), [1, 2, 1, 3])
    tiles.layer.isTranslucent = true
    tiles.turn { $0.setNeedsDisplay() }
    tiles.settle()
    XCTAssertEqual(tiles.layer.tiles.values.map(\.picture?.image.isOpaque), [false])
    tiles.turn { $0.isOpaque = true }
    tiles.settle()
    XCTAssertEqual(tiles.layer.tiles.values.map(\.picture?.image.isOpaque), [true])
    XCTAssertEqual(tiles.layer.log.requested.count, 6)
  }

  /// Contents that are set lie below the tiles, and are the layer's picture for its states and in the text of a scene.
  func testContentsThatAreSetAreNotDrawn() throws {
    let tiles = TileStage(Size(20, 20))
    let image = try Bitmap(width: 4, height: 4).freeze()
    tiles.layer.contents = image
    tiles.settle()
    XCTAssertEqual(tiles.records.count, 1)
    guard case .image(let picture) = tiles.layer.layerPicture else { return XCTFail("it is to be drawn") }
    XCTAssertIdentical(picture, image)
  }

  func testTilesHaveTheFiltersOfTheLayer() throws {
    let tiles = TileStage(Size(40, 40))
    tiles.turn { $0.transform = .scale(4) }
    tiles.settle()
    // The edge of a square is mixed over four pixels, or it is none.
    func edge() throws -> Set<UInt32> { Set(try tiles.picture().words[200 * 40 + 58..<200 * 40 + 70]) }
    XCTAssertGreaterThan(try edge().count, 2)
    tiles.turn { $0.magnificationFilter = .nearest }
    XCTAssertEqual(try edge().count, 2)
    // Nothing is drawn for it.
    XCTAssertEqual(tiles.layer.log.requested.count, 1)
    tiles.turn { $0.minificationFilter = .nearest }
    XCTAssertTrue(tiles.layer.innerLayers.allSatisfy { $0.minificationFilter == .nearest })
  }

  // MARK: Marks during a commit

  /// An application may mark layers where it is asked for the drawing of a tile, which is after layout and display. The commit after it
  /// is asked for, and handles the marks.
  func testMarksThatAreMadeForADrawingAreHandled() {
    func play(_ name: String, _ mark: @escaping @MainActor (SquaresLayer) -> Void, _ check: (TileStage) -> Bool) {
      let tiles = TileStage(Size(20, 20))
      tiles.layer.asked = { [unowned tiles] in
        tiles.layer.asked = nil
        mark(tiles.layer)
      }
      let requests = tiles.stage.commitRequests
      tiles.stage.turn()
      XCTAssertTrue(tiles.stage.context.isDirty, name)
      XCTAssertEqual(tiles.stage.commitRequests, requests + 1, name)
      tiles.stage.turn()
      XCTAssertTrue(check(tiles), name)
      tiles.settle()
      XCTAssertFalse(tiles.stage.context.isDirty, name)
    }
    play("a part") {
      $0.setNeedsDisplay(in: Rect(x: 0, y: 0, width: 9, height: 9))
    } _: {
      $0.layer.log.requested.count == 2
    }
    play("all") {
      $0.setNeedsDisplay()
    } _: {
      $0.layer.log.requested.count == 2
    }
    play("another grid") {
      $0.tileSize = Size(16, 16)
    } _: {
      $0.layer.log.requested.count == 1 + 4
    }
    play("another scale") {
      $0.contentsScale = 2
    } _: {
      $0.layer.log.requested.last?.scale == 2
    }
    play("layout") {
      $0.superlayer?.setNeedsLayout()
    } _: {
      !$0.stage.root.needsLayout
    }
    let label = NumberedLayer(log: PictureLog())
    label.bounds.size = Size(4, 4)
    play("another layer's display") { layer in
      layer.superlayer?.addSublayer(label)
      label.request(1)
    } _: { _ in
      !label.needsDisplay
    }
    // Two layers, of which the one that comes later marks the other.
    let tiles = TileStage(Size(20, 20))
    let later = SquaresLayer(frame: Rect(x: 40, y: 0, width: 20, height: 20))
    tiles.stage.root.addSublayer(later)
    later.asked = { [unowned tiles] in tiles.layer.setNeedsDisplay(in: tiles.layer.bounds) }
    tiles.stage.turn()
    XCTAssertTrue(tiles.stage.context.isDirty)
    tiles.stage.turn()
    XCTAssertEqual(tiles.layer.log.requested.count, 2)
  }

  /// A layer that is taken away where it is asked for a drawing leaves no tile behind, and comes back with those that it had.
  func testALayerThatLeavesForADrawingLeavesNothing() {
    let tiles = TileStage()
    tiles.settle()
    XCTAssertEqual(tiles.records.count, 20)
    tiles.layer.asked = { [unowned tiles] in tiles.layer.removeFromSuperlayer() }
    tiles.turn { $0.setNeedsDisplay() }
    XCTAssertEqual(tiles.layer.log.requested.count, 21)
    XCTAssertEqual(tiles.stage.tree().records.count, 1)
    XCTAssertTrue(tiles.layer.innerLayers.allSatisfy { $0.context == nil })
    XCTAssertEqual(tiles.stage.context.pendingDrawings, 0)
    tiles.layer.asked = nil
    tiles.turn { [stage = tiles.stage] in stage.root.addSublayer($0) }
    tiles.settle()
    XCTAssertEqual(tiles.records.count, 20)
    XCTAssertNil(tiles.stage.tree().inconsistency)
  }

  /// Tiles that come, move and go ask neither for layout nor for another commit.
  func testTilesMarkNothing() {
    let tiles = TileStage(Size(1024, 1024))
    tiles.layer.levelsOfDetail = 3
    tiles.settle()
    for change in [
      { $0.position = Point(-100, -40) }, { $0.transform = .scale(0.5) }, { $0.bounds.size = Size(333, 222) },
      { $0.bounds.size = Size(500, 400) },
    ] as [@MainActor (SquaresLayer) -> Void] {
      tiles.turn(change)
      XCTAssertFalse(tiles.stage.context.isDirty)
      tiles.workOff()
      let phases = tiles.stage.turn()
      XCTAssertEqual(phases.layoutCount, 0)
      XCTAssertTrue(phases.treeChanged)
      XCTAssertFalse(tiles.stage.context.isDirty)
      XCTAssertEqual(tiles.stage.turn().recordCount, 0)
    }
  }

  // MARK: Memory

  /// Tiles that wait and are put in another order take their own place in memory, and no other tile's.
  func testTilesThatWaitTakeTheirPlaceOnce() {
    let tiles = TileStage(Size(64 * 40, 64), output: Size(64, 64))
    tiles.layer.tileBytes = TileGrid(tileSize: Size(64, 64), scale: 1).tileBytes * 7
    tiles.turn { $0.position = Point(-64, 0) }
    tiles.settle()
    tiles.turn { $0.position = Point(-64 * 20, 0) }
    // Two of the three that wait are still needed.
    tiles.turn { $0.position = Point(-64 * 21, 0) }
    tiles.settle()
    XCTAssertEqual(tiles.layer.tiles.keys.map(\.x).sorted(), [0, 1, 2, 20, 21, 22])
  }

  /// However many tiles go in an update, they are looked for and ordered once.
  func testTilesThatGoAreLookedForOnce() {
    let layer = TiledLayer()
    let candidates = [TileRoom.Need.standsIn, .near, .none, .none, .near, .none].enumerated().map { index, need in
      let tile = Tile(TileKey(level: 0, x: index, y: 0), of: layer)
      tile.lastUse = index == 3 ? 1 : 2
      return TileRoom.Candidate(tile: tile, need: need)
    }
    var room = TileRoom(limit: 6, used: 6)
    var count = 0
    func next(_ isVisible: Bool) -> Int? {
      room.next(forVisible: isVisible) {
        count += 1
        return candidates
      }?.key.x
    }
    XCTAssertEqual([next(false), next(true), next(false), next(false)], [3, 2, 5, nil])
    XCTAssertEqual([next(true), next(false), next(true), next(true), next(true)], [1, nil, 4, 0, nil])
    XCTAssertEqual(count, 1)
  }

  /// Thousands of tiles make room for others: those that were not needed for longest go, in their order.
  func testManyTilesMakeRoomForMany() {
    let tiles = TileStage(Size(16 * 4000, 16 * 30), output: Size(480, 480))
    let tile = TileGrid(tileSize: Size(16, 16), scale: 1).tileBytes
    tiles.layer.tileBytes = tile * 4000
    tiles.layer.tileSize = Size(16, 16)
    for step in 0..<6 {
      tiles.turn { $0.position = Point(-16 * Double(step * 40), 0) }
      tiles.settle()
    }
    // 32 or 31 columns of 30 tiles each time.
    XCTAssertEqual(tiles.layer.tiles.count, 4000)
    let places = tiles.layer.tiles.keys.map { $0.x }
    XCTAssertEqual(places.filter { (199..<231).contains($0) }.count, 32 * 30)
    XCTAssertTrue(places.allSatisfy { $0 >= 39 })
  }
}
