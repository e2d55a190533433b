package import Geometry
import Glibc

/// Makes the outlines of strokes, in memory that it uses again for the next one.
package struct StrokeOutliner {
  private var lines = FlatPath(hasJoints: true)
  private var cutter = LineCutter()
  private var sides = StrokeSides()

  package init() {}

  /// The last outline in pixels, to be filled by the non-zero rule.
  package var outline: FlatPath { sides.outline }

  /// The number of points for which it keeps memory.
  package var capacity: Int { lines.points.capacity + cutter.capacity + outline.points.capacity }

  /// Makes the outline of what a pen paints along the part of a path between two shares of its length.
  ///
  /// Both sides of the line go around it in the same direction, so that what a line paints twice does not take itself back.
  package mutating func trace(
    _ path: Path, _ style: StrokeStyle, from start: Double = 0, to end: Double = 1, _ toPixels: Affine
  ) {
    sides.removeAll()
    let scale = max(hypot(toPixels.a, toPixels.b), hypot(toPixels.c, toPixels.d))
    guard scale > 0, scale.isFinite else { return }
    let unit = style.unit == .points ? scale : 1
    let pen = style.limited(toReach: StrokeStyle.farthestReach / unit)
    guard pen.width > 0, pen.width.isFinite else { return }
    lines.replace(with: path, pixelsPerPoint: scale, penWidth: pen.width * unit / scale)
    if start > 0 || end < 1 { cutter.trim(&lines, from: start, to: end) }
    // A pen that is measured in pixels follows the lines where they lie there.
    if style.unit == .pixels { lines.map(toPixels) }
    if pen.isDashed(along: lines.length, pixelsPerUnit: unit) { cutter.dash(&lines, pen.dash, phase: pen.dashPhase) }
    sides.take(pen, pixelsPerUnit: unit, style.unit == .points ? toPixels : .identity)
    for subpath in lines.subpaths where !sides.outline.isFull { sides.add(lines, subpath) }
  }
}

/// Walks along lines and makes the outline of what a pen paints on both of their sides.
private struct StrokeSides {
  private(set) var outline = FlatPath()
  private var pen = StrokeStyle()
  private var half = 0.0
  private var toPixels = Affine.identity
  /// The angle between points on a round join or cap.
  private var arcStep = 0.0
  /// The longest miter between two lines of one curve, in widths of the pen: it reaches 1/32 pixel beyond the round edge.
  private var smoothMiterLimit = 1.0
  /// Shorter lines have no direction.
  private var shortest = 0.0
  // A subpath: its points without those that repeat the one before, and the directions to the next.
  private var points: [Point] = []
  private var joints: [FlatPath.Joint] = []
  private var directions: [Point] = []
  private var lengths: [Double] = []

  /// Removes the outline and keeps its memory.
  mutating func removeAll() { outline.removeAll() }

  mutating func take(_ pen: StrokeStyle, pixelsPerUnit: Double, _ toPixels: Affine) {
    (self.pen, self.toPixels) = (pen, toPixels)
    half = pen.width / 2
    arcStep = FlatPath.arcStep(radius: half * pixelsPerUnit)
    smoothMiterLimit = 1 + 1 / (32 * half * pixelsPerUnit)
    shortest = 1e-4 / pixelsPerUnit
  }

  mutating func add(_ lines: FlatPath, _ subpath: FlatPath.Subpath) {
    take(lines, subpath)
    guard points.count > 1 else {
      // A line without length is painted by its caps; a point alone is not.
      if let point = points.first, subpath.isClosed || subpath.points.count > 1 { addDot(point, joints[0].leaving) }
      return
    }
    addSide(isClosed: subpath.isClosed, isBackwards: false)
    if subpath.isClosed { outline.end(isClosed: true) } else if let last = points.last { addCap(last) }
    turnBack(isClosed: subpath.isClosed)
    addSide(isClosed: subpath.isClosed, isBackwards: true)
    if !subpath.isClosed, let last = points.last { addCap(last) }
    outline.end(isClosed: true)
  }

  private mutating func take(_ lines: FlatPath, _ subpath: FlatPath.Subpath) {
    points.removeAll(keepingCapacity: true)
    joints.removeAll(keepingCapacity: true)
    directions.removeAll(keepingCapacity: true)
    lengths.removeAll(keepingCapacity: true)
    for index in subpath.points where lines.points[index].isFinite {
      let joint = lines.joints[index]
      if let last = points.last, !addDirection(from: last, to: lines.points[index]) {
        // A dot keeps its direction.
        if index + 1 < subpath.points.upperBound { joints[joints.count - 1].leaving = joint.leaving }
        continue
      }
      points.append(lines.points[index])
      joints.append(joint)
    }
    guard subpath.isClosed, let first = points.first, let last = points.last, points.count > 1 else { return }
    if !addDirection(from: last, to: first) {
      points.removeLast()
      joints[0].arriving = joints.removeLast().arriving
    }
  }

  private mutating func addDirection(from a: Point, to b: Point) -> Bool {
    let length = hypot(b.x - a.x, b.y - a.y)
    guard length > shortest, length.isFinite else { return false }
    directions.append((b - a) / length)
    lengths.append(length)
    return true
  }

