public import Geometry
public import LinuxSystem
public import Raster
import RenderTree

/// A layer whose contents are drawn in tiles, by worker threads: of a map, a plan or a page of any size those that are seen and those
/// beside them.
///
/// ```swift
/// final class Map: TiledLayer {
///   override func makeDrawing(of rect: Rect, scale: Double) -> (any Drawing)? { MapDrawing(roads: roads, in: rect) }
/// }
/// let map = Map(frame: Rect(x: 0, y: 0, width: 100_000, height: 100_000))
/// (map.levelsOfDetail, map.levelsOfDetailBias, map.isOpaque) = (8, 2, true)
/// ```
///
/// A tile is drawn in the level of detail that its place on the output asks for: the coarsest with as many pixels as it has there,
/// or the finest that there is. The visible tiles are drawn first, from the middle of what is seen outwards, and after them, with low
/// priority, one more on each side. Drawings of tiles that are no longer among these are cancelled. Until a tile is there, tiles of other
/// levels show in its place.
///
/// The tiles cover `bounds`, below the sublayers and above `contents` that are set; they count from the origin of the layer's
/// coordinates. Neither hit tests nor `sublayers` know them. See <doc:Tiles>.
open class TiledLayer: Layer {
  /// The size of a tile in pixels of its level: 256 × 256 at first. Whole numbers from 1 to 4096, and the nearest of these for others.
  public var tileSize = Size(256, 256) {
    didSet {
      func side(_ length: Double, _ old: Double) -> Double { length.isNaN ? old : min(max(length.rounded(), 1), 4096) }
      tileSize = Size(side(tileSize.width, oldValue.width), side(tileSize.height, oldValue.height))
      if tileSize != oldValue { markTiles() }
    }
  }
  /// The number of levels, each with half the pixels per point of the one before it: 1 at first, and 64 at most. There are no more than
  /// the size of the layer allows: the last one has a pixel.
  public var levelsOfDetail = 1 {
    didSet {
      levelsOfDetail = min(max(levelsOfDetail, 1), 64)
      if levelsOfDetail != oldValue { markTiles() }
    }
  }
  /// How many of the levels are magnified: they have twice, four times and so on the pixels per point that `contentsScale` says. From 0,
  /// the initial value, to 16.
  public var levelsOfDetailBias = 0 {
    didSet {
      levelsOfDetailBias = min(max(levelsOfDetailBias, 0), 16)
      if levelsOfDetailBias != oldValue { markTiles() }
    }
  }
  /// How long a new tile fades in: a quarter of a second at first. On a clock that does not run forwards it appears at once.
  public var fadeDuration = Nanoseconds.milliseconds(250) {
    didSet { fadeDuration = max(fadeDuration, .zero) }
  }
  /// The bytes that tiles may take: 64 MiB at first, 250 of them in their first size. If more tiles are seen, those in the middle are
  /// drawn. Beside them are tiles that may be needed again; those that were not for longest go first.
  public var tileBytes = 64 << 20 {
    didSet {
      tileBytes = min(max(tileBytes, 0), 1 << 50)
      if tileBytes != oldValue { markTiles() }
    }
  }
  /// A picture to be shown in tiles, stretched over `bounds`, by a layer without drawings of its own; nil, the initial value, for none.
  public var image: Image? {
    didSet { if image !== oldValue { setNeedsDisplay() } }
  }

  /// See `Layer.isOpaque`: what the tiles draw begins as opaque black.
  override public var isOpaque: Bool {
    didSet { if isOpaque != oldValue { setNeedsDisplay() } }
  }

  var tiles: [TileKey: Tile] = [:]
  var pieces: [TilePiece.Name: TilePiece] = [:]
  /// The place for which the tiles were chosen last; nil while none are needed.
  var tileView: TileView?
  var tileGrid: TileGrid?
  /// How the pieces show the pictures.
  var tileFilters: TileFilters?
  /// True if tiles are to be chosen, drawn or shown anew in the next commit.
  var areTilesMarked = true
  /// True if tiles fade in, whose ends are to be seen in the next commit.
  var areTilesFading = false
  var tileUpdates = 0

  /// The drawing of a tile, or of a part of it: a picture of `rect`, in the layer's coordinates, for its present state. Nil for none.
  /// Called on the main thread for each tile; the drawing runs on a worker, and should look at its context's `isCancelled`. By default
  /// that of the whole layer, `makeDrawing()`, of which each tile cuts out its part, or else `image`.
  ///
  /// - Parameter scale: the pixels per point.
  open func makeDrawing(of rect: Rect, scale: Double) -> (any Drawing)? {
    makeDrawing() ?? image.map { StretchedImage(image: $0, rect: bounds) }
  }

  /// Requests new pictures for the tiles that a rectangle of the layer touches, which appear together. The old ones stay until then.
  /// `setNeedsDisplay()` does this for all.
  public func setNeedsDisplay(in rect: Rect) {
    let rect = rect.standardized
    guard !rect.isEmpty else { return }
    for tile in tiles.values {
      let shown = tile.asynchronous.isDrawing ? tile.requestedRect : tile.picture?.rect ?? tile.requestedRect
      guard !shown.intersection(rect).isEmpty else { continue }
      (tile.isStale, tile.isWithoutPicture) = (true, false)
    }
    markTiles()
  }

  /// The contents are all in tiles.
  override var hasPicture: Bool { false }

  override func boundsChanged(from old: Rect) {
    super.boundsChanged(from: old)
    // Each tile shows another part of the image, which is stretched over them.
    if image != nil { setNeedsDisplay() }
  }

  override func willDisplay() {
    for tile in tiles.values { (tile.isStale, tile.isWithoutPicture) = (true, false) }
    markTiles()
  }

  override func entered(_ context: LayerContext) {
    context.tiledLayers.append(self)
    markTiles()
  }

  override func left(_ context: LayerContext) {
    context.tiledLayers.removeAll { $0 === self }
    for tile in tiles.values { tile.cancel() }
    tileView = nil
  }

  func markTiles() {
    areTilesMarked = true
    context?.mark()
  }
}

/// An image that fills a rectangle.
private struct StretchedImage: Drawing {
  let image: Image
  let rect: Rect

  func draw(in context: DrawingContext) { context.draw(image, in: rect) }
}
