import Geometry
import LinuxSystem

@testable import Compositing
@testable import RenderTree

/// A content that counts how often it is painted and asked for its extent.
final class CountedContent: RenderContent, PaintableContent {
  private let counts = Lock((paints: 0, measures: 0))
  var paints: Int { counts.withLock { $0.paints } }
  var measures: Int { counts.withLock { $0.measures } }
  var description: String { "counted" }

  func reset() { counts.withLock { $0 = (0, 0) } }

  func drawnBounds(in bounds: Rect, _ effects: RenderEffects?) -> Rect {
    counts.withLock { $0.measures += 1 }
    return bounds
  }

  func opaquePixels(of record: RenderRecord, _ effects: RenderEffects?, _ transform: Affine) -> IntRect { .zero }

  func paint(_ layer: PaintedLayer, with painter: BandPainter) { counts.withLock { $0.paints += 1 } }
}
