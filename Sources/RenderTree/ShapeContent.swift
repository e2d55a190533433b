public import Geometry
public import Raster
import Synchronization

/// A path that is filled and stroked, as content: the compositor paints it where it lies on the output, without an image of it.
///
/// It lies in the layer's coordinates wherever the bounds are. The rules that place and stretch images do not concern it.
public final class ShapeContent: RenderContent {
  public let parts: Parts
  /// Tell what it covers from what every other shape does. Shapes that differ in their colours alone may have the same numbers.
  package let fillNumber: UInt64
  package let strokeNumber: UInt64
  /// Nil where there is nothing to paint.
  package let fill: ShapePaint?
  package let stroke: ShapePaint?
  /// The rectangle around all that it may paint, but for a pen that is measured in pixels.
  private let box: Rect
  /// The pixels that such a pen paints around it.
  public let reachInPixels: Int

  private static let lastNumber = Atomic<UInt64>(0)

  public struct Parts: Hashable, Sendable {
    public var path: Path?
    /// The colour of the interior; nil for no fill.
    public var fillColor: Color? = .black
    /// The gradient of the interior, in place of its colour.
    public var fillGradient: ShapeGradient?
    public var fillRule = FillRule.nonZero
    /// The colour of the line, which lies on the interior; nil for none.
    public var strokeColor: Color?
    /// The gradient of the line, in place of its colour.
    public var strokeGradient: ShapeGradient?
    public var strokeStyle = StrokeStyle()
    /// The part of the path that is stroked, in shares of its length: nothing unless the first is below the second.
    public var strokeStart = 0.0
    public var strokeEnd = 1.0

    public init() {}
  }

  /// - Parameter last: a shape whose place this one takes. What is the same in both is not rasterised anew.
  public init(_ parts: Parts, after last: ShapeContent? = nil) {
    self.parts = parts
    let number = Self.lastNumber.wrappingAdd(2, ordering: .relaxed).newValue
    fillNumber = last.flatMap { $0.parts.hasSameFill(as: parts) ? $0.fillNumber : nil } ?? number
    strokeNumber = last.flatMap { $0.parts.hasSameStroke(as: parts) ? $0.strokeNumber : nil } ?? number + 1
    fill = ShapePaint(parts.fillColor, parts.fillGradient, after: last?.fill)
    stroke = parts.hasLine ? ShapePaint(parts.strokeColor, parts.strokeGradient, after: last?.stroke) : nil
    guard let path = parts.path, !path.isEmpty, fill != nil || stroke != nil else {
      (box, reachInPixels) = (.zero, 0)
      return
    }
    // One more, as the box has half a point for that only.
    let isInPixels = stroke != nil && parts.strokeStyle.unit == .pixels
    reachInPixels = isInPixels ? Int(min(parts.strokeStyle.reach, 20_000).rounded(.up)) + 1 : 0
    // The compositor moves shapes by up to an eighth of a pixel: a layer's unit has at least a quarter of one, or none of it is seen.
    let reach = (stroke != nil ? path.reach(ofStroke: parts.strokeStyle) : 0) + 0.5
    let outline = path.boundingBox.insetBy(dx: -reach, dy: -reach)
    box = (outline.minX + outline.minY + outline.maxX + outline.maxY).isFinite ? outline : Self.everywhere
  }

  private static let everywhere = Rect(x: -1e9, y: -1e9, width: 2e9, height: 2e9)

  public func drawnBounds(in bounds: Rect, _ effects: RenderEffects?) -> Rect { box }

  /// The pixels around all that it may paint under a map to them.
  package func pixels(_ map: Affine) -> IntRect {
    IntRect(covering: map.boundingBox(of: box)).widened(by: Int32(clamping: reachInPixels))
  }

  public func isEqual(to other: any RenderContent) -> Bool { (other as? ShapeContent)?.parts == parts }

  public var description: String {
    var words = ["shape of \(parts.path?.elements.count ?? 0) elements"]
    if let fill { words.append("\(parts.fillRule == .evenOdd ? "even-odd " : "")fill \(fill)") }
    if let stroke {
      words.append("stroke \(stroke) width \(parts.strokeStyle.width)\(parts.strokeStyle.unit == .pixels ? " px" : "")")
      if parts.strokeStart != 0 || parts.strokeEnd != 1 { words.append("from \(parts.strokeStart) to \(parts.strokeEnd)") }
    }
    return words.joined(separator: " ")
  }
}

extension ShapeContent.Parts {
  fileprivate func hasSameFill(as other: Self) -> Bool { path == other.path && fillRule == other.fillRule }

  fileprivate func hasSameStroke(as other: Self) -> Bool {
    path == other.path && strokeStyle == other.strokeStyle && strokeStart == other.strokeStart
      && strokeEnd == other.strokeEnd
  }

  /// True if the line has a width and a length.
  fileprivate var hasLine: Bool { strokeStyle.width > 0 && strokeStart < strokeEnd && strokeEnd > 0 && strokeStart < 1 }
}
