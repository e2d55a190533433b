import CKernels
import Geometry
import RenderTree

/// A layer that did not change while it moved by whole pixels: is each pixel of it the same as before, byte for byte?
///
/// Coordinates are compared as the painters compute them, so that what rounds differently at another place is found.
struct MovedLayer {
  let record: RenderRecord
  let effects: RenderEffects?
  /// From the layer's coordinates to the output's pixels, before and after.
  let old: Affine
  let new: Affine
  let dx: Int32
  let dy: Int32

  /// True if what the layer paints itself, without a picture, is the same as before.
  func isSame(with content: (any RenderContent)?) -> Bool {
    if record.backgroundColor != 0, !boundsAreSame { return false }
    guard borderIsSame, shadowsAreSame else { return false }
    guard let content else { return true }
    return (content as? any PaintableContent)?.isSame(in: self) ?? false
  }

  /// True if the bounds with their round corners cover the same of each pixel.
  var boundsAreSame: Bool {
    LayerShape(record, effects, new).isMoved(from: LayerShape(record, effects, old), dx: dx, dy: dy)
  }

  private var borderIsSame: Bool {
    guard let isNow = BorderShape(record, effects, new), let was = BorderShape(record, effects, old) else { return true }
    return isNow.outer.isMoved(from: was.outer, dx: dx, dy: dy) && isNow.inner.isMoved(from: was.inner, dx: dx, dy: dy)
  }

  /// True if the shadows that the layer's shape throws are the same as before.
  private var shadowsAreSame: Bool {
    guard let parts = effects?.parts else { return true }
    func isSame(_ shadow: Shadow?, isInner: Bool) -> Bool {
      guard let shadow else { return true }
      let was = ShadowMask(shadow, of: record, parts.corners, old, isInner: isInner)
      let isNow = ShadowMask(shadow, of: record, parts.corners, new, isInner: isInner)
      let (from, to) = (was.place(old), isNow.place(new))
      let isCut = record.flags.contains(.masksToBounds)
      return was == isNow && to == (from.dx + dx, from.dy + dy) && (!isCut || boundsAreSame)
    }
    return isSame(parts.shadow, isInner: false) && isSame(parts.innerShadow, isInner: true)
  }

  /// True if the edges of content that lies at `place`, and is cut to `bounds`, cover the same of each pixel.
  func edgesAreSame(of place: Rect, in bounds: Rect) -> Bool {
    func isSame(isMasked: Bool) -> Bool {
      guard let old = ImageRows.shape(of: place, in: bounds, effects, old, isMasked: isMasked),
        let new = ImageRows.shape(of: place, in: bounds, effects, new, isMasked: isMasked)
      else { return false }
      return new.isMoved(from: old, dx: dx, dy: dy)
    }
    return isSame(isMasked: false) && (!record.flags.contains(.masksToBounds) || isSame(isMasked: true))
  }

  /// True if the middles of the output's pixels lie at the same points of the layer as before, to the last bit.
  var pointsAreSame: Bool {
    guard let was = old.inverted, let isNow = new.inverted else { return false }
    let (x, y) = (Double(dx), Double(dy))
    let factors = [isNow.a, isNow.b, isNow.c, isNow.d].allSatisfy { $0.isShort(bits: 10) && abs($0) < 0x1p10 }
    return factors && isNow.tx.isShort && isNow.ty.isShort && was.tx.isShort && was.ty.isShort
      && was.tx == isNow.tx + (x * isNow.a + y * isNow.c) && was.ty == isNow.ty + (x * isNow.b + y * isNow.d)
  }

  /// True if the layer's shadow is that of its shape, as it was: the layer is painted without a picture, and compared so.
  func throwsShadowOfShape(_ layers: TreeLayers, _ index: Int, end: Int, depth: Int) -> (was: Bool, isNow: Bool) {
    (
      layers.throwsShadowOfShape(index, end: end, old, depth: depth),
      layers.throwsShadowOfShape(index, end: end, new, depth: depth)
    )
  }

  /// True if the picture of the layer with its descendants, which end at `end`, is the same as before.
  func pictureIsSame(_ layers: TreeLayers, of index: Int, end: Int, depth: Int, frame: IntRect) -> Bool {
    // One shape as a mask may cut layers where they are, without a picture.
    if record.flags.contains(.masked) { return false }
    // Planes, transitions and filtered backdrops in a picture depend on the pixels of it that are seen.
    for place in index..<end {
      guard let parts = layers.effects(at: place)?.parts else { continue }
      if parts.homography != nil || parts.transition != nil || parts.filtersBackdrop { return false }
    }
    guard let was = PictureSpace(layers, of: index, end: end, old, depth: depth, frame: frame),
      let isNow = PictureSpace(layers, of: index, end: end, new, depth: depth, frame: frame)
    else { return false }
    return isNow.isMoved(from: was, dx: dx, dy: dy)
  }
}

extension LayerShape {
  /// True if this shape covers of each pixel, to the last bit, what `old` covered of the one from where it moved.
  func isMoved(from old: LayerShape, dx: Int32, dy: Int32) -> Bool {
    guard isWhole == old.isWhole, pixels == old.pixels.offsetBy(dx: dx, dy: dy) else { return false }
    return isWhole || kernel.isMoved(from: old.kernel, dx: Double(dx), dy: Double(dy))
  }
}

extension ckernels_shape {
  /// Only in upright shapes are all products and sums of coordinates exact.
  fileprivate func isMoved(from old: ckernels_shape, dx: Double, dy: Double) -> Bool {
    let isUpright =
      abs(ua) == 1 && ub == 0 && va == 0 && abs(vb) == 1 || ua == 0 && abs(ub) == 1 && abs(va) == 1 && vb == 0
    return isUpright && ua == old.ua && ub == old.ub && va == old.va && vb == old.vb && half_u == old.half_u
      && half_v == old.half_v && radius == old.radius && unit_u == old.unit_u && unit_v == old.unit_v
      && square == old.square && sharp == old.sharp && uc.isShort && vc.isShort && old.uc.isShort && old.vc.isShort
      && old.uc == uc + (ua * dx + ub * dy) && old.vc == vc + (va * dx + vb * dy)
  }
}

extension Double {
  /// True for a multiple of 2⁻²⁰ that is small enough for sums with coordinates of pixels to be exact.
  fileprivate var isShort: Bool { isShort(bits: 20) && abs(self) < 0x1p28 }

  fileprivate func isShort(bits: Int) -> Bool {
    let scaled = self * Double(1 << bits)
    return scaled == scaled.rounded()
  }
}
