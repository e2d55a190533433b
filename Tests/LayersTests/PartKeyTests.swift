import Geometry
import LinuxSystem
import Testing

@testable import Layers

@Suite struct PartKeyTests {
  private static let numbers: [AnimatableKey<Double>] = [
    .positionX, .positionY, .boundsOriginX, .boundsOriginY, .boundsSizeWidth, .boundsSizeHeight, .transformScaleX,
    .transformScaleY, .transformTranslationX, .transformTranslationY,
  ]

  private func values(seed: UInt64) -> AnimatableValues {
    var random = SplitMix64(seed: seed)
    func number() -> Double { .random(in: -3...3, using: &random) }
    var values = AnimatableValues()
    values.position = Point(number(), number())
    values.bounds = Rect(x: number(), y: number(), width: number(), height: number())
    values.affineTransform = Affine(a: number(), b: number(), c: number(), d: number(), tx: number(), ty: number())
    return values
  }

  /// A part that is set is read back, and no other one moves.
  @Test(arguments: 1...50 as ClosedRange<UInt64>)
  func partsAreApart(seed: UInt64) {
    let before = values(seed: seed)
    for key in Self.numbers {
      var after = before
      after[key] = before[key] * 1.5
      for other in Self.numbers {
        let expected = before[other] * (other.property == key.property ? 1.5 : 1)
        #expect(abs(after[other] - expected) < 1e-12, "seed \(seed): \(other.property) after \(key.property)")
      }
      #expect(abs(after.rotation - before.rotation) < 1e-12, "seed \(seed): turn after \(key.property)")
    }
  }

  @Test func animationsOfDifferentPartsGoOnTogether() {
    var shown = AnimatableValues()
    shown.affineTransform = .rotation(1)
    let animations: [any Animation] = [
      BasicAnimation(.positionX, from: 0, to: 10, duration: .seconds(1)),
      BasicAnimation(.positionY, from: 0, to: 20, duration: .seconds(1)),
      BasicAnimation(.transformScale, from: 1, to: 3, duration: .seconds(1)),
      BasicAnimation(.transformTranslation, from: .zero, to: Point(6, 8), duration: .seconds(1)),
      BasicAnimation(.boundsSize, from: .zero, to: Size(4, 2), duration: .seconds(1)),
      BasicAnimation(.boundsOrigin, from: .zero, to: Point(2, 2), duration: .seconds(1)),
    ]
    for animation in animations {
      let timed = TimedAnimation(animation, .tests).begun(at: .zero)
      timed.apply(to: &shown, at: milliseconds(500))
    }
    #expect(shown.position == Point(5, 10))
    #expect(shown.bounds == Rect(x: 1, y: 1, width: 2, height: 1))
    #expect(abs(shown.rotation - 1) < 1e-12 && abs(shown[.transformScale] - 2) < 1e-12)
    #expect(shown[.transformTranslation] == Point(3, 4))
  }

  @Test func flattenedAxesGrowAgain() {
    for turn in [0, 1.2] {
      for key in [AnimatableKey<Double>.transformScale, .transformScaleX, .transformScaleY] {
        var values = AnimatableValues()
        values.affineTransform = .rotation(turn)
        values[key] = 0
        #expect(values[key] == 0)
        values[key] = 1
        let isWhole = key.property != AnimatableKey<Double>.transformScale.property
        let expected = isWhole ? Affine.rotation(turn) : .identity
        for (got, expected) in zip(values.affineTransform.numbers, expected.numbers) {
          #expect(abs(got - expected) < 1e-12, "\(key.property)")
        }
      }
    }
  }

  /// An axis that grows again stands upright on the other one, however long that is, and mirrors nothing.
  @Test(arguments: [(0.7, 3), (-2, 0.25), (0.7, -3)] as [(Double, Double)])
  func aFlattenedAxisStandsUpright(turn: Double, other: Double) {
    for isX in [true, false] {
      var values = AnimatableValues()
      values.affineTransform = Affine.scale(x: isX ? 0 : other, y: isX ? other : 0).concatenating(.rotation(turn))
      let before = values.affineTransform
      values[isX ? .transformScaleX : .transformScaleY] = 2
      let after = values.affineTransform
      #expect(abs(after.determinant - 2 * abs(other)) < 1e-12, "upright, and 2 long: \(after)")
      #expect(abs(after.a * after.c + after.b * after.d) < 1e-12, "\(after)")
      #expect(isX ? (after.c, after.d) == (before.c, before.d) : (after.a, after.b) == (before.a, before.b))
    }
  }

  /// In space an axis that is flattened has no direction, and its parts are left alone.
  @Test func aFlattenedAxisInSpaceStays() {
    var values = AnimatableValues()
    values.transform = Transform3D.scale(x: 0, y: 1).concatenating(.rotation(0.5, x: 1, y: 0, z: 0))
    let flattened = values.transform
    #expect(values[.transformScaleX] == 0 && values[.transformRotationX] == 0)
    values[.transformScaleX] = 2
    values[.rotation] = 1
    #expect(values.transform == flattened)
  }

  @Test func oneScaleIsTheMeanOfBoth() {
    var values = AnimatableValues()
    values.affineTransform = .scale(x: 2, y: 4)
    #expect(values[.transformScale] == 3)
    values[.transformScale] = 5
    #expect(values.affineTransform == .scale(5))
    values.transform = Transform3D.scale(x: 2, y: 4).concatenating(.rotation(1, x: 1, y: 0, z: 0))
    #expect(abs(values[.transformScale] - 3) < 1e-12)
  }

  /// CSS takes no turn for a whole one, from which half a turn goes against the clock, and which it comes to with the clock.
  @Test func halfTurns() {
    let (there, back) = (Affine.identity.mixed(with: .rotation(.pi), fraction: 0.25), Affine.rotation(.pi))
    #expect(abs(there.rotation + .pi / 4) < 1e-12)
    #expect(abs(back.mixed(with: .identity, fraction: 0.25).rotation + .pi * 3 / 4) < 1e-12)
  }

  @Test func mixturesOfUprightMapsStayUpright() {
    let mixture = Affine.scale(2).mixed(with: .scale(x: 3, y: 5), fraction: 0.5)
    #expect(mixture == .scale(x: 2.5, y: 3.5), "to the last bit, for the compositor's way without turns")
    #expect(Affine.scale(0).mixed(with: .scale(2), fraction: 0.5) == .scale(1))
  }
}
