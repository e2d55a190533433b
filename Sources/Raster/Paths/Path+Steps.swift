import Geometry

extension Path {
  /// A step of the pen with the point at which it begins.
  enum Step {
    case move(to: Point)
    case line(Point, Point)
    case curve(Point, Point, Point, Point)
    /// A line back to the beginning of the subpath, which ends.
    case close(Point, Point)
  }

  /// The steps, with a cubic curve for each quadratic one.
  var steps: some Sequence<Step> {
    sequence(state: (elements.makeIterator(), Point.zero, Point.zero)) { state in
      let (current, start) = (state.1, state.2)
      switch state.0.next() {
      case nil: return nil
      case .move(let point):
        (state.1, state.2) = (point, point)
        return .move(to: point)
      case .line(let point):
        state.1 = point
        return .line(current, point)
      case .quadCurve(let point, let control):
        state.1 = point
        let control1 = Point(current.x + (control.x - current.x) * 2 / 3, current.y + (control.y - current.y) * 2 / 3)
        let control2 = Point(point.x + (control.x - point.x) * 2 / 3, point.y + (control.y - point.y) * 2 / 3)
        return .curve(current, control1, control2, point)
      case .cubicCurve(let point, let control1, let control2):
        state.1 = point
        return .curve(current, control1, control2, point)
      case .close:
        state.1 = start
        return .close(current, start)
      }
    }
  }
}
