import Compositing
import Framepace
import FramepaceTesting
import Layers
import RenderTree
import SampleScenes
import SceneText
import TestLength
import XCTest

/// A tree that is printed and read again shows the same bytes at every time.
@preconcurrency @MainActor final class RoundTripTests: XCTestCase {
  func testRandomTreesComeBack() throws {
    let images = try RandomLayers.images(seed: 1)
    let variable = try FontFace(path: SystemFonts.path(of: "Inter.var.ttf"))
    let fonts = [try SystemFonts.font(.regular, size: 11), Font(variable, size: 11)]
    let count = isLongRun ? 1000 : 100
    for seed in UInt64(runSeed)..<UInt64(runSeed + count) {
      guard try isSameAfterRoundTrip(seed: seed, images: images, font: fonts[Int(seed % 2)]) else { return }
    }
  }

  /// A property that no random tree has is proven by none of the tests that use them.
  func testRandomTreesHaveEveryProperty() throws {
    let images = try RandomLayers.images(seed: 1)
    let font = try SystemFonts.font(.regular, size: 11)
    // A spring is written by its mass and stiffness, however it was made.
    var missing = Set(Scene.propertyNames).subtracting(["bounce", "perceptualDuration"])
    for seed in 1...4000 as ClosedRange<UInt64> where !missing.isEmpty {
      let root = Layer(frame: Rect(x: 0, y: 0, width: 120, height: 90))
      let picture = Picture(root)
      let layers = RandomLayers(in: root, seed: seed, count: 12, images: images, files: pictureFiles, font: font)
      for edit in 1...30 {
        layers.edit()
        if edit.isMultiple(of: 10) { picture.commit(at: .zero + .seconds(1)) }
      }
      let text = try Scene.text(of: root)
      missing.subtract(text.split { !$0.isLetter && $0 != "." }.map(String.init))
    }
    XCTAssertEqual(missing.sorted(), [])
  }

  /// The rates that an animation asks for change no picture: they are compared themselves.
  func testFrameRateRangesComeBack() throws {
    let seed = UInt64.random(in: 0...999_999)
    print("ranges of frame rates, seed \(seed)")
    var random = SplitMix64(seed: seed)
    func rate() -> Double { random.chance(0.2) ? 0 : Double.random(in: 0...200, using: &random) }
    for _ in 0..<50 {
      let range = FrameRateRange(
        minimum: rate(), maximum: random.chance(0.3) ? .infinity : rate(), preferred: random.chance(0.5) ? rate() : nil)
      let root = Layer(frame: Rect(x: 0, y: 0, width: 20, height: 20))
      var animation = BasicAnimation(.opacity, from: 0, to: 1, duration: .seconds(5))
      animation.preferredFrameRateRange = range
      root.add(animation, forKey: "fade")
      Picture(root).commit(at: .zero + .seconds(1))
      let text = try Scene.text(of: root, origin: .zero + .seconds(1))
      let scene = try Scene(text: text)
      _ = Picture(scene.root)
      scene.start(at: .zero + .seconds(1))
      XCTAssertEqual(scene.root.animation(forKey: "fade")?.preferredFrameRateRange, range, "seed \(seed)\n\(text)")
    }
  }

  /// One that draws itself is a plain layer with its picture.
  func testASubclassIsWrittenAsTheKindThatItIsMadeOf() throws {
    final class Sky: GradientLayer {}
    final class Box: TransformLayer {}
    final class Label: TextLayer {}
    func word(_ layer: Layer) throws -> String? {
      let root = Layer(frame: Rect(x: 0, y: 0, width: 10, height: 10))
      layer.name = "it"
      root.addSublayer(layer)
      return try Scene.text(of: root).split(separator: "\n").first { $0.contains(" it") }.map {
        String($0.split(separator: " ")[0])
      }
    }
    XCTAssertEqual(try word(Sky()), "gradient")
    XCTAssertEqual(try word(Box()), "space")
    XCTAssertEqual(try word(Label()), "layer")
    XCTAssertEqual(try word(Layer()), "layer")
  }

