import Foundation
import Framepace
import FramepaceTesting
import Layers
import SceneText
import XCTest

final class StageTests: XCTestCase {
  func testOnlyStatesThatALayerHasAreSet() throws {
    try onMain {
      let text = """
        layer {
          layer card { state open { opacity 0.5 }; state dim {} }
          layer lamp { state dim { opacity 0 } }
          layer both {}
          layer both { bounds 0 0 1 1 }
        }
        """
      let stage = SceneStage(try Scene(text: text))
      let card = try XCTUnwrap(find("card", in: stage.scene.root))
      @MainActor
      func message(_ state: String?, _ layer: String? = nil) -> String? {
        do throws(SceneStateError) {
          try stage.setState(state, of: layer)
          return nil
        } catch {
          return "\(error)"
        }
      }
      XCTAssertNil(message("open"))
      XCTAssertEqual(message("opne", "card"), "the layer card has no state opne")
      XCTAssertEqual(message("opne"), "no layer of the scene has a state opne")
      XCTAssertEqual(message("open", "lamp"), "the layer lamp has no state open")
      XCTAssertEqual(message("open", "lanp"), "no layer of the scene has the name lanp")
      XCTAssertEqual(message(nil), "name the layer whose state is taken away")
      XCTAssertEqual(card.state, "open")
      XCTAssertEqual(message("dim"), "the layers in lines 2 and 3 have a state dim: name the layer")
      XCTAssertEqual(
        message(nil, "both"), "the layers in lines 4 and 5 have the name both: give each a name of its own")
      let line = SceneStateError.severalStates("dim", lines: [2, 2])
      XCTAssertEqual("\(line)", "the layers in line 2 have a state dim: name the layer")
      XCTAssertNil(message("dim", "lamp"))
      XCTAssertNil(message(nil, "card"))
      XCTAssertEqual(card.opacity, 1)
    }
  }

  func testASceneThatIsReadAgainGetsEventsAndChoicesInTheirOrder() throws {
    try onMain {
      let text = "layer card { state open { opacity 0.5 }; state away { opacity 0 } }\nat 2s card.state away"
      let clock = ManualClock(start: .zero + .seconds(100))
      let stage = SceneStage(try Scene(text: text))
      stage.play(on: FrameLoop(clock: .manual(clock)), from: clock.now)
      defer { stage.invalidate() }
      clock.advance(by: .seconds(1))
      try stage.setState("open")
      stage.replace(try Scene(text: text))
      XCTAssertEqual(stage.scene.root.state, "open")
      clock.advance(by: .seconds(2))
      stage.replace(try Scene(text: text))
      XCTAssertEqual(stage.scene.root.state, "away")
      // An event that is due was before the choice, though no timer fired yet.
      try stage.setState(nil, of: "card")
      stage.replace(try Scene(text: text))
      XCTAssertNil(stage.scene.root.state)
    }
  }

  func testASceneFollowsTheSizeOfItsDisplay() throws {
    try onMain {
      let stage = SceneStage(try Scene(text: "size 200 100\nlayer { layer dot { position 50 50 } }"))
      let dot = try XCTUnwrap(find("dot", in: stage.scene.root))
      let display = try VirtualDisplay(width: 400, height: 400, refreshRate: .hertz60, reason: "test")
      let engine = Engine(display: display, root: stage.root, loop: FrameLoop(clock: .manual(ManualClock())))
      defer { engine.invalidate() }
      @MainActor
      func place() -> Point? {
        engine.commitNow()
        return dot.convert(Point.zero, to: stage.root)
      }
      // Twice as large, in the middle: 100 points above it.
      XCTAssertEqual(place(), Point(100, 200))
      stage.root.bounds.size = Size(100, 100)
      XCTAssertEqual(place(), Point(25, 50))
      // Another scene fits itself as well.
      stage.replace(try Scene(text: "size 50 100\nlayer { layer dot {} }"))
      let other = try XCTUnwrap(find("dot", in: stage.scene.root))
      engine.commitNow()
      XCTAssertEqual(other.convert(Point.zero, to: stage.root), Point(25, 0))
      XCTAssertNil(dot.superlayer?.superlayer)
    }
  }

