import Framepace
import FramepaceTesting
import LinuxSystem
import SampleScenes
import XCTest

/// The list of the sample `Feed`, scrolled by an event script.
@preconcurrency @MainActor final class FeedTests: XCTestCase {
  func testAFlickScrollsTheFeed() throws {
    let stage = try ManualStage(width: 360, height: 640, rate: .hertz60)
    defer { stage.engine.invalidate() }
    stage.engine.waitsForDrawings = true
    let workers = WorkerPool(simulatedThreads: 1)
    let feed = FeedList(
      frame: stage.root.bounds, fonts: try SceneFonts(), loader: FeedList.loader(workers: workers, loop: stage.loop))
    stage.root.addSublayer(feed.list)
    let moves = (1...10).map { "\(0.1 + 0.01 * Double($0)) 1 touch 0 moved 0.5 \(0.8 - 0.05 * Double($0))" }
    let script = try InputScript(
      """
      framepace input 1
      0 1 added "finger" touch
      0.1 1 touch 0 down 0.5 0.8
      \(moves.joined(separator: "\n"))
      0.205 1 touch 0 up
      """)
    let player = InputPlayer(script, clock: stage.loop.clock) { stage.engine.inputRouter.receive($0) }
    player.add(to: stage.loop, mode: .common)
    player.start(at: stage.clock.now)
    // A picture every 10 ms.
    func run(_ count: Int) {
      for _ in 0..<count {
        stage.run(for: .milliseconds(10))
        _ = workers.runNextJob()
      }
    }
    run(50)
    XCTAssertFalse(feed.list.controller.isDragging)
    XCTAssertGreaterThan(feed.list.controller.velocity.y, 500)
    let folder = String(#filePath.dropLast("FeedTests.swift".count)) + "Goldens"
    try GoldenImage.check(stage.display.capture(), against: "\(folder)/feed-flicked.png")
    run(400)
    XCTAssertEqual(feed.list.images?.loadingCount, 0)
    XCTAssertEqual(stage.engine.modes.top, .default)
    XCTAssertEqual(feed.list.controller.velocity, .zero)
    XCTAssertGreaterThan(feed.list.visibleRows.first ?? 0, 5)
    // Nothing moves any more: no frame.
    let frames = stage.frames.count
    stage.run(for: .seconds(5))
    XCTAssertEqual(stage.frames.count, frames)
  }

  /// Photographs are decoded in the sizes in which they are shown, each size once.
  func testPhotographsAreShown() throws {
    let stage = try ManualStage(width: 360, height: 640, rate: .hertz60)
    defer { stage.engine.invalidate() }
    let workers = WorkerPool(simulatedThreads: 1)
    let folder = String(#filePath.dropLast("Tests/SampleSceneTests/FeedTests.swift".count))
    let feed = FeedList(
      frame: stage.root.bounds, fonts: try SceneFonts(),
      photographs: ["\(folder)Sources/Layers/Layers.docc/landscape.jpg"],
      loader: FeedList.loader(workers: workers, loop: stage.loop))
    let images = try XCTUnwrap(feed.list.images)
    images.onFailure = { image, error in XCTFail("\(image): \(error)") }
    stage.root.addSublayer(feed.list)
    stage.run(for: .milliseconds(100))
    while workers.runNextJob() {}
    stage.run(for: .seconds(1))
    XCTAssertEqual(images.count, 2)
    // 480 × 320 pixels fit into 328 × 193 as 290 × 193, and into the small place as 132 × 88; rows are multiples of 64 bytes.
    XCTAssertEqual(images.byteCount, 1_216 * 193 + 576 * 88)
    try GoldenImage.check(stage.display.capture(), against: "\(folder)Tests/SampleSceneTests/Goldens/feed-photographs.png")
  }
}
