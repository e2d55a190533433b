import Geometry
import Raster

extension Layer {
  /// Gives the layer contents drawn by `draw(in:)`, at once, or has those of `makeDrawing()` drawn by worker threads. What
  /// `LayerDelegate.display(_:)` does by default.
  public func displayByDrawing() {
    guard let target = DrawingTarget(bounds: bounds, scale: contentsScale ?? context?.scale ?? 1) else { return }
    let drawing = makeDrawing()
    if let drawing, let context {
      context.begin(drawing, for: self, target: target)
      return
    }
    // What is drawn here is newer than what is still being drawn elsewhere.
    asynchronous.cancel()
    do {
      let image = try target.image { context in
        if let drawing { drawing.draw(in: context) } else { draw(in: context) }
      }
      setContents(image, drawnSize: bounds.size, scale: target.scale)
    } catch {
      context?.onDisplayFailure?(self, error)
    }
  }
}

/// The bitmap for a layer's contents.
struct DrawingTarget: BitwiseCopyable, Sendable {
  let width: Int
  let height: Int
  let scale: Double
  let bounds: Rect

  /// Nil when there is nothing to draw. Where the bitmap would be larger than one can be, the scale is lowered.
  init?(bounds: Rect, scale: Double) {
    let longest = max(bounds.width, bounds.height)
    guard !bounds.isEmpty, longest.isFinite, bounds.minX.isFinite, bounds.minY.isFinite else { return nil }
    self.bounds = bounds
    self.scale = min(scale, Double(Bitmap.maximumSide) / longest)
    // A product a hair above a whole number is that number.
    func pixels(_ length: Double, _ scale: Double) -> Int {
      min(max(Int((length * scale - 1e-6).rounded(.up)), 1), Bitmap.maximumSide)
    }
    width = pixels(bounds.width, self.scale)
    height = pixels(bounds.height, self.scale)
  }

  /// A new bitmap, drawn by `body` in the layer's coordinates and frozen.
  func image(
    isCancelled: (() -> Bool)? = nil, drawnBy body: (DrawingContext) -> Void
  ) throws(BitmapError) -> Image {
    let bitmap = try Bitmap(width: width, height: height)
    let context = DrawingContext(bitmap: bitmap, scale: scale, isCancelled: isCancelled)
    if bounds.origin != .zero { context.translate(x: -bounds.minX, y: -bounds.minY) }
    body(context)
    context.flush()
    return bitmap.freeze()
  }
}
