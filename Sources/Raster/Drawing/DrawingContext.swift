internal import CCairo
public import Geometry

/// Draws into a bitmap: in points, x to the right, y down, always antialiased. The same calls give the same bytes.
///
/// What is drawn is in the bitmap when the context is gone or after `flush()`. To touch the bitmap's pixels meanwhile use
/// `withPixels`. A context belongs to one thread, any one, and draws over what the bitmap holds.
///
/// Points are mapped to pixels by the current transform, which begins as a scale by `scale`. Coordinates further than
/// ±2 000 000 pixels out are taken as that far. A transform that flattens the plane draws nothing.
public final class DrawingContext {
  /// What is drawn into.
  let bitmap: Bitmap
  /// Pixels per point at the start.
  public let scale: Double
  /// From the caller's coordinates to pixels.
  public private(set) var transform: Affine

  let cairo: OpaquePointer
  let surface: OpaquePointer
  /// Reused from one line of text to the next.
  var textMask = TextMask()
  private let cancellation: (() -> Bool)?
  private var savedTransforms: [Affine] = []

  /// - Parameters:
  ///   - scale: pixels per point; above 0.
  ///   - isCancelled: asked when `isCancelled` is read; nil when the drawing is never cancelled.
  public init(bitmap: Bitmap, scale: Double = 1, isCancelled: (() -> Bool)? = nil) {
    precondition(scale > 0 && scale.isFinite, "DrawingContext: scale \(scale) must be above 0")
    precondition(!bitmap.isFrozen, "DrawingContext: the bitmap was frozen, its pixels belong to an image")
    precondition(bitmap.bytesPerRow % 4 == 0, "DrawingContext: rows must start at whole pixels")
    self.bitmap = bitmap
    self.scale = scale
    transform = .scale(scale)
    cancellation = isCancelled
    surface = cairo_image_surface_create_for_data(
      bitmap.base.assumingMemoryBound(to: UInt8.self), CAIRO_FORMAT_ARGB32, Int32(bitmap.width), Int32(bitmap.height),
      Int32(bitmap.bytesPerRow))
    cairo = cairo_create(surface)
    // A tenth of a pixel, Cairo's own choice, shows as corners in large circles.
    cairo_set_tolerance(cairo, 0.05)
  }

  deinit {
    cairo_destroy(cairo)
    cairo_surface_finish(surface)
    cairo_surface_destroy(surface)
  }

  /// Whether nobody wants the picture any more. Look between expensive steps, and return when it is true; drawing on does
  /// no harm. Always false for a drawing that is not asynchronous.
  public var isCancelled: Bool { cancellation?() ?? false }

  /// The bitmap's rectangle in points, before any transform.
  public var bounds: Rect {
    Rect(x: 0, y: 0, width: Double(bitmap.width) / scale, height: Double(bitmap.height) / scale)
  }

  /// Completes what was drawn, so that the bitmap can be read or frozen.
  public func flush() {
    cairo_surface_flush(surface)
  }
}

// MARK: State

extension DrawingContext {
  /// Keeps transform and clip for the `restore()` that belongs to it.
  public func save() {
    cairo_save(cairo)
    savedTransforms.append(transform)
  }

  /// Goes back to transform and clip as they were at the last `save()`; one without the other is a programmer's error.
  public func restore() {
    guard let saved = savedTransforms.popLast() else {
      preconditionFailure("DrawingContext: restore() without save()")
    }
    transform = saved
    cairo_restore(cairo)
  }

  /// Runs `body` between `save()` and `restore()`.
  public func withSavedState<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    save()
    defer { restore() }
    return try body()
  }

  /// Maps what is drawn from now on by `other` first, and then as before.
  public func concatenate(_ other: Affine) {
    transform = other.concatenating(transform)
  }

  public func translate(x: Double, y: Double) {
    concatenate(.translation(x: x, y: y))
  }

  public func scale(x: Double, y: Double) {
    concatenate(.scale(x: x, y: y))
  }

  /// Turns what is drawn from now on around the origin; positive radians go clockwise.
  public func rotate(_ radians: Double) {
    concatenate(.rotation(radians))
  }

  /// Draws only inside `rect` from now on, besides the clips that hold already. Its edges are antialiased.
  public func clip(_ rect: Rect) {
    addRect(rect)
    cairo_set_fill_rule(cairo, CAIRO_FILL_RULE_WINDING)
    cairo_clip(cairo)
  }

  /// Draws only inside `path` from now on, besides the clips that hold already. Its edges are antialiased.
  public func clip(_ path: Path, rule: FillRule = .nonZero) {
    addPath(path)
    cairo_set_fill_rule(cairo, rule.cairo)
    cairo_clip(cairo)
  }

  /// The pixels that can be drawn at all: those of the bitmap that the clips touch.
  var clippedPixels: IntRect {
    var left = 0.0
    var top = 0.0
    var right = 0.0
    var bottom = 0.0
    cairo_clip_extents(cairo, &left, &top, &right, &bottom)
    return IntRect(covering: Rect(x: left, y: top, width: right - left, height: bottom - top))
  }
}

