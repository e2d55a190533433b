import Geometry
import LinuxSystem
import TestLength
import XCTest

@testable import Layers

@preconcurrency @MainActor final class HitTests: XCTestCase {
  /// The cases of the kind `hit`.
  func testFacts() {
    for fact in FactCase.all("hit") {
      let root = Self.layer(fact.in["tree"])
      let point = Point(fact.in["point"].numbers ?? [])
      XCTAssertEqual(root.hitTest(point)?.name, fact.out.text, fact.id)
    }
  }

  private static func layer(_ input: JSONValue) -> Layer {
    let layer = Layer()
    layer.name = input["name"].text
    if let anchor = input["anchor"].numbers { layer.anchorPoint = Point(anchor) }
    layer.frame = Rect(input["frame"].numbers ?? [])
    if let origin = input["boundsOrigin"].numbers { layer.bounds.origin = Point(origin) }
    if let transform = input["transform"].numbers { layer.transform = Transform3D(transform) }
    layer.zPosition = input["zPosition"].number ?? 0
    layer.opacity = input["opacity"].number ?? 1
    layer.isHidden = input["hidden"].bool ?? false
    layer.masksToBounds = input["masksToBounds"].bool ?? false
    if let transform = input["sublayerTransform"].numbers { layer.sublayerTransform = Transform3D(Affine(transform)) }
    if let frame = input["mask"].numbers { layer.mask = Layer(frame: Rect(frame)) }
    for sublayer in input["sublayers"].array ?? [] { layer.addSublayer(self.layer(sublayer)) }
    return layer
  }

  func testNearlyClearLayersAreNotHit() {
    let layer = Layer(frame: Rect(x: 0, y: 0, width: 10, height: 10))
    for (opacity, isHit) in [(0.0, false), (0.01, false), (0.0101, true), (.nan, false)] {
      layer.opacity = opacity
      XCTAssertEqual(layer.hitTest(Point(5, 5)) != nil, isHit, "\(opacity)")
    }
  }

  func testNothingInALayerWithoutInteractionIsHit() {
    let layer = Layer(frame: Rect(x: 0, y: 0, width: 10, height: 10))
    let card = Layer(frame: layer.bounds)
    card.addSublayer(Layer(frame: layer.bounds))
    layer.addSublayer(card)
    card.isInteractionEnabled = false
    XCTAssertTrue(layer.hitTest(Point(5, 5)) === layer)
    card.isInteractionEnabled = true
    XCTAssertTrue(layer.hitTest(Point(5, 5)) === card.sublayers[0])
  }

  func testAFlattenedLayerIsNotHit() {
    let layer = Layer(frame: Rect(x: 0, y: 0, width: 10, height: 10))
    layer.add(Layer(frame: layer.bounds))
    for transform in [Transform3D.scale(0), .scale(x: 1, y: 0), .translation(x: .nan, y: 0)] {
      layer.transform = transform
      XCTAssertNil(layer.hitTest(layer.position), "\(transform)")
    }
  }

  /// Nothing is hit in the round corners of a clip, whatever lies there; without a clip the corner is the layer's.
  func testRoundCornersOfAClip() {
    let layer = Layer(frame: Rect(x: 0, y: 0, width: 40, height: 20))
    let sublayer = Layer(frame: Rect(x: -10, y: -10, width: 80, height: 80))
    layer.addSublayer(sublayer)
    layer.cornerRadius = 30
    XCTAssertTrue(layer.hitTest(Point(0, 0)) === sublayer)
    layer.masksToBounds = true
    // Its radius is half the shorter side: 10.
    for corner in [Point(1, 1), Point(39, 1), Point(1, 19), Point(39, 19), Point(2.9, 2.9)] {
      XCTAssertNil(layer.hitTest(corner), "\(corner)")
    }
    for inside in [Point(3, 3), Point(37, 17), Point(0, 10), Point(20, 0), Point(39.9, 10)] {
      XCTAssertTrue(layer.hitTest(inside) === sublayer, "\(inside)")
    }
    layer.maskedCorners = [.maxXMinY]
    XCTAssertTrue(layer.hitTest(Point(1, 1)) === sublayer, "a corner that is not rounded")
    XCTAssertNil(layer.hitTest(Point(39, 1)))
    layer.maskedCorners = .all
    sublayer.isHidden = true
    XCTAssertNil(layer.hitTest(Point(1, 1)))
    XCTAssertTrue(layer.hitTest(Point(3, 3)) === layer)
  }

  private final class Knob: Layer {
    override func contains(_ point: Point) -> Bool { bounds.insetBy(dx: -6, dy: -6).contains(point) }
  }

  /// Clips, counts how often it is asked, and may change the tree then.
  private final class Watched: Layer {
    var asked = 0
    var onAsk: (() -> Void)?

    override func contains(_ point: Point) -> Bool {
      asked += 1
      onAsk?()
      return super.contains(point)
    }
  }

