internal import CCairo
public import Geometry

extension DrawingContext {
  /// Draws an image, stretched to `rect` with smooth interpolation. Where each pixel of the image falls on one pixel of the
  /// bitmap, it is copied exactly.
  ///
  /// - Parameter opacity: from 0 to 1.
  public func draw(_ image: Image, in rect: Rect, opacity: Double = 1) {
    let opacity = Self.unit(opacity)
    guard isDrawable, !rect.isEmpty, opacity > 0 else { return }
    let toRect = Affine.scale(x: rect.width / Double(image.width), y: rect.height / Double(image.height))
      .concatenating(.translation(x: rect.minX, y: rect.minY))
    guard let toImage = toRect.concatenating(transform).inverted else { return }

    // Cairo only reads the pixels, and only until the surface is finished. Without alpha, copying needs no blending.
    let source = cairo_image_surface_create_for_data(
      UnsafeMutablePointer(mutating: image.base.assumingMemoryBound(to: UInt8.self)),
      image.isOpaque ? CAIRO_FORMAT_RGB24 : CAIRO_FORMAT_ARGB32, Int32(image.width), Int32(image.height),
      Int32(image.bytesPerRow))
    let pattern = cairo_pattern_create_for_surface(source)
    var matrix = cairo_matrix_t(
      xx: toImage.a, yx: toImage.b, xy: toImage.c, yy: toImage.d, x0: toImage.tx, y0: toImage.ty)
    cairo_pattern_set_matrix(pattern, &matrix)
    // The image's edge pixels go on outside, so that a stretched image does not fade at its border. `rect` cuts them off.
    cairo_pattern_set_extend(pattern, CAIRO_EXTEND_PAD)

    cairo_set_source(cairo, pattern)
    addRect(rect)
    cairo_set_fill_rule(cairo, CAIRO_FILL_RULE_WINDING)
    if opacity == 1 {
      cairo_fill(cairo)
    } else {
      cairo_save(cairo)
      cairo_clip(cairo)
      cairo_paint_with_alpha(cairo, opacity)
      cairo_restore(cairo)
    }
    releaseSource()
    cairo_pattern_destroy(pattern)
    cairo_surface_finish(source)
    cairo_surface_destroy(source)
    withExtendedLifetime(image) {}
  }
}
