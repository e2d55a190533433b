public import Geometry
public import Raster

/// A path in the layer's coordinates, filled and then stroked. What reaches beyond the layer's bounds is cut off.
open class ShapeLayer: Layer {
  public var path: Path? {
    didSet { if path != oldValue { setNeedsDisplay() } }
  }
  /// Nil for no fill. Black at first.
  public var fillColor: Color? = .black {
    didSet { if fillColor != oldValue { setNeedsDisplay() } }
  }
  public var fillRule = FillRule.nonZero {
    didSet { if fillRule != oldValue { setNeedsDisplay() } }
  }
  /// Nil, at first, for no stroke.
  public var strokeColor: Color? {
    didSet { if strokeColor != oldValue { setNeedsDisplay() } }
  }
  public var strokeStyle = StrokeStyle() {
    didSet { if strokeStyle != oldValue { setNeedsDisplay() } }
  }
  /// Whether worker threads draw the shape while the old one stays. False at first.
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