  private mutating func turnBack(isClosed: Bool) {
    points.reverse()
    joints.reverse()
    for index in joints.indices {
      (joints[index].arriving, joints[index].leaving) = (-joints[index].leaving, -joints[index].arriving)
    }
    directions.reverse()
    lengths.reverse()
    for index in directions.indices { directions[index] = -directions[index] }
    guard isClosed else { return }
    // The line to the next point was the one from the point before.
    directions.append(directions.removeFirst())
    lengths.append(lengths.removeFirst())
  }

  // MARK: Sides

  /// The direction in which a line begins at a point.
  private func leaving(_ index: Int) -> Point { joints[index].leaving.direction ?? directions[index] }

  /// The direction in which the line `before` ends at a point.
  private func arriving(_ index: Int, _ before: Int) -> Point { joints[index].arriving.direction ?? directions[before] }

  /// Adds the side to which a direction turns by a quarter of a turn clockwise.
  private mutating func addSide(isClosed: Bool, isBackwards: Bool) {
    if !isClosed { append(points[0], across(leaving(0))) }
    for index in isClosed ? 0..<points.count : 1..<points.count - 1 {
      if outline.isFull { return }
      let before = index == 0 ? directions.count - 1 : index - 1
      addCorner(index, before, isBackwards: isBackwards)
    }
    if !isClosed { append(points[points.count - 1], across(arriving(points.count - 1, directions.count - 1))) }
  }

  private mutating func addCorner(_ index: Int, _ before: Int, isBackwards: Bool) {
    let (point, old, new) = (points[index], arriving(index, before), leaving(index))
    let (cross, dot) = (old.x * new.y - old.y * new.x, old.x * new.x + old.y * new.y)
    let sharpness = 1 + dot
    let middle = (across(old) + across(new)) / max(sharpness, 1e-9)
    // If a line goes straight back, one side only is outside.
    let isOutside = cross < 0 || cross == 0 && !isBackwards
    if !isOutside {
      // The two inner sides meet, unless a line ends before.
      if half * abs(cross) <= sharpness * min(lengths[before], lengths[index]), sharpness > 1e-6 {
        append(point, middle)
      } else {
        append(point, across(old))
        append(point, .zero)
        append(point, across(new))
      }
      return
    }
    let isSmooth = joints[index].isSmooth
    let miterLimit = isSmooth ? smoothMiterLimit : pen.miterLimit
    // The miter's length divided by the pen's width has the square 2 / (1 + dot).
    if isSmooth || pen.join == .miter, 2 <= miterLimit * miterLimit * sharpness {
      append(point, middle)
    } else if isSmooth || pen.join == .round {
      // Outside is left of the line; half a turn, straight back, has no sign of its own.
      addArc(point, from: across(old), angle: -abs(atan2(cross, dot)))
    } else {
      append(point, across(old))
      append(point, across(new))
    }
  }

  private func across(_ direction: Point) -> Point { Point(-direction.y * half, direction.x * half) }

  // MARK: Ends

  /// Goes around the last point.
  private mutating func addCap(_ point: Point) {
    let direction = arriving(points.count - 1, directions.count - 1)
    switch pen.cap {
    case .butt: break
    case .round: addArc(point, from: across(direction), angle: -.pi)
    case .square:
      append(point, across(direction) + direction * half)
      append(point, direction * half - across(direction))
    }
  }

  /// - Parameter direction: the direction of a dash without length; zero for a line that has none.
  private mutating func addDot(_ point: Point, _ direction: Point) {
    switch pen.cap {
    case .butt: return
    case .round: addArc(point, from: Point(half, 0), angle: -2 * .pi)
    case .square:
      let ahead = (direction.direction ?? Point(1, 0)) * half
      let beside = Point(-ahead.y, ahead.x)
      append(point, ahead + beside)
      append(point, ahead - beside)
      append(point, -ahead - beside)
      append(point, beside - ahead)
    }
    outline.end(isClosed: true)
  }

  /// Adds an arc around a point, with both of its ends. A positive angle turns clockwise.
  private mutating func addArc(_ center: Point, from start: Point, angle: Double) {
    let count = max((abs(angle) / arcStep).rounded(.up), 1)
    for step in 0...Int(count) {
      let (sine, cosine) = (sin(angle * Double(step) / count), cos(angle * Double(step) / count))
      append(center, Point(start.x * cosine - start.y * sine, start.x * sine + start.y * cosine))
    }
  }

  private mutating func append(_ point: Point, _ offset: Point) { outline.append(toPixels.apply(point + offset)) }
}

extension Point {
  fileprivate var isFinite: Bool { (x + y).isFinite }

  /// The direction as a vector of length 1; nil if there is none.
  fileprivate var direction: Point? {
    let length = (x * x + y * y).squareRoot()
    return length > 0 && length.isFinite ? self / length : nil
  }
}

extension StrokeStyle {
  /// The distance in pixels from a line at which its pen paints at most. With it, and with solid lines that are cut where they
  /// leave what is seen, no edge that Cairo fills is longer than 2¹⁷ pixels: its products of both sides would overflow.
  static let farthestReach = 20_000.0
}
