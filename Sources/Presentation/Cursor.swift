public import Geometry
public import Raster

/// A pointer's picture, which a display shows above everything else. A value; see `CursorDisplay`.
///
/// ```swift
/// display.cursor = Cursor(image: arrow, hotSpot: Point(2, 2))
/// display.cursorPosition = pointer.position
/// ```
public struct Cursor: Sendable {
  /// The pixels, upright. The display shows them as they are: an image is not scaled.
  public var image: Image
  /// The point of the image that is placed at the display's `cursorPosition`, in pixels from the image's upper left corner.
  public var hotSpot: Point

  public init(image: Image, hotSpot: Point = .zero) {
    self.image = image
    self.hotSpot = hotSpot
  }
}

/// A display that shows a pointer's picture above all layers: moving it costs no frame.
@MainActor
public protocol CursorDisplay: Display {
  /// The picture; nil for none. A display that cannot show it goes on without.
  var cursor: Cursor? { get set }
  /// The place of the cursor's hot spot, in pixels from the upper left corner of the picture as one sees it; it may be outside.
  var cursorPosition: Point { get set }
}
