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
  /// A black layer of 100 · 100 units in a white one of 200 · 200.
  private func tree(_ change: (Layer) -> Void) -> TreeSnapshot {
    let root = Layer(frame: Rect(x: 0, y: 0, width: 200, height: 200))
    root.backgroundColor = .white
    let layer = Layer(frame: Rect(x: 40, y: 40, width: 100, height: 100))
    layer.backgroundColor = .black
    change(layer)
    root.addSublayer(layer)
    let context = LayerContext(root: root, workers: WorkerPool(threads: 1), scale: 1, clock: .monotonic, wake: {})
    _ = context.commit(at: .zero)
    return context.renderTree(at: .zero)
  }

  /// The picture of a blurred layer is painted anew until it is worth its memory, and then shown: by the machine's clock it takes a part of the
  /// time, and then none.
  func testTheTimeOfPicturesThatAreNotKept() throws {
    let tree = tree { $0.blurRadius = 4 }
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

  /// A shadow that is made, of the shape of a layer or inside of its edges, is a picture that was not kept: whether it is kept from now on, or
  /// only those of its pixels are made that are painted.
  func testTheTimeOfShadowsThatAreNotKept() throws {
    let bitmap = try Bitmap(width: 200, height: 200)
    let whole = DamageRegion(IntRect(x: 0, y: 0, width: 200, height: 200))
    let part = DamageRegion(IntRect(x: 30, y: 30, width: 20, height: 20))
    let inner = tree { ($0.innerShadowOpacity, $0.innerShadowRadius) = (1, 6) }
    let outer = tree { ($0.shadowOpacity, $0.shadowRadius) = (1, 6) }
    for (name, tree) in [("inner", inner), ("outer", outer)] {
      let compositor = Compositor()
      func work(_ damage: DamageRegion) -> RenderWork {
        compositor.render(tree, damage: damage, into: bitmap)
        return compositor.work
      }
      let works = [part, part, whole, whole, part].map(work)
      XCTAssertEqual(works.map(\.missedPictures), [1, 1, 1, 0, 0], name)
      XCTAssertEqual(works.map { $0.pictureTime > .zero }, [true, true, true, false, false], name)
      XCTAssertEqual(work(DamageRegion(IntRect(x: 80, y: 80, width: 5, height: 5))).missedPictures, 0, name)
    }
  }
}
