import Geometry
import ImageFiles
import Layers
import LinuxSystem
import Raster
import XCTest

/// Layers that show picture files, on simulated workers.
@preconcurrency @MainActor final class ImageLayerTests: XCTestCase {
  private static let folder =
    String(#filePath.dropLast("LayersTests/ImageLayerTests.swift".count)) + "ImageFilesTests/Pictures/"
  /// A picture of 61×43 pixels, and one with four pictures.
  private static let (photo, moving) = (folder + "colour.png", folder + "disposal-1.gif")

  /// A stage with an image layer of 20×20 points that has been shown without a picture.
  private static func stage(scale: Double = 1, cache: ImageCache = ImageCache(bytes: 1 << 20)) -> ImageStage {
    ImageStage(scale: scale, cache: cache)
  }

  func testAFileIsDecodedInTheSizeInWhichItIsShown() throws {
    let size = try ImageFile(path: Self.photo).header.size
    let (width, height) = (Double(size.width), Double(size.height))
    XCTAssertGreaterThan(width, height, "the expectations are those of a wide picture")
    for (gravity, scale, expected) in [
      (ContentsGravity.resizeAspect, 1.0, Size(20, (20 * height / width).rounded())),
      (.resizeAspect, 1.5, Size(30, (30 * height / width).rounded())),
      (.resizeAspectFill, 1, Size((20 * width / height).rounded(), 20)), (.center, 1, Size(width, height)),
      (.center, 2, Size(width, height)),
    ] {
      let stage = Self.stage(scale: scale)
      stage.layer.contentsGravity = gravity
      stage.layer.file = Self.photo
      stage.turn()
      XCTAssertNil(stage.layer.contents)
      XCTAssertEqual(stage.layer.preferredSize, Size(20, 20), "the size of the bounds until a picture is there")
      stage.work()
      let shown = try XCTUnwrap(stage.layer.contents)
      XCTAssertEqual(Double(shown.width), expected.width, accuracy: 1, "\(gravity) at \(scale)")
      XCTAssertEqual(Double(shown.height), expected.height, accuracy: 1, "\(gravity) at \(scale)")
      XCTAssertEqual(stage.layer.preferredSize, Size(width, height), "\(gravity) at \(scale)")
      XCTAssertEqual(stage.layer.size(fitting: SizeProposal(width: width / 2)), Size(width / 2, height / 2))
      XCTAssertEqual(stage.layer.size(fitting: SizeProposal(width: width * 2)), Size(width, height))
    }
  }

  /// A drawing is sharp in every size: larger than its file too, and in its own size by the scale of the output.
  func testADrawingIsDrawnInTheSizeInWhichItIsShown() throws {
    let file = Self.folder + "drawing.svg"
    let size = try ImageFile(path: file).header.size
    let (width, height) = (Double(size.width), Double(size.height))
    for (gravity, scale, expected) in [
      (ContentsGravity.resizeAspect, 1.0, Size(200, (200 * height / width).rounded())),
      (.resizeAspect, 1.5, Size(300, (300 * height / width).rounded())),
      (.resizeAspectFill, 1, Size((200 * width / height).rounded(), 200)), (.center, 1, Size(width, height)),
      (.center, 2, Size(2 * width, 2 * height)),
    ] {
      let stage = Self.stage(scale: scale)
      stage.layer.bounds.size = Size(200, 200)
      stage.layer.contentsGravity = gravity
      stage.layer.file = file
      stage.turn()
      stage.work()
      let shown = try XCTUnwrap(stage.layer.contents)
      XCTAssertEqual(Size(Double(shown.width), Double(shown.height)), expected, "\(gravity) at \(scale)")
      XCTAssertEqual(stage.layer.preferredSize, Size(width, height), "\(gravity) at \(scale)")
      // Another size is another drawing.
      stage.layer.bounds.size = Size(400, 400)
      stage.turn()
      stage.work()
      let factor = gravity == .center ? 1.0 : 2.0
      XCTAssertEqual(
        Double(stage.layer.contents?.width ?? 0), expected.width * factor, accuracy: 1, "\(gravity) at \(scale)")
    }
  }

  /// A layer without a size decodes nothing, but knows what its file would like to have.
  func testTheSizeOfAFileIsKnownBeforeItIsDecoded() throws {
    for file in [Self.photo, Self.moving, Self.folder + "orientation-6.jpg", Self.folder + "drawing.svg"] {
      let size = try ImageFile(path: file).header.size
      let cache = ImageCache(bytes: 1 << 20)
      let stage = Self.stage(cache: cache)
      stage.layer.bounds = .zero
      stage.layer.file = file
      stage.turn()
      XCTAssertNil(stage.layer.pixelSize, file)
      stage.work()
      XCTAssertEqual(stage.layer.pixelSize, size, file)
      XCTAssertEqual(stage.layer.preferredSize, Size(Double(size.width), Double(size.height)), file)
      XCTAssertEqual(stage.layer.size(fitting: SizeProposal(width: 20)).width, 20, file)
      XCTAssertNil(stage.layer.contents, file)
      XCTAssertNil(stage.layer.animation(forKey: "frames"), file)
      XCTAssertEqual(cache.count, 0, file)
      stage.work()
      XCTAssertEqual(stage.context.pendingDrawings, 0, file)
      stage.layer.bounds.size = Size(20, 20)
      stage.turn()
      stage.work()
      XCTAssertNotNil(stage.layer.contents, file)
      XCTAssertEqual(cache.count, 1, file)
    }
  }

  /// A layout waits for it: it goes before the pictures of its commit, and is taken without them.
  func testTheSizeOfAFileWaitsForNoPicture() throws {
    let stage = Self.stage()
    stage.layer.file = Self.moving
    let sizeless = ImageLayer()
    sizeless.drawingPriority = .low
    sizeless.file = Self.photo
    stage.stage.root.addSublayer(sizeless)
    stage.turn()
    XCTAssertEqual(stage.context.pendingDrawings, 2)
    XCTAssertTrue(stage.pool.runNextJob())
    stage.turn()
    XCTAssertEqual(sizeless.pixelSize, try ImageFile(path: Self.photo).header.size)
    XCTAssertEqual(stage.context.pendingDrawings, 1)
    XCTAssertNil(stage.layer.contents)
    stage.work()
    XCTAssertNotNil(stage.layer.contents)
  }

  func testAFileWithoutASizeFailsBeforeTheLayerHasOne() {
    let stage = Self.stage()
    var failures: [ImageFileError] = []
    stage.layer.onFailure = { failures.append($1) }
    stage.layer.bounds = .zero
    stage.layer.file = #filePath
    stage.turn()
    stage.work()
    XCTAssertEqual(failures, [.unknownFormat(name: #filePath)])
    XCTAssertEqual(stage.layer.failure, failures.last)
    // Another file takes its place, and none: what was under way is not taken.
    stage.layer.file = Self.photo
    stage.turn()
    XCTAssertNil(stage.layer.failure)
    stage.layer.file = nil
    stage.turn()
    stage.work()
    XCTAssertNil(stage.layer.pixelSize)
  }

  func testOldContentsStayUntilThereAreNew() throws {
    let stage = Self.stage()
    stage.layer.file = Self.photo
    stage.turn()
    stage.work()
    let first = stage.layer.contents
    XCTAssertNotNil(first)
    var failures: [ImageFileError] = []
    stage.layer.onFailure = { failures.append($1) }
    for path in ["/nowhere/photo.jpg", #filePath] {
      stage.layer.file = path
      stage.turn()
      stage.work()
      XCTAssertTrue(stage.layer.contents === first, path)
      XCTAssertEqual(stage.layer.failure, failures.last, path)
    }
    XCTAssertEqual(failures.count, 2)
    XCTAssertEqual(failures.last, .unknownFormat(name: #filePath))
    stage.layer.file = Self.moving
    stage.turn()
    XCTAssertNil(stage.layer.failure)
    XCTAssertTrue(stage.layer.contents === first)
    stage.work()
    XCTAssertFalse(stage.layer.contents === first)
    stage.layer.file = nil
    stage.turn()
    XCTAssertNil(stage.layer.contents)
    XCTAssertEqual(stage.layer.animationKeys, [])
  }

  func testAPlaceholderStandsUntilThePictureIsThere() throws {
    let stage = Self.stage()
    let placeholder = try Bitmap(width: 2, height: 2).freeze()
    stage.layer.placeholder = placeholder
    stage.turn()
    XCTAssertTrue(stage.layer.contents === placeholder)
    for path in [Self.photo, Self.moving] {
      stage.layer.file = path
      stage.turn()
      XCTAssertTrue(stage.layer.contents === placeholder, path)
      stage.work()
      XCTAssertFalse(stage.layer.contents === placeholder, path)
    }
    stage.layer.file = nil
    stage.turn()
    XCTAssertTrue(stage.layer.contents === placeholder)
  }

  func testANewPictureFadesIn() throws {
    let stage = Self.stage()
    stage.layer.fadeDuration = .milliseconds(200)
    stage.layer.file = Self.photo
    stage.turn()
    stage.work()
    XCTAssertEqual(stage.shares(after: 50).map { ($0 * 100).rounded() }, [25])
    XCTAssertEqual(stage.shares(after: 250), [1])
    stage.stage.turn(after: 300)
    // The same picture in another size.
    stage.layer.bounds.size = Size(10, 10)
    stage.turn()
    stage.work()
    XCTAssertEqual(stage.layer.contents?.width, 10)
    XCTAssertEqual(stage.shares(after: 50), [1])
    // Another one, over what is seen of the first.
    stage.layer.file = Self.folder + "wide.png"
    stage.turn()
    stage.work()
    XCTAssertEqual(stage.shares(after: 50).map { ($0 * 100).rounded() }.sorted(), [25, 75])
  }

  func testAMovingFileMovesOnTheLayersClock() throws {
    let frames = try ImageFile(path: Self.moving).frames(.natural, limit: 1 << 20) { false }
    let stage = Self.stage()
    stage.layer.contentsGravity = .center
    stage.layer.file = Self.moving
    stage.turn()
    stage.work()
    var time = Nanoseconds.zero
    for (index, frame) in frames.enumerated() {
      let middle = time + Nanoseconds(frame.duration.count / 2)
      let shown = try XCTUnwrap(stage.layer.presentation(at: stage.stage.now + middle).contents)
      XCTAssertTrue(hasSamePixels(shown, frame.image), "picture \(index)")
      time += frame.duration
    }
    // A clock that stands shows the picture of its own time, whenever that is.
    stage.layer.speed = 0
    stage.layer.timeOffset = stage.layer.convertTime(stage.stage.now, from: nil) - .zero
    stage.turn()
    let still = stage.layer.presentation(at: stage.stage.now + .seconds(7)).contents
    XCTAssertNotNil(still)
    XCTAssertTrue(still === stage.layer.presentation(at: stage.stage.now).contents)
    stage.layer.animates = false
    stage.turn()
    stage.work()
    XCTAssertEqual(stage.layer.animationKeys, [])
  }

  /// Pictures in another size take the place of those before at the same time of their movement.
  func testAMovementGoesOnInAnotherSize() throws {
    let stage = Self.stage()
    stage.layer.file = Self.moving
    stage.turn()
    stage.work()
    let begin = stage.layer.animation(forKey: "frames")?.beginTime
    XCTAssertNotNil(begin)
    stage.stage.turn(after: 130)
    stage.layer.bounds.size = Size(8, 8)
    stage.turn()
    stage.work()
    XCTAssertEqual(stage.layer.animation(forKey: "frames")?.beginTime, begin)
    XCTAssertLessThanOrEqual(stage.layer.presentation.contents?.width ?? 99, 8)
  }

  /// Also after its end, where nothing of it is to be seen again.
  func testAMovementThatEndedDoesNotBeginAgain() throws {
    let stage = Self.stage()
    stage.layer.file = Self.folder + "moving.webp"
    stage.turn()
    stage.work()
    // Three times 240 ms.
    stage.stage.turn(after: 800)
    let last = try XCTUnwrap(stage.layer.presentation.contents)
    XCTAssertTrue(last === stage.layer.contents)
    let size = PixelSize(width: 20, height: 20)
    let frames = try ImageFile(path: Self.folder + "moving.webp").frames(.inside(size), limit: 1 << 20) { false }
    XCTAssertTrue(hasSamePixels(last, frames[frames.count - 1].image))
    XCTAssertFalse(hasSamePixels(last, frames[0].image))
    stage.layer.bounds.size = Size(8, 8)
    stage.turn()
    stage.work()
    XCTAssertEqual(stage.layer.contents?.width, 8)
    XCTAssertTrue(stage.layer.presentation.contents === stage.layer.contents)
  }

  func testAMovementComesBackWithItsLayer() {
    let stage = Self.stage()
    stage.layer.file = Self.moving
    stage.turn()
    stage.work()
    stage.layer.removeFromSuperlayer()
    stage.turn()
    stage.turn()
    XCTAssertEqual(stage.layer.animationKeys, [])
    stage.stage.root.addSublayer(stage.layer)
    stage.turn()
    stage.work()
    XCTAssertEqual(stage.layer.animationKeys, ["frames"])
  }

  /// A worker has finished with the file before when another one is asked for.
  func testAPictureOfAnotherFileIsNotShown() {
    let stage = Self.stage()
    var failures: [ImageFileError] = []
    stage.layer.onFailure = { failures.append($1) }
    for (number, file) in [Self.photo, Self.moving, "/nowhere/photo.jpg"].enumerated() {
      stage.layer.file = file
      stage.turn()
      while stage.pool.runNextJob() {}
      stage.layer.file = Self.folder + "grey.png\(number)"
      stage.turn()
      XCTAssertNil(stage.layer.contents, file)
      XCTAssertNil(stage.layer.pixelSize, file)
      XCTAssertEqual(stage.layer.animationKeys, [], file)
      XCTAssertEqual(failures.count, number, file)
      stage.work()
      XCTAssertEqual(failures.count, number + 1, file)
    }
  }

  /// Nobody who waits for a transaction waits for a movement without end.
  func testNoTransactionWaitsForAMovement() {
    let stage = Self.stage()
    stage.layer.file = Self.moving
    stage.turn()
    var isCompleted = false
    Transaction.setCompletion { isCompleted = true }
    Transaction.animationTimingFunction = .easeIn
    stage.work()
    XCTAssertEqual(stage.layer.animation(forKey: "frames")?.timingFunction, .linear)
    stage.turn()
    stage.turn()
    XCTAssertTrue(isCompleted)
  }

  func testLayersShareDecodedPictures() {
    for file in [Self.photo, Self.moving] {
      let cache = ImageCache(bytes: 1 << 20)
      let stages = (0..<2).map { _ in Self.stage(cache: cache) }
      for stage in stages {
        stage.layer.file = file
        stage.turn()
        stage.work()
      }
      XCTAssertEqual(cache.count, 1, file)
      XCTAssertTrue(stages[0].layer.contents === stages[1].layer.contents, file)
    }
  }

  func testAFileThatIsNotWantedAnyMoreIsNotDecoded() {
    let cache = ImageCache(bytes: 1 << 20)
    let stage = Self.stage(cache: cache)
    for path in [Self.photo, Self.folder + "grey.png", Self.folder + "palette.png"] {
      stage.layer.file = path
      stage.turn()
    }
    stage.work()
    XCTAssertEqual(cache.count, 1)
    XCTAssertNotNil(stage.layer.contents)
  }
}

/// An image layer of 20×20 points in a tree, on simulated workers.
@MainActor
final class ImageStage {
  let pool = WorkerPool(simulatedThreads: 1)
  let stage: Stage
  let layer = ImageLayer(frame: Rect(x: 0, y: 0, width: 20, height: 20))

  init(scale: Double, cache: ImageCache) {
    stage = Stage(workers: pool, scale: scale)
    layer.cache = cache
    stage.root.addSublayer(layer)
    stage.turn()
  }

  var context: LayerContext { stage.context }

  func turn() { stage.turn() }

  /// Works until nothing waits, and shows it.
  func work() {
    while pool.runNextJob() {}
    stage.turn()
  }

  /// The shares of the pictures that are seen some milliseconds after the last turn.
  func shares(after milliseconds: Int64) -> [Double] {
    layer.presentation(at: stage.now + .milliseconds(milliseconds))[.contents].shares.map(\.share)
  }
}
