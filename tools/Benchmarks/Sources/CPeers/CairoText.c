// Lines of glyphs drawn by Cairo, which keeps their coverage between calls.

#include <cairo-ft.h>
#include <stdlib.h>

#include "CPeers.h"

struct peer_text {
  FT_Library library;
  FT_Face face;
  cairo_font_face_t *font;
  cairo_surface_t *surface;
  cairo_t *context;
};

struct peer_text *peer_text_make(const char *path, double size, uint8_t *pixels, int width, int height, int bytes_per_row) {
  struct peer_text *text = calloc(1, sizeof *text);
  if (!text) return NULL;
  if (FT_Init_FreeType(&text->library) || FT_New_Face(text->library, path, 0, &text->face)) {
    peer_text_free(text);
    return NULL;
  }
  text->font = cairo_ft_font_face_create_for_ft_face(text->face, FT_LOAD_NO_HINTING);
  text->surface = cairo_image_surface_create_for_data(pixels, CAIRO_FORMAT_ARGB32, width, height, bytes_per_row);
  text->context = cairo_create(text->surface);
  cairo_font_options_t *options = cairo_font_options_create();
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_set_font_options(text->context, options);
  cairo_font_options_destroy(options);
  cairo_set_font_face(text->context, text->font);
  cairo_set_font_size(text->context, size);
  if (cairo_status(text->context) != CAIRO_STATUS_SUCCESS) {
    peer_text_free(text);
    return NULL;
  }
  return text;
}

void peer_text_fill(struct peer_text *text, double red, double green, double blue) {
  cairo_set_source_rgb(text->context, red, green, blue);
  cairo_paint(text->context);
}

void peer_text_line(struct peer_text *text, const uint32_t *glyphs, const double *columns, int count, double x, double y) {
  cairo_glyph_t placed[256];
  if (count > 256) count = 256;
  for (int i = 0; i < count; i++) placed[i] = (cairo_glyph_t){.index = glyphs[i], .x = x + columns[i], .y = y};
  cairo_set_source_rgb(text->context, 1, 1, 1);
  cairo_show_glyphs(text->context, placed, count);
}

void peer_text_free(struct peer_text *text) {
  if (text->context) cairo_destroy(text->context);
  if (text->surface) cairo_surface_destroy(text->surface);
  if (text->font) cairo_font_face_destroy(text->font);
  if (text->face) FT_Done_Face(text->face);
  if (text->library) FT_Done_FreeType(text->library);
  free(text);
}
