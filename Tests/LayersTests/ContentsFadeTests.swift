import Geometry
import LinuxSystem
import Raster
import RenderTree
import XCTest

@testable import Layers

/// Contents that fade from one picture to another.
@preconcurrency @MainActor final class ContentsFadeTests: XCTestCase {
  func testAnAnimationMixesItsEnds() throws {
    let (stage, layer) = Self.stage()
    let (day, night) = (try Self.image(4, 4), try Self.image(4, 4))
    layer.contents = night
    stage.turn()
    let fade = BasicAnimation(.contents, from: .image(day), to: .image(night), duration: .milliseconds(100))
    layer.add(fade)
    stage.turn()
    XCTAssertEqual(Self.shown(stage, layer, after: 25), [Part(day, share: 0.75), Part(night, share: 0.25)])
    XCTAssertTrue(layer.presentation.contents === day, "most of what is seen")
    XCTAssertTrue(layer.contents === night)
    // Its ends are the pictures themselves.
    XCTAssertEqual(Self.shown(stage, layer, after: 0), [Part(day, share: 1)])
    XCTAssertEqual(Self.shown(stage, layer, after: 100), [Part(night, share: 1)])
    stage.turn(after: 200)
    XCTAssertTrue(stage.tree().sides[layer.recordIndex].content === night)
  }

  func testAChangeFadesOnlyWhereAnActionSaysSo() throws {
    let (stage, layer) = Self.stage()
    let images = try (0..<3).map { _ in try Self.image(2, 2) }
    layer.contents = images[0]
    stage.turn()
    layer.contents = images[1]
    XCTAssertEqual(layer.animationKeys, [])
    stage.turn()
    layer.actions = [.contents: .implicit]
    Transaction.animationTimingFunction = .linear
    layer.contents = images[2]
    XCTAssertEqual(layer.animationKeys, ["contents"])
    XCTAssertEqual(layer.animation(forKey: "contents")?.timing.duration, .milliseconds(250))
    stage.turn()
    XCTAssertEqual(Self.shown(stage, layer, after: 50), [Part(images[1], share: 0.8), Part(images[2], share: 0.2)])
    // By its key it fades as well.
    layer[.contents] = .image(images[0])
    XCTAssertTrue(layer.contents === images[0])
    XCTAssertEqual(layer.animationKeys, ["contents"])
  }

  /// The pictures that were shown last are not kept once the fade is over.
  func testTheOldPictureIsReleasedAfterTheFade() throws {
    let (stage, layer) = Self.stage()
    layer.actions = [.contents: .implicit]
    weak var old: Image?
    do {
      let image = try Self.image(2, 2)
      old = image
      layer.contents = image
    }
    stage.turn()
    layer.contents = try Self.image(2, 2)
    stage.turn()
    _ = Self.shown(stage, layer, after: 50)
    XCTAssertNotNil(old)
    for _ in 0..<6 {
      stage.turn(after: 300)
      layer.position.x += 1
      _ = stage.tree()
    }
    XCTAssertNil(old)
  }

  /// Only the key of the contents sets the contents.
  func testAPropertyOfPicturesIsNotTheContents() throws {
    let (_, layer) = Self.stage()
    let badge = AnimatableKey<LayerContents>("badge", default: .image(nil))
    let image = try Self.image(2, 2)
    layer[badge] = .image(image)
    XCTAssertTrue(layer[badge].image === image)
    XCTAssertNil(layer.contents)
  }

  func testSharesOfAMixtureAreLimited() throws {
    let image = try Self.image(1, 1)
    XCTAssertEqual(ImageMixture((0..<10).map { _ in Part(image, share: 0.1) }).parts.count, ImageMixture.limit)
    XCTAssertEqual(
      ImageMixture([.infinity, .nan, 9, -9].map { Part(image, share: $0) }).parts.map(\.share), [0, 0, 8, -8])
  }