  /// A row of 40 squares of 10×10.
  private static func row() -> (row: Layer, squares: [Watched]) {
    let row = Layer(frame: Rect(x: 0, y: 0, width: 400, height: 10))
    let squares = (0..<40).map { Watched(frame: Rect(x: Double($0) * 10, y: 0, width: 10, height: 10)) }
    for square in squares {
      square.masksToBounds = true
      row.addSublayer(square)
    }
    return (row, squares)
  }

  /// The point is near few of many clipping sublayers: a hit test asks those, and the ones that have changed since the last time.
  func testFewOfManySublayersAreAsked() {
    let (row, squares) = Self.row()
    XCTAssertTrue(row.hitTest(Point(5, 5)) === squares[0])
    XCTAssertTrue(squares.allSatisfy { $0.asked == 1 })
    squares[9].position.x += 400
    squares[30].position.x -= 290
    XCTAssertTrue(row.hitTest(Point(5, 5)) === squares[0])
    XCTAssertEqual(squares.indices.filter { squares[$0].asked == 2 }, [0, 9, 30])
    XCTAssertTrue(row.hitTest(Point(15, 5)) === squares[30])
    XCTAssertTrue(row.hitTest(Point(495, 5)) === squares[9])
    XCTAssertEqual(squares.map(\.asked).reduce(0, +), 45)
  }

  func testSublayersThatGoWhileTheyAreAsked() {
    let (row, squares) = Self.row()
    squares[39].onAsk = {
      squares[39].onAsk = nil
      squares[20].removeFromSuperlayer()
      squares[21].removeFromSuperlayer()
      // Asks in the midst of asking, and makes new boxes.
      XCTAssertTrue(row.hitTest(Point(395, 5)) === squares[39])
    }
    XCTAssertNil(row.hitTest(Point(5, 15)))
    squares[38].position.x = 5
    XCTAssertTrue(row.hitTest(Point(5, 5)) === squares[38])
    XCTAssertTrue(row.hitTest(Point(205, 5)) === row)
  }

  /// A layer that outlives its superlayer has no box in that of the next one.
  func testASublayerOutlivesItsSuperlayer() {
    func survivor() -> Layer {
      let (row, squares) = Self.row()
      XCTAssertTrue(row.hitTest(Point(395, 5)) === squares[39])
      XCTAssertTrue(row.hitTest(Point(5, 5)) === squares[0])
      return squares[39]
    }
    let (row, squares) = Self.row()
    for _ in 0..<24 { row.sublayers[0].removeFromSuperlayer() }
    XCTAssertNil(row.hitTest(Point(5, 15)))
    let mask = survivor()
    row.mask = mask
    mask.frame = Rect(x: 300, y: 0, width: 20, height: 10)
    XCTAssertTrue(row.hitTest(Point(305, 5)) === squares[30])
    XCTAssertNil(row.hitTest(Point(325, 5)))
  }

  /// No box is smaller than its layer, whatever the numbers round to.
  func testEdgesOfManySublayersFarAway() {
    for seed in some(30, of: 1...1_000) {
      var random = SplitMix64(seed: UInt64(seed))
      let (row, squares) = Self.row()
      func number() -> Double {
        Double(
          sign: .plus, exponent: .random(in: -30...60, using: &random), significand: .random(in: -1...1, using: &random))
      }
      for square in squares {
        square.anchorPoint = .zero
        square.bounds = Rect(x: number(), y: number(), width: number(), height: number())
        square.position = Point(number(), number())
      }
      (row.bounds, row.position) = (.zero, .zero)
      _ = row.hitTest(Point(.infinity, 0))
      for square in squares {
        let frame = square.frame
        for x in [frame.minX.nextDown, frame.minX, frame.minX.nextUp, frame.maxX.nextDown, frame.maxX, frame.maxX.nextUp] {
          let point = Point(x, frame.midY)
          let expected = squares.last { square in
            let place = square.values.flatTransformToSuperlayer
            return square.bounds.contains(Point(point.x - place.tx, point.y - place.ty))
          }
          guard row.hitTest(point) === expected else { return XCTFail("seed \(seed): \(square) at \(point)") }
        }
      }
    }
  }

  /// In random trees, which change between the questions, the layer is found that the map of each layer to its superlayer leads to.
  func testRandomTrees() {
    var hits = 0
    for seed in some(200, of: 1...10_000) {
      var random = SplitMix64(seed: UInt64(seed))
      let root = Self.randomLayer(depth: 0, &random)
      // Every fourth with so many sublayers that boxes are kept around them.
      for _ in 0..<(seed % 4 == 0 ? 24 : 0) { root.addSublayer(Self.randomLayer(depth: 2, &random)) }
      for _ in 0..<40 {
        var point = Point(.random(in: -20...120, using: &random), .random(in: -20...120, using: &random))
        if random.chance(0.5), let edited = Self.edit(root, &random), random.chance(0.7) {
          // A wrong answer is most likely where the tree has changed.
          let middle = edited.convert(Point(edited.bounds.midX, edited.bounds.midY), to: nil)
          point = middle.flatMap { root.mapToSuperlayer.apply($0) } ?? point
        }
        let found = root.hitTest(point)
        if found != nil { hits += 1 }
        guard found === Self.found(at: point, in: root) else {
          return XCTFail("seed \(seed): \(String(describing: found)) at \(point)")
        }
      }
    }
    XCTAssertGreaterThan(hits, 300)
  }

