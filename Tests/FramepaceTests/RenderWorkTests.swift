import Compositing
import Framepace
import Geometry
import Layers
import LinuxSystem
import Raster
import RenderTree
import XCTest

/// The work that a compositor reports.
@preconcurrency @MainActor final class RenderWorkTests: XCTestCase {
  /// The picture of a blurred layer is painted anew until it is worth its memory, and then shown: by the machine's clock it takes a part of the
  /// time, and then none.
  func testTheTimeOfPicturesThatAreNotKept() throws {
    let root = Layer(frame: Rect(x: 0, y: 0, width: 200, height: 200))
    root.backgroundColor = .white
    let layer = Layer(frame: Rect(x: 40, y: 40, width: 100, height: 100))
    layer.backgroundColor = .black
    layer.blurRadius = 4
    root.addSublayer(layer)
    let context = LayerContext(root: root, workers: WorkerPool(threads: 1), scale: 1, clock: .monotonic, wake: {})
    _ = context.commit(at: .zero)
    let tree = context.renderTree(at: .zero)
    for workers in [nil, WorkerPool(threads: 2)] {
      let (compositor, forgetful) = (Compositor(workers: workers), Compositor(workers: workers, keptBytes: 0))
      let bitmap = try Bitmap(width: 1_200, height: 1_200)
      let whole = DamageRegion(IntRect(x: 0, y: 0, width: 1_200, height: 1_200))
      var missed: [Int] = []
      for _ in 0..<6 {
        let start = SystemClock.monotonic.now
        compositor.render(tree, damage: whole, into: bitmap)
        let (work, time) = (compositor.work, SystemClock.monotonic.now - start)
        missed.append(work.missedPictures)
        XCTAssertEqual(work.pictureTime > .zero, work.missedPictures > 0, "\(work)")
        XCTAssertLessThanOrEqual(work.pictureTime, time)
        // The backdrop, the root and the picture.
        XCTAssertGreaterThan(work.layerPixels, 1_200 * 1_200 + 100 * 100)
        XCTAssertLessThan(work.layerPixels, 1_200 * 1_200 + 200 * 200 + 200 * 200)
      }
      XCTAssertEqual([missed.first, missed.last], [1, 0], "\(missed)")
      forgetful.render(tree, damage: whole, into: bitmap)
      XCTAssertEqual(forgetful.work.missedPictures, 0, "it keeps none")
    }
  }
}
