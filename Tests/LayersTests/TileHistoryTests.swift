import Compositing
import Geometry
import LinuxSystem
import Raster
import RenderTree
import TestLength
import XCTest

@testable import Layers

/// The picture of a tiled layer depends on what it is, and on nothing that it was.
@preconcurrency @MainActor final class TileHistoryTests: XCTestCase {
  /// Translucent tiles whose edges share a pixel are another picture in another order.
  func testTheWayToAPlaceChangesNoPicture() throws {
    var random = SplitMix64(seed: UInt64(runSeed))
    for _ in 0..<20 {
      let size = Size(Double(Int.random(in: 150...400, using: &random)), Double(Int.random(in: 150...400, using: &random)))
      func move(_ tiles: TileStage, to place: (position: Point, turn: Double)) {
        tiles.turn { ($0.position, $0.transform) = (place.position, Transform3D(Affine.rotation(place.turn))) }
        tiles.settle()
      }
      let places = (0..<3).map { _ in
        (
          position: Point(.random(in: -60...0, using: &random), .random(in: -60...0, using: &random)),
          turn: Double.random(in: -0.2...0.2, using: &random)
        )
      }
      let (moved, placed) = (TileStage(size), TileStage(size))
      for tiles in [moved, placed] {
        tiles.layer.isTranslucent = true
        // Wherever the layer lies, all of it is near.
        tiles.layer.tileSize = Size(100, 100)
      }
      for place in places { move(moved, to: place) }
      move(placed, to: places[2])
      XCTAssertTrue(try moved.picture().words == placed.picture().words, "\(size) at \(places)")
    }
  }

  /// A tile of the same rectangle shows another part of an image that is stretched otherwise.
  func testAnImageIsStretchedOverTheNewBounds() throws {
    let bitmap = try Bitmap(width: 3, height: 2)
    let colors: [UInt32] = [0xFF10_2030, 0xFFE0_4020, 0xFF20_A0D0, 0xFF80_8000, 0xFF00_6000, 0xFFFF_FFFF]
    for (index, word) in colors.enumerated() {
      bitmap.row(index / 3).assumingMemoryBound(to: UInt32.self)[index % 3] = word
    }
    let image = bitmap.freeze()
    func tiled(_ bounds: Rect) -> (stage: Stage, layer: TiledLayer, pool: WorkerPool) {
      let pool = WorkerPool(simulatedThreads: 1)
      let stage = Stage(root: Layer(frame: Rect(x: 0, y: 0, width: 100, height: 80)), workers: pool)
      let layer = TiledLayer()
      (layer.image, layer.tileSize, layer.fadeDuration) = (image, Size(32, 32), .zero)
      (layer.anchorPoint, layer.bounds) = (.zero, bounds)
      stage.root.addSublayer(layer)
      return (stage, layer, pool)
    }
    func words(_ stage: Stage, _ pool: WorkerPool) throws -> [UInt32] {
      for _ in 0..<4 {
        stage.turn(after: 0)
        while pool.runNextJob() {}
      }
      let bitmap = try Bitmap(width: 100, height: 80)
      Compositor().render(stage.tree(), damage: DamageRegion(IntRect(x: 0, y: 0, width: 100, height: 80)), into: bitmap)
      return bitmap.freeze().words
    }
    let old = tiled(Rect(x: 0, y: 0, width: 96, height: 64))
    let first = try words(old.stage, old.pool)
    for bounds in [Rect(x: 0, y: 0, width: 64, height: 64), Rect(x: 8, y: 0, width: 64, height: 64)] {
      Transaction.withoutActions { old.layer.bounds = bounds }
      let new = tiled(bounds)
      let (changed, made) = try (words(old.stage, old.pool), words(new.stage, new.pool))
      XCTAssertTrue(changed == made, "\(bounds)")
      XCTAssertFalse(changed == first, "\(bounds)")
    }
  }
}
