import Geometry
import LinuxSystem
import Raster
import RenderTree

// The tiles of a layer are chosen after each commit, by the place that the committed tree gives the layer.

extension LayerContext {
  /// Chooses the tiles of all layers, requests those that are missing, and shows those that are there.
  func updateTiles(at time: MonotonicTime) {
    let tree = snapshot(at: time)
    for layer in tiledLayers where layer.context === self {
      layer.updateTiles(layer.tileView(in: tree), in: self, at: time)
    }
  }

  /// True if a layer needs other tiles in this tree than it has.
  func needsTiles(in tree: TreeSnapshot) -> Bool {
    tiledLayers.contains { layer in
      switch (layer.tileView(in: tree), layer.tileView) {
      case (nil, nil): false
      case (let view?, let old?): !view.needsSame(as: old)
      default: true
      }
    }
  }
}

extension TiledLayer {
  /// The number of tiles that may be in memory.
  private func tileLimit(_ grid: TileGrid) -> Int { min(max(tileBytes / grid.tileBytes, 1), 4096) }

  private var currentGrid: TileGrid { TileGrid(tileSize: tileSize, scale: contentsScale ?? outputScale) }
  private var currentFilters: TileFilters {
    TileFilters(minification: minificationFilter, magnification: magnificationFilter)
  }

  /// True if the tiles are to be others, or are to be shown in another way, at whatever place.
  var needsTileUpdate: Bool { areTilesMarked || currentGrid != tileGrid || currentFilters != tileFilters }

  /// The tiles that the layer needs at its place in a tree; nil where nothing is seen of it.
  func tileView(in tree: TreeSnapshot) -> TileView? {
    guard recordIndex < tree.records.count, tree.records[recordIndex].id == id, let root = tree.records.first,
      !sequence(first: self, next: { (layer: Layer) in layer.superlayer }).contains(where: \.isHidden)
    else { return nil }
    let (grid, bounds) = (currentGrid, tree.records[recordIndex].bounds)
    // The root fills the output.
    let output = root.transform.pixels(of: root.bounds)
    var place = tree.placement(ofRecordAt: recordIndex, width: Int(output.maxX), height: Int(output.maxY))
    place.clip = place.clip.intersection(output)
    return TileView(
      grid, bounds, levels: grid.levels(count: levelsOfDetail, bias: levelsOfDetailBias, in: bounds), at: place,
      limit: tileLimit(grid))
  }

  func updateTiles(_ view: TileView?, in context: LayerContext, at time: MonotonicTime) {
    let isSameView =
      switch (view, tileView) {
      case (nil, nil): true
      case (let view?, let old?): view.needsSame(as: old)
      default: false
      }
    guard needsTileUpdate || areTilesFading || !isSameView else { return }
    areTilesMarked = false
    tileView = view
    tileUpdates += 1
    let (grid, filters) = (currentGrid, currentFilters)
    tileFilters = filters
    if grid != tileGrid {
      for tile in tiles.values { tile.letGo() }
      tiles = [:]
      tileGrid = grid
    }
    let wanted = view?.tilesByNeed(grid) ?? []
    hint(
      "shows the middle of its tiles only: more are seen than `tileBytes` has room for; raise it or `levelsOfDetail`",
      if: view?.isCut ?? false)
    for key in wanted { tiles[key]?.lastUse = tileUpdates }
    for tile in tiles.values where tile.lastUse != tileUpdates { tile.cancel() }
    let sources = Set(pieces.keys.map(\.source))
    // A tile that is not seen would show its older contents later.
    for (key, tile) in tiles where tile.lastUse != tileUpdates && !sources.contains(key) {
      if tile.isStale || !tile.takesMemory { drop(tile) }
    }
    var room = TileRoom(limit: tileLimit(grid), used: tiles.values.count(where: \.takesMemory))
    while room.used > room.limit, makeRoom(&room, forVisible: true, sources, view) {}
    if let view { draw(wanted, view, grid, &room, sources, anew: !isSameView, in: context) }
    // An application's code asked for the drawings, and may have removed the layer.
    guard self.context === context else { return }
    show(view, grid, filters, in: context, at: time)
  }

  /// Requests the pictures of tiles that have none.
  ///
  /// - Parameter anew: true to order those that wait by their distance again.
  private func draw(
    _ wanted: [TileKey], _ view: TileView, _ grid: TileGrid, _ room: inout TileRoom, _ sources: Set<TileKey>, anew: Bool,
    in context: LayerContext
  ) {
    for key in wanted where self.context === context {
      let isVisible = view.visible.contains(key)
      let tile = tiles[key] ?? Tile(key, of: self)
      tile.lastUse = tileUpdates
      tiles[key] = tile
      let rect = grid.pictureRect(of: key, in: view.bounds)
      if anew, tile.asynchronous.isWaiting {
        tile.cancel()
        if !tile.takesMemory { room.used -= 1 }
      }
      guard tile.needsDrawing(rect) else { continue }
      if !tile.takesMemory {
        guard room.used < room.limit || makeRoom(&room, forVisible: isVisible, sources, view) else { continue }
        room.used += 1
      }
      tile.request(rect, scale: grid.scale(of: key.level), in: context, isVisible ? drawingPriority : .low)
    }
  }

  /// Lets go of the tile that is needed least.
  ///
  /// - Returns: false if there is none that may go.
  private func makeRoom(
    _ room: inout TileRoom, forVisible isVisible: Bool, _ sources: Set<TileKey>, _ view: TileView?
  ) -> Bool {
    guard let tile = room.next(forVisible: isVisible, { roomCandidates(sources, view) }) else { return false }
    drop(tile)
    room.used -= 1
    return true
  }

