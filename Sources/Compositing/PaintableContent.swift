import CKernels
import Geometry
import RenderTree

/// A content that the compositor can paint: each kind conforms to it in a file of its own, and no other file names the kind.
protocol PaintableContent: RenderContent {
  /// The pixels of the output that the content fills opaquely; empty when there are none. `transform` leads from the layer's
  /// coordinates to them.
  func opaquePixels(of record: RenderRecord, _ effects: RenderEffects?, _ transform: Affine) -> IntRect
  /// True if it paints pixels over others of its own: a layer that is not opaque blends them as one picture.
  var coversItself: Bool { get }
  /// True if a layer that moved by whole pixels gets the same pixels from the content as before, byte for byte. Where it is not known
  /// they are painted again.
  func isSame(in layer: MovedLayer) -> Bool
  /// Paints the content, by a call of `painter.paint(_:of:)` with the content's rows.
  func paint(_ layer: PaintedLayer, with painter: BandPainter)
}

extension PaintableContent {
  var coversItself: Bool { false }
  func isSame(in layer: MovedLayer) -> Bool { false }
}

/// The pixels of a content, row by row.
protocol ContentRows {
  /// The edges of the content on the output.
  var shape: LayerShape { get }
  /// True while every alpha is 255.
  var isOpaque: Bool { get }
  /// The `count` pixels of row `y` from column `x` on, all of which lie in `shape`. Those that are not in memory yet are written to
  /// `room`.
  func row(
    _ y: Int32, from x: Int32, count: Int32, in room: UnsafeMutablePointer<UInt32>, with painter: BandPainter
  ) -> UnsafePointer<UInt32>
}

/// A layer whose content is painted, and the place for its pixels.
struct PaintedLayer {
  let node: CompositeNode
  let record: RenderRecord
  /// The pixels that may be written.
  let clip: IntRect
  let target: PixelTarget
  let opacity: UInt32

  /// True if nothing of the content is seen beyond the bounds.
  var masksToBounds: Bool { record.flags.contains(.masksToBounds) }
  /// True while the bounds with their round corners cut the content as well.
  var isMasked: Bool { !node.flags.isDisjoint(with: [.roundedContent, .antialiasedClip]) }
}
