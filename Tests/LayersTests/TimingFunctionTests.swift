import Layers
import LinuxSystem
import Testing

@Suite struct TimingFunctionTests {
  /// A slow but certain reference: it only halves the interval.
  private static func reference(_ function: TimingFunction, _ x: Double) -> Double {
    // At the ends the curve may be so flat that halving stops far from them.
    if x <= 0 || x >= 1 { return x <= 0 ? 0 : 1 }
    func curve(_ t: Double, _ p1: Double, _ p2: Double) -> Double {
      let u = 1 - t
      return 3 * u * u * t * p1 + 3 * u * t * t * p2 + t * t * t
    }
    var (low, high) = (0.0, 1.0)
    for _ in 0..<200 {
      let middle = (low + high) / 2
      if curve(middle, function.x1, function.x2) < x { low = middle } else { high = middle }
    }
    return curve((low + high) / 2, function.y1, function.y2)
  }

  /// The result must belong to a time within 10⁻⁹ of `x`, since the curve may be very steep.
  private func expectRight(_ function: TimingFunction, _ x: Double, _ comment: Comment) {
    let around = [x - 1e-9, x, x + 1e-9].map { Self.reference(function, min(max($0, 0), 1)) }
    let got = function.progress(at: x)
    let (low, high) = (around.min() ?? 0, around.max() ?? 0)
    #expect(got >= low - 1e-6 && got <= high + 1e-6, comment)
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func randomCurves(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &generator) }
    // Curves are flat or upright at the corners of the square.
    let corner = [0.0, 1, number(0...1), number(0...1)]
    let function = TimingFunction(
      corner.randomElement(using: &generator) ?? 0, number(-2...3), corner.randomElement(using: &generator) ?? 0,
      number(-2...3))
    for step in 0...200 {
      expectRight(function, Double(step) / 200, "seed \(seed), \(function), x \(step)/200")
    }
    for exponent in 1...12 {
      var x = 1.0
      for _ in 0..<exponent { x /= 10 }
      expectRight(function, x, "seed \(seed), \(function), x 1e-\(exponent)")
      expectRight(function, 1 - x, "seed \(seed), \(function), x 1 - 1e-\(exponent)")
    }
  }

  @Test(arguments: 1...50 as ClosedRange<UInt64>)
  func curvesWithoutOvershootRise(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    func number() -> Double { Double.random(in: 0...1, using: &generator) }
    let function = TimingFunction(number(), number(), number(), number())
    var last = 0.0
    for step in 0...5_000 {
      let value = function.progress(at: Double(step) / 5_000)
      #expect(value >= last - 1e-12 && value <= 1 + 1e-12, "seed \(seed), step \(step)")
      last = value
    }
  }

  @Test func endsAndPresets() {
    for function in [TimingFunction.linear, .easeIn, .easeOut, .easeInEaseOut, .default] {
      #expect(function.progress(at: 0) == 0 && function.progress(at: 1) == 1)
      #expect(function.progress(at: -1) == 0 && function.progress(at: 2) == 1 && function.progress(at: .nan) == 0)
    }
    #expect(TimingFunction.linear.progress(at: 0.3) == 0.3)
    #expect(abs(TimingFunction.easeInEaseOut.progress(at: 0.5) - 0.5) < 1e-12)
    // The value of CSS `ease` at one half, as browsers compute it.
    #expect(abs(TimingFunction.default.progress(at: 0.5) - 0.8024033877399112) < 1e-9)
    #expect(TimingFunction.easeIn.progress(at: 0.25) < 0.25 && TimingFunction.easeOut.progress(at: 0.25) > 0.25)
  }

  @Test func wildControlPointsAreTamed() {
    let function = TimingFunction(-3, .nan, 7, .infinity)
    #expect(function.x1 == 0 && function.x2 == 1 && function.y1 == 0 && function.y2 == 0)
    #expect(TimingFunction(0, -1, 1, 2).progress(at: 0.1) < 0, "the value may overshoot")
  }
}
