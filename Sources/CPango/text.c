#include <stdlib.h>

#include "fonts.h"

// The direction of the first letter that has one and is not in an isolate (P2 and P3 of UAX 9); without any from left to right.
static PangoDirection natural_direction(const char *text, uint32_t bytes) {
  int depth = 0;
  for (const char *place = text; place < text + bytes; place = g_utf8_next_char(place)) {
    gunichar character = g_utf8_get_char(place);
    if (character >= 0x2066 && character <= 0x2068) {
      depth++;
    } else if (character == 0x2069) {
      depth -= depth > 0;
    } else if (depth == 0) {
      FriBidiCharType type = fribidi_get_bidi_type(character);
      if (FRIBIDI_IS_LETTER(type)) return FRIBIDI_IS_RTL(type) ? PANGO_DIRECTION_RTL : PANGO_DIRECTION_LTR;
    }
  }
  return PANGO_DIRECTION_LTR;
}

// Asks for no language where the script is none of `language`: Pango would take one that the environment names.
static void leave_other_scripts(PangoAttrList *attributes, PangoLanguage *language, const char *text, uint32_t bytes) {
  PangoScriptIter *runs = pango_script_iter_new(text, (int)bytes);
  do {
    const char *start = NULL, *end = NULL;
    PangoScript script = PANGO_SCRIPT_COMMON;
    pango_script_iter_get_range(runs, &start, &end, &script);
    if (pango_language_includes_script(language, script)) continue;
    PangoAttribute *attribute = pango_attr_language_new(pango_language_from_string("und"));
    attribute->start_index = (guint)(start - text);
    attribute->end_index = (guint)(end - text);
    pango_attr_list_insert(attributes, attribute);
  } while (pango_script_iter_next(runs));
  pango_script_iter_free(runs);
}

uint8_t cpango_itemize(cpango_fonts *fonts, const char *text, uint32_t bytes, int32_t direction, const char *language,
                       const cpango_span *spans, size_t span_count, void (*visit)(void *context, const cpango_item *item),
                       void *context) {
  PangoDirection base = direction == CPANGO_LEFT_TO_RIGHT   ? PANGO_DIRECTION_LTR
                        : direction == CPANGO_RIGHT_TO_LEFT ? PANGO_DIRECTION_RTL
                                                            : natural_direction(text, bytes);
  pango_context_set_language(fonts->context, pango_language_from_string(language));
  PangoAttrList *attributes = pango_attr_list_new();
  leave_other_scripts(attributes, pango_context_get_language(fonts->context), text, bytes);
  for (size_t i = 0; i < span_count; i++) {
    PangoFontDescription *description = cpango_description(&spans[i].request);
    PangoAttribute *attribute = pango_attr_font_desc_new(description);
    pango_font_description_free(description);
    attribute->start_index = spans[i].start;
    attribute->end_index = i + 1 < span_count ? spans[i + 1].start : bytes;
    pango_attr_list_insert(attributes, attribute);
  }
  GList *items = pango_itemize_with_base_dir(fonts->context, base, text, 0, (int)bytes, attributes, NULL);
  pango_attr_list_unref(attributes);
  for (GList *link = items; link; link = link->next) {
    PangoItem *item = link->data;
    cpango_item part = {
        .offset = (uint32_t)item->offset,
        .length = (uint32_t)item->length,
        .script = g_unicode_script_to_iso15924((GUnicodeScript)item->analysis.script),
        .level = item->analysis.level,
    };
    part.has_font = cpango_file(item->analysis.font, &part.font);
    visit(context, &part);
    pango_item_free(item);
  }
  g_list_free(items);
  return base == PANGO_DIRECTION_RTL;
}

bool cpango_breaks(const char *text, uint32_t bytes, const char *language, uint16_t *flags) {
  long count = g_utf8_strlen(text, (gssize)bytes);
  PangoLogAttr *marks = calloc((size_t)count + 1, sizeof *marks);
  if (!marks) return false;
  pango_get_log_attrs(text, (int)bytes, -1, pango_language_from_string(language), marks, (int)count + 1);
  for (uint32_t i = 0; i <= bytes; i++) flags[i] = 0;
  const char *place = text;
  for (long i = 0; i <= count; i++) {
    PangoLogAttr mark = marks[i];
    flags[place - text] =
        (uint16_t)((mark.is_line_break ? CPANGO_LINE_BREAK : 0) | (mark.is_mandatory_break ? CPANGO_MANDATORY_BREAK : 0) |
                   (mark.is_char_break ? CPANGO_CHARACTER_BREAK : 0) | (mark.is_white ? CPANGO_WHITE : 0) |
                   (mark.is_cursor_position ? CPANGO_CURSOR : 0) | (mark.is_expandable_space ? CPANGO_EXPANDABLE : 0) |
                   (mark.break_inserts_hyphen ? CPANGO_HYPHEN : 0) | (mark.is_word_start ? CPANGO_WORD_START : 0) |
                   (mark.is_word_end ? CPANGO_WORD_END : 0));
    if (i < count) place = g_utf8_next_char(place);
  }
  free(marks);
  return true;
}
