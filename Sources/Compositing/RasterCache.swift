import Geometry
import LinuxSystem
import RenderTree

/// The pictures of isolated layers that stay the same: filters, masks, perspective and `shouldRasterize`, which cost far more to paint
/// than to show. And the coverage of shadows, by the shape that throws them, and what lies behind layers that filter it.
///
/// A picture is kept after the layer, unchanged, has been painted as many pixels as the picture has, unless the output can show less
/// than half of it. It is shown again while the layer with all its descendants has the same records, wherever whole pixels move it,
/// and whatever its opacity; a rasterized layer's under any transform. A kept picture has the bytes that painting it anew
/// gives.
///
/// The coverage of a shadow is kept as soon as all of it is painted, for `patienceForOne` frames until a second one asks for it. All together cost at most `limit` bytes: what was asked for longest
/// ago goes first, and what `patience` frames did not ask for goes too. The picture of a layer that is in the tree no more goes, with the
/// contents that it holds, in the frame that paints what lies there now.
final class RasterCache {
  /// In bytes.
  let limit: Int
  /// The bytes of all pictures, shadows and backdrops.
  var cost: Int { pictureCost + backdrops.bytes }
  private var pictureCost = 0
  var shadowCount: Int { shadows.count }
  /// How often a kept picture was shown in a frame instead of being painted.
  private(set) var shownPictures = 0
  /// The pictures and shadows of this frame that are painted anew.
  private(set) var missed = 0
  private var entries: [UInt32: RasterEntry] = [:]
  private var shadows: [ShadowMask: KeptShadowMask] = [:]
  private let backdrops = KeptBackdrops()
  private var frame = 0

  private static let patience = 120
  /// A shadow for which one frame alone asked, as each of an animation of shadows is, waits for this many frames.
  private static let patienceForOne = 16

  init(limit: Int) {
    self.limit = limit
  }

  func beginFrame(_ tree: TreeSnapshot, _ output: PictureFrame) {
    frame += 1
    missed = 0
    backdrops.beginFrame(tree, output)
    if frame % Self.patience == 0 {
      for (id, entry) in entries where frame - entry.frame >= Self.patience { remove(entry, id) }
      for (id, kept) in backdrops.all where frame - kept.frame >= Self.patience { backdrops.remove(id) }
    }
    if frame % Self.patienceForOne == 0 {
      for (mask, kept) in shadows {
        let patience = kept.frame == kept.firstFrame ? Self.patienceForOne : Self.patience
        if frame - kept.frame >= patience { remove(kept, mask) }
      }
    }
  }

  /// Notes that pixels are copied: what was seen in them may be anywhere in these now.
  func move(_ move: PixelMove) {
    for entry in entries.values where entry.shown.intersects(move.source) { entry.shown = entry.shown.union(move.rect) }
  }

  /// Lets go of the pictures of layers that are gone, after this frame has asked for all that lie in the damage.
  func endFrame(_ damage: DamageRegion, _ layers: TreeLayers) {
    func isPaintedOver(_ entry: RasterEntry) -> Bool { entry.frame < frame && damage.intersects(entry.shown) }
    guard entries.values.contains(where: isPaintedOver) else { return }
    // Those of layers that only moved stay.
    for record in layers.records where record.isIsolated { entries[record.id]?.note(record, in: frame) }
    for (id, entry) in entries where isPaintedOver(entry) && entry.lastSeen < frame { remove(entry, id) }
  }

  /// The place of a shadow's coverage, which has none until as many pixels have been painted of it as it has. Nil for one that is not
  /// known and of which nothing is painted.
  ///
  /// - Parameters:
  ///   - pixels: the number of its pixels on the output that are painted now.
  ///   - view: the number of pixels that the output has.
  ///   - make: makes the coverage of these pixels.
  func shadow(_ mask: ShadowMask, pixels: Int, view: Int, make: (IntRect) -> ChannelPicture) -> KeptShadowMask? {
    let known = shadows[mask]
    if known == nil, pixels == 0 { return nil }
    let kept = known ?? KeptShadowMask(frame)
    if known == nil { shadows[mask] = kept }
    kept.frame = frame
    if kept.coverage != nil || pixels == 0 { return kept }
    missed += 1
    kept.paintedPixels += pixels
    let extent = mask.extent
    if kept.paintedPixels >= extent.area, extent.area / 2 <= view, makeRoom(for: extent.area) {
      kept.coverage = make(extent)
      pictureCost += kept.bytes
    }
    return kept
  }

