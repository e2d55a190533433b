import CKernels
import Geometry
import Raster
import RenderTree

/// Makes the strips of shapes, in memory that it uses again for the next one.
///
/// Unchecked but safe to share: who makes strips takes it from the idle ones and has it alone.
final class StripMaker: @unchecked Sendable {
  private let filler: OpaquePointer
  private var outline = FlatPath()
  private var outliner = StrokeOutliner()
  /// A mebibyte of points.
  private static let mostKept = 1 << 16

  /// Nil without memory.
  init?() {
    guard let filler = ckernels_make_filler() else { return nil }
    self.filler = filler
  }

  deinit { ckernels_free_filler(filler) }

  /// The pixels in `box` that one part of a shape covers. `map` leads from the shape's coordinates to pixels.
  func strips(_ parts: ShapeContent.Parts, _ part: StripCache.Part, _ map: Affine, _ box: IntRect) -> Strips? {
    guard let path = parts.path, (map.a + map.b + map.c + map.d).isFinite else { return nil }
    switch part {
    case .fill:
      outline.replace(with: path, map)
      defer { if outline.points.count > Self.mostKept { outline = FlatPath() } }
      return Strips(outline, box: box, parts.fillRule, filler)
    case .stroke:
      outliner.trace(path, parts.strokeStyle, from: parts.strokeStart, to: parts.strokeEnd, map)
      defer { if outliner.capacity > Self.mostKept { outliner = StrokeOutliner() } }
      return Strips(outliner.outline, box: box, .nonZero, filler)
    }
  }
}
