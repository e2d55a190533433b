// Gradients painted by Cairo, which does not dither them.

#include <cairo.h>

#include "CPeers.h"

void peer_gradient(uint8_t *pixels, int width, int height, int bytes_per_row, bool is_radial) {
  cairo_surface_t *surface = cairo_image_surface_create_for_data(pixels, CAIRO_FORMAT_ARGB32, width, height, bytes_per_row);
  cairo_t *context = cairo_create(surface);
  double x = width / 2.0, y = height / 2.0;
  cairo_pattern_t *pattern =
      is_radial ? cairo_pattern_create_radial(x, y, 0, x, y, x) : cairo_pattern_create_linear(0, 0, width, height);
  cairo_pattern_add_color_stop_rgb(pattern, 0, 0.05, 0.1, 0.2);
  cairo_pattern_add_color_stop_rgb(pattern, 0.4, 0.1, 0.6, 1);
  cairo_pattern_add_color_stop_rgb(pattern, 1, 1, 1, 0.9);
  cairo_set_source(context, pattern);
  cairo_paint(context);
  cairo_pattern_destroy(pattern);
  cairo_destroy(context);
  cairo_surface_destroy(surface);
}