  /// The picture of its surface that the text has is for as long as it has none.
  func testASurfaceLayerThatWasReadShowsTheSurfaceItIsGiven() throws {
    func surface(_ pixel: UInt32) throws -> Surface {
      let surface = try Surface(width: 4, height: 3)
      try surface.update(IntRect(x: 0, y: 0, width: 4, height: 3)) { pixels in
        for y in 0..<3 { pixels.row(y).update(repeating: pixel) }
      }
      try surface.commit()
      return surface
    }
    let root = Layer(frame: Rect(x: 0, y: 0, width: 4, height: 3))
    let camera = SurfaceLayer(frame: root.bounds)
    camera.surface = try surface(0xFF11_2233)
    root.addSublayer(camera)
    let copy = try Scene(text: Scene.text(of: root)).root
    let picture = Picture(copy, width: 4, height: 3)
    func shown() -> [UInt8] {
      picture.commit(at: .zero)
      return picture.bytes(at: .zero)
    }
    XCTAssertEqual(shown(), [[UInt8]](repeating: [0x33, 0x22, 0x11, 0xFF], count: 12).flatMap(\.self))
    let copied = try XCTUnwrap(copy.sublayers.first as? SurfaceLayer)
    copied.surface = try surface(0xFF44_5566)
    XCTAssertEqual(shown(), [[UInt8]](repeating: [0x66, 0x55, 0x44, 0xFF], count: 12).flatMap(\.self))
    XCTAssertEqual(copied.animationKeys, [])
  }

  func testSampleScenesComeBack() throws {
    // At the second time a page of `onboarding` takes the place of another.
    for (name, time) in SceneName.allCases.flatMap({ [($0, 0.5), ($0, 4.3)] }) {
      let size = Size(480, 270)
      let content = try name.makeScene(
        settings: SceneSettings(size: size, work: [.milliseconds(1)], fonts: try SceneFonts()))
      let first = try OfflineRenderer(root: content.root, width: 480, height: 270, frames: 1, from: .seconds(time))
      let player = ScenePlayer(scene: content, engine: first.engine, start: first.start)
      let original = try first.nextFrame()
      // The next frame has been begun: back to the one of the picture.
      player.invalidate()
      Transaction.withoutActions { content.update(at: time) }
      first.engine.loop.run(mode: .default, until: first.engine.loop.clock.now)
      let text = try Scene.text(of: content.root, origin: first.start)
      first.invalidate()

      let stage = SceneStage(try Scene(text: text))
      let second = try OfflineRenderer(root: stage.root, width: 480, height: 270, frames: 1, from: .seconds(time))
      stage.play(on: second.engine.loop, from: second.start)
      let copy = try second.nextFrame()
      XCTAssertTrue(original?.image.pixels == copy?.image.pixels, "\(name) at \(time) s")
      second.invalidate()
    }
  }
}

