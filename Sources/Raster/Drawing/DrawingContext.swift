internal import CCairo
public import Geometry

/// Draws shapes, images and text into a bitmap. Coordinates are points; x grows to the right and y downwards. Everything is
/// antialiased, and the same calls always give the same bytes.
///
/// ```swift
/// let context = DrawingContext(bitmap: bitmap, scale: 2)
/// context.fill(context.bounds, cornerRadius: 12, color: Color(hex: 0x1E90FF))
/// context.draw(TextLine("42.0 ms", font: font), at: Point(16, 60), color: .white)
/// context.flush()
/// ```
///
/// The bitmap holds the complete drawing after `flush()`, and when the context is gone. Do not touch its pixels before. The
/// context draws over what the bitmap holds already. One thread at a time may use it.
///
/// The current transform maps points to pixels and begins as a scale by `scale`. Coordinates beyond ±10⁹ pixels are limited to that,
/// those of dashed lines beyond ±2 000 000. A transform that flattens the plane draws nothing.
public final class DrawingContext {
  /// The target of the drawing.
  let bitmap: Bitmap
  /// The pixels per point before any other transform.
  public let scale: Double
  /// Maps the caller's coordinates to pixels.
  public private(set) var transform: Affine

  let cairo: OpaquePointer
  let surface: OpaquePointer
  /// Kept from one line of text to the next for its memory.
  var textMask = TextMask()
  private let cancellation: (() -> Bool)?
  private var savedTransforms: [Affine] = []

  /// - Parameters:
  ///   - scale: pixels per point; above 0.
  ///   - isCancelled: is called when `isCancelled` is read; nil for a drawing that is never cancelled.
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
    // Cairo's default of a tenth of a pixel shows as corners in large circles.
    cairo_set_tolerance(cairo, 0.05)
  }

  deinit {
    cairo_destroy(cairo)
    cairo_surface_finish(surface)
    cairo_surface_destroy(surface)
  }

  /// True if the picture is no longer wanted. Read it between expensive steps and return when it is true; going on does no
  /// harm. Only an asynchronous drawing can be cancelled.
  public var isCancelled: Bool { cancellation?() ?? false }

  /// The bitmap's rectangle in points, before any transform.
  public var bounds: Rect {
    Rect(x: 0, y: 0, width: Double(bitmap.width) / scale, height: Double(bitmap.height) / scale)
  }

  /// Completes the drawing, so that the bitmap can be read or frozen.
  public func flush() {
    cairo_surface_flush(surface)
  }
}

// MARK: State

extension DrawingContext {
  /// Saves the transform and the clip for a later `restore()`.
  public func save() {
    cairo_save(cairo)
    savedTransforms.append(transform)
  }

  /// Restores the transform and the clip of the last `save()`. Calling it without a `save()` traps.
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

  /// Applies `other` before the current transform to everything that is drawn from now on.
  public func concatenate(_ other: Affine) {
    transform = other.concatenating(transform)
  }

  public func translate(x: Double, y: Double) {
    concatenate(.translation(x: x, y: y))
  }

  public func scale(x: Double, y: Double) {
    concatenate(.scale(x: x, y: y))
  }

  /// Turns everything that is drawn from now on around the origin; positive radians go clockwise.
  public func rotate(_ radians: Double) {
    concatenate(.rotation(radians))
  }

  /// Restricts drawing to `rect` from now on, in addition to the current clip. The edges are antialiased.
  public func clip(_ rect: Rect) {
    addRect(rect)
    cairo_set_fill_rule(cairo, CAIRO_FILL_RULE_WINDING)
    cairo_clip(cairo)
  }

  /// Restricts drawing to `path` from now on, in addition to the current clip. The edges are antialiased.
  public func clip(_ path: Path, rule: FillRule = .nonZero) {
    addPath(path)
    cairo_set_fill_rule(cairo, rule.cairo)
    cairo_clip(cairo)
  }

  /// The pixels of the bitmap that the clip touches.
  package var clippedPixels: IntRect {
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
  /// True if the transform leaves shapes an area, so that there is something to draw.
  var isDrawable: Bool {
    let determinant = transform.determinant
    return determinant.isFinite && abs(determinant) > 1e-12
  }

  /// Cairo's coordinates are 24.8 fixed point and wrap silently. This limit keeps sums and differences in range too.
  static let farthest = 2_000_000.0

  @inline(__always)
  static func clamp(_ pixel: Double, _ farthest: Double = farthest) -> Double {
    // This form turns NaN into a number as well.
    pixel > -farthest ? min(pixel, farthest) : -farthest
  }

  func addRect(_ rect: Rect) {
    guard transform.isScaleAndTranslation else { return addPath(.rect(rect)) }
    // Rectangles are drawn most: an upright one needs no path.
    let sight = Sight(bitmap, reach: 1)
    let diagonal = Bezier(rect.origin, Point(rect.maxX, rect.maxY), transform)
    let (start, end) = (sight.limited(diagonal.a), sight.limited(diagonal.d))
    cairo_move_to(cairo, start.x, start.y)
    cairo_line_to(cairo, end.x, start.y)
    cairo_line_to(cairo, end.x, end.y)
    cairo_line_to(cairo, start.x, end.y)
    cairo_close_path(cairo)
  }

  func addPath(_ path: Path) {
    addPath(path, transform)
  }

  /// Adds the outline of an area, whose coordinates `transform` maps to pixels. Where it is not seen it takes another way, near the
  /// bitmap: of an edge that is longer than 2¹⁷ pixels, Cairo's products of both sides would overflow.
  ///
  /// - Parameter reach: the pixels around the bitmap from which something is painted on it.
  func addPath(_ path: Path, _ transform: Affine, reach: Double = 1) {
    let sight = Sight(bitmap, reach: reach)
    func add(_ part: Bezier) {
      switch sight.place(of: part) {
      case .near: part.add(to: cairo)
      case .beyond:
        let end = sight.limited(part.d)
        cairo_line_to(cairo, end.x, end.y)
      case .across:
        let (start, end) = part.parts
        add(start)
        add(end)
      }
    }
    // Cairo closes an area by itself, with a straight line.
    func close(_ line: Bezier) { if sight.place(of: line) != .near { add(line) } }
    var (start, current) = (Point.zero, Point.zero)
    for step in path.steps {
      switch step {
      case .move(let point):
        close(Bezier(current, start, transform))
        (start, current) = (point, point)
        let first = sight.limited(Bezier(point, point, transform).a)
        cairo_move_to(cairo, first.x, first.y)
      case .line(let a, let b):
        add(Bezier(a, b, transform))
        current = b
      case .curve(let a, let b, let c, let d):
        add(Bezier(a, b, c, d, transform))
        current = d
      case .close(let a, let b):
        close(Bezier(a, b, transform))
        cairo_close_path(cairo)
        current = b
      }
    }
    close(Bezier(current, start, transform))
  }

  /// Runs `body` while the transform is Cairo's own matrix, for pens and patterns. Requires `isDrawable`.
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

/// A picture that is drawn later, on any thread: a value that captures all it needs, and never a layer.
///
/// Layers with asynchronous display return one, and a worker draws it. Read `context.isCancelled` between expensive steps
/// and return when it is true: a newer picture was requested.
///
/// ```swift
/// struct Label: Drawing {
///   let line: TextLine
///   func draw(in context: DrawingContext) { context.draw(line, at: Point(0, line.ascent), color: .black) }
/// }
/// ```
public protocol Drawing: Sendable {
  func draw(in context: DrawingContext)
}
