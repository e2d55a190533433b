package import Raster
package import RenderTree

/// Looks at each frame of an output when it is painted, and may draw over it: for tools that show or measure how frames are made.
///
/// Its time is none of the frame's phases, and what it draws is no damage: the frame's figures are the same without it.
@MainActor
package protocol FrameInspector: AnyObject {
  /// Returns the bitmap into which a frame for `buffer` is painted. It must keep the picture for the buffer's next frame. Nil for
  /// the buffer itself.
  func canvas(for buffer: PresentationBuffer) -> Bitmap?
  /// Looks at a frame that was painted into the buffer or its canvas; in the latter case copies it to the buffer.
  ///
  /// - Returns: all pixels of the buffer that were written since it was last presented.
  func inspect(_ frame: InspectedFrame) -> DamageRegion
}

/// A frame before it is handed over.
package struct InspectedFrame {
  /// The tree of the frame before; empty where all is painted anew.
  package let old: TreeSnapshot
  package let tree: TreeSnapshot
  /// The pixels that may differ from the frame before.
  package let damage: DamageRegion
  /// The pixels that the buffer lacked, and that were painted.
  package let painted: DamageRegion
  package let buffer: PresentationBuffer
}
