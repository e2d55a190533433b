import Geometry
import LinuxSystem
import Testing

@testable import Layers

@Suite struct AnimatableValuesTests {
  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func frameReadsBackAsItWasSet(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &generator) }
    var values = AnimatableValues()
    values.bounds = Rect(x: number(-50...50), y: number(-50...50), width: number(1...90), height: number(1...90))
    values.anchorPoint = Point(number(-1...2), number(-1...2))
    values.position = Point(number(-90...90), number(-90...90))
    let turn = Double(Int.random(in: 0..<4, using: &generator)) * .pi / 2
    let mirror = generator.chance(0.5) ? -1.0 : 1
    values.affineTransform = Affine.scale(x: number(0.2...3) * mirror, y: number(0.2...3))
      .concatenating(.rotation(turn)).concatenating(.translation(x: number(-9...9), y: number(-9...9)))
    let (origin, anchor, transform) = (values.bounds.origin, values.anchorPoint, values.affineTransform)
    let frame = Rect(x: number(-99...99), y: number(-99...99), width: number(0...99), height: number(0...99))
    values.frame = frame
    let read = values.frame
    for (got, wanted) in [
      (read.minX, frame.minX), (read.minY, frame.minY), (read.width, frame.width), (read.height, frame.height),
    ] {
      #expect(abs(got - wanted) < 1e-9, "seed \(seed): \(read) for \(frame)")
    }
    #expect(values.bounds.origin == origin && values.anchorPoint == anchor && values.affineTransform == transform)
  }

  @Test func frameOfATurnedOrFlattenedLayerKeepsItsCentre() {
    var values = AnimatableValues()
    values.bounds.size = Size(10, 10)
    values.affineTransform = .rotation(0.4)
    values.frame = Rect(x: 10, y: 20, width: 30, height: 40)
    #expect(abs(values.frame.midX - 25) < 1e-9 && abs(values.frame.midY - 40) < 1e-9)
    values.affineTransform = .scale(0)
    let size = values.bounds.size
    values.frame = Rect(x: 0, y: 0, width: 4, height: 4)
    #expect(values.bounds.size == size && values.position == Point(2, 2))
  }

  @Test(arguments: 1...300 as ClosedRange<UInt64>)
  func decompositionGivesTheSameMap(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    func number() -> Double { Double.random(in: -4...4, using: &generator) }
    let affine = Affine(a: number(), b: number(), c: number(), d: number(), tx: number(), ty: number())
    let parts = try #require(AffineParts(affine))
    expectClose(parts.affine, affine, "seed \(seed)")
    let angle = Double.random(in: -3...3, using: &generator)
    let turned = affine.withRotation(angle)
    #expect(abs(turned.rotation - angle) < 1e-9, "seed \(seed)")
    #expect(turned.tx == affine.tx && turned.ty == affine.ty)
    #expect(abs(turned.determinant - affine.determinant) < 1e-9, "seed \(seed)")
  }

  @Test func whatIsAddedIsTakenBack() {
    func isTakenBack<Value: Animatable>(_ value: Value, _ change: Value) -> Bool {
      value.adding(change).adding(change.negated) == value
    }
    #expect(isTakenBack(Affine.translation(x: 2, y: 4), .scale(2)) && isTakenBack(Size(1, 2), Size(3, 4)))
    #expect(isTakenBack(Transform3D.scale(4), .translation(x: 1, y: 2)))
  }

  private func expectClose(_ left: Affine, _ right: Affine, _ comment: Comment) {
    let pairs = [
      (left.a, right.a), (left.b, right.b), (left.c, right.c), (left.d, right.d), (left.tx, right.tx), (left.ty, right.ty),
    ]
    for (a, b) in pairs { #expect(abs(a - b) < 1e-9, comment) }
  }
}

@Suite struct ContentsGravityTests {
  /// Contents of 20×10 in bounds of 100×50 at (10, 20), and in narrower bounds.
  @Test(arguments: [
    (ContentsGravity.center, Rect(x: 50, y: 40, width: 20, height: 10)),
    (.top, Rect(x: 50, y: 20, width: 20, height: 10)),
    (.bottom, Rect(x: 50, y: 60, width: 20, height: 10)),
    (.left, Rect(x: 10, y: 40, width: 20, height: 10)),
    (.right, Rect(x: 90, y: 40, width: 20, height: 10)),
    (.topLeft, Rect(x: 10, y: 20, width: 20, height: 10)),
    (.topRight, Rect(x: 90, y: 20, width: 20, height: 10)),
    (.bottomLeft, Rect(x: 10, y: 60, width: 20, height: 10)),
    (.bottomRight, Rect(x: 90, y: 60, width: 20, height: 10)),
    (.resize, Rect(x: 10, y: 20, width: 100, height: 50)),
    (.resizeAspect, Rect(x: 10, y: 20, width: 100, height: 50)),
    (.resizeAspectFill, Rect(x: 10, y: 20, width: 100, height: 50)),
  ])
  func table(gravity: ContentsGravity, rect: Rect) {
    #expect(gravity.rect(of: Size(20, 10), in: Rect(x: 10, y: 20, width: 100, height: 50)) == rect)
  }

  @Test func tableIsComplete() {
    #expect(ContentsGravity.allCases.count == 12)
  }

  @Test func aspect() {
    let bounds = Rect(x: 0, y: 0, width: 40, height: 40)
    let size = Size(20, 10)
    #expect(
      ContentsGravity.resizeAspect.rect(of: size, in: bounds) == Rect(x: 0, y: 10, width: 40, height: 20))
    #expect(
      ContentsGravity.resizeAspectFill.rect(of: size, in: bounds)
        == Rect(x: -20, y: 0, width: 80, height: 40))
    #expect(
      ContentsGravity.resizeAspectFill.rect(of: Size(10, 20), in: bounds) == Rect(x: 0, y: -20, width: 40, height: 80))
    #expect(ContentsGravity.resizeAspect.rect(of: .zero, in: bounds) == .zero)
  }
}

@Suite struct ArithmeticTests {
  @Test func pointsAndSizes() {
    #expect((Point(1, 2) + Point(3, 5) - Point(2, 2)) * 3 / 2 == Point(3, 7.5))
    #expect((Size(1, 2) + Size(3, 5) - Size(2, 2)) * 3 / 2 == Size(3, 7.5))
    var (point, size) = (-Point(1, 2), -Size(1, 2))
    point += Point(4, 4)
    point -= Point(1, 0)
    size += Size(4, 4)
    size -= Size(1, 0)
    #expect(point == Point(2, 2) && size == Size(2, 2))
  }
}
