import Geometry
import LinuxSystem
import Testing

@testable import Input

struct TouchCalibrationTests {
  private static let targets = [Point(0.1, 0.1), Point(0.9, 0.1), Point(0.9, 0.9), Point(0.1, 0.9), Point(0.5, 0.5)]

  /// Whatever affine map lies between panel and picture, five touches find it; where somebody touches beside, the error tells.
  @Test(arguments: 0..<100 as Range<UInt64>) func fiveTouchesFindTheMatrix(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let turned = Affine.quarterTurns(Int.random(in: 0...3, using: &random))
    let skewed = Affine(
      a: .random(in: 0.7...1.3, using: &random), b: .random(in: -0.1...0.1, using: &random),
      c: .random(in: -0.1...0.1, using: &random), d: .random(in: 0.7...1.3, using: &random),
      tx: .random(in: -1...1, using: &random), ty: .random(in: -1...1, using: &random))
    let matrix = turned.concatenating(skewed)
    let back = try #require(matrix.inverted)
    var calibration = TouchCalibration()
    for target in Self.targets { calibration.add(target: target, touchedAt: back.apply(target)) }
    calibration.add(target: Point(.nan, 0), touchedAt: .zero)
    let found = try #require(calibration.matrix)
    for point in [Point(0, 0), Point(1, 0), Point(0, 1)] {
      let way = found.apply(point) - matrix.apply(point)
      #expect(abs(way.x) < 1e-9 && abs(way.y) < 1e-9, "seed \(seed)")
    }
    #expect(try #require(calibration.error) < 1e-9, "seed \(seed)")
    calibration.add(target: Self.targets[0], touchedAt: back.apply(Point(0.3, 0.1)))
    #expect(try #require(calibration.error) > 0.05, "seed \(seed)")
  }

  /// The best map of touches that do not fit: no small change of it is better.
  @Test(arguments: 0..<50 as Range<UInt64>) func theErrorIsLeast(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let places = Self.targets.map {
      $0 + Point(Double.random(in: -0.05...0.05, using: &random), Double.random(in: -0.05...0.05, using: &random))
    }
    var calibration = TouchCalibration()
    for (target, place) in zip(Self.targets, places) { calibration.add(target: target, touchedAt: place) }
    let matrix = try #require(calibration.matrix)
    func sum(_ matrix: Affine) -> Double {
      zip(Self.targets, places).reduce(0) { sum, pair in
        let way = matrix.apply(pair.1) - pair.0
        return sum + way.x * way.x + way.y * way.y
      }
    }
    for path in [\Affine.a, \.b, \.c, \.d, \.tx, \.ty] {
      for step in [-1e-3, 1e-3] {
        var other = matrix
        other[keyPath: path] += step
        #expect(sum(other) > sum(matrix), "seed \(seed)")
      }
    }
  }

  @Test func touchesOnALineTellNothing() {
    var calibration = TouchCalibration()
    for part in [0.1, 0.5, 0.7, 0.9] {
      calibration.add(target: Point(part, 0.5), touchedAt: Point(part, 0.5))
      #expect(calibration.matrix == nil && calibration.error == nil)
    }
  }

  @Test func aRuleHasTheMatrixRowByRow() {
    let mirrored = Affine(a: -1, b: 0, c: 0, d: 0.5, tx: 1, ty: 0.25)
    #expect(
      TouchCalibration.rule(for: "Panel \"7*\"", matrix: mirrored) == """
        ACTION=="add|change", SUBSYSTEM=="input", KERNEL=="event*", ATTRS{name}=="Panel ?7??", \
        ENV{LIBINPUT_CALIBRATION_MATRIX}="-1.000000 0.000000 1.000000 0.000000 0.500000 0.250000"
        """)
  }

  /// libinput reads no exponent, which a short description of a small number has.
  @Test(arguments: 0..<100 as Range<UInt64>) func aRuleHasPlainDecimals(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let values =
      seed == 0
      ? [1, 0, 0, 0.00005, -1, -0.00000049]
      : [1e-8, 5e-5, 1e-3, 1, 10, 1e5].map { $0 * Double.random(in: -1...1, using: &random) }.shuffled(using: &random)
    let rule = TouchCalibration.rule(
      for: "Panel",
      matrix: Affine(a: values[0], b: values[3], c: values[1], d: values[4], tx: values[2], ty: values[5]))
    let words = try #require(rule.split(separator: "\"").last).split(separator: " ")
    #expect(words.count == 6, "seed \(seed): \(rule)")
    for (word, value) in zip(words, values) {
      #expect(word.allSatisfy { "-.0123456789".contains($0) }, "seed \(seed): \(rule)")
      #expect(abs(try #require(Double(word)) - value) <= 0.5000001e-6, "seed \(seed): \(rule)")
      #expect(!(word.hasPrefix("-") && Double(word) == 0), "seed \(seed): \(rule)")
    }
  }

  @Test func aRuleOfNoNumbersIsWritten() {
    let rule = TouchCalibration.rule(
      for: "Panel", matrix: Affine(a: .nan, b: .infinity, c: -.infinity, d: 1e300, tx: 0, ty: 0))
    let most = "1000000000.000000"
    #expect(rule.hasSuffix("=\"0.000000 -\(most) 0.000000 \(most) \(most) 0.000000\""), "\(rule)")
  }
}
