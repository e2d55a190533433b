// Pages of text set by Pango's own layouts, in a font of one file.

#include <fontconfig/fontconfig.h>
#include <pango/pangofc-fontmap.h>
#include <pango/pangoft2.h>
#include <stdlib.h>

#include "CPeers.h"

struct peer_page {
  PangoFontMap *map;
  PangoContext *context;
  PangoFontDescription *font;
};

struct peer_page *peer_page_make(const char *path, const char *family, double size) {
  struct peer_page *page = calloc(1, sizeof *page);
  FcConfig *configuration = page ? FcConfigCreate() : NULL;
  if (!configuration || !FcConfigAppFontAddFile(configuration, (const FcChar8 *)path)) {
    free(page);
    return NULL;
  }
  page->map = pango_ft2_font_map_new();
  pango_fc_font_map_set_config(PANGO_FC_FONT_MAP(page->map), configuration);
  FcConfigDestroy(configuration);
  pango_ft2_font_map_set_resolution(PANGO_FT2_FONT_MAP(page->map), 72, 72);
  page->context = pango_font_map_create_context(page->map);
  pango_context_set_round_glyph_positions(page->context, FALSE);
  page->font = pango_font_description_new();
  pango_font_description_set_family(page->font, family);
  pango_font_description_set_absolute_size(page->font, size * PANGO_SCALE);
  return page;
}

int peer_page_set(struct peer_page *page, const char *text, double width) {
  PangoLayout *layout = pango_layout_new(page->context);
  pango_layout_set_font_description(layout, page->font);
  pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
  pango_layout_set_width(layout, (int)(width * PANGO_SCALE));
  pango_layout_set_text(layout, text, -1);
  int right, bottom;
  pango_layout_get_size(layout, &right, &bottom);
  int lines = pango_layout_get_line_count(layout);
  g_object_unref(layout);
  return lines;
}

void peer_page_free(struct peer_page *page) {
  pango_font_description_free(page->font);
  g_object_unref(page->context);
  g_object_unref(page->map);
  free(page);
}