  private static func randomLayer(depth: Int, _ random: inout SplitMix64) -> Layer {
    let layer = random.chance(0.2) ? Knob() : random.chance(0.1) && depth > 0 ? TransformLayer() : Layer()
    set(layer, depth: depth, &random)
    guard depth < 3 else { return layer }
    for _ in 0..<Int.random(in: 0...4, using: &random) { layer.addSublayer(randomLayer(depth: depth + 1, &random)) }
    return layer
  }

  /// Gives the layer another place and look.
  private static func set(_ layer: Layer, depth: Int, _ random: inout SplitMix64) {
    func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
    let size = 100 / Double(depth + 1)
    layer.anchorPoint = random.chance(0.3) ? Point(number(0...1), number(0...1)) : Point(0.5, 0.5)
    layer.transform = .identity
    layer.frame = Rect(x: number(-10...60), y: number(-10...60), width: number(0...size), height: number(0...size))
    if random.chance(0.3) { layer.bounds.origin = Point(number(-9...9), number(-9...9)) }
    if random.chance(0.1) { layer.position.x = [.nan, .infinity, 1e300].randomElement(using: &random) ?? 0 }
    let transforms: [Transform3D] = [
      .rotation(number(-3...3)), .scale(x: number(-2...2), y: 1), .translation(x: number(-9...9), y: 1), .scale(0),
      .rotation(number(-1...1), x: 0, y: 1, z: 0),
    ]
    if random.chance(0.4) { layer.transform = transforms.randomElement(using: &random) ?? .identity }
    let spaces: [Transform3D] = [.perspective(distance: 90), .rotation(0.5)]
    layer.sublayerTransform = random.chance(0.2) ? spaces.randomElement(using: &random) ?? .identity : .identity
    layer.isGeometryFlipped = random.chance(0.1)
    layer.isHidden = random.chance(0.05)
    layer.opacity = random.chance(0.1) ? number(0...0.02) : 1
    layer.isDoubleSided = random.chance(0.9)
    layer.zPosition = random.chance(0.3) ? Double(Int.random(in: -1...1, using: &random)) : 0
    layer.masksToBounds = random.chance(0.2)
    layer.mask = random.chance(0.1) ? Layer(frame: Rect(x: 0, y: 0, width: number(0...50), height: 30)) : nil
  }

  /// Changes a random layer, puts it into another one or takes it away.
  private static func edit(_ root: Layer, _ random: inout SplitMix64) -> Layer? {
    func all(_ layer: Layer) -> [Layer] { [layer] + layer.sublayers.flatMap(all) }
    let layers = all(root)
    guard let layer = layers.randomElement(using: &random), let other = layers.randomElement(using: &random) else {
      return nil
    }
    if layer === root || random.chance(0.6) {
      set(layer, depth: layer === root ? 0 : 2, &random)
    } else if random.chance(0.2) {
      layer.removeFromSuperlayer()
    } else if !other.isDescendant(of: layer) {
      other.insertSublayer(layer, at: Int.random(in: 0...2, using: &random))
    }
    return layer
  }

  /// The same search in every layer, by maps alone and without round corners.
  private static func found(at point: Point, in layer: Layer) -> Layer? {
    func back(_ layer: Layer, _ point: Point) -> Point? { layer.mapToSuperlayer.inverted?.apply(point) }
    let order = layer.sublayers.enumerated().sorted { ($0.element.zPosition, $0.offset) > ($1.element.zPosition, $1.offset) }
    if layer is TransformLayer {
      guard !layer.isHidden, layer.opacity > 0.01 else { return nil }
      return order.lazy.compactMap { found(at: point, in: $0.element) }.first
    }
    var mirrors = 0
    var next: Layer? = layer
    while let above = next {
      if above.values.picturePlace(in: above.space).determinant < 0 { mirrors += 1 }
      next = above.planeAbove
    }
    guard !layer.isHidden, layer.opacity > 0.01, layer.isDoubleSided || mirrors.isMultiple(of: 2),
      let own = back(layer, point)
    else { return nil }
    if layer.masksToBounds, !layer.bounds.contains(own) { return nil }
    if let mask = layer.mask, !(back(mask, own).map(mask.contains) ?? false) { return nil }
    return order.lazy.compactMap { found(at: own, in: $0.element) }.first ?? (layer.contains(own) ? layer : nil)
  }
}
