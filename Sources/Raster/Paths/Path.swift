public import Geometry

/// Outlines made of straight lines and Bézier curves: a value that any thread may build and keep.
///
/// ```swift
/// var triangle = Path()
/// triangle.move(to: Point(0, 0))
/// triangle.line(to: Point(10, 0))
/// triangle.line(to: Point(5, 8))
/// triangle.close()
/// context.fill(triangle, color: .black)
/// ```
///
/// A path has one or more subpaths; `move(to:)` begins one. A line or curve without it begins at (0, 0), or after `close()`
/// where the closed subpath began.
public struct Path: Hashable, Sendable {
  /// One step of the pen.
  public enum Element: Hashable, BitwiseCopyable, Sendable {
    /// Lifts the pen and begins a subpath.
    case move(to: Point)
    case line(to: Point)
    case quadCurve(to: Point, control: Point)
    case cubicCurve(to: Point, control1: Point, control2: Point)
    /// Draws a line back to the beginning of the subpath and joins it there.
    case close
  }

  /// The steps in the order in which they were added.
  public private(set) var elements: [Element] = []
  /// The point at which the next line or curve begins.
  public private(set) var currentPoint = Point.zero
  private var subpathStart = Point.zero

  public init() {}

  /// True if there is nothing to draw.
  public var isEmpty: Bool { elements.isEmpty }

  public mutating func move(to point: Point) {
    elements.append(.move(to: point))
    currentPoint = point
    subpathStart = point
  }

  public mutating func line(to point: Point) {
    beginIfNeeded()
    elements.append(.line(to: point))
    currentPoint = point
  }

  public mutating func quadCurve(to point: Point, control: Point) {
    beginIfNeeded()
    elements.append(.quadCurve(to: point, control: control))
    currentPoint = point
  }

  public mutating func cubicCurve(to point: Point, control1: Point, control2: Point) {
    beginIfNeeded()
    elements.append(.cubicCurve(to: point, control1: control1, control2: control2))
    currentPoint = point
  }

  public mutating func close() {
    guard !elements.isEmpty else { return }
    elements.append(.close)
    currentPoint = subpathStart
  }

  /// Adds the subpaths of `other`.
  public mutating func append(_ other: Path) {
    elements.append(contentsOf: other.elements)
    currentPoint = other.currentPoint
    subpathStart = other.subpathStart
  }

  /// Reserves room for `count` elements in all, so that adding them allocates only once.
  public mutating func reserveCapacity(_ count: Int) {
    elements.reserveCapacity(count)
  }

  /// Removes all elements and keeps the memory.
  public mutating func removeAll() {
    elements.removeAll(keepingCapacity: true)
    currentPoint = .zero
    subpathStart = .zero
  }

  /// A copy of the path with every point mapped by `transform`.
  public func applying(_ transform: Affine) -> Path {
    var result = self
    result.currentPoint = transform.apply(currentPoint)
    result.subpathStart = transform.apply(subpathStart)
    for index in result.elements.indices {
      result.elements[index] = result.elements[index].applying(transform)
    }
    return result
  }

  private mutating func beginIfNeeded() {
    switch elements.last {
    case nil, .close: elements.append(.move(to: subpathStart))
    default: break
    }
  }
}

extension Path.Element {
  func applying(_ transform: Affine) -> Path.Element {
    switch self {
    case .move(let point): .move(to: transform.apply(point))
    case .line(let point): .line(to: transform.apply(point))
    case .quadCurve(let point, let control):
      .quadCurve(to: transform.apply(point), control: transform.apply(control))
    case .cubicCurve(let point, let control1, let control2):
      .cubicCurve(
        to: transform.apply(point), control1: transform.apply(control1), control2: transform.apply(control2))
    case .close: .close
    }
  }
}
