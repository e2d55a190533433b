import Geometry
import RenderTree

/// The filtered backdrop of a layer of the output, as long as nothing behind the layer changes.
final class KeptBackdrop {
  /// In all pixels in which the layer shows it; nil until it is worth its memory.
  private(set) var picture: Picture?
  /// The index of the layer's record.
  let index: Int
  private let transform: Affine
  /// Held, so that no other effects get its identity.
  private let effects: RenderEffects
  private let pixels: IntRect
  /// The last frame that asked for it.
  fileprivate(set) var frame = 0
  /// The pixels that were painted of it on the output since something behind it changed.
  fileprivate var paintedPixels = 0
  /// True while the picture is made.
  private var isAwaited = false

  var bytes: Int { (picture?.pixels.area ?? 0) * 4 }

  fileprivate init(_ node: CompositeNode, _ effects: RenderEffects, _ pixels: IntRect) {
    (index, transform, self.effects, self.pixels) = (Int(node.record), node.transform, effects, pixels)
  }

  fileprivate func belongs(to node: CompositeNode, _ pixels: IntRect) -> Bool {
    index == Int(node.record) && transform == node.transform && effects === node.effects
      && self.pixels == pixels
  }

  /// Takes a picture that has been made, if it is the one that is to be kept.
  func take(_ picture: Picture) {
    if isAwaited, picture.pixels == pixels { self.picture = picture }
  }

  fileprivate func make(_ paint: (IntRect) -> Void) {
    isAwaited = true
    paint(pixels)
    isAwaited = false
  }
}

/// The filtered backdrops of the layers of an output.
final class KeptBackdrops {
  /// By the layers' ids.
  private(set) var all: [UInt32: KeptBackdrop] = [:]
  /// The frame before, if a layer in it filters its backdrop.
  private var last: (tree: TreeSnapshot, frame: PictureFrame)?

  var bytes: Int { all.values.reduce(0) { $0 + $1.bytes } }

  /// Lets go of those behind which something differs from the frame before.
  func beginFrame(_ tree: TreeSnapshot, _ frame: PictureFrame) {
    guard tree.filtersBackdrop else {
      if last != nil { (all, last) = ([:], nil) }
      return
    }
    if let farthest = all.values.lazy.map(\.index).max() {
      var same = 0
      if let last, last.frame == frame, last.tree.backdrop == tree.backdrop, last.tree.viewport == tree.viewport {
        same = tree.withTreeLayers { new in
          last.tree.withTreeLayers { $0.records.lastWithSameLayersBehind(in: new.records, upTo: farthest) }
        }
      }
      for (id, kept) in all where kept.index > same { all[id] = nil }
    }
    last = (tree, frame)
  }

  /// Lets go of the tree where no layer needs it for the next frame.
  func endFrame() {
    if all.isEmpty { last = nil }
  }

  /// A picture that is kept already.
  func picture(of node: CompositeNode, _ record: RenderRecord) -> KeptBackdrop? {
    guard let kept = all[record.id], kept.picture != nil, kept.belongs(to: node, shownPixels(of: node, record)) else {
      return nil
    }
    return kept
  }

  private func shownPixels(of node: CompositeNode, _ record: RenderRecord) -> IntRect {
    LayerShape(node, record).pixels.intersection(node.own)
  }

  /// The backdrop of a layer, whose picture may be missing; nil where it is not kept, and for the second layer with one id in a frame,
  /// which no tree should have.
  ///
  /// - Parameters:
  ///   - pixels: the number of its pixels that are painted now.
  ///   - makeRoom: true if there is room for so many bytes.
  ///   - paint: paints the output in the pixels that the picture must have.
  func backdrop(
    of node: CompositeNode, _ record: RenderRecord, in frame: Int, pixels: (IntRect) -> Int, makeRoom: (Int) -> Bool,
    paint: (KeptBackdrop, IntRect) -> Void
  ) -> KeptBackdrop? {
    let shown = shownPixels(of: node, record)
    guard let effects = node.effects, !shown.isEmpty else { return nil }
    guard let kept = all[record.id], kept.belongs(to: node, shown) else {
      if all[record.id]?.frame == frame { return nil }
      let kept = KeptBackdrop(node, effects, shown)
      (kept.frame, kept.paintedPixels) = (frame, pixels(shown))
      all[record.id] = kept
      return kept
    }
    if kept.frame == frame { return kept }
    kept.frame = frame
    if kept.picture == nil {
      if kept.paintedPixels >= shown.area, makeRoom(shown.area * 4) {
        kept.make { paint(kept, $0) }
      }
      kept.paintedPixels += pixels(shown)
    }
    return kept
  }

  func remove(_ id: UInt32) { all[id] = nil }
}
