public import Geometry
import Glibc

extension Path {
  /// Adds an arc of an ellipse from the current point, given as SVG gives it (SVG 2, 9.5.1 and appendix B.2).
  ///
  /// Two ellipses with such radii go through both points, and there are two ways along each: the flags choose one. Radii that are too small
  /// for the distance of the points grow, keeping their ratio. A radius of 0 makes a line, and an arc to the current point is nothing.
  ///
  /// - Parameters:
  ///   - radii: along the two axes of the ellipse; the sign does not count.
  ///   - rotation: the angle of the ellipse's first axis from the x axis, in radians, clockwise on the screen.
  ///   - isLarge: true for an arc of half a turn or more.
  ///   - clockwise: the direction as seen on the screen.
  public mutating func addEllipticalArc(
    to end: Point, radii: Size, rotation: Double = 0, isLarge: Bool = false, clockwise: Bool = true
  ) {
    let start = currentPoint
    guard start != end else { return }
    var (rx, ry) = (abs(radii.width), abs(radii.height))
    guard rx > 0, ry > 0, (rx + ry + rotation).isFinite else { return line(to: end) }
    // Half the way between the points, as the ellipse sees it: in a frame in which it is the unit circle.
    let (cosine, sine) = (cos(rotation), sin(rotation))
    let half = (start - end) * 0.5
    var way = Point((half.x * cosine + half.y * sine) / rx, (half.y * cosine - half.x * sine) / ry)
    let distance = hypot(way.x, way.y)
    if distance > 1 {
      (rx, ry) = (rx * distance, ry * distance)
      way = way * (1 / distance)
    }
    let rise =
      max(1 / max(way.x * way.x + way.y * way.y, .leastNormalMagnitude) - 1, 0).squareRoot()
      * (isLarge == clockwise ? -1 : 1)
    let center = Point(rise * way.y, -rise * way.x)
    let from = atan2(way.y - center.y, way.x - center.x)
    var sweep = atan2(-way.y - center.y, -way.x - center.x) - from
    if clockwise, sweep < 0 { sweep += 2 * .pi }
    if !clockwise, sweep > 0 { sweep -= 2 * .pi }

    let middle = (start + end) * 0.5
    let toPage = Affine(a: rx * cosine, b: rx * sine, c: -ry * sine, d: ry * cosine, tx: middle.x, ty: middle.y)
    func page(_ x: Double, _ y: Double) -> Point { toPage.apply(Point(center.x + x, center.y + y)) }
    guard sweep.isFinite else { return line(to: end) }
    let count = max(1, Int((abs(sweep) / (.pi / 2) - 1e-9).rounded(.up)))
    let step = sweep / Double(count)
    let arm = 4.0 / 3 * tan(step / 4)
    for index in 0..<count {
      let (first, second) = (from + step * Double(index), from + step * Double(index + 1))
      let point = index == count - 1 ? end : page(cos(second), sin(second))
      cubicCurve(
        to: point, control1: page(cos(first) - arm * sin(first), sin(first) + arm * cos(first)),
        control2: page(cos(second) + arm * sin(second), sin(second) - arm * cos(second)))
    }
  }
}
