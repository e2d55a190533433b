public import Geometry
public import Raster

/// A layer that fills and strokes a path in its own coordinates. Anything beyond the layer's bounds is cut off.
///
/// ```swift
/// let ring = ShapeLayer()
/// ring.path = .circle(center: Point(50, 50), radius: 40)
/// ring.strokeColor = .white
/// ring.fillColor = nil
/// ```
open class ShapeLayer: Layer {
  public var path: Path? {
    didSet { if path != oldValue { setNeedsDisplay() } }
  }
  /// The colour of the interior; nil for no fill. Black at first.
  public var fillColor: Color? = .black {
    didSet { if fillColor != oldValue { setNeedsDisplay() } }
  }
  public var fillRule = FillRule.nonZero {
    didSet { if fillRule != oldValue { setNeedsDisplay() } }
  }
  /// The colour of the outline; nil, the initial value, for no stroke.
  public var strokeColor: Color? {
    didSet { if strokeColor != oldValue { setNeedsDisplay() } }
  }
  public var strokeStyle = StrokeStyle() {
    didSet { if strokeStyle != oldValue { setNeedsDisplay() } }
  }
  /// True to draw the shape on worker threads while the old one stays visible. False at first.
  public var drawsAsynchronously = false

  public override init() {
    super.init()
    needsDisplayOnBoundsChange = true
  }

  open override func draw(in context: DrawingContext) {
    drawing?.draw(in: context)
  }

  open override func makeDrawing() -> (any Drawing)? {
    drawsAsynchronously ? drawing : nil
  }

  private var drawing: ShapeDrawing? {
    path.map {
      ShapeDrawing(
        path: $0, fillColor: fillColor, fillRule: fillRule, strokeColor: strokeColor, strokeStyle: strokeStyle)
    }
  }
}

private struct ShapeDrawing: Drawing {
  var path: Path
  var fillColor: Color?
  var fillRule: FillRule
  var strokeColor: Color?
  var strokeStyle: StrokeStyle

  func draw(in context: DrawingContext) {
    if let fillColor { context.fill(path, rule: fillRule, color: fillColor) }
    guard let strokeColor, !context.isCancelled else { return }
    context.stroke(path, strokeStyle, color: strokeColor)
  }
}
