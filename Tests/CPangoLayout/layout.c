#include "CPangoLayout.h"

#include <fontconfig/fontconfig.h>
#include <pango/pangofc-fontmap.h>
#include <pango/pangoft2.h>

size_t cpangolayout_line_starts(const char *const *files, size_t file_count, const char *family, double size, const char *text,
                                double width, cpangolayout_wrapping wrapping, uint32_t *starts, size_t capacity) {
  FcConfig *configuration = FcConfigCreate();
  for (size_t i = 0; i < file_count; i++) FcConfigAppFontAddFile(configuration, (const FcChar8 *)files[i]);
  PangoFontMap *map = pango_ft2_font_map_new();
  pango_fc_font_map_set_config(PANGO_FC_FONT_MAP(map), configuration);
  FcConfigDestroy(configuration);
  pango_ft2_font_map_set_resolution(PANGO_FT2_FONT_MAP(map), 72, 72);
  PangoContext *context = pango_font_map_create_context(map);
  pango_context_set_round_glyph_positions(context, FALSE);
  pango_context_set_language(context, pango_language_from_string("und"));

  PangoLayout *layout = pango_layout_new(context);
  PangoFontDescription *description = pango_font_description_new();
  pango_font_description_set_family(description, family);
  pango_font_description_set_absolute_size(description, size * PANGO_SCALE);
  pango_layout_set_font_description(layout, description);
  pango_font_description_free(description);
  pango_layout_set_wrap(layout, wrapping == CPANGOLAYOUT_WORD        ? PANGO_WRAP_WORD
                                : wrapping == CPANGOLAYOUT_CHARACTER ? PANGO_WRAP_CHAR
                                                                     : PANGO_WRAP_WORD_CHAR);
  // No hyphens between any letters.
  PangoAttrList *attributes = pango_attr_list_new();
  if (wrapping != CPANGOLAYOUT_WORD) pango_attr_list_insert(attributes, pango_attr_insert_hyphens_new(FALSE));
  pango_layout_set_attributes(layout, attributes);
  pango_attr_list_unref(attributes);
  pango_layout_set_width(layout, (int)(width * PANGO_SCALE));
  pango_layout_set_text(layout, text, -1);
  size_t count = 0;
  for (GSList *link = pango_layout_get_lines_readonly(layout); link; link = link->next) {
    if (count < capacity) starts[count] = (uint32_t)((PangoLayoutLine *)link->data)->start_index;
    count++;
  }
  g_object_unref(layout);
  g_object_unref(context);
  g_object_unref(map);
  return count;
}
