import Geometry
import LinuxSystem
import Raster
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
    let moves: [(String, @MainActor () -> Void)] = [
      ("bca", { parent.addSublayer(layers[0]) }), ("abc", { parent.insertSublayer(layers[0], at: 0) }),
      ("bac", { parent.insertSublayer(layers[0], above: layers[1]) }),
      ("cba", { parent.insertSublayer(layers[2], below: layers[1]) }),
      ("bac", { parent.insertSublayer(layers[2], above: layers[0]) }),
      ("acb", { parent.insertSublayer(layers[1], at: 99) }), ("bac", { parent.insertSublayer(layers[1], at: -5) }),
    ]
    for (order, move) in moves {
      move()
      XCTAssertEqual(family.order, order)
    }
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

  func testRemovedLayerWithAnimationsIsLetGoByTheCommit() {
    let stage = Stage(root: Layer(frame: Rect(x: 0, y: 0, width: 9, height: 9)))
    weak var removed: Layer?
    do {
      let layer = Layer(frame: stage.root.bounds)
      stage.root.addSublayer(layer)
      layer.add(BasicAnimation(.opacity, from: 0, to: 1, duration: .seconds(1)))
      stage.turn()
      layer.removeFromSuperlayer()
      removed = layer
      XCTAssertEqual(stage.tree().records.count, 2)
    }
    stage.turn()
    XCTAssertNil(removed)
  }

  /// A layer that dies with a commit may change others: the next commit shows that.
  func testALayerThatDiesMayChangeOthers() {
    final class Dying: Layer {
      var onDeath: (@MainActor () -> Void)?
      isolated deinit { onDeath?() }
    }
    for isAnimated in [true, false] {
      let stage = Stage(root: Layer(frame: Rect(x: 0, y: 0, width: 9, height: 9)))
      let other = Layer(frame: stage.root.bounds)
      stage.root.addSublayer(other)
      var isDead = false
      do {
        let layer = Dying(frame: stage.root.bounds)
        stage.root.addSublayer(layer)
        if isAnimated { layer.add(BasicAnimation(.opacity, from: 0, to: 1, duration: .seconds(1))) }
        stage.turn()
        Transaction.withoutActions { layer.zPosition = 1 }
        layer.onDeath = {
          isDead = true
          Transaction.withoutActions { other.opacity = 0.5 }
        }
        layer.removeFromSuperlayer()
      }
      stage.turn()
      XCTAssertTrue(isDead)
      stage.turn()
      XCTAssertEqual(stage.tree().records.last?.opacity, 0.5, "animated: \(isAnimated)")
      Transaction.withoutActions { other.opacity = 0.25 }
      stage.turn()
      XCTAssertEqual(stage.tree().records.last?.opacity, 0.25)
    }
  }

  /// A layer that was removed by the layout, or by the drawing, of another one may be held by the lists of the commit alone. Its end may mark
  /// others, which the same commit handles.
  func testALayerThatDiesInAPassMayMarkOthers() {
    for isLayout in [true, false] {
      let stage = Stage(root: Layer(frame: Rect(x: 0, y: 0, width: 9, height: 9)))
      let (first, other) = (HookedLayer(frame: stage.root.bounds), HookedLayer(frame: stage.root.bounds))
      var dying: HookedLayer? = HookedLayer(frame: stage.root.bounds)
      for layer in [first, dying, other].compactMap(\.self) { stage.root.addSublayer(layer) }
      stage.turn()
      var isDead = false
      dying?.onDeath = {
        isDead = true
        other.mark(layout: isLayout)
      }
      first.onWork = { [weak dying] in dying?.removeFromSuperlayer() }
      first.mark(layout: isLayout)
      dying?.mark(layout: isLayout)
      dying = nil
      let works = other.works
      stage.turn()
      XCTAssertTrue(isDead)
      XCTAssertEqual(other.works, works + 1, "layout: \(isLayout)")
    }
  }

  /// The end of a layer that a commit held last may commit again.
  func testTheEndOfALayerMayCommit() {
    let stage = Stage(root: Layer(frame: Rect(x: 0, y: 0, width: 9, height: 9)))
    var dying: HookedLayer? = HookedLayer(frame: stage.root.bounds)
    if let dying { stage.root.addSublayer(dying) }
    stage.turn()
    var commits = 0
    dying?.onDeath = { [context = stage.context] in
      Transaction.withoutActions { context.root.opacity = 0.5 }
      _ = context.commit(at: .zero)
      commits += 1
    }
    Transaction.withoutActions { dying?.opacity = 0.5 }
    dying?.removeFromSuperlayer()
    dying = nil
    stage.turn()
    XCTAssertEqual(commits, 1)
    XCTAssertEqual(stage.tree().records.first?.opacity, 0.5)
  }

  /// Workers that are done when a commit ends call `wake` during it, which may ask for the drawings.
  func testWakeMayAskForTheDrawings() {
    struct Nothing: Drawing {
      func draw(in context: DrawingContext) {}
    }
    final class DrawnElsewhere: Layer {
      override func makeDrawing() -> (any Drawing)? { Nothing() }
    }
    let workers = WorkerPool(threads: 1)
    workers.shutdown()
    let root = DrawnElsewhere(frame: Rect(x: 0, y: 0, width: 9, height: 9))
    let context = LayerContext(root: root, workers: workers)
    root.setNeedsDisplay()
    let counts = Lock([Int]())
    context.wake = { [unowned context] in
      let count = MainActor.assumeIsolated { context.pendingDrawings }
      counts.withLock { $0.append(count) }
    }
    _ = context.commit(at: .zero)
    XCTAssertEqual(counts.withLock { $0 }, [1])
    XCTAssertTrue(context.publishFinishedDrawings())
  }

  func testContextLetsGoOfItsLayers() {
    weak var weakRoot: Layer?
    weak var weakContext: LayerContext?
    do {
      let stage = Stage(root: Layer(frame: Rect(x: 0, y: 0, width: 9, height: 9)))
      stage.root.addSublayer(RecordingLayer("child"))
      stage.root.add(BasicAnimation(.opacity, from: 0, to: 1, duration: .seconds(1)))
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

/// Calls a closure when it is laid out or drawn, and another at its end.
private final class HookedLayer: Layer {
  var onWork: (@MainActor () -> Void)?
  var onDeath: (@MainActor () -> Void)?
  private(set) var works = 0

  isolated deinit { onDeath?() }

  func mark(layout: Bool) { if layout { setNeedsLayout() } else { setNeedsDisplay() } }

  override func layoutSublayers() { work() }
  override func draw(in context: DrawingContext) { work() }

  private func work() {
    works += 1
    onWork?()
  }
}
