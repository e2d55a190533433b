internal import CCairo
import Geometry

extension DrawingContext {
  /// Draws what `body` draws as one picture, which is seen at an opacity: things in it that lie above each other do not shine
  /// through. Transform and clip are as before afterwards.
  ///
  /// - Parameter opacity: from 0 to 1.
  public func withGroup(opacity: Double, _ body: () -> Void) {
    guard opacity < 1 else { return withSavedState(body) }
    cairo_push_group(cairo)
    withSavedState(body)
    cairo_pop_group_to_source(cairo)
    cairo_paint_with_alpha(cairo, Self.unit(opacity))
    releaseSource()
  }

  /// Draws what `body` draws as one picture, whose alpha is multiplied by that of what `mask` draws.
  public func withGroup(maskedBy mask: () -> Void, _ body: () -> Void) {
    cairo_push_group(cairo)
    withSavedState(body)
    let picture = cairo_pop_group(cairo)
    cairo_push_group(cairo)
    withSavedState(mask)
    let alpha = cairo_pop_group(cairo)
    cairo_set_source(cairo, picture)
    cairo_mask(cairo, alpha)
    releaseSource()
    cairo_pattern_destroy(picture)
    cairo_pattern_destroy(alpha)
  }
}
