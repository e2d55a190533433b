#include "fonts.h"

#include <stdlib.h>

cpango_fonts *cpango_fonts_new(const char *const *files, size_t count, size_t *refused) {
  *refused = SIZE_MAX;
  cpango_fonts *fonts = calloc(1, sizeof *fonts);
  if (!fonts) return NULL;
  fonts->map = pango_ft2_font_map_new();
  if (count > 0) {
    FcConfig *configuration = FcConfigCreate();
    for (size_t i = 0; configuration && i < count; i++) {
      if (FcConfigAppFontAddFile(configuration, (const FcChar8 *)files[i])) continue;
      *refused = i;
      FcConfigDestroy(configuration);
      configuration = NULL;
    }
    if (!configuration) {
      g_object_unref(fonts->map);
      free(fonts);
      return NULL;
    }
    pango_fc_font_map_set_config(PANGO_FC_FONT_MAP(fonts->map), configuration);
    // The map keeps it.
    FcConfigDestroy(configuration);
  }
  // A point is a pixel; nothing is measured by Pango, but bitmap fonts are chosen by it.
  pango_ft2_font_map_set_resolution(PANGO_FT2_FONT_MAP(fonts->map), 72, 72);
  fonts->context = pango_font_map_create_context(fonts->map);
  return fonts;
}

void cpango_fonts_free(cpango_fonts *fonts) {
  g_clear_object(&fonts->matched);
  g_object_unref(fonts->context);
  g_object_unref(fonts->map);
  free(fonts);
}

void cpango_families(cpango_fonts *fonts, void (*visit)(void *context, const char *family), void *context) {
  PangoFontFamily **families = NULL;
  int count = 0;
  pango_font_map_list_families(fonts->map, &families, &count);
  for (int i = 0; i < count; i++) visit(context, pango_font_family_get_name(families[i]));
  g_free(families);
}

// The nearest of Pango's nine widths.
static PangoStretch stretch(double width) {
  static const double percents[] = {50, 62.5, 75, 87.5, 100, 112.5, 125, 150, 200};
  int best = 0;
  for (int i = 1; i < 9; i++) {
    double now = width - percents[i], before = width - percents[best];
    if (now * now < before * before) best = i;
  }
  return (PangoStretch)best;
}

PangoFontDescription *cpango_description(const cpango_request *request) {
  PangoFontDescription *description = pango_font_description_new();
  pango_font_description_set_family(description, request->families);
  pango_font_description_set_weight(description, (PangoWeight)request->weight);
  pango_font_description_set_stretch(description, stretch(request->width));
  pango_font_description_set_style(description, request->slant == 1   ? PANGO_STYLE_ITALIC
                                                : request->slant == 2 ? PANGO_STYLE_OBLIQUE
                                                                      : PANGO_STYLE_NORMAL);
  // The same for all: fonts are placed and scaled by others.
  pango_font_description_set_absolute_size(description, 16 * PANGO_SCALE);
  return description;
}

bool cpango_file(PangoFont *font, cpango_font *file) {
  if (!font || !PANGO_IS_FC_FONT(font)) return false;
  FcPattern *pattern = pango_fc_font_get_pattern(PANGO_FC_FONT(font));
  FcChar8 *path = NULL;
  int index = 0;
  if (FcPatternGetString(pattern, FC_FILE, 0, &path) != FcResultMatch) return false;
  if (FcPatternGetInteger(pattern, FC_INDEX, 0, &index) != FcResultMatch) index = 0;
  *file = (cpango_font){(const char *)path, (uint32_t)index};
  return true;
}

bool cpango_match(cpango_fonts *fonts, const cpango_request *request, cpango_font *font) {
  // A font is asked for in no language: the context has that of the last text, and the locale's before.
  pango_context_set_language(fonts->context, pango_language_from_string("und"));
  PangoFontDescription *description = cpango_description(request);
  PangoFont *found = pango_font_map_load_font(fonts->map, fonts->context, description);
  pango_font_description_free(description);
  g_clear_object(&fonts->matched);
  fonts->matched = found;
  return cpango_file(found, font);
}
