package import Geometry

extension Path {
  /// True if both have the same kinds of elements in the same order: each point of one belongs to a point of the other.
  public func hasSameStructure(as other: Path) -> Bool {
    elements.count == other.elements.count && zip(elements, other.elements).allSatisfy { $0.isSameKind(as: $1) }
  }

  /// A path whose points are made from those of two paths of the same structure; nil for others.
  package func combined(with other: Path, _ combine: (Point, Point) -> Point) -> Path? {
    guard hasSameStructure(as: other) else { return nil }
    var path = Path()
    path.reserveCapacity(elements.count)
    for (one, two) in zip(elements, other.elements) {
      switch (one, two) {
      case (.move(let a), .move(let b)): path.move(to: combine(a, b))
      case (.line(let a), .line(let b)): path.line(to: combine(a, b))
      case (.quadCurve(let a, let c), .quadCurve(let b, let d)): path.quadCurve(to: combine(a, b), control: combine(c, d))
      case (.cubicCurve(let a, let c, let e), .cubicCurve(let b, let d, let f)):
        path.cubicCurve(to: combine(a, b), control1: combine(c, d), control2: combine(e, f))
      default: path.close()
      }
    }
    return path
  }
}

extension Path.Element {
  fileprivate func isSameKind(as other: Path.Element) -> Bool {
    switch (self, other) {
    case (.move, .move), (.line, .line), (.quadCurve, .quadCurve), (.cubicCurve, .cubicCurve), (.close, .close): true
    default: false
    }
  }
}