  /// The entry of an isolated layer, whose picture may be missing. Nil for the second layer with one id in a frame, which no tree
  /// should have.
  ///
  /// - Parameters:
  ///   - shown: the pixels of the output in which it is seen.
  ///   - pixels: the number of those that are painted now.
  ///   - paint: makes the picture in these pixels of its space.
  func entry(
    of index: Int, end: Int, _ layers: TreeLayers, _ space: PictureSpace, view: PictureFrame, shown: IntRect, pixels: Int,
    paint: (IntRect) -> Picture
  ) -> RasterEntry? {
    let id = layers.records[index].id
    if entries[id]?.frame == frame {
      missed += 1
      return nil
    }
    guard let entry = entries[id], entry.shows(index, end, layers, space, view) else {
      if let old = entries[id] { remove(old, id) }
      let entry = RasterEntry(index, end, layers, space, view)
      (entry.frame, entry.paintedPixels, entry.shown) = (frame, pixels, shown)
      entries[id] = entry
      missed += 1
      return entry
    }
    (entry.frame, entry.space, entry.shown) = (frame, space, shown)
    if entry.picture != nil {
      shownPictures += 1
    } else {
      missed += 1
      let extent = space.extent(layers, of: index, end: end)
      if entry.paintedPixels >= extent.area, extent.area / 2 <= view.all.area, makeRoom(for: extent.framed.area * 4) {
        entry.picture = paint(extent.framed)
        pictureCost += entry.bytes
      }
      entry.paintedPixels += pixels
    }
    return entry
  }

  /// The filtered backdrop of a layer of the output, whose picture may be missing; nil where it is not kept.
  ///
  /// - Parameters:
  ///   - damage: what is painted now.
  ///   - paint: paints the output in these pixels, in which the backdrop then takes its picture.
  func backdrop(
    of node: CompositeNode, _ record: RenderRecord, _ damage: DamageRegion, paint: (KeptBackdrop, IntRect) -> Void
  ) -> KeptBackdrop? {
    backdrops.backdrop(
      of: node, record, in: frame, pixels: { shown in damage.rects.reduce(0) { $0 + $1.intersection(shown).area } },
      // Pictures and shadows have not been asked for yet in this frame.
      makeRoom: { makeRoom(for: $0, keepingThoseSince: frame - 1) },
      paint: { kept, pixels in
        missed += 1
        paint(kept, pixels)
      })
  }

  func keptBackdrop(of node: CompositeNode, _ record: RenderRecord) -> KeptBackdrop? { backdrops.picture(of: node, record) }

  /// Ends the search for backdrops.
  func endBackdrops() { backdrops.endFrame() }

  /// Drops what was asked for before this frame, the oldest first; false if that would not be enough, or the process has no memory.
  private func makeRoom(for bytes: Int) -> Bool { makeRoom(for: bytes, keepingThoseSince: frame) }

  /// Drops what was asked for before a frame.
  private func makeRoom(for bytes: Int, keepingThoseSince first: Int) -> Bool {
    let shown =
      entries.values.reduce(0) { $1.frame >= first ? $0 + $1.bytes : $0 }
      + shadows.values.reduce(0) { $1.frame >= first ? $0 + $1.bytes : $0 }
      + backdrops.all.values.reduce(0) { $1.frame >= first ? $0 + $1.bytes : $0 }
    if shown + bytes > limit { return false }
    while cost + bytes > limit { if !removeOldest(before: first) { return false } }
    return Memory.hasRoom(for: bytes)
  }

