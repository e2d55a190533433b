/// How an animation's progress follows its time: a cubic Bézier curve from (0, 0) to (1, 1) whose x is the part of the
/// duration that is over and whose y is the part of the way that is covered.
///
/// The curve and its presets are those of CSS Easing Functions, §"Cubic Bézier easing functions".
public struct TimingFunction: Hashable, BitwiseCopyable, Sendable {
  /// The first control point, x in 0…1.
  public let x1: Double
  public let y1: Double
  /// The second control point, x in 0…1.
  public let x2: Double
  public let y2: Double

  /// A curve by its control points. The x of both are clamped to 0…1, so that every time has one progress; y may lie
  /// outside of 0…1 and lets the value overshoot. What is not finite becomes 0.
  public init(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) {
    func finite(_ value: Double) -> Double { value.isFinite ? value : 0 }
    self.x1 = min(max(finite(x1), 0), 1)
    self.y1 = finite(y1)
    self.x2 = min(max(finite(x2), 0), 1)
    self.y2 = finite(y2)
  }

  public static let linear = TimingFunction(0, 0, 1, 1)
  /// Begins slowly.
  public static let easeIn = TimingFunction(0.42, 0, 1, 1)
  /// Ends slowly.
  public static let easeOut = TimingFunction(0, 0, 0.58, 1)
  /// Begins and ends slowly.
  public static let easeInEaseOut = TimingFunction(0.42, 0, 0.58, 1)
  /// Begins fast and ends slowly: what changes animate with that nobody described.
  public static let `default` = TimingFunction(0.25, 0.1, 0.25, 1)

  /// The part of the way that is covered when `time`, from 0 to 1, of the duration is over. Before 0 it is 0, after 1 it is
  /// 1. The answer is exact for a time less than 10⁻⁹ from the given one.
  public func progress(at time: Double) -> Double {
    guard time > 0 else { return 0 }
    guard time < 1 else { return 1 }
    if x1 == y1 && x2 == y2 { return time }
    let parameter = Self.parameter(atX: time, x1, x2)
    return Self.coordinate(parameter, y1, y2)
  }

  /// One coordinate of the curve at `t`, given that coordinate of the control points.
  @inline(__always)
  static func coordinate(_ t: Double, _ first: Double, _ second: Double) -> Double {
    let c = 3 * first
    let b = 3 * (second - first) - c
    let a = 1 - c - b
    return ((a * t + b) * t + c) * t
  }

  /// Where the curve reaches `x`. Newton's method inside a bracket that always holds the answer; where the curve is too
  /// flat for it, or a step leaves the bracket, the bracket is halved.
  static func parameter(atX x: Double, _ x1: Double, _ x2: Double) -> Double {
    let c = 3 * x1
    let b = 3 * (x2 - x1) - c
    let a = 1 - c - b
    var low = 0.0
    var high = 1.0
    var t = x
    // Halving alone needs 50 rounds for the last bit of a double.
    for _ in 0..<64 {
      let error = ((a * t + b) * t + c) * t - x
      if abs(error) < 1e-15 { break }
      if error > 0 { high = t } else { low = t }
      guard high - low > 1e-15 else { break }
      let slope = (3 * a * t + 2 * b) * t + c
      let next = t - error / slope
      // Also false when the slope is 0 and `next` is infinite or not a number.
      t = next > low && next < high ? next : (low + high) / 2
    }
    return t
  }
}
