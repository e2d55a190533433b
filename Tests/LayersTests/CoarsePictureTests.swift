import Glibc
import Geometry
import ImageFiles
import Layers
import LinuxSystem
import Raster
import XCTest

/// Layers that show a progressive JPEG by its first scans until all are decoded, on simulated workers.
@preconcurrency @MainActor final class CoarsePictureTests: XCTestCase {
  private static let pictures =
    String(#filePath.dropLast("LayersTests/CoarsePictureTests.swift".count)) + "ImageFilesTests/Pictures/"
  private static let photo = pictures + "colour.png"
  private let folder = TemporaryPictures()

  /// A large progressive file: comments fill it up behind its first scan, and behind its second.
  private func progressive(cut: Int = 0) throws -> String {
    let bytes = try OwnedDescriptor.contents(of: Self.pictures + "progressive.jpg", limit: 1 << 20)
    // The places of the tables before its scans.
    for place in [177, 298, 397] { XCTAssertEqual(bytes[place..<place + 2], [0xFF, 0xC4]) }
    let comment = [0xFF, 0xFE, 0xFF, 0xFF] + [UInt8](repeating: 32, count: 65_533)
    let comments = Array(repeatElement(comment, count: 5).joined())
    var file = bytes[..<177] + comment
    file += bytes[177..<298] + comments
    file += bytes[298..<397] + comments
    file += bytes[397...]
    return folder.write("progressive\(cut).jpg", Array(file.dropLast(cut)))
  }

  /// A stage that shows a photo, and whose pictures are shown as soon as a worker has one, as by an engine whose loop wakes.
  private func stage(fade: Nanoseconds = .zero) -> ImageStage {
    let stage = ImageStage(scale: 1, cache: ImageCache(bytes: 1 << 20))
    stage.layer.file = Self.photo
    stage.turn()
    stage.work()
    stage.layer.fadeDuration = fade
    stage.context.wake = { MainActor.assumeIsolated { stage.turn() } }
    return stage
  }

  func testTheFirstScansAreShownUntilAllAreDecoded() throws {
    let stage = stage()
    let file = try progressive()
    let size = PixelSize(width: 20, height: 20)
    let whole = try ImageFile(path: file).decode(fitting: size)
    let shown = record(stage)
    stage.layer.file = file
    stage.turn()
    stage.work()
    XCTAssertEqual(shown.images.count, 3, "two pictures, and the whole one")
    XCTAssertTrue(shown.images.last.map { hasSamePixels($0, whole) } ?? false)
    for image in shown.images.dropLast() {
      XCTAssertEqual([image.width, image.height], [whole.width, whole.height])
      XCTAssertFalse(hasSamePixels(image, whole))
    }
    XCTAssertTrue(stage.layer.contents === shown.images.last)
    XCTAssertEqual(stage.layer.pixelSize, try ImageFile(path: file).header.size)
    XCTAssertEqual(stage.context.pendingDrawings, 0)
    // The whole picture is kept, and no other.
    XCTAssertEqual(stage.layer.cache.count, 2)
    shown.images = []
    stage.layer.file = Self.photo
    stage.turn()
    stage.work()
    stage.layer.file = file
    stage.turn()
    stage.work()
    XCTAssertEqual(shown.images.count, 2)
    XCTAssertTrue(shown.images.last.map { hasSamePixels($0, whole) } ?? false)
  }

  /// A picture that is shown already is sharper than the first scans in another size.
  func testASharpPictureIsNotReplacedByACoarseOne() throws {
    let stage = stage()
    stage.layer.file = try progressive()
    stage.turn()
    stage.work()
    let shown = record(stage)
    stage.layer.bounds.size = Size(15, 15)
    stage.turn()
    stage.work()
    XCTAssertEqual(shown.images.count, 1)
    XCTAssertEqual(stage.layer.contents?.width, 15)
  }

  /// Pictures of one commit appear together, but the first scans of one do not wait for the others.
  func testWholePicturesOfACommitAppearTogether() throws {
    let stage = stage()
    stage.layer.file = try progressive()
    let other = ImageLayer(frame: Rect(x: 0, y: 0, width: 20, height: 20))
    other.cache = stage.layer.cache
    other.file = Self.pictures + "baseline.jpg"
    stage.stage.root.addSublayer(other)
    let before = stage.layer.contents
    let whole = try ImageFile(path: progressive()).decode(fitting: PixelSize(width: 20, height: 20))
    stage.turn()
    XCTAssertTrue(stage.pool.runNextJob())
    XCTAssertFalse(stage.layer.contents === before)
    XCTAssertEqual(stage.layer.contents.map { hasSamePixels($0, whole) }, false)
    XCTAssertNil(other.contents)
    XCTAssertTrue(stage.pool.runNextJob())
    XCTAssertEqual(stage.layer.contents.map { hasSamePixels($0, whole) }, true)
    XCTAssertNotNil(other.contents)
    XCTAssertEqual(stage.context.pendingDrawings, 0)
  }

  /// A file whose end is missing gives an error, and the contents are those before it: a picture, a placeholder, or none.
  func testOldContentsComeBackWhereAFileIsDamaged() throws {
    let placeholder = try Bitmap(width: 2, height: 2).freeze()
    for (name, set) in [
      ("a photo", { _ in }), ("a placeholder", { $0.placeholder = placeholder }),
      ("contents", { ($0.file, $0.contents) = (nil, placeholder) }), ("nothing", { ($0.file, $0.contents) = (nil, nil) }),
    ] as [(String, (ImageLayer) -> Void)] {
      let stage = stage(fade: .milliseconds(200))
      set(stage.layer)
      stage.turn()
      var failures: [ImageFileError] = []
      stage.layer.onFailure = { failures.append($1) }
      stage.layer.file = try progressive(cut: 2)
      stage.turn()
      let (before, size) = (stage.layer.contents, stage.layer.preferredSize)
      let pixelSize = stage.layer.pixelSize
      let shown = record(stage)
      stage.work()
      XCTAssertEqual(shown.images.filter { $0 !== before }.count, 2, name)
      XCTAssertTrue(stage.layer.contents === before, name)
      XCTAssertEqual(stage.layer.animationKeys, [], name)
      XCTAssertEqual(stage.layer.pixelSize, pixelSize, name)
      XCTAssertEqual(stage.layer.preferredSize, size, name)
      guard case .damaged? = failures.first else { return XCTFail("\(name): \(failures)") }
      XCTAssertEqual(failures.count, 1, name)
      XCTAssertEqual(stage.layer.failure, failures.first, name)
      // The whole file is shown when it is there.
      stage.layer.file = try progressive()
      stage.turn()
      stage.work()
      XCTAssertFalse(stage.layer.contents === before, name)
      XCTAssertNil(stage.layer.failure, name)
    }
  }

  /// Nothing of a file stays that was not whole when another one took its place, also if that one cannot be shown.
  func testACoarsePictureGoesWithItsFile() throws {
    for (name, last) in [("missing", folder.path + "/missing.jpg"), ("damaged", try progressive(cut: 2))] {
      let stage = stage()
      let (before, size) = (stage.layer.contents, stage.layer.pixelSize)
      var coarse: Image?
      stage.context.wake = {
        MainActor.assumeIsolated {
          stage.turn()
          guard coarse == nil else { return }
          coarse = stage.layer.contents
          stage.layer.file = last
        }
      }
      stage.layer.file = try progressive()
      stage.turn()
      stage.work()
      XCTAssertNotNil(coarse, name)
      XCTAssertFalse(coarse === before, name)
      stage.work()
      XCTAssertTrue(stage.layer.contents === before, name)
      XCTAssertEqual(stage.layer.pixelSize, size, name)
      XCTAssertNotNil(stage.layer.failure, name)
      // A whole picture stays.
      stage.layer.file = try progressive()
      stage.turn()
      stage.work()
      let whole = stage.layer.contents
      XCTAssertFalse(whole === before, name)
      stage.layer.file = folder.path + "/missing.jpg"
      stage.turn()
      stage.work()
      XCTAssertTrue(stage.layer.contents === whole, name)
    }
  }

  /// A coarse picture that was never shown is known to nobody once its file is not wanted any more: a worker has it to release.
  func testACoarsePictureThatWasNeverShownIsReleasedByAWorker() throws {
    let stage = stage()
    stage.context.wake = { MainActor.assumeIsolated { stage.layer.file = Self.photo } }
    stage.layer.file = try progressive()
    stage.turn()
    XCTAssertTrue(stage.pool.runNextJob())
    XCTAssertFalse(stage.pool.runNextJob())
    XCTAssertEqual(stage.context.pendingDrawings, 0)
    stage.turn()
    XCTAssertTrue(stage.pool.runNextJob(), "the photo")
    XCTAssertFalse(stage.pool.runNextJob())
    stage.turn()
    XCTAssertTrue(stage.pool.runNextJob(), "the release")
    XCTAssertFalse(stage.pool.runNextJob())
  }

  func testNoneIsMadeWhereNobodySeesIt() throws {
    let stage = stage()
    let shown = record(stage)
    stage.context.showsCoarsePictures = false
    stage.layer.file = try progressive()
    stage.turn()
    stage.work()
    XCTAssertEqual(shown.images.count, 1)
  }

  /// A file that moves goes on until the whole picture is there.
  func testAMovementIsNotReplacedByACoarsePicture() throws {
    let stage = stage()
    stage.layer.file = Self.pictures + "disposal-1.gif"
    stage.turn()
    stage.work()
    let shown = record(stage)
    stage.layer.file = try progressive(cut: 2)
    stage.turn()
    stage.work()
    XCTAssertEqual(shown.images.count, 1)
    XCTAssertNotNil(stage.layer.failure)
    XCTAssertEqual(stage.layer.animationKeys, ["frames"])
    stage.layer.file = try progressive()
    stage.turn()
    stage.work()
    XCTAssertEqual(stage.layer.animationKeys, [])
  }

  /// Contents that an application sets in place of a coarse picture stay.
  func testContentsThatWereSetMeanwhileStay() throws {
    let stage = stage()
    let own = try Bitmap(width: 3, height: 3).freeze()
    stage.context.wake = {
      MainActor.assumeIsolated {
        stage.turn()
        stage.layer.contents = own
      }
    }
    stage.layer.file = try progressive(cut: 2)
    stage.turn()
    stage.work()
    XCTAssertTrue(stage.layer.contents === own)
    XCTAssertNil(stage.layer.failure)
    // They do also where the file is looked at again.
    stage.context.wake = nil
    stage.layer.setNeedsDisplay()
    stage.turn()
    stage.work()
    XCTAssertTrue(stage.layer.contents === own)
    XCTAssertNotNil(stage.layer.failure)
  }

  /// The first picture fades in; the others take its place without a step in time.
  func testTheFirstPictureFadesIn() throws {
    let stage = stage(fade: .milliseconds(200))
    let photo = stage.layer.contents
    var shares: [[Double]] = []
    stage.context.wake = {
      MainActor.assumeIsolated {
        stage.stage.turn(after: 50)
        shares.append(
          stage.layer.presentation[.contents].shares.filter { $0.image !== photo }.map { ($0.share * 100).rounded() })
      }
    }
    stage.layer.file = try progressive()
    stage.turn()
    stage.work()
    XCTAssertEqual(shares, [[0], [25], [50]].map { $0.filter { $0 > 0 } })
  }

  /// The contents of the layer after each word from a worker, each of which begins a turn.
  @MainActor private final class Shown {
    var images: [Image] = []
  }

  private func record(_ stage: ImageStage) -> Shown {
    let shown = Shown()
    stage.context.wake = {
      MainActor.assumeIsolated {
        stage.turn()
        stage.layer.contents.map { shown.images.append($0) }
      }
    }
    return shown
  }
}

/// A folder for files of a test, which goes with it.
private final class TemporaryPictures: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/framepace-pictures-XXXXXX".utf8CString)
    path = mkdtemp(&template).map { String(cString: $0) } ?? ""
  }

  deinit {
    for name in (try? OwnedDescriptor.names(in: path)) ?? [] { unlink(path + "/" + name) }
    rmdir(path)
  }

  /// Writes a file, and gives its path.
  func write(_ name: String, _ bytes: [UInt8]) -> String {
    let file = path + "/" + name
    guard let stream = fopen(file, "w") else { return file }
    fwrite(bytes, 1, bytes.count, stream)
    fclose(stream)
    return file
  }
}