  /// The tiles in memory that others may take the place of, in any order.
  private func roomCandidates(_ sources: Set<TileKey>, _ view: TileView?) -> [TileRoom.Candidate] {
    tiles.values.compactMap { tile in
      guard tile.takesMemory else { return nil }
      if let view, view.visible.contains(tile.key), tile.key.level == view.level { return nil }
      let isNear = tile.lastUse == tileUpdates
      return TileRoom.Candidate(tile: tile, need: isNear ? .near : sources.contains(tile.key) ? .standsIn : .none)
    }
  }

  private func drop(_ tile: Tile) {
    tile.letGo()
    tiles[tile.key] = nil
  }

  // MARK: Records

  /// A part of a picture in the place of a tile.
  private struct Part {
    let name: TilePiece.Name
    let image: Image
    let pictureRect: Rect
    let rect: Rect
  }

  /// Has a record for each tile that is there, and below it for those that stand in for it until it is seen wholly. Their order depends
  /// on the view alone: where edges of two tiles share a pixel, another order would be another picture.
  private func show(
    _ view: TileView?, _ grid: TileGrid, _ filters: TileFilters, in context: LayerContext, at time: MonotonicTime
  ) {
    // Only a clock that runs forwards for ever comes to the end of a fade.
    let fades = fadeDuration > .zero && ClockChain(self).course(from: time) == .forwards
    if !fades { for piece in pieces.values { piece.removeAnimation(forKey: "fade") } }
    var (standIns, own): ([Part], [Part]) = ([], [])
    let levels = Set(tiles.keys.map(\.level)).sorted()
    if let view {
      for key in view.tiles {
        let part = tiles[key].flatMap { self.part(of: $0, for: key, view, grid) }
        let isWhole = part.map { pieces[$0.name].map(\.animations.isEmpty) ?? !fades } ?? false
        if !isWhole { standIns += standInParts(for: key, levels, view, grid) }
        if let part { own.append(part) }
      }
    }
    var shown: [TilePiece.Name: TilePiece] = [:]
    var layers: [Layer] = []
    areTilesFading = false
    for part in standIns + own {
      let piece = pieces[part.name] ?? TilePiece(in: self)
      piece.show(part.image, part.pictureRect, in: part.rect, filters)
      let isNew = pieces[part.name] == nil
      shown[part.name] = piece
      layers.append(piece)
      if isNew {
        context.enter(piece, depth: depth + 1)
        if part.name.place == part.name.source, fades {
          Transaction.apart { piece.add(BasicAnimation(.opacity, from: 0, duration: fadeDuration), forKey: "fade") }
        }
      }
      // The end of its fade shows the tile alone.
      if !piece.animations.isEmpty { areTilesFading = true }
    }
    for (name, piece) in pieces where shown[name] == nil {
      context.leave(piece)
      piece.superlayer = nil
    }
    if !innerLayers.elementsEqual(layers, by: ===) { context.markStructure() }
    (pieces, innerLayers) = (shown, layers)
  }

  /// The part of a tile's picture that lies in the place of another of the view's level, or its own. Opaque pictures overlap by a pixel, so
  /// that nothing is seen between them wherever they lie on the output.
  private func part(of tile: Tile, for place: TileKey, _ view: TileView, _ grid: TileGrid) -> Part? {
    guard let (image, pictureRect) = tile.picture else { return nil }
    var rect = grid.rect(of: place).intersection(grid.rect(of: tile.key))
    if image.isOpaque {
      let overlap = Double(TileGrid.gutter) / max(grid.scale(of: place.level), grid.scale(of: tile.key.level))
      rect = rect.insetBy(dx: -overlap, dy: -overlap)
    }
    rect = rect.intersection(view.bounds).intersection(pictureRect)
    if rect.isEmpty { return nil }
    return Part(name: TilePiece.Name(place: place, source: tile.key), image: image, pictureRect: pictureRect, rect: rect)
  }

  /// The parts of other levels that are seen in the place of a tile: the nearest finer level that fills it, or else the nearest coarser
  /// one, or else what there is of finer ones, none over another.
  private func standInParts(for key: TileKey, _ levels: [Int], _ view: TileView, _ grid: TileGrid) -> [Part] {
    var finer: [Part] = []
    var sources: Set<TileKey> = []
    for level in levels where level > key.level {
      let places = grid.cells(level, in: grid.rect(of: key).intersection(view.bounds))
      let parts = tiles(in: places, of: level).compactMap { part(of: $0, for: key, view, grid) }
      if !parts.isEmpty, parts.count == places.count { return parts }
      for part in parts {
        let source = part.name.source
        if levels.contains(where: { $0 < level && sources.contains(source.coarser($0)) }) { continue }
        finer.append(part)
        sources.insert(source)
      }
    }
    for level in levels.reversed() where level < key.level {
      if let tile = tiles[key.coarser(level)], let part = part(of: tile, for: key, view, grid) { return [part] }
    }
    return finer
  }

  /// The tiles that there are among these, in order.
  private func tiles(in places: TileCells, of level: Int) -> [Tile] {
    if places.count > tiles.count {
      return tiles.values.filter { $0.key.level == level && places.contains($0.key) }
        .sorted { ($0.key.y, $0.key.x) < ($1.key.y, $1.key.x) }
    }
    return places.rows.flatMap { y in
      places.columns.compactMap { x in tiles[TileKey(level: level, x: x, y: y)] }
    }
  }
}
