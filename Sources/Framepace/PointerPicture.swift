import Geometry
import Interaction
import LinuxSystem
public import Presentation
import Raster

/// The picture of a pointer.
public enum PointerPicture: Sendable {
  /// A black arrow with a white edge, as large as the display's scale asks for, up to three pixels a point.
  case arrow
  /// A picture of the program's own.
  case cursor(Cursor)
  /// None: for a kiosk that is touched, or a pointer that is a layer.
  case hidden
}

/// A display, and the place among the screens of input at which it may show the pointer.
@MainActor
struct PointerScreen {
  /// Nil for a display that shows no cursor.
  private let display: (any CursorDisplay)?
  private let origin: Point
  /// The display's pixels a point.
  private let scale: Double
  /// Made when the pointer is first seen here.
  private var arrow: Cursor?
  /// False while the display has no cursor, or one of the program's.
  private var isShown = false

  init(_ display: any Display, screen: InputScreen) {
    self.display = display as? any CursorDisplay
    origin = screen.frame.origin
    scale = screen.frame.width > 0 ? Double(display.geometry.pictureSize.width) / screen.frame.width : 1
  }

  /// Shows the pointer at a point among the frames of the screens, or no more.
  mutating func show(_ point: Point?, _ picture: PointerPicture) {
    guard let display else { return }
    guard let point, let cursor = cursor(picture) else {
      if exchange(&isShown, with: false) { display.cursor = nil }
      return
    }
    display.cursorPosition = Point((point.x - origin.x) * scale, (point.y - origin.y) * scale)
    let shown = display.cursor
    if shown?.image.id != cursor.image.id || shown?.hotSpot != cursor.hotSpot { display.cursor = cursor }
    isShown = true
  }

  private mutating func cursor(_ picture: PointerPicture) -> Cursor? {
    switch picture {
    case .hidden: return nil
    case .cursor(let cursor): return cursor
    case .arrow:
      // Without memory for it the pointer is not seen.
      if arrow == nil { arrow = try? .arrow(scale: scale) }
      return arrow
    }
  }
}

extension Cursor {
  /// A black arrow with a white edge, which points to the left and up. Its tip is the hot spot.
  ///
  /// - Parameter scale: pixels a point. Most hardware shows at most 64 pixels a side, which holds three pixels a point.
  static func arrow(scale: Double) throws(BitmapError) -> Cursor {
    let scale = min(max(scale.isFinite ? scale : 1, 1), 3)
    let bitmap = try Bitmap(width: Int((14 * scale).rounded(.up)), height: Int((21 * scale).rounded(.up)))
    let context = DrawingContext(bitmap: bitmap, scale: scale)
    context.translate(x: 1, y: 1)
    var path = Path()
    path.move(to: .zero)
    for point in [
      Point(0, 15.5), Point(3.6, 12.1), Point(6.1, 18), Point(8.7, 16.9), Point(6.2, 11.1), Point(11.2, 11.1),
    ] {
      path.line(to: point)
    }
    path.close()
    context.stroke(path, StrokeStyle(width: 2, join: .round), color: .white)
    context.fill(path, color: .black)
    context.flush()
    return Cursor(image: bitmap.freeze(), hotSpot: Point(scale, scale))
  }
}
