import Geometry
import LinuxSystem
import Raster
import Testing

@testable import Layers

@Suite struct KeyframeTests {
  private func shown(
    _ animation: KeyframeAnimation, at milliseconds: Int64, over model: AnimatableValues = AnimatableValues()
  ) -> AnimatableValues {
    var (animation, values) = (animation, model)
    animation.duration = .seconds(1)
    let timed = TimedAnimation(animation, .tests).begun(at: .zero)
    timed.apply(to: &values, at: LayersTests.milliseconds(milliseconds))
    return values
  }

  @Test func withoutAWayNothingHappens() {
    for values in [[], [0.5]] {
      for mode in CalculationMode.allCases {
        #expect(shown(KeyframeAnimation(.opacity, values: values, calculationMode: mode), at: 500).opacity == 1)
      }
    }
    #expect(shown(KeyframeAnimation(.opacity, values: [0, 0.5], keyTimes: [0]), at: 500).opacity == 1)
    var point = Path()
    point.move(to: Point(3, 3))
    #expect(shown(KeyframeAnimation(.position, path: point), at: 500).position == .zero)
  }

  @Test func timesThatAreNone() {
    let times = [0.2, .nan, -3, 0.6, 0.4, 9]
    let animation = KeyframeAnimation(.opacity, values: [0, 1, 2, 3, 4, 5], keyTimes: times)
    let values = [0, 199, 200, 400, 599, 600, 800, 1000].map { shown(animation, at: $0).opacity }
    let expected = [0, 0, 2, 2.5, 2.9975, 4, 4.5, 5]
    for (value, expected) in zip(values, expected) { #expect(abs(value - expected) < 1e-9) }
  }

  @Test(arguments: CalculationMode.allCases)
  func modesMeetTheirValues(mode: CalculationMode) {
    let colors = [Color.black, .white, Color(red: 1, green: 0, blue: 0), .black]
    let keyframes = Keyframes(colors, KeyframeTiming(keyTimes: nil, mode, []), CurveShape())
    for segment in keyframes.segments {
      #expect(keyframes.value(at: segment.begin) == segment.shape.first)
      #expect(colors.contains(segment.shape.first))
    }
    #expect(keyframes.value(at: 1) == .black && keyframes.value(at: 7) == .black && keyframes.value(at: -7) == .black)
  }

  @Test func smoothCurveThroughTransforms() {
    let turns = [0, 0.5, 1.0, 1.5].map { Affine.rotation($0) }
    let keyframes = Keyframes(turns, KeyframeTiming(keyTimes: nil, .cubic, []), CurveShape())
    for part in [0.1, 0.4, 0.7] {
      let rotation = keyframes.value(at: part)?.rotation ?? 0
      #expect(abs(rotation - 1.5 * part) < 1e-9, "even turns go on evenly")
    }
  }

  /// By the formulas of Kochanek and Bartels, through 0, 1, 4 and 9, between 1 and 4. With tangents p and q there the middle is
  /// 2.5 + (p − q) / 8. Smooth, p = (1 + 3) / 2 and q = (3 + 5) / 2; a continuity of 1 makes p = 1 at the first and q = 5 at the second,
  /// where the curve arrives, one of −1 makes p = 3 and q = 3.
  @Test(arguments: [([], 2.25), ([0, 1], 2.125), ([0, 0, 1], 2.125), ([0, -1], 2.375), ([0, 0, -1], 2.375)])
  func cornersOfASmoothCurve(continuities: [Double], middle: Double) {
    let animation = KeyframeAnimation(
      .positionX, values: [0, 1, 4, 9], calculationMode: .cubic, curveShape: CurveShape(continuities: continuities))
    #expect(abs(shown(animation, at: 500).position.x - middle) < 1e-12)
  }

  /// Paced modes look neither at key times nor at timing functions.
  @Test(arguments: [CalculationMode.paced, .cubicPaced])
  func pacedModesHaveTimesOfTheirOwn(mode: CalculationMode) {
    let (values, times, functions) = ([0, 1, 0.5, 0.7], [0, 0.1, 0.6, 1], [TimingFunction.easeIn, .easeOut, .easeIn])
    let plain = KeyframeAnimation(.opacity, values: values, calculationMode: mode)
    let timed = KeyframeAnimation(
      .opacity, values: values, keyTimes: times, calculationMode: mode, timingFunctions: functions)
    var path = Path()
    for (index, value) in values.enumerated() {
      let point = Point(Double(index), value * 9)
      if index == 0 { path.move(to: point) } else { path.line(to: point) }
    }
    let tour = KeyframeAnimation(.position, path: path, calculationMode: mode)
    let timedTour = KeyframeAnimation(
      .position, path: path, keyTimes: times, calculationMode: mode, timingFunctions: functions)
    for time in stride(from: 0 as Int64, through: 1000, by: 50) {
      #expect(shown(plain, at: time).opacity == shown(timed, at: time).opacity, "\(time) ms")
      #expect(shown(tour, at: time).position == shown(timedTour, at: time).position, "\(time) ms")
    }
  }

  @Test func turnsAlongAPath() {
    var path = Path()
    path.move(to: .zero)
    path.line(to: Point(0, 100))
    path.quadCurve(to: Point(100, 100), control: Point(0, 200))
    var model = AnimatableValues()
    model.affineTransform = .scale(x: 2, y: 3)
    let auto = KeyframeAnimation(.position, path: path, rotationMode: .auto)
    let expected = [Affine(a: 0, b: 3, c: -2, d: 0, tx: 0, ty: 0), .scale(x: 2, y: 3)]
    for (time, expected) in zip([250 as Int64, 750], expected) {
      for (got, expected) in zip(shown(auto, at: time, over: model).affineTransform.numbers, expected.numbers) {
        #expect(abs(got - expected) < 1e-9, "\(time) ms")
      }
    }
    let back = KeyframeAnimation(.position, path: path, rotationMode: .autoReverse)
    let there = shown(auto, at: 600, over: model).affineTransform.numbers
    for (got, expected) in zip(shown(back, at: 600, over: model).affineTransform.numbers, there) {
      #expect(abs(got + expected) < 1e-9)
    }
    #expect(shown(KeyframeAnimation(.position, path: path), at: 250, over: model).affineTransform == model.affineTransform)
  }

  @Test func pacedPathIsAsFastEverywhere() {
    var path = Path.circle(center: Point(50, 50), radius: 40)
    path.line(to: Point(50, 50))
    let animation = KeyframeAnimation(.position, path: path, calculationMode: .paced)
    let places = stride(from: 0 as Int64, through: 1000, by: 10).map { shown(animation, at: $0).position }
    let steps = zip(places, places.dropFirst()).map { $0.distance(to: $1) }
    let (slowest, fastest) = (steps.sorted()[2], steps.max() ?? 0)
    #expect(fastest / slowest < 1.02, "\(slowest)…\(fastest); only a corner is cut")
  }

  @Test func addedUp() {
    var animation = KeyframeAnimation(.positionX, values: [0, 4, 10])
    animation.isCumulative = true
    animation.repeatCount = 3
    var model = AnimatableValues()
    model.position.x = 100
    #expect([500, 1500, 3000].map { shown(animation, at: $0, over: model).position.x } == [4, 14, 30])
    animation.isAdditive = true
    #expect([500, 1500, 3000].map { shown(animation, at: $0, over: model).position.x } == [104, 114, 130])
  }
}
