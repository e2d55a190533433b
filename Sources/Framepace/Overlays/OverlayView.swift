import Geometry
import Presentation
import Raster
import RenderTree

/// The coordinates in which overlays are drawn: pixels of the picture as the viewer sees it, who may have turned the display.
struct OverlayView {
  /// The output's own pixels.
  let output: IntRect
  /// The size of the picture, in pixels.
  let size: Size
  /// Pixels a point, at least 1: labels and lines grow with it.
  let scale: Double
  let toOutput: Affine
  private let fromOutput: Affine

  init(width: Int, height: Int, geometry: DisplayGeometry) {
    output = IntRect(x: 0, y: 0, width: width, height: height)
    scale = max(geometry.scale, 1)
    let turn = geometry.turned(nil)?.transform
    let isSideways = turn != nil && geometry.rotation.isSideways
    size = isSideways ? Size(Double(height), Double(width)) : Size(Double(width), Double(height))
    toOutput = turn ?? .identity
    fromOutput = toOutput.inverted ?? .identity
  }

  /// The width of lines.
  var line: Double { scale.rounded() }

  func rect(_ pixels: IntRect) -> Rect { fromOutput.boundingBox(of: Rect(pixels)) }

  /// The line inside the edges of a rectangle, so that it fills whole pixels.
  func outline(of rect: Rect) -> Path { .rect(rect.insetBy(dx: line / 2, dy: line / 2)) }

  /// The line around four corners, given in the output's pixels.
  func path(around pixels: [Point]) -> Path {
    let corners = pixels.map(fromOutput.apply)
    let (first, second, third) = (corners[0], corners[1], corners[2])
    if (first.y == second.y && second.x == third.x) || (first.x == second.x && second.y == third.y) {
      let rect = Rect(
        x: min(first.x, third.x), y: min(first.y, third.y), width: abs(third.x - first.x), height: abs(third.y - first.y))
      return outline(of: rect)
    }
    var path = Path()
    path.move(to: first)
    for corner in corners.dropFirst() { path.line(to: corner) }
    path.close()
    return path
  }

  func stroke(_ path: Path, _ color: Color, _ context: DrawingContext) {
    context.stroke(path, StrokeStyle(width: line, join: .miter), color: color)
  }
}
