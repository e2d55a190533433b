// Pictures painted by Cairo.

#include <cairo.h>
#include <math.h>

#include "Pictures.h"

const char *peer_cairo_version(void) { return cairo_version_string(); }

static void paint_ground(cairo_t *context) {
  cairo_set_source_rgb(context, (peer_ground >> 16 & 255) / 255.0, (peer_ground >> 8 & 255) / 255.0, (peer_ground & 255) / 255.0);
  cairo_paint(context);
}

static void paint_source(cairo_t *context, const struct peer_canvas *canvas, double opacity) {
  cairo_surface_t *source = cairo_image_surface_create_for_data((unsigned char *)canvas->source, CAIRO_FORMAT_ARGB32, canvas->width,
                                                                canvas->height, canvas->width * 4);
  cairo_set_source_surface(context, source, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(context), CAIRO_FILTER_BILINEAR);
  if (opacity < 1) {
    cairo_paint_with_alpha(context, opacity);
  } else {
    cairo_paint(context);
  }
  cairo_surface_destroy(source);
}

static void paint_gradient(cairo_t *context, const struct peer_canvas *canvas, bool is_radial) {
  double x = canvas->width / 2.0, y = canvas->height / 2.0;
  cairo_pattern_t *pattern = is_radial ? cairo_pattern_create_radial(x, y, 0, x, y, x)
                                       : cairo_pattern_create_linear(0, 0, canvas->width, canvas->height);
  cairo_pattern_add_color_stop_rgb(pattern, 0, 0.05, 0.1, 0.2);
  cairo_pattern_add_color_stop_rgb(pattern, 0.4, 0.1, 0.6, 1);
  cairo_pattern_add_color_stop_rgb(pattern, 1, 1, 1, 0.9);
  cairo_set_source(context, pattern);
  cairo_paint(context);
  cairo_pattern_destroy(pattern);
}

static void add_rounded(cairo_t *context, double x, double y) {
  const double width = 120, height = 80, radius = 14;
  cairo_new_sub_path(context);
  cairo_arc(context, x + width - radius, y + radius, radius, -M_PI / 2, 0);
  cairo_arc(context, x + width - radius, y + height - radius, radius, 0, M_PI / 2);
  cairo_arc(context, x + radius, y + height - radius, radius, M_PI / 2, M_PI);
  cairo_arc(context, x + radius, y + radius, radius, M_PI, 1.5 * M_PI);
  cairo_close_path(context);
}

static void add_polygon(cairo_t *context, const struct peer_canvas *canvas) {
  for (int i = 0; i < canvas->count; i++) cairo_line_to(context, canvas->points[2 * i], canvas->points[2 * i + 1]);
  cairo_close_path(context);
}

bool peer_cairo_paint(const struct peer_canvas *canvas, enum peer_operation operation) {
  cairo_surface_t *surface = cairo_image_surface_create_for_data((unsigned char *)canvas->pixels, CAIRO_FORMAT_ARGB32, canvas->width,
                                                                 canvas->height, canvas->width * 4);
  cairo_t *context = cairo_create(surface);
  if (operation >= PEER_ROTATED && operation != PEER_AXIAL && operation != PEER_RADIAL) {
    paint_ground(context);
    cairo_set_source_rgb(context, 1, 1, 1);
  }
  switch (operation) {
    case PEER_FILL: paint_ground(context); break;
    case PEER_OVER: paint_source(context, canvas, 1); break;
    case PEER_OVER_HALF: paint_source(context, canvas, 0.5); break;
    case PEER_ROTATED:
      cairo_translate(context, canvas->width / 2.0, canvas->height / 2.0);
      cairo_rotate(context, 0.35);
      cairo_translate(context, -canvas->width / 2.0, -canvas->height / 2.0);
      paint_source(context, canvas, 1);
      break;
    case PEER_SCALED:
      cairo_translate(context, -100.3, -50.7);
      cairo_scale(context, 1.5, 1.5);
      paint_source(context, canvas, 1);
      break;
    case PEER_AXIAL: paint_gradient(context, canvas, false); break;
    case PEER_RADIAL: paint_gradient(context, canvas, true); break;
    case PEER_RECTS:
      for (int i = 0; i < canvas->count; i++) {
        add_rounded(context, canvas->points[2 * i], canvas->points[2 * i + 1]);
        cairo_fill(context);
      }
      break;
    case PEER_PATH:
      add_polygon(context, canvas);
      cairo_fill(context);
      break;
    case PEER_STROKE:
      add_polygon(context, canvas);
      cairo_set_line_width(context, 2);
      cairo_set_line_join(context, CAIRO_LINE_JOIN_BEVEL);
      cairo_stroke(context);
      break;
  }
  cairo_destroy(context);
  cairo_surface_destroy(surface);
  return true;
}