  /// Written in place, replaced by rename, with a mistake and mended, deleted and restored: the clock and chosen states stay.
  func testAFileIsReadAgainHoweverItChanges() throws {
    try onMain {
      let files = FileManager.default
      let folder = files.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try files.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? files.removeItem(at: folder) }
      let file = folder.appendingPathComponent("card.scene")
      func text(_ end: Int) -> String {
        "layer card { basic position.x { from 0; to \(end); duration 10s }; state open { opacity 0.5 } }"
      }
      try text(10).write(to: file, atomically: true, encoding: .utf8)
      let clock = ManualClock(start: .zero + .seconds(100))
      let loop = FrameLoop(clock: .manual(clock))
      let stage = SceneStage(try Scene(path: file.path))
      let context = LayerContext(root: stage.root, workers: WorkerPool(threads: 1))
      var news: [String] = []
      try stage.watch(
        file.path, onReload: { news.append("read") }, onError: { news.append("\($0.line ?? 0):\($0.column ?? 0)") })
      stage.play(on: loop, from: clock.now)
      defer { stage.invalidate() }
      clock.advance(by: .seconds(5))
      try stage.setState("open")

      @MainActor
      func expect(_ expected: String, _ end: Int, after change: () throws -> Void) throws {
        news = []
        try change()
        XCTAssertTrue(loop.run(timeout: .seconds(1)) { !news.isEmpty }, "no news; \(expected)")
        XCTAssertEqual(news, [expected])
        _ = context.commit(at: clock.now)
        let card = stage.scene.root
        XCTAssertEqual(card.presentation(at: clock.now).position.x, Double(end) / 2, accuracy: 1e-9)
        XCTAssertEqual([card.state, "\(card.opacity)"], ["open", "0.5"])
      }
      let away = folder.appendingPathComponent("away.scene")
      try expect("read", 20) { try text(20).write(to: file, atomically: false, encoding: .utf8) }
      try expect("read", 30) { try text(30).write(to: file, atomically: true, encoding: .utf8) }
      try expect("1:9", 30) { try "layer { oops }".write(to: file, atomically: false, encoding: .utf8) }
      try expect("read", 40) { try text(40).write(to: file, atomically: false, encoding: .utf8) }
      try expect("read", 50) {
        try files.removeItem(at: file)
        try text(50).write(to: file, atomically: false, encoding: .utf8)
      }
      try expect("read", 50) {
        try files.moveItem(at: file, to: away)
        try files.moveItem(at: away, to: file)
      }
      // Its folder may be away for a while.
      let other = folder.appendingPathExtension("away")
      try expect("0:0", 50) { try files.moveItem(at: folder, to: other) }
      try expect("read", 50) { try files.moveItem(at: other, to: folder) }
      try expect("read", 60) { try text(60).write(to: file, atomically: true, encoding: .utf8) }
      // Another may take its place later.
      try expect("0:0", 60) { try files.moveItem(at: folder, to: other) }
      let next = folder.appendingPathExtension("next")
      try files.createDirectory(at: next, withIntermediateDirectories: true)
      try text(70).write(to: next.appendingPathComponent("card.scene"), atomically: true, encoding: .utf8)
      try expect("read", 70) { try files.moveItem(at: next, to: folder) }
      try expect("read", 80) { try text(80).write(to: file, atomically: true, encoding: .utf8) }
      // It may be made anew, and filled then.
      try expect("0:0", 80) { try files.removeItem(at: folder) }
      try expect("0:0", 80) { try files.createDirectory(at: folder, withIntermediateDirectories: false) }
      try expect("read", 90) { try text(90).write(to: file, atomically: true, encoding: .utf8) }
    }
  }

  func testAFileBehindALinkAndItsImagesAreWatched() throws {
    try onMain {
      let files = FileManager.default
      let folder = files.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try files.createDirectory(at: folder.appendingPathComponent("pictures"), withIntermediateDirectories: true)
      defer { try? files.removeItem(at: folder) }
      let link = folder.appendingPathComponent("card.scene").path
      func write(_ text: String, to name: String) throws {
        try text.write(to: folder.appendingPathComponent(name), atomically: false, encoding: .utf8)
      }
      let images = try RandomLayers.images(seed: 1, count: 3)
      func write(_ image: Image, to name: String) throws {
        try PNG.write(image, to: folder.appendingPathComponent("pictures/\(name).png").path)
      }
      try write(images[0], to: "a")
      let text = "layer { contents \"pictures/a.png\" }"
      try write(text, to: "pictures/first")
      let middle = folder.appendingPathComponent("pictures/middle").path
      try files.createSymbolicLink(atPath: middle, withDestinationPath: "first")
      try files.createSymbolicLink(atPath: link, withDestinationPath: "pictures/middle")
      let loop = FrameLoop(clock: .manual(ManualClock(start: .zero + .seconds(100))))
      let stage = SceneStage(try Scene(path: link))
      var news: [String] = []
      try stage.watch(link, onReload: { news.append("read") }, onError: { news.append("\($0.column ?? 0)") })
      stage.play(on: loop, from: loop.clock.now)
      defer { stage.invalidate() }

      @MainActor
      func expect(_ expected: String, _ image: Image, after change: () throws -> Void, line: UInt = #line) throws {
        news = []
        try change()
        XCTAssertTrue(loop.run(timeout: .seconds(1)) { !news.isEmpty }, "no news", line: line)
        XCTAssertEqual(news, [expected], line: line)
        XCTAssertTrue(stage.scene.root.contents?.pixels == image.pixels, line: line)
      }
      try expect("read", images[0]) { try write(text + " ", to: "pictures/first") }
      try expect("read", images[1]) { try write(images[1], to: "a") }
      // An image that is missing may come.
      try expect("18", images[1]) { try write("layer { contents \"pictures/b.png\" }", to: "pictures/first") }
      try expect("read", images[2]) { try write(images[2], to: "b") }
      // The link may lead elsewhere.
      try write(text, to: "second")
      let other = folder.appendingPathComponent("other").path
      try files.createSymbolicLink(atPath: other, withDestinationPath: "second")
      try expect("read", images[1]) { XCTAssertEqual(rename(other, link), 0) }
      try expect("read", images[2]) { try write("layer { contents \"pictures/b.png\" }", to: "second") }
      // Another folder may take the place of one.
      let pictures = folder.appendingPathComponent("pictures").path
      try files.copyItem(atPath: pictures, toPath: "\(pictures)-new")
      try PNG.write(images[0], to: "\(pictures)-new/b.png")
      try expect("read", images[0]) {
        XCTAssertEqual(rename(pictures, "\(pictures)-old"), 0)
        XCTAssertEqual(rename("\(pictures)-new", pictures), 0)
      }
      try expect("read", images[1]) { try write(images[1], to: "b") }
      // Files that are named no more are watched no more.
      try expect("read", images[1]) { try write("layer { contents \"\(pictures)/b.png\" }", to: "second") }
      news = []
      try PNG.write(images[2], to: "\(pictures)-old/b.png")
      try write(images[2], to: "a")
      XCTAssertFalse(loop.run(timeout: .zero) { !news.isEmpty }, "\(news)")
    }
  }

  func testALinkThatTakesTheNameOfAFileOrItsFolderIsAChange() throws {
    try onMain {
      let watched = try WatchedScene()
      defer { watched.remove() }
      let path = watched.path
      let folder = String(path.dropLast("/card.scene".count))
      for (number, link) in [symlink, Glibc.link].enumerated() {
        try watched.expect(["read"], .zero) {
          try watched.write("\(folder)/other", "layer { opacity 0.\(number + 1) }")
          unlink(path)
          XCTAssertEqual(link("\(folder)/other", path), 0)
        }
      }
      // A new file is read when it is complete.
      unlink(path)
      let file = open(path, O_WRONLY | O_CREAT, 0o600)
      try watched.expect([], .zero) {}
      try watched.expect(["read"], .zero) {
        XCTAssertEqual(Glibc.write(file, "layer {}", 8), 8)
        close(file)
      }
      try watched.expect(["0"], .zero) { XCTAssertEqual(rename(folder, "\(folder)-old"), 0) }
      try watched.expect(["read"], .zero) { XCTAssertEqual(symlink("\(folder)-old", folder), 0) }
      unlink(folder)
      XCTAssertEqual(rename("\(folder)-old", folder), 0)
    }
  }

  /// The old scene goes on.
  func testAFileThatIsMovedAwayIsMissedOnce() throws {
    try onMain {
      let watched = try WatchedScene()
      defer { watched.remove() }
      let path = watched.path
      for isMoved in [true, false] {
        try watched.expect([], FileWatch.patience - .milliseconds(1)) {
          XCTAssertEqual(isMoved ? rename(path, "\(path).old") : unlink(path), 0)
        }
        try watched.expect(["0"], .milliseconds(1)) {}
        try watched.expect([], .seconds(10)) {}
        try watched.expect(["read"], .zero) { try watched.write(path, "layer { opacity \(isMoved ? 0.5 : 0.25) }") }
      }
      // Editors move the old file away before they write the new one.
      try watched.expect(["read"], .zero) {
        XCTAssertEqual(rename(path, "\(path).old"), 0)
        try watched.write(path, "layer {}")
      }
      try watched.expect([], .seconds(10)) {}
      try watched.expect([], .milliseconds(200)) { XCTAssertEqual(rename(path, "\(path).old"), 0) }
      try watched.expect(["read"], .zero) { try watched.write(path, "layer { opacity 0.5 }") }
      try watched.expect([], .seconds(10)) {}
    }
  }

  func testAChangeBeforeTheWatchIsNotLost() throws {
    try onMain {
      let files = FileManager.default
      let folder = files.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try files.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? files.removeItem(at: folder) }
      let path = folder.appendingPathComponent("card.scene").path
      func write(_ text: String) throws { try text.write(toFile: path, atomically: true, encoding: .utf8) }
      let images = try RandomLayers.images(seed: 1, count: 2)
      func write(_ image: Image) throws { try PNG.write(image, to: folder.appendingPathComponent("a.png").path) }
      let text = "layer { contents \"a.png\" }"
      let changes: [(expected: [String], change: () throws -> Void)] = [
        ([], {}), (["read"], { try write(text + " ") }), (["read"], { try write(images[1]) }),
        (["9"], { try write("layer { oops }") }), (["0"], { try files.removeItem(atPath: path) }),
      ]
      for (expected, change) in changes {
        try write(text)
        try write(images[0])
        let stage = SceneStage(try Scene(path: path))
        defer { stage.invalidate() }
        try change()
        var news: [String] = []
        try stage.watch(path, onReload: { news.append("read") }, onError: { news.append("\($0.column ?? 0)") })
        XCTAssertEqual(news, expected)
      }
    }
  }

  func testImagesAreRelativeToTheFile() throws {
    try onMain {
      let files = FileManager.default
      let folder = files.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try files.createDirectory(at: folder.appendingPathComponent("pictures"), withIntermediateDirectories: true)
      defer { try? files.removeItem(at: folder) }
      let image = try XCTUnwrap(RandomLayers.images(seed: 1, count: 1).first)
      try PNG.write(image, to: folder.appendingPathComponent("pictures/a.png").path)
      let path = folder.appendingPathComponent("card.scene").path
      for text in [
        "layer { contents \"pictures/a.png\" }", "layer { contents a }\nimage a \"./pictures/../pictures/a.png\"",
      ] {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        XCTAssertEqual(try Scene(path: path).root.contents?.pixels, image.pixels)
      }
    }
  }

  func testAWatchIsBegunByPlay() throws {
    try onMain {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let path = folder.appendingPathComponent("card.scene").path
      func write(_ text: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
      }
      try write("layer {}")
      let loop = FrameLoop(clock: .manual(ManualClock(start: .zero + .seconds(100))))
      let stage = SceneStage(try Scene(path: path))
      var count = 0
      // The second watch takes the place of the first.
      for _ in 0..<2 { try stage.watch(path, onReload: { count += 1 }, onError: { XCTFail("\($0)") }) }
      stage.play(on: loop, from: loop.clock.now)
      try write("layer { opacity 0.5 }")
      XCTAssertTrue(loop.run(timeout: .seconds(1)) { count > 0 })
      XCTAssertEqual(stage.scene.root.opacity, 0.5)
      try stage.watch(path, onReload: { count += 1 }, onError: { XCTFail("\($0)") })
      try write("layer { opacity 0.25 }")
      XCTAssertTrue(loop.run(timeout: .seconds(1)) { count > 1 })
      XCTAssertEqual(count, 2)
    }
  }
}

