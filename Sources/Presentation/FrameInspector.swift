package import Raster
package import RenderTree

/// A tool that looks at the frames of an output, to show or to measure how they are made.
///
/// Its time is none of a frame's phases, and what it draws is no damage.
@MainActor
package enum FrameInspector {
  /// Draws over each frame before it is handed over. The frame is ready later by the time that drawing takes.
  case painter(any FramePainter)
  /// Called with each frame that was handed over. What takes long belongs at the turn's end.
  case observer(@MainActor (InspectedFrame) -> Void)
}

/// Draws over frames.
@MainActor
package protocol FramePainter: AnyObject {
  /// Returns the bitmap into which a frame for `buffer` is painted. It must keep the picture for the buffer's next frame. Nil for
  /// the buffer itself.
  func canvas(for buffer: PresentationBuffer) -> Bitmap?
  /// Draws over a frame that was painted into the buffer or its canvas; in the latter case copies it to the buffer before.
  ///
  /// - Returns: all pixels of the buffer that were written since it was last presented.
  func draw(over frame: InspectedFrame) -> DamageRegion
}

/// A frame and what it was made from.
package struct InspectedFrame {
  /// The tree of the frame before; empty where all is painted anew.
  package let old: TreeSnapshot
  package let tree: TreeSnapshot
  /// The pixels that may differ from the frame before, but for those that only moved.
  package let damage: DamageRegion
  /// The change that the buffer lacked, and that was made.
  package let made: FrameChange
  package let buffer: PresentationBuffer
}
