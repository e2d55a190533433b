public import Geometry
import Glibc

/// Finds the calibration matrix of a touch screen from touches at known places. A pure value.
///
/// With p the place at which the device had a touch, and q the one that was to be touched, both in parts of the panel, the matrix M is the affine map
/// with the least sum of |M p − q|². Three touches that are not on a line determine it. Five, in the corners and in the middle, tell by
/// `error` whether they fit each other at all.
///
/// ```swift
/// if let matrix = calibration.matrix, let error = calibration.error, error < 0.03 {
///   print(TouchCalibration.rule(for: device.name, matrix: matrix))  // to /etc/udev/rules.d/99-touch-calibration.rules
///   input.calibrate(device.id, by: matrix)
/// }
/// ```
public struct TouchCalibration: Sendable {
  private var touches: [(target: Point, place: Point)] = []

  public init() {}

  /// The number of touches that were taken.
  public var count: Int { touches.count }

  /// Takes a touch. One whose places are no numbers is ignored.
  ///
  /// - Parameters:
  ///   - target: the place that was to be touched, in parts of the panel as it is scanned.
  ///   - place: where the device had it, without a calibration.
  public mutating func add(target: Point, touchedAt place: Point) {
    guard [target.x, target.y, place.x, place.y].allSatisfy(\.isFinite) else { return }
    touches.append((target, place))
  }

  /// The matrix, for `InputDevices.calibrate(_:by:)`; nil as long as there are no three touches that are not on a line.
  public var matrix: Affine? {
    guard touches.count >= 3 else { return nil }
    let count = Double(touches.count)
    let target = touches.reduce(Point.zero) { $0 + $1.target } / count
    let place = touches.reduce(Point.zero) { $0 + $1.place } / count
    var (xx, xy, yy, toX, toY) = (0.0, 0.0, 0.0, Point.zero, Point.zero)
    for touch in touches {
      let (way, wanted) = (touch.place - place, touch.target - target)
      (xx, xy, yy) = (xx + way.x * way.x, xy + way.x * way.y, yy + way.y * way.y)
      toX += way * wanted.x
      toY += way * wanted.y
    }
    let determinant = xx * yy - xy * xy
    guard determinant > 1e-6 * (xx + yy) * (xx + yy) else { return nil }
    func row(_ sums: Point) -> Point { Point(sums.x * yy - sums.y * xy, sums.y * xx - sums.x * xy) / determinant }
    let (x, y) = (row(toX), row(toY))
    return Affine(
      a: x.x, b: y.x, c: x.y, d: y.y, tx: target.x - x.x * place.x - x.y * place.y,
      ty: target.y - y.x * place.x - y.y * place.y)
  }

  /// How far the touches are from their targets by the matrix, at most, in parts of the panel; nil without a matrix.
  public var error: Double? {
    guard let matrix else { return nil }
    return touches.map { hypot(matrix.apply($0.place).x - $0.target.x, matrix.apply($0.place).y - $0.target.y) }.max()
  }

  /// The rule of udev that calibrates the devices of a name for every program that reads them with libinput.
  ///
  /// - Parameter matrix: is written with six decimals, and numbers beyond ±10⁹ as that; NaN becomes 0.
  public static func rule(for name: String, matrix: Affine) -> String {
    // A character with a meaning in udev's patterns becomes one that stands for any.
    let pattern = String(name.map { "\"\\*?[]|".contains($0) || $0.isNewline ? "?" : $0 })
    let numbers = [matrix.a, matrix.c, matrix.tx, matrix.b, matrix.d, matrix.ty].map(decimal)
    return """
      ACTION=="add|change", SUBSYSTEM=="input", KERNEL=="event*", ATTRS{name}=="\(pattern)", \
      ENV{LIBINPUT_CALIBRATION_MATRIX}="\(numbers.joined(separator: " "))"
      """
  }

  /// A number with six decimals. libinput's `safe_atod` refuses an exponent, as in `5e-05`.
  private static func decimal(_ value: Double) -> String {
    let millionths = value.isNaN ? 0 : Int64((min(max(value, -1e9), 1e9) * 1e6).rounded())
    let (whole, rest) = millionths.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
    return "\(millionths < 0 ? "-" : "")\(whole).\(String(1_000_000 + rest).dropFirst())"
  }
}
