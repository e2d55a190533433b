import Geometry
import LinuxSystem
import Raster
import RenderTree
import TestLength
import XCTest

@testable import Layers

/// Random marks, sizes and moves: a commit lays out and draws every layer that needs it once, and no other.
@preconcurrency @MainActor final class ExactWorkTests: XCTestCase {
  func testEveryDirtyLayerIsLaidOutAndDrawnOnce() {
    for seed in some(300, of: 1...20_000) {
      var program = WorkProgram(seed: UInt64(seed))
      if let failure = program.run() { return XCTFail("seed \(seed): \(failure)") }
    }
  }

  /// In a frame of an animation each record makes its content once, also in the colours of a copy.
  func testContentIsMadeOnceForEachCopy() throws {
    let (stage, replicator) = (Stage(), ReplicatorLayer(frame: Rect(x: 0, y: 0, width: 100, height: 100)))
    let layer = CountingLayer(frame: Rect(x: 0, y: 0, width: 10, height: 10))
    layer.contents = try Bitmap(width: 1, height: 1).freeze()
    replicator.addSublayer(layer)
    replicator.instanceCount = 3
    stage.root.addSublayer(replicator)
    for color in [Color.white, Color(hex: 0x8040C0)] {
      replicator.instanceColor = color
      stage.turn(after: 2000)
      layer.add(BasicAnimation(.blurRadius, from: 4, duration: .seconds(1)))
      stage.turn()
      CountingLayer.contents = 0
      _ = stage.tree(after: 300)
      XCTAssertEqual(CountingLayer.contents, 3, "\(color)")
    }
  }
}

/// A layer that gives its sublayers their widths, if they take one, and counts its work.
private final class CountingLayer: Layer {
  var work = Work()
  var takesWidth = false
  /// True if its layout asks for the drawing of its first sublayer.
  var drawsFirst = false

  override func layoutSublayers() {
    work.layouts += 1
    for case let layer as CountingLayer in sublayers where layer.takesWidth { layer.bounds.size.width = widthOfSublayers }
    if drawsFirst { sublayers.first?.setNeedsDisplay() }
  }

  var widthOfSublayers: Double { max(bounds.width - 2, 0) }

  override func draw(in context: DrawingContext) { work.draws += 1 }

  /// How often contents were made for values.
  static var contents = 0

  override class func content(for values: AnimatableValues, image: Image?) -> (any RenderContent)? {
    contents += 1
    return super.content(for: values, image: image)
  }
}

private struct Work: Equatable {
  var layouts = 0
  var draws = 0
}

/// Edits a tree, and knows by the rules alone what a commit has to do.
@MainActor
private struct WorkProgram {
  private var random: SplitMix64
  private let stage: Stage
  private let layers: [CountingLayer]
  private var expected: [Work]
  private var widths: [Double]
  private var needLayout: Set<Int> = []
  private var needDisplay: Set<Int> = []

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    layers = (0..<9).map { number in
      let layer = CountingLayer(frame: Rect(x: 0, y: 0, width: 20, height: 8))
      layer.name = "\(number)"
      return layer
    }
    for layer in layers {
      (layer.takesWidth, layer.drawsFirst) = (random.chance(0.5), random.chance(0.3))
      layer.needsDisplayOnBoundsChange = random.chance(0.4)
    }
    stage = Stage(root: layers[0])
    expected = layers.map { _ in Work() }
    widths = layers.map { _ in 20 }
    // The first size has asked for it.
    needLayout = Set(layers.indices)
  }

  mutating func run() -> String? {
    for turn in 0..<12 {
      for _ in 0..<Int.random(in: 0...6, using: &random) { edit() }
      let before = expected
      commit()
      let phases = stage.turn(after: 10)
      for (index, layer) in layers.enumerated() where layer.work != expected[index] {
        return "turn \(turn): layer \(index) did \(layer.work) instead of \(expected[index])"
      }
      let layouts = zip(expected, before).reduce(0) { $0 + $1.0.layouts - $1.1.layouts }
      let draws = zip(expected, before).reduce(0) { $0 + $1.0.draws - $1.1.draws }
      if (phases.layoutCount, phases.displayCount) != (layouts, draws) { return "turn \(turn): the commit counts otherwise" }
      if stage.context.isDirty || phases.unsettled != nil { return "turn \(turn): something is left to do" }
    }
    return nil
  }

  private mutating func edit() {
    let index = Int.random(in: layers.indices, using: &random)
    let layer = layers[index]
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1:
      layer.setNeedsLayout()
      needLayout.insert(index)
    case 2, 3:
      layer.setNeedsDisplay()
      needDisplay.insert(index)
    case 4, 5:
      let width = Double(Int.random(in: 0...3, using: &random)) * 8
      layer.bounds.size.width = width
      setWidth(of: index, width)
    case 6:
      let origin = Point(Double(Int.random(in: 0...1, using: &random)), 0)
      if origin != layer.bounds.origin, layer.needsDisplayOnBoundsChange { needDisplay.insert(index) }
      layer.bounds.origin = origin
    case 7:
      layer.opacity = .random(in: 0...1, using: &random)
      layer.position.x += 1
      layer.add(BasicAnimation(.boundsSize, to: Size(50, 50), duration: .milliseconds(15)), forKey: "grow")
    case 8:
      layoutIfNeeded(index)
      layer.layoutIfNeeded()
    case 9:
      if index > 0, let above = number(of: layer.superlayer) { needLayout.insert(above) }
      if index > 0 { layer.removeFromSuperlayer() }
    default:
      let parent = Int.random(in: layers.indices, using: &random)
      guard index > 0, !layers[parent].isDescendant(of: layer) else { return }
      if let old = number(of: layer.superlayer) { needLayout.insert(old) }
      needLayout.insert(parent)
      layers[parent].insertSublayer(layer, at: Int.random(in: 0...3, using: &random))
    }
  }

  private func number(of layer: Layer?) -> Int? { layers.firstIndex { $0 === layer } }

  // MARK: The rules

  private mutating func setWidth(of index: Int, _ width: Double) {
    guard widths[index] != width else { return }
    widths[index] = width
    needLayout.insert(index)
    if layers[index].needsDisplayOnBoundsChange { needDisplay.insert(index) }
  }

  /// From the top down: a layer before its sublayers.
  private mutating func layOut(below index: Int) {
    if needLayout.remove(index) != nil {
      expected[index].layouts += 1
      let inner = layers[index].sublayers.compactMap(number)
      for sublayer in inner where layers[sublayer].takesWidth { setWidth(of: sublayer, max(widths[index] - 2, 0)) }
      if layers[index].drawsFirst, let first = inner.first { needDisplay.insert(first) }
    }
    for sublayer in layers[index].sublayers.compactMap(number) { layOut(below: sublayer) }
  }

  private mutating func layoutIfNeeded(_ index: Int) {
    var top = index
    while let above = number(of: layers[top].superlayer), needLayout.contains(above) { top = above }
    layOut(below: top)
  }

  private mutating func commit() {
    layOut(below: 0)
    for index in needDisplay where layers[index].isDescendant(of: layers[0]) && widths[index] > 0 {
      expected[index].draws += 1
      needDisplay.remove(index)
    }
  }
}
