import Geometry
import RenderTree

/// A surface is painted as the image of its pixels.
extension SurfaceContent: PaintableContent {
  func opaquePixels(of record: RenderRecord, _ effects: RenderEffects?, _ transform: Affine) -> IntRect {
    picture.opaquePixels(of: record, effects, transform)
  }

  func isSame(in layer: MovedLayer) -> Bool { picture.isSame(in: layer) }

  func paint(_ layer: PaintedLayer, with painter: BandPainter) { picture.paint(layer, with: painter) }
}
