import Geometry
import Raster
import RenderTree

/// A tile of a tiled layer: its picture, and the drawing of a newer one that is under way.
@MainActor
final class Tile: PictureTaker {
  let key: TileKey
  private weak var layer: TiledLayer?
  var asynchronous = AsynchronousDisplay.idle
  /// The picture, and the rectangle of the layer that it shows.
  private(set) var picture: (image: Image, rect: Rect)?
  /// The rectangle of the drawing that was requested last.
  private(set) var requestedRect = Rect.zero
  /// True if the picture is of older contents, and no drawing of the newer ones was requested.
  var isStale = false
  /// True if there is no picture because there is nothing to draw, or no memory. It is not tried again before a display is asked for.
  var isWithoutPicture = false
  /// The number of the update that needed it last.
  var lastUse = 0

  init(_ key: TileKey, of layer: TiledLayer) { (self.key, self.layer) = (key, layer) }

  deinit { asynchronous.cancel() }

  /// True if it is or will be in memory.
  var takesMemory: Bool { picture != nil || asynchronous.isDrawing }

  func needsDrawing(_ rect: Rect) -> Bool {
    if asynchronous.isDrawing { return isStale || requestedRect != rect }
    return !isWithoutPicture && (picture == nil || isStale || picture?.rect != rect)
  }

  /// Has a worker draw it.
  func request(_ rect: Rect, scale: Double, in context: LayerContext, _ priority: DrawingPriority) {
    (isStale, isWithoutPicture, requestedRect) = (false, false, rect)
    guard let layer, let target = DrawingTarget(bounds: rect, scale: scale, isOpaque: layer.isOpaque),
      let drawing = layer.makeDrawing(of: rect, scale: scale)
    else {
      isWithoutPicture = true
      return letGo()
    }
    // An application's code gave the drawing, and may have removed the layer.
    guard layer.context === context else { return isStale = true }
    // New tiles come one by one; those that change do so together.
    context.begin(
      DrawnPicture(drawing: drawing), for: self, of: layer, target: target, priority,
      isAlone: picture == nil || layer.publishesDrawingsAlone)
  }

  /// Stops a drawing. What it would have shown is still to be drawn.
  func cancel() {
    guard asynchronous.isDrawing else { return }
    asynchronous.cancel()
    isStale = true
  }

  /// Lets go of the picture and of a drawing.
  func letGo() {
    asynchronous.cancel()
    if let picture { layer?.context?.retired.append(picture.image) }
    picture = nil
  }

  func take(_ made: MadePicture) {
    if let picture { layer?.context?.retired.append(picture.image) }
    picture = (made.image, made.rect ?? requestedRect)
    layer?.markTiles()
  }

  func displayFailed(_ error: any Error) {
    isWithoutPicture = picture == nil
    if let error = error as? BitmapError, let layer { layer.context?.displayFailed(layer, error) }
  }
}

/// How tiles are shown smaller and larger than they are: as the layer's contents would be.
struct TileFilters: Hashable {
  let minification: ImageFilter
  let magnification: ImageFilter
}

/// The record of a tile's picture, or of a part of it that stands in for another tile.
final class TilePiece: Layer {
  /// The tile whose place it fills, and the one whose picture it shows.
  struct Name: Hashable {
    let place: TileKey
    let source: TileKey
  }

  init(in layer: TiledLayer) {
    super.init()
    (isTile, superlayer, anchorPoint) = (true, layer, .zero)
  }

  /// Shows the part of a picture that lies in `rect`, both in the superlayer's coordinates.
  func show(_ image: Image, _ pictureRect: Rect, in rect: Rect, _ filters: TileFilters) {
    Transaction.apart {
      Transaction.disablesActions = true
      (bounds, position) = (rect, rect.origin)
      (minificationFilter, magnificationFilter) = (filters.minification, filters.magnification)
      setContents(image, drawn: nil)
      let part = Rect(
        x: (rect.minX - pictureRect.minX) / pictureRect.width, y: (rect.minY - pictureRect.minY) / pictureRect.height,
        width: rect.width / pictureRect.width, height: rect.height / pictureRect.height)
      contentsRect = rect == pictureRect ? Rect(x: 0, y: 0, width: 1, height: 1) : part
    }
  }
}
