internal import CFreeType
import Geometry

/// A path as lines between points in 1/64 pixel, as FreeType wants them. Its memory is used again.
struct FlatOutline {
  private var points: [FT_Vector] = []
  /// The last point of each contour.
  private var ends: [UInt16] = []
  /// A 1 for each point: it lies on the outline.
  private var tags: [UInt8] = []

  /// Points farther than this many pixels from the output's corner are not drawn: their edges would be followed without end.
  private static let farthest = Double(1 << 17)
  /// FreeType counts points by signed numbers of two bytes.
  private static let maximumCount = Int(Int16.max)

  mutating func removeAll() {
    points.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }

  /// Adds a path; false if it is too far away or has too many points.
  mutating func add(_ path: Path, _ map: Affine) -> Bool {
    var last = Point.zero
    for element in path.elements {
      switch element {
      case .move(let point):
        endContour()
        last = map.apply(point)
        guard append(last) else { return false }
      case .line(let point):
        last = map.apply(point)
        guard append(last) else { return false }
      case .quadCurve(let point, let control):
        let (end, control) = (map.apply(point), map.apply(control))
        guard appendCurve(last, last + (control - last) * (2.0 / 3), end + (control - end) * (2.0 / 3), end) else {
          return false
        }
        last = end
      case .cubicCurve(let point, let control1, let control2):
        let end = map.apply(point)
        guard appendCurve(last, map.apply(control1), map.apply(control2), end) else { return false }
        last = end
      case .close:
        endContour()
      }
    }
    endContour()
    return true
  }

  private mutating func endContour() {
    let last = UInt16(max(points.count - 1, 0))
    if !points.isEmpty, ends.last != last { ends.append(last) }
  }

  private mutating func append(_ point: Point) -> Bool {
    guard abs(point.x) < Self.farthest, abs(point.y) < Self.farthest, points.count < Self.maximumCount else { return false }
    // FreeType's rows go upwards.
    points.append(FT_Vector(x: Int((point.x * 64).rounded()), y: -Int((point.y * 64).rounded())))
    if tags.count < points.count { tags.append(1) }
    return true
  }

  /// Lines that are nowhere farther than 1/32 pixel from the curve.
  private mutating func appendCurve(_ p0: Point, _ p1: Point, _ p2: Point, _ p3: Point) -> Bool {
    func length(_ p: Point) -> Double { (p.x * p.x + p.y * p.y).squareRoot() }
    let bend = max(length(p0 - p1 * 2 + p2), length(p1 - p2 * 2 + p3))
    guard bend < 4 * Self.farthest else { return false }
    // The distance of n lines is at most 6/8 of the bend, divided by n².
    let count = Int((bend * 24).squareRoot().rounded(.up))
    for step in stride(from: 1, to: count, by: 1) {
      let t = Double(step) / Double(count)
      let s = 1 - t
      guard append(p0 * (s * s * s) + p1 * (3 * s * s * t) + p2 * (3 * s * t * t) + p3 * (t * t * t)) else { return false }
    }
    return append(p3)
  }

  /// Gives `body` the outline with `origin` at FreeType's origin; nothing if the outline is empty.
  mutating func withOutline(at origin: (x: Int32, y: Int32), _ body: (inout FT_Outline) -> Void) {
    if points.isEmpty { return }
    var outline = FT_Outline()
    outline.n_points = numericCast(points.count)
    outline.n_contours = numericCast(ends.count)
    points.withUnsafeMutableBufferPointer { points in
      ends.withUnsafeMutableBytes { ends in
        tags.withUnsafeMutableBytes { tags in
          outline.points = points.baseAddress
          Self.set(&outline.contours, to: ends)
          Self.set(&outline.tags, to: tags)
          FT_Outline_Translate(&outline, -Int(origin.x) * 64, Int(origin.y) * 64)
          body(&outline)
        }
      }
    }
  }

  /// Numbers of one and two bytes: with or without a sign, by FreeType's version.
  private static func set<Number>(_ field: inout UnsafeMutablePointer<Number>?, to memory: UnsafeMutableRawBufferPointer) {
    field = memory.baseAddress?.assumingMemoryBound(to: Number.self)
  }
}
