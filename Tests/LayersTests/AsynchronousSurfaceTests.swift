import Geometry
import Layers
import LinuxSystem
import Raster
import RenderTree
import XCTest

/// A thread writes a surface, another reads what is shown: for the thread sanitizer.
@preconcurrency @MainActor final class AsynchronousSurfaceTests: XCTestCase {
  func testWhatIsShownIsNeverWritten() throws {
    let (stage, layer) = Stage.showing(SurfaceLayer(frame: Rect(x: 0, y: 0, width: 64, height: 48)))
    let surface = try Surface(width: 64, height: 48)
    layer.surface = surface
    let count: UInt32 = 2_000
    let writers = WorkerPool(threads: 1)
    let readers = WorkerPool(threads: 2)
    let torn = Lock(0)
    let failures = Lock(0)
    // Rows of all of the surface, then a part of it: the rest is taken over from the generation before.
    writers.submit(.drawing) {
      for step in 1...count {
        for region in [
          IntRect(x: 0, y: 0, width: 64, height: 24), IntRect(x: 0, y: 24, width: 30, height: 24),
          IntRect(x: 30, y: 24, width: 34, height: 24),
        ] {
          do {
            try surface.update(region) { pixels in
              for y in 0..<region.height { pixels.row(y).update(repeating: step) }
            }
          } catch {
            failures.withLock { $0 += 1 }
          }
        }
        do { try surface.commit() } catch { failures.withLock { $0 += 1 } }
      }
    }
    stage.turn(until: {
      let tree = stage.tree()
      guard let image = tree.sides.last?.content?.image else { return false }
      let newest = image.base.load(as: UInt32.self)
      readers.submit(.drawing) {
        let isWhole = (0..<48).allSatisfy { y in
          let row = image.row(y).assumingMemoryBound(to: UInt32.self)
          return (0..<64).allSatisfy { row[$0] == newest }
        }
        if !isWhole { torn.withLock { $0 += 1 } }
        withExtendedLifetime(tree) {}
      }
      return newest == count
    })
    XCTAssertEqual(torn.withLock { $0 }, 0)
    XCTAssertEqual(failures.withLock { $0 }, 0)
    writers.shutdown()
    readers.shutdown()
  }
}
