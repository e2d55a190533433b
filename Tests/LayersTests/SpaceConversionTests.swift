import Geometry
import LinuxSystem
import TestLength
import XCTest

@testable import Layers

/// Conversions between any two layers of a tree in space, against the definition of each property.
@preconcurrency @MainActor final class SpaceConversionTests: XCTestCase {
  func testPointsOfRandomTrees() {
    var converted = 0
    for seed in some(300, of: 1...20_000) {
      var random = SplitMix64(seed: UInt64(seed))
      let layers = Self.layers(&random)
      for (from, to) in zip(layers.shuffled(using: &random), layers.shuffled(using: &random)) {
        let point = Point(.random(in: -40...90, using: &random), .random(in: -40...90, using: &random))
        let there = from.convert(point, to: to)
        XCTAssertEqual(to.convert(point, from: from), there, "seed \(seed)")
        let place = Self.onRoot(point, of: from)
        XCTAssertTrue(Self.isClose(from.convert(point, to: nil), place), "seed \(seed): \(from) to the top")
        guard let there else { continue }
        converted += 1
        let same = Self.isClose(Self.onRoot(there, of: to), place)
        XCTAssertTrue(same, "seed \(seed): \(point) of \(from) is \(there) of \(to)")
        if let place { XCTAssertTrue(Self.isClose(to.convert(place, from: nil), there), "seed \(seed): from the top") }
      }
    }
    XCTAssertGreaterThan(converted, 600)
  }

  /// The box around the corners, whatever the signs of width and height.
  func testRectanglesOfRandomTrees() {
    var compared = 0
    for seed in some(300, of: 1...20_000) {
      var random = SplitMix64(seed: UInt64(seed))
      let layers = Self.layers(&random)
      for (from, to) in zip(layers.shuffled(using: &random), layers.shuffled(using: &random)) {
        func side() -> Double { .random(in: -30...30, using: &random) }
        let rect = Rect(x: side(), y: side(), width: side(), height: side())
        let corners = [
          Point(rect.minX, rect.minY), Point(rect.maxX, rect.minY), Point(rect.minX, rect.maxY),
          Point(rect.maxX, rect.maxY),
        ].compactMap { from.convert($0, to: to) }
        // A rectangle that goes behind the viewer is cut at another place than its corners.
        guard corners.count == 4, corners.allSatisfy({ abs($0.x) + abs($0.y) < 1e4 }) else { continue }
        let (xs, ys) = (corners.map(\.x).sorted(), corners.map(\.y).sorted())
        for box in [from.convert(rect, to: to), to.convert(rect, from: from)] {
          let box = box ?? Rect(x: .nan, y: .nan, width: .nan, height: .nan)
          let got = [box.minX, box.minY, box.maxX, box.maxY]
          let isBox = zip(got, [xs[0], ys[0], xs[3], ys[3]]).allSatisfy { abs($0 - $1) < 1e-6 }
          XCTAssertTrue(isBox, "seed \(seed): \(box) around \(corners)")
        }
        compared += 1
      }
    }
    XCTAssertGreaterThan(compared, 400)
  }

  // MARK: The definition

  private static func layers(_ random: inout SplitMix64) -> [Layer] {
    func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
    var layers = [Layer()]
    for _ in 0..<6 {
      let layer = random.chance(0.3) ? TransformLayer() : Layer()
      layers.randomElement(using: &random)?.addSublayer(layer)
      layers.append(layer)
    }
    for layer in layers {
      layer.bounds = Rect(x: number(-9...9), y: number(-9...9), width: number(0...90), height: number(0...90))
      layer.position = Point(number(-60...60), number(-60...60))
      layer.anchorPoint = Point(number(-1...2), number(-1...2))
      layer.isGeometryFlipped = random.chance(0.3)
      if random.chance(0.4) { layer.zPosition = number(-90...90) }
      if random.chance(0.3) { layer.anchorPointZ = number(-60...60) }
      if random.chance(0.6) {
        let turn = Transform3D.rotation(number(-1.2...1.2), x: number(-1...1), y: number(-1...1), z: number(-1...1))
        layer.transform = turn.concatenating(.scale(x: number(0.5...2), y: number(0.5...2)))
      }
      if random.chance(0.4) { layer.sublayerTransform = .perspective(distance: number(90...600)) }
    }
    return layers
  }

  /// A point of a layer in the coordinates of the topmost one: upright, around the anchor point, transformed, at its place, in the space
  /// of the transform layers around it, then seen on the plane around these. Nil behind the viewer.
  private static func onRoot(_ point: Point, of layer: Layer) -> Point? {
    guard var outer = layer.superlayer else { return point }
    var place = inSuperlayer(SIMD4(point.x, point.y, 0, 1), of: layer, in: outer)
    while outer is TransformLayer, let next = outer.superlayer {
      place = inSuperlayer(place, of: outer, in: next)
      outer = next
    }
    return place.w > 0 ? onRoot(Point(place.x / place.w, place.y / place.w), of: outer) : nil
  }

  private static func inSuperlayer(_ point: SIMD4<Double>, of layer: Layer, in outer: Layer) -> SIMD4<Double> {
    var upright = point
    if layer.isGeometryFlipped { upright.y = (layer.bounds.minY + layer.bounds.maxY) * point.w - point.y }
    let turned = moved(layer.transform, upright - middle(of: layer) * point.w)
    let placed = turned + SIMD4(layer.position.x, layer.position.y, layer.zPosition, 0) * turned.w
    let relative = moved(outer.sublayerTransform, placed - middle(of: outer) * placed.w)
    return relative + middle(of: outer) * relative.w
  }

  private static func middle(of layer: Layer) -> SIMD4<Double> {
    SIMD4(anchor(of: layer).x, anchor(of: layer).y, layer.anchorPointZ, 0)
  }

  private static func anchor(of layer: Layer) -> Point {
    Point(
      layer.bounds.minX + layer.anchorPoint.x * layer.bounds.width,
      layer.bounds.minY + layer.anchorPoint.y * layer.bounds.height)
  }

  private static func moved(_ m: Transform3D, _ p: SIMD4<Double>) -> SIMD4<Double> {
    let rows = m.numbers
    func column(_ index: Int) -> Double {
      p.x * rows[index] + p.y * rows[4 + index] + p.z * rows[8 + index] + p.w * rows[12 + index]
    }
    return SIMD4(column(0), column(1), column(2), column(3))
  }

  /// Equal within what is lost on the way, which is more for a point that is seen from near the edge of its plane.
  private static func isClose(_ one: Point?, _ other: Point?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return one.distance(to: other) <= 1e-6 * (1 + abs(other.x) + abs(other.y))
  }
}