/// One that moves, and one that does not.
private let pictureFiles = ["disposal-2.gif", "translucent.png"].map { name in
  String(#filePath.dropLast("SceneTextTests/RoundTripTests.swift".count)) + "ImageFilesTests/Pictures/" + name
}

@MainActor
private func isSameAfterRoundTrip(seed: UInt64, images: [Image], font: Font) throws -> Bool {
  let root = Layer(frame: Rect(x: 0, y: 0, width: 120, height: 90))
  let original = Picture(root)
  let layers = RandomLayers(in: root, seed: seed, count: 12, images: images, files: pictureFiles, font: font)
  var now = MonotonicTime(nanoseconds: 1_000_000_000_000)
  let origin = now
  var random = SplitMix64(seed: seed)
  for _ in 0..<30 {
    layers.edit()
    if Int.random(in: 0..<2, using: &random) == 0 { now += .milliseconds(7) }
    original.commit(at: now)
  }
  removeWhatHasNoText(in: root)
  // An animation that was over when it was added goes with the commit after.
  original.commit(at: now)
  var text = ""
  let scene: Scene
  do {
    text = try Scene.text(of: root, origin: origin)
    scene = try Scene(text: text)
  } catch {
    XCTFail("seed \(seed): \(error)\n\(text)")
    return false
  }
  // Another clock: only the time since the beginning counts.
  let start = MonotonicTime(nanoseconds: 5_000_000_000)
  let copy = Picture(scene.root)
  scene.start(at: start)
  for step in [0, 0, 3, 11, 40, 200, 2000] {
    now += .milliseconds(Int64(step))
    original.commit(at: now)
    copy.commit(at: start + (now - origin))
    let (first, second) = (original.bytes(at: now), copy.bytes(at: start + (now - origin)))
    guard first == second else {
      XCTFail(
        "seed \(seed): after \(now - origin) the copy is another picture; \(difference(root, now, scene.root, start + (now - origin)))\n\(text)"
      )
      return false
    }
  }
  let texts = [try Scene.text(of: root, origin: origin), try Scene.text(of: scene.root, origin: start)]
  // Equal pictures are one image where they are one object, as those of a file that is decoded once are, and several otherwise.
  let lines = texts.map { text in
    text.split(separator: "\n").prefix { !$0.hasPrefix("image ") }.map { $0.replacing(/image[0-9]+/, with: "image") }
  }
  if let (first, second) = zip(lines[0], lines[1]).first(where: { $0 != $1 }) {
    XCTFail("seed \(seed): the copy has another text:\n\(first)\n\(second)")
    return false
  }
  return true
}

/// The property of an application's own kind has no text.
@MainActor
private func removeWhatHasNoText(in layer: Layer) {
  layer.removeAnimation(forKey: "level")
  // Tiles that have come fade in again in a copy.
  if let tiled = layer as? TiledLayer {
    tiled.fadeDuration = .zero
    for tile in tiled.innerLayers { tile.removeAllAnimations() }
  }
  for inner in layer.sublayers + [layer.mask].compactMap(\.self) { removeWhatHasNoText(in: inner) }
}

/// The first value in which two trees differ.
@MainActor
private func difference(_ first: Layer, _ time: MonotonicTime, _ second: Layer, _ otherTime: MonotonicTime) -> String {
  func text(_ layer: Layer, _ time: MonotonicTime) -> [String] {
    let shown = layer.presentation(at: time)
    return [
      "\(shown.bounds)", "\(shown.position)", "\(shown.transform)", "\(shown.opacity)", "\(shown.cornerRadius)",
      "\(shown.backgroundColor ?? .clear)", "\(layer.contents.map { $0.pixels.hashValue } ?? 0)",
      "\(layer.contents.map { "\($0.width)x\($0.height)" } ?? "")", "\(layer.animationKeys)", "\(layer.isHidden)",
    ]
  }
  let lines = zip(text(first, time), text(second, otherTime))
  if let (one, other) = lines.first(where: { $0 != $1 }) { return "\(first): \(one) and \(other)" }
  for (one, other) in zip(first.sublayers, second.sublayers) {
    let found = difference(one, time, other, otherTime)
    if !found.isEmpty { return found }
  }
  return ""
}

/// A tree that is committed and painted by hand.
@MainActor
final class Picture {
  private static let workers = WorkerPool(threads: 1)
  private let context: LayerContext
  private let compositor = Compositor()
  private let bitmap: Bitmap?

  init(_ root: Layer, width: Int = 120, height: Int = 90) {
    context = LayerContext(root: root, workers: Self.workers)
    bitmap = try? Bitmap(width: width, height: height)
  }

  func commit(at time: MonotonicTime) {
    repeat {
      _ = context.commit(at: time)
      context.waitForDrawings()
    } while context.publishFinishedDrawings()
  }

  func bytes(at time: MonotonicTime) -> [UInt8] {
    guard let bitmap else { return [] }
    compositor.render(
      context.renderTree(at: time),
      damage: DamageRegion(IntRect(x: 0, y: 0, width: bitmap.width, height: bitmap.height)), into: bitmap)
    return (0..<bitmap.height).flatMap { [UInt8](UnsafeRawBufferPointer(start: bitmap.row($0), count: bitmap.width * 4)) }
  }
}

extension Image {
  var pixels: [UInt8] {
    (0..<height).flatMap { [UInt8](UnsafeRawBufferPointer(start: row($0), count: width * 4)) }
  }
}
