import Geometry
import Layers
import RenderTree

extension Viewport {
  /// Shows a picture that was laid out for another display. Its edges lie between pixels, so that no bar shines through.
  ///
  /// - Parameters:
  ///   - picture: its size, in pixels of the display that it was laid out for.
  ///   - width: of the output, in pixels.
  ///   - height: as `width`.
  ///   - gravity: where it lies on the output.
  init?(of picture: Size, onWidth width: Int, height: Int, gravity: ContentsGravity) {
    guard !picture.isEmpty else { return nil }
    let place = gravity.rect(of: picture, in: Rect(x: 0, y: 0, width: Double(width), height: Double(height)))
    // Halves always up: what keeps its size is moved by whole pixels.
    func edge(_ value: Double) -> Double { (value + 0.5).rounded(.down) }
    let (left, top) = (edge(place.minX), edge(place.minY))
    let (right, bottom) = (max(edge(place.maxX), left + 1), max(edge(place.maxY), top + 1))
    var transform = Affine.scale(x: (right - left) / picture.width, y: (bottom - top) / picture.height)
    (transform.tx, transform.ty) = (left, top)
    self.init(
      transform: transform,
      clip: IntRect(covering: Rect(x: left, y: top, width: right - left, height: bottom - top)))
  }
}
