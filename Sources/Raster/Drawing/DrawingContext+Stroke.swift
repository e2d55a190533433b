internal import CCairo
import Geometry

extension DrawingContext {
  /// The pixels of a point at most, in any direction.
  private var pixelsPerPoint: Double { max(abs(transform.a) + abs(transform.c), abs(transform.b) + abs(transform.d)) }

  /// The pixels of a pen's unit at most.
  private func pixels(in unit: StrokeStyle.Unit) -> Double { unit == .points ? pixelsPerPoint : 1 }

  /// The pen that draws with this style.
  func pen(_ style: StrokeStyle) -> StrokeStyle {
    style.limited(toReach: StrokeStyle.farthestReach / pixels(in: style.unit))
  }

  /// The distance in pixels from a line at which this pen paints at most. Antialiasing reaches one pixel further than it.
  func reach(of pen: StrokeStyle) -> Double { pen.reach * pixels(in: pen.unit) + 1 }

  func strokePath(_ path: Path, with pen: StrokeStyle) {
    guard pen.width > 0 else { return }
    cairo_set_line_width(cairo, pen.width)
    cairo_set_line_cap(cairo, pen.cap.cairo)
    cairo_set_line_join(cairo, pen.join.cairo)
    cairo_set_miter_limit(cairo, pen.miterLimit)
    let unit = pixels(in: pen.unit)
    if pen.isDashed(along: path.polygonLength * pixelsPerPoint / unit, pixelsPerUnit: unit) {
      cairo_set_dash(cairo, pen.dash, Int32(pen.dash.count), pen.dashPhase)
      addWhole(path)
    } else {
      cairo_set_dash(cairo, nil, 0, 0)
      addSeen(path, reach: reach(of: pen))
    }
    switch pen.unit {
    case .points: withTransformInCairo { cairo_stroke(cairo) }
    case .pixels: cairo_stroke(cairo)
    }
  }

  /// Adds a path as it is.
  private func addWhole(_ path: Path) {
    let farthest = Self.farthest
    for step in path.steps {
      switch step {
      case .move(let point):
        let pixel = Bezier(point, point, transform, farthest: farthest).a
        cairo_move_to(cairo, pixel.x, pixel.y)
      case .line(let a, let b): Bezier(a, b, transform, farthest: farthest).add(to: cairo)
      case .curve(let a, let b, let c, let d): Bezier(a, b, c, d, transform, farthest: farthest).add(to: cairo)
      case .close: cairo_close_path(cairo)
      }
    }
  }

  /// Adds the parts of a path from which a pen that reaches so many pixels may paint in the bitmap.
  private func addSeen(_ path: Path, reach: Double) {
    var parts = SeenParts(cairo: cairo, sight: Sight(bitmap, reach: reach))
    for step in path.steps {
      switch step {
      case .move: parts.end()
      case .line(let a, let b): parts.append(Bezier(a, b, transform))
      case .curve(let a, let b, let c, let d): parts.append(Bezier(a, b, c, d, transform))
      case .close(let a, let b): parts.close(Bezier(a, b, transform))
      }
    }
    parts.end()
  }
}

/// Gives Cairo the parts of subpaths that are seen. Where something between is left out, the pen is lifted: the ends there are too
/// far away to be seen.
private struct SeenParts {
  let cairo: OpaquePointer
  let sight: Sight
  /// The parts before the first that is left out. They come last: so a closing line is joined to them.
  private var head: [Bezier] = []
  /// True while nothing of the subpath was left out.
  private var isWhole = true
  /// True while Cairo's pen stands where the last part ended.
  private var isDown = false

  init(cairo: OpaquePointer, sight: Sight) { (self.cairo, self.sight) = (cairo, sight) }

  mutating func append(_ part: Bezier) {
    switch sight.place(of: part) {
    case .near where !part.isFolded: if isWhole { head.append(part) } else { draw(part) }
    case .beyond: (isWhole, isDown) = (false, false)
    case .near, .across:
      let (start, end) = part.parts
      append(start)
      append(end)
    }
  }

  mutating func close(_ line: Bezier) {
    if isWhole, !head.isEmpty {
      end()
      cairo_close_path(cairo)
    } else {
      append(line)
      end(isClosed: true)
    }
  }

  /// Ends the subpath.
  mutating func end(isClosed: Bool = false) {
    if !isClosed { isDown = false }
    for part in head { draw(part) }
    head.removeAll(keepingCapacity: true)
    (isWhole, isDown) = (true, false)
  }

  private mutating func draw(_ part: Bezier) {
    if !isDown { cairo_move_to(cairo, part.a.x, part.a.y) }
    isDown = true
    part.add(to: cairo)
  }
}

extension StrokeStyle.Cap {
  fileprivate var cairo: cairo_line_cap_t {
    switch self {
    case .butt: CAIRO_LINE_CAP_BUTT
    case .round: CAIRO_LINE_CAP_ROUND
    case .square: CAIRO_LINE_CAP_SQUARE
    }
  }
}

extension StrokeStyle.Join {
  fileprivate var cairo: cairo_line_join_t {
    switch self {
    case .miter: CAIRO_LINE_JOIN_MITER
    case .round: CAIRO_LINE_JOIN_ROUND
    case .bevel: CAIRO_LINE_JOIN_BEVEL
    }
  }
}
