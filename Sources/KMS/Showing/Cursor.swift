public import Geometry
public import Raster

/// A pointer's picture, which the screen's hardware shows above everything else. A value.
public struct Cursor: Sendable {
  /// Its pixels. The screen shows them as they are: an image is not scaled.
  public var image: Image
  /// The point of the image that is where the display's `cursorPosition` is: in pixels from the upper left corner.
  public var hotSpot: Point

  public init(image: Image, hotSpot: Point = .zero) {
    self.image = image
    self.hotSpot = hotSpot
  }
}
