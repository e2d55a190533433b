public import Geometry
import Glibc

extension Path {
  /// A closed rectangle.
  public static func rect(_ rect: Rect) -> Path {
    var path = Path()
    path.addRect(rect)
    return path
  }

  /// A closed rectangle with circular corners; see `addRoundedRect(_:cornerRadius:)`.
  public static func roundedRect(_ rect: Rect, cornerRadius: Double) -> Path {
    var path = Path()
    path.addRoundedRect(rect, cornerRadius: cornerRadius)
    return path
  }

  /// The ellipse that touches the four sides of `rect`.
  public static func ellipse(in rect: Rect) -> Path {
    var path = Path()
    path.addEllipse(in: rect)
    return path
  }

  public static func circle(center: Point, radius: Double) -> Path {
    .ellipse(in: Rect(x: center.x - radius, y: center.y - radius, width: 2 * radius, height: 2 * radius))
  }

  /// An open arc of a circle; see `addArc(center:radius:startAngle:endAngle:clockwise:)`.
  public static func arc(
    center: Point, radius: Double, startAngle: Double, endAngle: Double, clockwise: Bool = true
  ) -> Path {
    var path = Path()
    path.addArc(center: center, radius: radius, startAngle: startAngle, endAngle: endAngle, clockwise: clockwise)
    return path
  }

  /// Adds a closed rectangle, clockwise from its left upper corner.
  public mutating func addRect(_ rect: Rect) {
    move(to: rect.origin)
    line(to: Point(rect.maxX, rect.minY))
    line(to: Point(rect.maxX, rect.maxY))
    line(to: Point(rect.minX, rect.maxY))
    close()
  }

  /// Adds a closed rectangle with circular corners, clockwise.
  ///
  /// - Parameter cornerRadius: is limited to half the shorter side; 0 or less makes a plain rectangle.
  public mutating func addRoundedRect(_ rect: Rect, cornerRadius: Double) {
    let radius = min(cornerRadius, rect.width / 2, rect.height / 2)
    guard radius > 0 else { return addRect(rect) }
    let inset = radius * (1 - Self.quarterCircle)
    move(to: Point(rect.minX + radius, rect.minY))
    line(to: Point(rect.maxX - radius, rect.minY))
    cubicCurve(
      to: Point(rect.maxX, rect.minY + radius), control1: Point(rect.maxX - inset, rect.minY),
      control2: Point(rect.maxX, rect.minY + inset))
    line(to: Point(rect.maxX, rect.maxY - radius))
    cubicCurve(
      to: Point(rect.maxX - radius, rect.maxY), control1: Point(rect.maxX, rect.maxY - inset),
      control2: Point(rect.maxX - inset, rect.maxY))
    line(to: Point(rect.minX + radius, rect.maxY))
    cubicCurve(
      to: Point(rect.minX, rect.maxY - radius), control1: Point(rect.minX + inset, rect.maxY),
      control2: Point(rect.minX, rect.maxY - inset))
    line(to: Point(rect.minX, rect.minY + radius))
    cubicCurve(
      to: Point(rect.minX + radius, rect.minY), control1: Point(rect.minX, rect.minY + inset),
      control2: Point(rect.minX + inset, rect.minY))
    close()
  }

  /// Adds the closed ellipse that touches the four sides of `rect`, clockwise from its rightmost point.
  public mutating func addEllipse(in rect: Rect) {
    let center = rect.center
    let x = rect.width / 2 * Self.quarterCircle
    let y = rect.height / 2 * Self.quarterCircle
    let right = Point(rect.maxX, center.y)
    let bottom = Point(center.x, rect.maxY)
    let left = Point(rect.minX, center.y)
    let top = Point(center.x, rect.minY)
    move(to: right)
    cubicCurve(to: bottom, control1: Point(right.x, right.y + y), control2: Point(bottom.x + x, bottom.y))
    cubicCurve(to: left, control1: Point(bottom.x - x, bottom.y), control2: Point(left.x, left.y + y))
    cubicCurve(to: top, control1: Point(left.x, left.y - y), control2: Point(top.x - x, top.y))
    cubicCurve(to: right, control1: Point(top.x + x, top.y), control2: Point(right.x, right.y - y))
    close()
  }

  /// Adds an arc of a circle. If a subpath is open, a line joins it to the arc; otherwise the arc begins a subpath.
  ///
  /// - Parameters:
  ///   - startAngle: radians from the positive x axis; positive angles go clockwise, as y points down.
  ///   - endAngle: radians. The arc goes from `startAngle` to `endAngle` in the given direction. It is a whole circle if the
  ///     two are a whole turn or more apart in that direction.
  ///   - clockwise: the direction as seen on the screen.
  public mutating func addArc(
    center: Point, radius: Double, startAngle: Double, endAngle: Double, clockwise: Bool = true
  ) {
    guard startAngle.isFinite, endAngle.isFinite else { return }
    let turn = 2 * Double.pi
    var sweep = clockwise ? endAngle - startAngle : startAngle - endAngle
    if sweep >= turn {
      sweep = turn
    } else {
      sweep = sweep.truncatingRemainder(dividingBy: turn)
      if sweep < 0 { sweep += turn }
    }
    if !clockwise { sweep = -sweep }

    func point(_ angle: Double) -> Point {
      Point(center.x + radius * cos(angle), center.y + radius * sin(angle))
    }
    // An arc alone needs no more.
    if elements.isEmpty { reserveCapacity(5) }
    switch elements.last {
    case nil, .close: move(to: point(startAngle))
    default: line(to: point(startAngle))
    }
    // A cubic curve for at most a quarter turn deviates by less than 0.03 % of the radius.
    let count = max(1, Int((abs(sweep) / (turn / 4)).rounded(.up)))
    let step = sweep / Double(count)
    let arm = radius * 4 / 3 * tan(step / 4)
    for index in 0..<count {
      let from = startAngle + step * Double(index)
      let to = from + step
      let start = point(from)
      let end = point(to)
      cubicCurve(
        to: end, control1: Point(start.x - arm * sin(from), start.y + arm * cos(from)),
        control2: Point(end.x + arm * sin(to), end.y - arm * cos(to)))
    }
  }

  /// The length of the control arms of a cubic curve that replaces a quarter of the unit circle: 4/3·(√2 − 1).
  private static let quarterCircle = 0.552_284_749_830_793_6
}
