import Geometry
import RenderTree
import Testing
import XCTest

@testable import Layers

@MainActor
private final class Family {
  let parent = Layer()
  let layers = ["a", "b", "c"].map { name in
    let layer = Layer()
    layer.name = name
    return layer
  }
  var order: String { parent.sublayers.map { $0.name ?? "" }.joined() }

  init() {
    for layer in layers { parent.addSublayer(layer) }
  }
}

@preconcurrency @MainActor final class LayerTreeTests: XCTestCase {
  /// The cases of the kind `tree`.
  func testFacts() {
    for fact in FactCase.all("tree") {
      var layers: [String: Layer] = [:]
      func layer(_ name: JSONValue?) -> Layer? {
        guard let name = name?.text else { return nil }
        let layer = layers[name] ?? Layer()
        (layer.name, layers[name]) = (name, layer)
        return layer
      }
      for step in fact.in["ops"].array ?? [] {
        let words = step.array ?? []
        guard let parent = layer(words[1]), let child = layer(words[2]) else { continue }
        switch words[0].text {
        case "add": parent.addSublayer(child)
        case "insertAt": parent.insertSublayer(child, at: Int(words[3].number ?? 0))
        case "insertAbove": parent.insertSublayer(child, above: layer(words[3]))
        case "insertBelow": parent.insertSublayer(child, below: layer(words[3]))
        default: XCTFail("\(fact.id): \(words)")
        }
      }
      for (name, order) in fact.out.object ?? [:] {
        XCTAssertEqual(layers[name]?.sublayers.map(\.name), order.array?.map(\.text), fact.id)
      }
    }
  }

  func testDescriptionNamesTheLayer() {
    let layer = TextLayer(frame: Rect(x: 1, y: 2, width: 30, height: 4))
    XCTAssertEqual("\(layer)", "TextLayer #\(layer.id) at 1.0 2.0, 30.0 × 4.0")
    layer.name = "title"
    XCTAssertEqual(layer.description, "TextLayer \"title\" #\(layer.id) at 1.0 2.0, 30.0 × 4.0")
  }

  func testAddingAndInserting() {
    let family = Family()
    let (parent, layers) = (family.parent, family.layers)
    XCTAssertEqual(family.order, "abc")
    parent.addSublayer(layers[0])
    XCTAssertEqual(family.order, "bca", "added again it goes to the front")
    parent.insertSublayer(layers[0], at: 0)
    XCTAssertEqual(family.order, "abc")
    parent.insertSublayer(layers[0], above: layers[1])
    XCTAssertEqual(family.order, "bac")
    parent.insertSublayer(layers[2], below: layers[1])
    XCTAssertEqual(family.order, "cba")
    parent.insertSublayer(layers[2], above: layers[0])
    XCTAssertEqual(family.order, "bac")
    parent.insertSublayer(layers[1], at: 99)
    XCTAssertEqual(family.order, "acb")
    parent.insertSublayer(layers[1], at: -5)
    XCTAssertEqual(family.order, "bac")
    let new = Layer()
    new.name = "n"
    parent.replaceSublayer(layers[0], with: new)
    XCTAssertEqual(family.order, "bnc")
    XCTAssertNil(layers[0].superlayer)
    let other = Layer()
    other.addSublayer(new)
    XCTAssertEqual(family.order, "bc")
    XCTAssertTrue(new.superlayer === other)
  }

  func testZPositionOrdersSiblingsAndKeepsEqualOnes() {
    let family = Family()
    let (parent, layers) = (family.parent, family.layers)
    for (index, layer) in layers.enumerated() { layer.bounds = Rect(x: 0, y: 0, width: Double(index + 1), height: 1) }
    let stage = Stage(root: parent)
    stage.turn()
    func shown() -> [Double] { stage.tree().records.dropFirst().map(\.bounds.width) }
    XCTAssertEqual(shown(), [1, 2, 3])
    layers[0].zPosition = 1
    XCTAssertTrue(stage.turn().treeChanged)
    XCTAssertEqual(shown(), [2, 3, 1])
    layers[1].zPosition = 1
    stage.turn()
    XCTAssertEqual(shown(), [3, 1, 2])
    layers[2].zPosition = .nan
    stage.turn()
    XCTAssertEqual(shown(), [3, 1, 2], "not a number counts as 0")
    layers[0][.zPosition] = -1
    stage.turn()
    XCTAssertEqual(shown(), [1, 3, 2], "set by its key")
  }

  func testRemovedLayerIsGoneAfterTheCommitOnly() {
    let family = Family()
    let (parent, layers) = (family.parent, family.layers)
    let stage = Stage(root: parent)
    stage.turn()
    layers[1].removeFromSuperlayer()
    XCTAssertEqual(stage.tree().records.count, 4)
    stage.turn()
    XCTAssertEqual(stage.tree().records.count, 3)
  }

  func testConversion() {
    let stage = Stage()
    let (a, b) = (
      Layer(frame: Rect(x: 10, y: 20, width: 50, height: 50)), Layer(frame: Rect(x: 5, y: 5, width: 10, height: 10))
    )
    stage.root.addSublayer(a)
    a.addSublayer(b)
    a.bounds.origin = Point(100, 0)
    b.position.x += 100
    b.transform = .scale(2)
    XCTAssertEqual(b.convert(Point(5, 5), to: stage.root), Point(20, 30))
    XCTAssertEqual(b.convert(Point(0, 0), to: stage.root), Point(10, 20))
    XCTAssertEqual(stage.root.convert(Point(10, 20), to: b), Point(0, 0))
    XCTAssertEqual(b.convert(Point(10, 20), from: nil), Point(0, 0))
    XCTAssertNil(b.convert(Point.zero, to: Layer()))
    b.transform = .scale(0)
    XCTAssertNil(b.convert(Point.zero, from: a))
  }

  func testContextLetsGoOfItsLayers() {
    weak var weakRoot: Layer?
    weak var weakContext: LayerContext?
    do {
      let stage = Stage(root: Layer(frame: Rect(x: 0, y: 0, width: 9, height: 9)))
      stage.root.addSublayer(RecordingLayer("child"))
      stage.turn()
      stage.root.position = .zero
      weakRoot = stage.root
      weakContext = stage.context
      XCTAssertNotNil(weakRoot)
    }
    XCTAssertNil(weakRoot)
    XCTAssertNil(weakContext)
  }

  func testRootOutlivesItsContext() {
    let root = RecordingLayer("root")
    do {
      let stage = Stage(root: root)
      stage.turn()
      Transaction.withoutActions { root.opacity = 0.5 }
    }
    let stage = Stage(root: root)
    root.setNeedsDisplay()
    stage.turn()
    XCTAssertEqual(stage.tree().records.first?.opacity, 0.5)
    XCTAssertEqual(root.draws, 1)
  }
}

@Suite struct LayerTreeMisuseTests {
  @Test func cyclesAreRefused() async {
    await #expect(processExitsWith: .failure) {
      await MainActor.run {
        let (outer, inner) = (Layer(), Layer())
        outer.addSublayer(inner)
        inner.addSublayer(outer)
      }
    }
    await #expect(processExitsWith: .failure) {
      await MainActor.run {
        let layer = Layer()
        layer.addSublayer(layer)
      }
    }
  }

  @Test func onlyASublayerIsReplaced() async {
    await #expect(processExitsWith: .failure) {
      await MainActor.run { Layer().replaceSublayer(Layer(), with: Layer()) }
    }
  }
}
