import Geometry
import Raster

/// The look of a frame that its pixels depend on.
struct FrameLook: Hashable, Sendable {
  var layout: FrameLayout
  /// Pixels of a point.
  var scale: Int
  var title: String
  var isActivated: Bool
  var isMaximized: Bool
  /// The button below the pointer, and whether it is held.
  var highlighted: FrameArea?
  var isHeld: Bool
}

/// Draws the parts of a frame: light and plain, so that the content is what is seen.
struct FramePainter {
  let look: FrameLook

  private var ground: Color { Color(hex: look.isActivated ? 0xE4E6E8 : 0xF2F3F4) }
  private var ink: Color { Color(hex: look.isActivated ? 0x24282C : 0x90959A) }
  private static let line = Color(hex: 0x000000, alpha: 0.25)

  /// - Parameter bitmap: has the size of the part in pixels.
  func draw(_ part: FrameLayout.Part, in bitmap: Bitmap) {
    let context = DrawingContext(bitmap: bitmap, scale: Double(look.scale))
    context.clear()
    let (width, height) = (context.bounds.width, context.bounds.height)
    let edge = Double(FrameLayout.edgeWidth)
    switch part {
    case .left: context.fill(Rect(x: width - 1, y: 0, width: 1, height: height), color: Self.line)
    case .right: context.fill(Rect(x: 0, y: 0, width: 1, height: height), color: Self.line)
    case .bottom: context.fill(Rect(x: edge - 1, y: 0, width: width - 2 * edge + 2, height: 1), color: Self.line)
    case .top: drawTop(context)
    }
    context.flush()
  }

  private func drawTop(_ context: DrawingContext) {
    let bar = look.layout.titleBar
    if !look.layout.isFitted {
      context.fill(Rect(x: bar.minX - 1, y: bar.minY - 1, width: bar.width + 2, height: bar.height + 1), color: Self.line)
    }
    context.fill(bar, color: ground)
    for button in look.layout.buttons { draw(button, context) }
    drawTitle(in: bar, left: look.layout.buttons.last?.rect.minX ?? bar.maxX, context)
  }

  private func drawTitle(in bar: Rect, left limit: Double, _ context: DrawingContext) {
    let margin = 12.0
    let width = limit - bar.minX - 2 * margin
    guard width > 0, !look.title.isEmpty, let font = Self.font(for: look.title) else { return }
    let line = TextLine(look.title, font: font).truncated(to: width)
    // In the middle of the bar, or where the buttons leave room.
    let x = min(max(bar.midX - line.width / 2, bar.minX + margin), bar.minX + margin + width - line.width)
    let baseline = bar.midY + (line.ascent - line.descent) / 2
    context.draw(line, at: Point((x * Double(look.scale)).rounded() / Double(look.scale), baseline.rounded()), color: ink)
  }

  /// Nil where there are no fonts: the bar then has no title.
  private static func font(for title: String) -> Font? {
    // With dashes, quotation marks and an ellipsis.
    let isLatin = title.unicodeScalars.allSatisfy { $0.value < 0x180 || (0x2013...0x2026).contains($0.value) }
    if isLatin, let font = try? SystemFonts.font(.medium, size: 13) { return font }
    return try? SystemFonts.font(.sans, size: 12)
  }

  private func draw(_ button: FrameLayout.Button, _ context: DrawingContext) {
    if look.highlighted == button.area {
      context.fill(button.rect, color: Color(hex: 0x000000, alpha: look.isHeld ? 0.2 : 0.1))
    }
    let (x, y, half) = (button.rect.midX, button.rect.midY, 5.0)
    func stroke(_ points: [(Double, Double)], closed: Bool = false) {
      var path = Path()
      for (index, point) in points.enumerated() {
        let place = Point(x + point.0, y + point.1)
        if index == 0 { path.move(to: place) } else { path.line(to: place) }
      }
      if closed { path.close() }
      context.stroke(path, StrokeStyle(width: 1.2), color: ink)
    }
    switch button.area {
    case .close:
      stroke([(-half, -half), (half, half)])
      stroke([(-half, half), (half, -half)])
    case .maximize where look.isMaximized:
      stroke([(-half, -half + 3), (half - 3, -half + 3), (half - 3, half), (-half, half)], closed: true)
      stroke([(-half + 3, -half), (half, -half), (half, half - 3)])
    case .maximize: stroke([(-half, -half), (half, -half), (half, half), (-half, half)], closed: true)
    case .minimize: stroke([(-half, half), (half, half)])
    case .title, .edge: break
    }
  }
}
