internal import CCairo
public import Geometry

extension DrawingContext {
  /// Makes all pixels inside the clip clear.
  public func clear() {
    cairo_save(cairo)
    cairo_set_operator(cairo, CAIRO_OPERATOR_CLEAR)
    cairo_paint(cairo)
    cairo_restore(cairo)
  }

  /// Fills the whole clip.
  public func fill(color: Color) {
    setSource(color)
    cairo_paint(cairo)
  }

  /// Fills the whole clip.
  public func fill(gradient: Gradient) {
    guard setSource(gradient, over: clippedPixels) else { return }
    cairo_paint(cairo)
    releaseSource()
  }

  public func fill(_ rect: Rect, color: Color) {
    setSource(color)
    addRect(rect)
    fillAdded(.nonZero)
  }

  public func fill(_ rect: Rect, gradient: Gradient) {
    addRect(rect)
    fillAdded(.nonZero, gradient)
  }

  /// Fills a rectangle with circular corners; see `Path.addRoundedRect(_:cornerRadius:)`.
  public func fill(_ rect: Rect, cornerRadius: Double, color: Color) {
    fill(.roundedRect(rect, cornerRadius: cornerRadius), color: color)
  }

  /// Fills a rectangle with circular corners; see `Path.addRoundedRect(_:cornerRadius:)`.
  public func fill(_ rect: Rect, cornerRadius: Double, gradient: Gradient) {
    fill(.roundedRect(rect, cornerRadius: cornerRadius), gradient: gradient)
  }

  public func fill(_ path: Path, rule: FillRule = .nonZero, color: Color) {
    setSource(color)
    addPath(path)
    fillAdded(rule)
  }

  public func fill(_ path: Path, rule: FillRule = .nonZero, gradient: Gradient) {
    addPath(path)
    fillAdded(rule, gradient)
  }

  /// Draws the outline of `path`. The transform maps the pen too, unless its unit is a pixel.
  public func stroke(_ path: Path, _ style: StrokeStyle = StrokeStyle(), color: Color) {
    guard isDrawable else { return }
    setSource(color)
    strokePath(path, with: pen(style))
  }

  /// Draws the outline of `path`. The transform maps the pen too, unless its unit is a pixel.
  public func stroke(_ path: Path, _ style: StrokeStyle = StrokeStyle(), gradient: Gradient) {
    guard isDrawable else { return }
    let pen = pen(style)
    let reach = reach(of: pen)
    addPath(path, transform, reach: reach)
    let isPainted = setSource(gradient, over: addedPixels(reach: reach))
    cairo_new_path(cairo)
    guard isPainted else { return }
    strokePath(path, with: pen)
    releaseSource()
  }
}

extension DrawingContext {
  func fillAdded(_ rule: FillRule) {
    cairo_set_fill_rule(cairo, rule.cairo)
    cairo_fill(cairo)
  }

  private func fillAdded(_ rule: FillRule, _ gradient: Gradient) {
    guard setSource(gradient, over: addedPixels()) else { return cairo_new_path(cairo) }
    fillAdded(rule)
    releaseSource()
  }

  /// Sets a solid paint with exactly the bytes of `premultipliedBGRA`, which the compositor fills with. Cairo's own
  /// conversion rounds differently.
  func setSource(_ color: Color) {
    let word = color.premultipliedBGRA
    let alpha = Double(word >> 24)
    let divisor = max(alpha, 1)
    cairo_set_source_rgba(
      cairo, Double(word >> 16 & 0xFF) / divisor, Double(word >> 8 & 0xFF) / divisor, Double(word & 0xFF) / divisor,
      alpha / 255)
  }

  /// Releases the current pattern, which the Cairo context would keep otherwise.
  func releaseSource() {
    cairo_set_source_rgba(cairo, 0, 0, 0, 0)
  }

  /// The value limited to 0…1; NaN becomes 0.
  static func unit(_ value: Double) -> Double {
    value > 0 ? min(value, 1) : 0
  }
}