@MainActor
private func find(_ name: String, in root: Layer) -> Layer? {
  root.name == name ? root : LayerState.Targets(in: root, [name])[name]
}

/// A scene's file in a folder of its own, with a stage that watches it.
@MainActor
private final class WatchedScene {
  let path: String
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
  private let clock = ManualClock(start: .zero + .seconds(100))
  private let loop: FrameLoop
  private let stage: SceneStage
  private var news: [String] = []

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.appendingPathComponent("card.scene").path
    try "layer {}".write(toFile: path, atomically: false, encoding: .utf8)
    loop = FrameLoop(clock: .manual(clock))
    stage = SceneStage(try Scene(path: path))
    try stage.watch(
      path, onReload: { [unowned self] in news.append("read") },
      onError: { [unowned self] in news.append("\($0.column ?? 0)") })
    stage.play(on: loop, from: clock.now)
  }

  func write(_ path: String, _ text: String) throws {
    try text.write(toFile: path, atomically: false, encoding: .utf8)
  }

  /// Checks what the stage tells after a change and a time.
  func expect(_ expected: [String], _ time: Nanoseconds, line: UInt = #line, after change: () throws -> Void) throws {
    news = []
    try change()
    // The events of the change are there already.
    for step in [.zero, time] {
      clock.advance(by: step)
      for _ in 0..<4 { loop.run(mode: .default, until: clock.now) }
    }
    XCTAssertEqual(news, expected, line: line)
  }

  func remove() {
    stage.invalidate()
    try? FileManager.default.removeItem(at: folder)
  }
}
