// The part of Pango that framepace uses: it finds fonts, the font, script and direction of each part of a text, and the places
// where lines may break. No type of Pango or GLib leaves it.
//
// Pango starts threads of its own for new fonts. They take over the caller's signal mask. GLib ends the process where there is no
// memory, or where no thread can be started.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if __has_feature(assume_nonnull)
#pragma clang assume_nonnull begin
#endif

// Fonts, in the order in which they stand in for each other. One thread at a time may use them.
typedef struct cpango_fonts cpango_fonts;

// Those of the files; those of the system's configuration if `count` is 0. NULL if a file holds no font: `refused` is its number then. NULL
// too where calloc or fontconfig has no memory, with `refused` SIZE_MAX or the number of the file.
cpango_fonts *_Nullable cpango_fonts_new(const char *const _Nonnull *_Nullable files, size_t count, size_t *refused);
void cpango_fonts_free(cpango_fonts *fonts);

// Calls `visit` with the name of each family.
void cpango_families(cpango_fonts *fonts, void (*visit)(void *context, const char *family), void *context);

// A font by what it should be.
typedef struct {
  // With commas between them; the first has preference.
  const char *families;
  // 1 to 1000; 400 is regular.
  int32_t weight;
  // In percent of the normal width.
  double width;
  // 0 upright, 1 italic, 2 oblique.
  int32_t slant;
} cpango_request;

// A font in a file. `index` is fontconfig's: the face in the lower half, and the named instance, from 1 on, in the upper one.
typedef struct {
  const char *path;
  uint32_t index;
} cpango_font;

// The font that is nearest to what is asked for. False if there is none. `path` lasts until the next call with `fonts`.
bool cpango_match(cpango_fonts *fonts, const cpango_request *request, cpango_font *font);

// The request for a part of a text, in bytes. The part ends where the next one begins, or the text.
typedef struct {
  uint32_t start;
  cpango_request request;
} cpango_span;

// A part of a text in one font, script, language and direction.
typedef struct {
  uint32_t offset;
  uint32_t length;
  // False if there is no font at all.
  bool has_font;
  cpango_font font;
  // The script's tag of ISO 15924, the first letter highest.
  uint32_t script;
  // The embedding level of UAX 9: odd from right to left.
  uint8_t level;
} cpango_item;

// The direction of a paragraph.
enum { CPANGO_NATURAL = 0, CPANGO_LEFT_TO_RIGHT = 1, CPANGO_RIGHT_TO_LEFT = 2 };

// Calls `visit` with the parts of a paragraph, in the order of the text. The text is valid UTF-8 without zeros; there is at least
// one span, the first begins at 0, and they follow each other. What `visit` gets lasts for the call. Returns the level of the paragraph: 0 or 1.
uint8_t cpango_itemize(cpango_fonts *fonts, const char *text, uint32_t bytes, int32_t direction, const char *language,
                       const cpango_span *spans, size_t span_count, void (*visit)(void *context, const cpango_item *item),
                       void *context);

enum {
  CPANGO_LINE_BREAK = 1,
  CPANGO_MANDATORY_BREAK = 2,
  CPANGO_CHARACTER_BREAK = 4,
  CPANGO_WHITE = 8,
  CPANGO_CURSOR = 16,
  CPANGO_EXPANDABLE = 32,
  CPANGO_HYPHEN = 64,
  CPANGO_WORD_START = 128,
  CPANGO_WORD_END = 256,
};

// Writes what may happen before each byte of a text, and at its end: `bytes` + 1 values, which are 0 inside of characters. The text is
// valid UTF-8 without zeros. False where calloc has no memory. Any thread.
bool cpango_breaks(const char *text, uint32_t bytes, const char *language, uint16_t *flags);

#if __has_feature(assume_nonnull)
#pragma clang assume_nonnull end
#endif
