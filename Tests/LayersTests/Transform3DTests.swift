import Geometry
import LinuxSystem
import Testing

@testable import Layers

@Suite struct Transform3DTests {
  private func random(_ random: inout SplitMix64, perspective: Bool) -> Transform3D {
    func number() -> Double { .random(in: -2...2, using: &random) }
    var result = Transform3D((0..<16).map { _ in number() })
    (result.m14, result.m24, result.m34, result.m44) = (0, 0, 0, 1)
    if perspective { (result.m14, result.m24, result.m34) = (number() / 100, number() / 100, number() / 100) }
    return result
  }

  private func isClose(_ one: Transform3D, _ other: Transform3D, _ tolerance: Double = 1e-6) -> Bool {
    zip(one.numbers, other.numbers).allSatisfy { abs($0 - $1) <= tolerance * max(1, abs($0)) }
  }

  @Test func partsMakeTheMapAgain() {
    var numbers = SplitMix64(seed: 7)
    for index in 0..<1000 {
      let map = random(&numbers, perspective: index % 2 == 1)
      guard abs(map.determinant) > 1e-3, let parts = Transform3D.Parts(map) else { continue }
      #expect(isClose(parts.transform, map), "\(index): \(map) gives \(parts.transform)")
      var turned = parts
      turned.angles = parts.angles
      #expect(isClose(turned.transform, map), "\(index): the angles of \(map)")
    }
  }

  @Test func theMapBackTakesBack() {
    var numbers = SplitMix64(seed: 8)
    for _ in 0..<1000 {
      let map = random(&numbers, perspective: true)
      guard abs(map.determinant) > 1e-3, let back = map.inverted else { continue }
      #expect(isClose(map.concatenating(back), .identity))
      #expect(abs(map.determinant * back.determinant - 1) < 1e-6)
      let (plane, plain) = (map.homography, Point(3, 4))
      guard abs(plane.determinant) > 1e-3, let image = plane.apply(plain), let undone = plane.inverted?.apply(image) else {
        continue
      }
      #expect(undone.distance(to: plain) < 1e-6)
    }
  }

  @Test func flatMapsAreAffine() {
    let flat = Affine(a: 1, b: 2, c: 3, d: 5, tx: 6, ty: 7)
    #expect(Transform3D(flat).affine == flat)
    #expect(Transform3D.translation(x: 1, y: 2).isAffine)
    #expect(!Transform3D.translation(x: 0, y: 0, z: 1).isAffine)
    #expect(!Transform3D.perspective(distance: 100).isAffine)
    #expect(Transform3D.scale(x: 0, y: 1).inverted == nil)
  }

  /// Fact 405: a turn around y is mixed as a turn around y.
  @Test func turnsAreMixedAsTurns() {
    let turn = Transform3D.rotation(1.2, x: 0, y: 1, z: 0)
    #expect(isClose(Transform3D.identity.mixed(with: turn, fraction: 0.25), .rotation(0.3, x: 0, y: 1, z: 0)))
    // The shorter way: −1 and not 2π − 1.
    let far = Transform3D.rotation(2 * .pi - 1, x: 1, y: 0, z: 0)
    #expect(isClose(Transform3D.identity.mixed(with: far, fraction: 0.5), .rotation(-0.5, x: 1, y: 0, z: 0)))
    let near = Transform3D.perspective(distance: 100)
    #expect(abs(Transform3D.identity.mixed(with: near, fraction: 0.5).m34 + 0.005) < 1e-12)
  }

  @Test(arguments: [-3, -2, -1.2, 0, 0.5, 1.5, 2, 3])
  func oneAngleIsReadBack(_ angle: Double) {
    for axis in 0..<3 {
      var parts = Transform3D.Parts()
      parts.angles[axis] = angle
      var expected = SIMD3(0.0, 0, 0)
      expected[axis] = angle
      let error = parts.angles - expected
      #expect(max(abs(error.x), abs(error.y), abs(error.z)) < 1e-9, "\(parts.angles) for \(expected)")
    }
  }

  @Test func whatIsBehindTheViewerIsLeftOut() {
    // w is 1 at the left edge and −1 at the right one.
    var plane = Homography.identity
    plane.px = -0.02
    #expect(plane.apply(Point(0, 0)) == Point(0, 0))
    #expect(plane.apply(Point(50, 0)) == nil)
    #expect(plane.apply(Point(100, 0)) == nil)
    let seen = plane.boundingBox(of: Rect(x: 0, y: 0, width: 100, height: 10))
    #expect(seen?.minX == 0 && (seen?.maxX ?? 0) > 1e5)
    #expect(plane.boundingBox(of: Rect(x: 60, y: 0, width: 100, height: 10)) == nil)
  }
}
