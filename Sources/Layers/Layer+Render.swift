import Geometry
public import Raster
import RenderTree

extension Layer {
  /// Draws the layer with its sublayers as they are set, animations left aside, in the layer's own coordinates: neither its position
  /// nor its transform counts. Opacity, corners, contents, borders and masks are drawn as on the screen. Shadows, compositing
  /// filters, contents in nine parts and perspective are left out: a picture of the screen has them.
  public func render(in context: DrawingContext) {
    guard !isHidden, opacity > 0, bounds.size.width.isFinite, bounds.size.height.isFinite else { return }
    context.withGroup(opacity: opacity) {
      guard let mask else { return renderBody(in: context) }
      context.withGroup(maskedBy: { mask.renderPlaced(in: context) }, { renderBody(in: context) })
    }
  }

  private func renderPlaced(in context: DrawingContext) {
    context.withSavedState {
      context.concatenate(mapToSuperlayer.affine ?? values.flatTransformToSuperlayer)
      render(in: context)
    }
  }

  private func renderBody(in context: DrawingContext) {
    let record = record(sideValues)
    let outline = Path.rect(bounds, radius: Double(record.cornerRadius), corners: maskedCorners)
    if let backgroundColor, !bounds.isEmpty { context.fill(outline, color: backgroundColor) }
    context.withSavedState {
      if masksToBounds { context.clip(outline) }
      renderContents(in: context)
      for sublayer in sublayersInPaintOrder { sublayer.renderPlaced(in: context) }
    }
    guard borderWidth > 0, let borderColor, !bounds.isEmpty else { return }
    context.withSavedState {
      // A line twice as wide, of which the inner half is seen.
      context.clip(outline)
      context.stroke(outline, StrokeStyle(width: borderWidth * 2), color: borderColor)
    }
  }

  private func renderContents(in context: DrawingContext) {
    let sides = sideValues
    guard let image = sides.content as? Image else { return }
    let shown = sides.effects.contentRect(in: bounds)
    context.withSavedState {
      context.clip(shown.intersection(bounds))
      context.draw(image, in: (sides.effects?.parts.cut ?? ContentCut()).place(ofAllIn: shown))
    }
  }
}

extension Path {
  /// A rectangle of which some corners are round.
  fileprivate static func rect(_ rect: Rect, radius: Double, corners: Corners) -> Path {
    if corners == .all { return roundedRect(rect, cornerRadius: radius) }
    // The distance of the control points from the corner, for the cubic curve nearest to a quarter of a circle.
    let near = radius * (1 - 0.552_284_749_8)
    var path = Path()
    let places: [(corner: Corners, point: Point, before: Point, after: Point)] = [
      (.minXMinY, Point(rect.minX, rect.minY), Point(0, 1), Point(1, 0)),
      (.maxXMinY, Point(rect.maxX, rect.minY), Point(-1, 0), Point(0, 1)),
      (.maxXMaxY, Point(rect.maxX, rect.maxY), Point(0, -1), Point(-1, 0)),
      (.minXMaxY, Point(rect.minX, rect.maxY), Point(1, 0), Point(0, -1)),
    ]
    for (corner, point, before, after) in places {
      let radius = corners.contains(corner) ? radius : 0
      let start = point + before * radius
      if path.isEmpty { path.move(to: start) } else { path.line(to: start) }
      guard radius > 0 else { continue }
      path.cubicCurve(to: point + after * radius, control1: point + before * near, control2: point + after * near)
    }
    path.close()
    return path
  }
}
