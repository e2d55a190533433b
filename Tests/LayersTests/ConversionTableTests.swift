import Geometry
import LinuxSystem
import XCTest

@testable import Layers

/// Conversions of points from layer to layer, by hand and by a slow reference.
@preconcurrency @MainActor final class ConversionTableTests: XCTestCase {
  /// The point (10, 20) of a layer with the frame (30, 40, 50, 60) in one of 200 × 100, each row with one change. From the layer's
  /// centre, which is at (55, 70), the point is (−15, −10) away.
  private static let rows: [(name: String, change: @MainActor (_ layer: Layer, _ outer: Layer) -> Void, place: Point)] = [
    ("30 + 10, 40 + 20", { _, _ in }, Point(40, 60)),
    ("the origin of the bounds lies in the corner", { layer, _ in layer.bounds.origin = Point(5, 7) }, Point(35, 53)),
    ("the centre comes to where the corner was", { layer, _ in layer.anchorPoint = Point(1, 1) }, Point(15, 30)),
    ("−15 · 2, −10 · 2 from the centre", { layer, _ in layer.affineTransform = .scale(2) }, Point(25, 50)),
    ("(x, y) turns into (−y, x)", { layer, _ in layer.rotation = .pi / 2 }, Point(65, 55)),
    ("15 to the right of the centre", { layer, _ in layer.affineTransform = .scale(x: -1, y: 1) }, Point(70, 60)),
    ("the movement comes on top", { layer, _ in layer.affineTransform = .translation(x: 3, y: 4) }, Point(43, 64)),
    (
      "twice as far from the middle of the outer one, (100, 50)", { _, outer in outer.sublayerTransform = .scale(2) },
      Point(-20, 70)
    ),
    (
      "the outer one's origin moves what is in it, not its coordinates", { _, outer in outer.bounds.origin = Point(8, 9) },
      Point(40, 60)
    ),
    (
      "with an eye 100 away, and the layer 50 before it: twice as far from the middle",
      { layer, outer in
        outer.sublayerTransform = .perspective(distance: 100)
        layer.zPosition = 50
      }, Point(-20, 70)
    ),
  ]

  func testTable() throws {
    for row in Self.rows {
      let outer = Layer(frame: Rect(x: 0, y: 0, width: 200, height: 100))
      let layer = Layer(frame: Rect(x: 30, y: 40, width: 50, height: 60))
      outer.addSublayer(layer)
      row.change(layer, outer)
      let place = try XCTUnwrap(layer.convert(Point(10, 20), to: outer))
      XCTAssertLessThan(place.distance(to: row.place), 1e-9, "\(row.name): \(place)")
      let back = try XCTUnwrap(outer.convert(row.place, to: layer))
      XCTAssertLessThan(back.distance(to: Point(10, 20)), 1e-9, "\(row.name), back: \(back)")
    }
  }

  func testWhatHasNoPlaceIsNil() {
    let outer = Layer(frame: Rect(x: 0, y: 0, width: 200, height: 100))
    let layer = Layer(frame: Rect(x: 30, y: 40, width: 50, height: 60))
    outer.addSublayer(layer)
    XCTAssertNil(layer.convert(Point.zero, to: Layer()), "in another tree")
    XCTAssertEqual(layer.convert(Point(30, 40), from: nil), .zero, "from the topmost layer")
    layer.transform = .scale(0)
    XCTAssertNil(layer.convert(Point.zero, from: outer), "flattened")
  }

  /// From any layer of a random tree to any other: up to the root by the definition of each property, one after the other, and down by
  /// solving the same for the point.
  func testRandomTreesOfPlanes() {
    for seed in 1...200 as ClosedRange<UInt64> {
      var random = SplitMix64(seed: seed)
      func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
      func map() -> Affine {
        Affine(
          a: number(0.3...2), b: number(-0.3...0.3), c: number(-0.3...0.3), d: number(0.3...2), tx: number(-9...9), ty: 3)
      }
      var layers = [Layer()]
      for _ in 0..<6 {
        let layer = Layer()
        layers.randomElement(using: &random)?.addSublayer(layer)
        layers.append(layer)
      }
      for layer in layers {
        layer.bounds = Rect(x: number(-9...9), y: number(-9...9), width: number(0...90), height: number(0...90))
        layer.position = Point(number(-90...90), number(-90...90))
        layer.anchorPoint = Point(number(-1...2), number(-1...2))
        if random.chance(0.7) { layer.affineTransform = map() }
        if random.chance(0.3) { layer.sublayerTransform = Transform3D(map()) }
      }
      for (from, to) in zip(layers.shuffled(using: &random), layers.shuffled(using: &random)) {
        let point = Point(number(-50...50), number(-50...50))
        let there = from.convert(point, to: to) ?? Point(.nan, .nan)
        let (one, other) = (onRoot(point, of: from), onRoot(there, of: to))
        XCTAssertLessThan(one.distance(to: other), 1e-6, "seed \(seed): \(from) to \(to)")
      }
    }
  }
}

/// A point of a layer in the coordinates of the layer above all.
@MainActor
private func onRoot(_ point: Point, of layer: Layer) -> Point {
  guard let outer = layer.superlayer else { return point }
  func anchor(of layer: Layer) -> Point {
    Point(
      layer.bounds.minX + layer.anchorPoint.x * layer.bounds.width,
      layer.bounds.minY + layer.anchorPoint.y * layer.bounds.height)
  }
  var place = layer.affineTransform.apply(point - anchor(of: layer)) + layer.position
  place = outer.sublayerTransform.affineOrIdentity.apply(place - anchor(of: outer)) + anchor(of: outer)
  return onRoot(place, of: outer)
}

extension Transform3D {
  fileprivate var affineOrIdentity: Affine { affine ?? .identity }
}