// MARK: Paths in pixels

extension DrawingContext {
  /// Whether shapes have an area, so that there is something to draw.
  var isDrawable: Bool {
    let determinant = transform.determinant
    return determinant.isFinite && abs(determinant) > 1e-12
  }

  /// Cairo's coordinates are 24.8 fixed point and wrap silently: this stays away from that, sums and differences included.
  private static let farthest = 2_000_000.0

  @inline(__always)
  static func clamp(_ pixel: Double) -> Double {
    // This form turns NaN into a number as well.
    pixel > -farthest ? min(pixel, farthest) : -farthest
  }

  /// Cairo's own matrix stays the identity but for a moment: the path is given in pixels.
  @inline(__always)
  private func pixel(_ point: Point, _ transform: Affine) -> (x: Double, y: Double) {
    let mapped = transform.apply(point)
    return (Self.clamp(mapped.x), Self.clamp(mapped.y))
  }

  func addRect(_ rect: Rect) {
    move(to: rect.origin, transform)
    line(to: Point(rect.maxX, rect.minY), transform)
    line(to: Point(rect.maxX, rect.maxY), transform)
    line(to: Point(rect.minX, rect.maxY), transform)
    cairo_close_path(cairo)
  }

  func addPath(_ path: Path) {
    addPath(path, transform)
  }

  /// Adds a path in coordinates that `transform` maps to pixels.
  func addPath(_ path: Path, _ transform: Affine) {
    var current = Point.zero
    var start = Point.zero
    for element in path.elements {
      switch element {
      case .move(let point):
        move(to: point, transform)
        start = point
        current = point
      case .line(let point):
        line(to: point, transform)
        current = point
      case .quadCurve(let point, let control):
        // The cubic that is the same curve.
        let control1 = Point(current.x + (control.x - current.x) * 2 / 3, current.y + (control.y - current.y) * 2 / 3)
        let control2 = Point(point.x + (control.x - point.x) * 2 / 3, point.y + (control.y - point.y) * 2 / 3)
        curve(to: point, control1, control2, transform)
        current = point
      case .cubicCurve(let point, let control1, let control2):
        curve(to: point, control1, control2, transform)
        current = point
      case .close:
        cairo_close_path(cairo)
        current = start
      }
    }
  }

  @inline(__always)
  private func move(to point: Point, _ transform: Affine) {
    let (x, y) = pixel(point, transform)
    cairo_move_to(cairo, x, y)
  }

  @inline(__always)
  private func line(to point: Point, _ transform: Affine) {
    let (x, y) = pixel(point, transform)
    cairo_line_to(cairo, x, y)
  }

  @inline(__always)
  private func curve(to point: Point, _ control1: Point, _ control2: Point, _ transform: Affine) {
    let (x, y) = pixel(point, transform)
    let (x1, y1) = pixel(control1, transform)
    let (x2, y2) = pixel(control2, transform)
    cairo_curve_to(cairo, x1, y1, x2, y2, x, y)
  }

  /// Runs `body` while Cairo's matrix is the transform, for pens and patterns. Only when `isDrawable`.
  func withTransformInCairo(_ body: () -> Void) {
    var matrix = cairo_matrix_t(
      xx: transform.a, yx: transform.b, xy: transform.c, yy: transform.d, x0: transform.tx, y0: transform.ty)
    cairo_set_matrix(cairo, &matrix)
    body()
    cairo_identity_matrix(cairo)
  }
}

extension FillRule {
  var cairo: cairo_fill_rule_t {
    switch self {
    case .nonZero: CAIRO_FILL_RULE_WINDING
    case .evenOdd: CAIRO_FILL_RULE_EVEN_ODD
    }
  }
}

/// A picture still to be drawn: a value that captures what it needs, never a layer, and draws on any thread.
///
/// Look at `context.isCancelled` between expensive steps and return when it is true: a newer picture has been asked for.
public protocol Drawing: Sendable {
  func draw(in context: DrawingContext)
}