  /// Drops one thing; false if all were asked for since the frame.
  private func removeOldest(before first: Int) -> Bool {
    let picture = entries.filter { $0.value.bytes > 0 && $0.value.frame < first }.min { $0.value.frame < $1.value.frame }
    let shadow = shadows.filter { $0.value.bytes > 0 && $0.value.frame < first }.min { $0.value.frame < $1.value.frame }
    let backdrop =
      backdrops.all.filter { $0.value.bytes > 0 && $0.value.frame < first }.min { $0.value.frame < $1.value.frame }
    let oldest = [picture?.value.frame, shadow?.value.frame, backdrop?.value.frame].compactMap(\.self).min()
    if let picture, picture.value.frame == oldest {
      remove(picture.value, picture.key)
    } else if let shadow, shadow.value.frame == oldest {
      remove(shadow.value, shadow.key)
    } else if let backdrop {
      backdrops.remove(backdrop.key)
    }
    return oldest != nil
  }

  private func remove(_ entry: RasterEntry, _ id: UInt32) {
    pictureCost -= entry.bytes
    entries[id] = nil
  }

  private func remove(_ kept: KeptShadowMask, _ mask: ShadowMask) {
    pictureCost -= kept.bytes
    shadows[mask] = nil
  }
}

/// The coverage of a shadow with all its pixels.
final class KeptShadowMask {
  /// Nil until it is worth its memory.
  fileprivate(set) var coverage: ChannelPicture?
  fileprivate var bytes: Int { coverage?.pixels.area ?? 0 }
  /// The first and the last frame that asked for it.
  fileprivate let firstFrame: Int
  fileprivate var frame: Int
  /// The pixels that were painted of it on the output.
  fileprivate var paintedPixels = 0

  fileprivate init(_ frame: Int) { (firstFrame, self.frame) = (frame, frame) }
}

/// An isolated layer with its descendants as it was painted last.
final class RasterEntry {
  /// The layer's picture, all of it; nil until it is worth its memory.
  fileprivate(set) var picture: Picture?
  fileprivate var bytes: Int { (picture?.pixels.area ?? 0) * 4 }
  /// The way of the picture to the output in this frame; its transform is that with which the layer was painted.
  fileprivate(set) var space: PictureSpace
  /// The last frame that asked for it.
  fileprivate var frame = 0
  /// The pixels that were painted of it on the output since the layer changed.
  fileprivate var paintedPixels = 0
  /// The pixels of the output in which it was seen last, or may have been moved to.
  fileprivate var shown = IntRect.zero
  /// The last frame whose tree was searched and had the layer.
  fileprivate var lastSeen = 0

  private let records: [RenderRecord]
  /// Holds the contents and effects whose identities are compared.
  private let sides: [SideValues]
  /// The pixels of the picture that may be asked for, where planes and filtered backdrops in it depend on them.
  private let view: PictureFrame?

  fileprivate init(_ index: Int, _ end: Int, _ layers: TreeLayers, _ space: PictureSpace, _ view: PictureFrame) {
    self.space = space
    records = (index..<end).map { place in
      var record = place == index ? Self.root(layers.records[index]) : layers.records[place]
      record.subtreeEnd = UInt32(layers.records[place].end(at: place, in: end) - index)
      return record
    }
    sides = Array(layers.sides[index..<end])
    let dependsOnView = sides.enumerated().contains { offset, side in
      guard let parts = side.effects?.parts else { return false }
      return parts.transition != nil || (offset > 0 && (parts.homography != nil || parts.filtersBackdrop))
    }
    self.view = dependsOnView ? view : nil
  }

  /// The record of the layer itself without what does not change its picture.
  private static func root(_ record: RenderRecord) -> RenderRecord {
    var record = record
    (record.transform, record.opacity, record.subtreeEnd) = (.identity, 1, 0)
    return record
  }

  /// Notes that a frame's tree has this record, if the layer itself has not changed.
  fileprivate func note(_ record: RenderRecord, in frame: Int) {
    if Self.root(records[0]) == Self.root(record) { lastSeen = frame }
  }

  /// True if the layer's picture is the same now.
  fileprivate func shows(_ index: Int, _ end: Int, _ layers: TreeLayers, _ space: PictureSpace, _ view: PictureFrame) -> Bool
  {
    guard space.transform == self.space.transform, space.depth == self.space.depth, self.view == nil || self.view == view
    else { return false }
    return records.withUnsafeBufferPointer {
      Self.root($0[0]) == Self.root(layers.records[index])
        && $0.holdsSameLayers(from: 1, to: $0.count, as: layers.records, from: index + 1, to: end)
    }
  }
}