  /// A fade that is interrupted goes on from what is seen, for ever with a limited number of pictures.
  func testAnInterruptedFadeGoesOn() throws {
    let (stage, layer) = Self.stage()
    layer.actions = [.contents: .implicit]
    layer.contents = try Self.image(2, 2)
    stage.turn()
    var last = layer.presentation(at: stage.now)[.contents]
    for _ in 0..<40 {
      Transaction.animationTimingFunction = .linear
      layer.contents = try Self.image(2, 2)
      stage.turn()
      let now = layer.presentation(at: stage.now)[.contents]
      XCTAssertLessThanOrEqual(now.parts.count, LayerContents.limit)
      XCTAssertEqual(now.shares.reduce(0) { $0 + $1.share }, 1, accuracy: 1e-9)
      for part in now.parts where last.parts.count < LayerContents.limit {
        XCTAssertEqual(part.share, last.parts.first { $0.image === part.image }?.share ?? 0, accuracy: 1e-9)
      }
      stage.turn(after: 20)
      // The next fade begins with the tree that was evaluated last.
      _ = stage.tree()
      last = layer.presentation(at: stage.now)[.contents]
    }
    XCTAssertEqual(last.parts.count, LayerContents.limit)
  }

  func testPicturesFadeFromAndToNone() throws {
    let (stage, layer) = Self.stage()
    layer.actions = [.contents: .implicit]
    (layer.contentsGravity, layer.contentsScale) = (.topLeft, 2)
    stage.turn()
    let image = try Self.image(12, 8)
    Transaction.animationTimingFunction = .linear
    layer.contents = image
    stage.turn()
    XCTAssertEqual(Self.shown(stage, layer, after: 100), [Part(image, share: 0.4)])
    stage.turn(after: 300)
    _ = stage.tree()
    Transaction.animationTimingFunction = .linear
    layer.contents = nil
    stage.turn()
    // The picture that leaves keeps its place, which no contents of the layer's own give any more.
    XCTAssertEqual(Self.shown(stage, layer, after: 100), [Part(image, share: 0.6)])
    let tree = stage.tree(after: 100)
    XCTAssertEqual(
      tree.sides[layer.recordIndex].effects.contentRect(in: layer.bounds), Rect(x: 0, y: 0, width: 6, height: 4))
    XCTAssertNil(stage.tree(after: 251).sides[layer.recordIndex].content)
  }

  func testMixturesAddUp() throws {
    let (a, b) = (try Self.image(1, 1), try Self.image(1, 1))
    let half = LayerContents.image(a).mixed(with: .image(b), fraction: 0.5)
    XCTAssertEqual(half.parts, [Part(a, share: 0.5), Part(b, share: 0.5)])
    XCTAssertEqual(half.mixed(with: .image(b), fraction: 0.5).parts, [Part(a, share: 0.25), Part(b, share: 0.75)])
    XCTAssertEqual(half.adding(half.negated), .image(nil))
    XCTAssertEqual(half.adding(.image(a)).parts, [Part(a, share: 1.5), Part(b, share: 0.5)])
    // Beyond its ends, as a spring goes.
    XCTAssertEqual(
      LayerContents.image(a).mixed(with: .image(b), fraction: 1.25).parts, [Part(a, share: -0.25), Part(b, share: 1.25)])
    XCTAssertEqual(LayerContents.mixture([(.nan, a), (.infinity, a), (1, b)]), .image(b))
  }

  /// The mixture on screen is the same object while it is the same, so that it is not painted again.
  func testAFadeThatStandsIsNotPaintedAgain() throws {
    let (stage, layer) = Self.stage()
    layer.contents = try Self.image(2, 2)
    let half = LayerContents.mixture([(0.5, try Self.image(2, 2))])
    layer.add(KeyframeAnimation(.contents, values: [half, .image(nil)], calculationMode: .discrete))
    stage.turn()
    let first = stage.tree(after: 10).sides[layer.recordIndex].content
    let second = stage.tree(after: 20).sides[layer.recordIndex].content
    XCTAssertTrue(first is ImageMixture)
    XCTAssertTrue(first === second)
  }

  // MARK: Help

  private typealias Part = ImageMixture.Part

  private static func stage() -> (Stage, Layer) {
    let stage = Stage()
    let layer = Layer(frame: Rect(x: 0, y: 0, width: 10, height: 10))
    stage.root.addSublayer(layer)
    return (stage, layer)
  }

  private static func image(_ width: Int, _ height: Int) throws -> Image {
    try Bitmap(width: width, height: height).freeze()
  }

  private static func shown(_ stage: Stage, _ layer: Layer, after milliseconds: Int64) -> [Part] {
    switch stage.tree(after: milliseconds).sides[layer.recordIndex].content {
    case let mixture as ImageMixture: mixture.parts.map { Part($0.image, share: ($0.share * 1e9).rounded() / 1e9) }
    case let image as Image: [Part(image, share: 1)]
    default: []
    }
  }
}
