// Polygons filled by Cairo, and by FreeType's rasteriser into spans.

#include <cairo-ft.h>
#include <stdlib.h>
#include FT_OUTLINE_H

#include "CPeers.h"

void peer_cairo_fill(uint8_t *pixels, int width, int height, int bytes_per_row, const double *points, int count) {
  cairo_surface_t *surface = cairo_image_surface_create_for_data(pixels, CAIRO_FORMAT_ARGB32, width, height, bytes_per_row);
  cairo_t *context = cairo_create(surface);
  for (int i = 0; i < count; i++) cairo_line_to(context, points[2 * i], points[2 * i + 1]);
  cairo_set_source_rgb(context, 1, 1, 1);
  cairo_fill(context);
  cairo_destroy(context);
  cairo_surface_finish(surface);
  cairo_surface_destroy(surface);
}

struct target {
  uint8_t *pixels;
  int bytes_per_row;
};

static void paint(int y, int count, const FT_Span *spans, void *user) {
  struct target *target = user;
  for (int i = 0; i < count; i++) {
    uint32_t *row = (uint32_t *)(void *)(target->pixels + (int64_t)y * target->bytes_per_row) + spans[i].x;
    // The picture is black and white: white over grey is a maximum.
    uint32_t grey = spans[i].coverage * 0x10101u | 0xFF000000u;
    for (int x = 0; x < spans[i].len; x++) row[x] = row[x] > grey ? row[x] : grey;
  }
}

void peer_freetype_fill(uint8_t *pixels, int width, int height, int bytes_per_row, const double *points, int count) {
  static FT_Library library;
  if (!library && FT_Init_FreeType(&library)) return;
  FT_Vector *vectors = malloc((size_t)count * sizeof *vectors);
  unsigned char *tags = malloc((size_t)count);
  if (vectors && tags) {
    for (int i = 0; i < count; i++) {
      vectors[i] = (FT_Vector){(FT_Pos)(points[2 * i] * 64), (FT_Pos)(points[2 * i + 1] * 64)};
      tags[i] = FT_CURVE_TAG_ON;
    }
    FT_Outline outline = {.n_contours = 1, .points = vectors};
    __typeof__(*outline.contours) end = (__typeof__(end))(count - 1);
    outline.n_points = (__typeof__(outline.n_points))count;
    outline.contours = &end;
    outline.tags = (void *)tags;
    struct target target = {pixels, bytes_per_row};
    FT_Raster_Params parameters = {.flags = FT_RASTER_FLAG_AA | FT_RASTER_FLAG_DIRECT | FT_RASTER_FLAG_CLIP,
                                   .clip_box = {0, 0, width, height}, .gray_spans = paint, .user = &target};
    FT_Outline_Render(library, &outline, &parameters);
  }
  free(vectors);
  free(tags);
}
