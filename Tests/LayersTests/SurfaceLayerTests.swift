import Geometry
import LinuxSystem
import Raster
import XCTest

@testable import Layers
@testable import RenderTree

@preconcurrency @MainActor final class SurfaceLayerTests: XCTestCase {
  private func fill(_ surface: Surface, _ pixel: UInt32) throws {
    try surface.update(IntRect(x: 0, y: 0, width: surface.width, height: surface.height)) { pixels in
      for y in 0..<surface.height { pixels.row(y).update(repeating: pixel) }
    }
    try surface.commit()
  }

  private func shown(_ stage: Stage) -> UInt32? {
    (stage.tree().sides.last?.content as? SurfaceContent)?.picture.base.load(as: UInt32.self)
  }

  func testShowsTheNewestGenerationWithTheNextTurn() throws {
    let (stage, layer) = Stage.showing(SurfaceLayer())
    let wakes = Lock(0)
    stage.context.wake = { wakes.withLock { $0 += 1 } }
    let surface = try Surface(width: 4, height: 3)
    layer.surface = surface
    stage.turn()
    XCTAssertEqual(shown(stage), 0)
    try fill(surface, 0xFF)
    try fill(surface, 0xFFFF)
    XCTAssertEqual(wakes.withLock { $0 }, 1, "the first one wakes the loop")
    XCTAssertEqual(shown(stage), 0)
    XCTAssertTrue(stage.turn().treeChanged)
    XCTAssertEqual(shown(stage), 0xFFFF)
    XCTAssertFalse(stage.turn().treeChanged)
    try fill(surface, 1)
    XCTAssertEqual(wakes.withLock { $0 }, 2)
  }

  func testIsTakenUpWhereTheLayerEnters() throws {
    let stage = Stage()
    let layer = SurfaceLayer(frame: Rect(x: 0, y: 0, width: 10, height: 10))
    let surface = try Surface(width: 1, height: 1)
    layer.surface = surface
    try fill(surface, 3)
    stage.root.addSublayer(layer)
    stage.turn()
    XCTAssertEqual(shown(stage), 3)
    layer.removeFromSuperlayer()
    XCTAssertTrue(stage.context.surfaceLayers.isEmpty)
    let other = Stage()
    other.root.addSublayer(layer)
    try fill(surface, 4)
    other.turn()
    XCTAssertEqual(shown(other), 4)
    layer.surface = nil
    XCTAssertTrue(other.context.surfaceLayers.isEmpty)
    other.turn()
    XCTAssertNil(other.tree().sides.last?.content)
  }

  func testALayerIsLetGo() throws {
    let stage = Stage()
    let surface = try Surface(width: 1, height: 1)
    weak var gone: SurfaceLayer?
    do {
      let layer = SurfaceLayer(frame: Rect(x: 0, y: 0, width: 10, height: 10))
      gone = layer
      layer.surface = surface
      stage.root.addSublayer(layer)
      stage.turn()
      layer.removeFromSuperlayer()
    }
    stage.turn()
    XCTAssertNil(gone)
    try fill(surface, 1)
  }

  func testContentsTakeItsPlace() throws {
    let (stage, layer) = Stage.showing(SurfaceLayer(frame: Rect(x: 0, y: 0, width: 10, height: 10)))
    let surface = try Surface(width: 5, height: 1)
    layer.surface = surface
    XCTAssertEqual(layer.contents?.width, 5)
    let image = try Bitmap(width: 2, height: 2).freeze()
    layer.contents = image
    try fill(surface, 9)
    stage.turn()
    XCTAssertTrue(stage.tree().sides.last?.content === image)
    layer.contents = nil
    stage.turn()
    XCTAssertEqual(shown(stage), 9)
  }

  /// A fade from no picture does not begin with a frame of the surface.
  func testAnAnimationThatShowsNoPictureShowsNoSurface() throws {
    let (stage, layer) = Stage.showing(SurfaceLayer(frame: Rect(x: 0, y: 0, width: 10, height: 10)))
    layer.surface = try Surface(width: 5, height: 1)
    let image = try Bitmap(width: 2, height: 2).freeze()
    layer.add(BasicAnimation(.contents, from: .image(nil), to: .image(image), duration: .milliseconds(100)))
    stage.turn()
    XCTAssertNil(stage.tree().sides.last?.content)
    XCTAssertTrue(stage.tree(after: 50).sides.last?.content is ImageMixture)
    XCTAssertTrue(stage.tree(after: 100).sides.last?.content === image)
    stage.turn(after: 200)
    XCTAssertEqual(shown(stage), 0)
  }

  /// A state that is left gives the surface back, and not a picture of it.
  func testAStateKeepsTheSurface() throws {
    let (stage, layer) = Stage.showing(SurfaceLayer(frame: Rect(x: 0, y: 0, width: 10, height: 10)))
    let surface = try Surface(width: 5, height: 1)
    layer.surface = surface
    let image = try Bitmap(width: 2, height: 2).freeze()
    layer.states = [LayerState("photo", [.init(.contents, .image(image))])]
    stage.turn()
    layer.state = "photo"
    stage.turn()
    XCTAssertTrue(stage.tree().sides.last?.content === image)
    layer.state = nil
    stage.turn()
    XCTAssertEqual(shown(stage), 0)
    try fill(surface, 9)
    stage.turn()
    XCTAssertEqual(shown(stage), 9)
  }

  func testLiesWhereContentsDo() throws {
    let (stage, layer) = Stage.showing(SurfaceLayer(frame: Rect(x: 0, y: 0, width: 40, height: 30)))
    layer.surface = try Surface(width: 20, height: 10)
    (layer.contentsGravity, layer.contentsScale) = (.bottomRight, 2)
    stage.turn()
    XCTAssertEqual(stage.contentRect(ofRecordAt: 1), Rect(x: 30, y: 25, width: 10, height: 5))
    XCTAssertEqual(layer.preferredSize, Size(10, 5))
  }
}
