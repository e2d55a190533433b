/// A timing function maps an animation's time to its progress. It is a cubic Bézier curve from (0, 0) to (1, 1): x is the
/// elapsed part of the duration, and y is the covered part of the way.
///
/// ```swift
/// var move = BasicAnimation(.position, from: start, to: end, duration: .seconds(1))
/// move.timingFunction = .easeOut
/// ```
///
/// The curve and its presets are those of CSS Easing Functions, §"Cubic Bézier easing functions".
public struct TimingFunction: Hashable, BitwiseCopyable, Sendable {
  /// The first control point, x in 0…1.
  public let x1: Double
  public let y1: Double
  /// The second control point, x in 0…1.
  public let x2: Double
  public let y2: Double

  /// Makes a curve from its control points. Each x is limited to 0…1, so that every time has one progress. A y outside of
  /// 0…1 makes the value overshoot. A coordinate that is not finite becomes 0.
  public init(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) {
    func finite(_ value: Double) -> Double { value.isFinite ? value : 0 }
    self.x1 = min(max(finite(x1), 0), 1)
    self.y1 = finite(y1)
    self.x2 = min(max(finite(x2), 0), 1)
    self.y2 = finite(y2)
  }

  public static let linear = TimingFunction(0, 0, 1, 1)
  /// Starts slowly.
  public static let easeIn = TimingFunction(0.42, 0, 1, 1)
  /// Ends slowly.
  public static let easeOut = TimingFunction(0, 0, 0.58, 1)
  /// Starts and ends slowly.
  public static let easeInEaseOut = TimingFunction(0.42, 0, 0.58, 1)
  /// Starts fast and ends slowly. Implicit animations use it by default.
  public static let `default` = TimingFunction(0.25, 0.1, 0.25, 1)

  /// The covered part of the way at `time`, the elapsed part of the duration. It is 0 before 0 and 1 after 1. The result is
  /// exact for a time less than 10⁻⁹ from the given one.
  public func progress(at time: Double) -> Double {
    guard time > 0 else { return 0 }
    guard time < 1 else { return 1 }
    if x1 == y1 && x2 == y2 { return time }
    let parameter = Self.parameter(atX: time, x1, x2)
    return Self.coordinate(parameter, y1, y2)
  }

  /// One coordinate of the curve at `t`, from that coordinate of the control points.
  @inline(__always)
  static func coordinate(_ t: Double, _ first: Double, _ second: Double) -> Double {
    let c = 3 * first
    let b = 3 * (second - first) - c
    let a = 1 - c - b
    return ((a * t + b) * t + c) * t
  }

  /// The parameter at which the curve reaches `x`. Halley's method works inside a bracket that always contains the result.
  /// If the curve is too flat for it, or a step leaves the bracket, the bracket is halved.
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
      let slope = (3 * a * t + 2 * b) * t + c
      let step = error * slope / (slope * slope - error * (3 * a * t + b))
      let next = t - step
      // A step leaves the third power of its length where the curve is about straight up to the result.
      if abs(error) < 1e-7 * slope { return next }
      // The condition is also false if the slope is 0 and `next` is infinite or NaN.
      t = next > low && next < high ? next : (low + high) / 2
    }
    return t
  }
}
