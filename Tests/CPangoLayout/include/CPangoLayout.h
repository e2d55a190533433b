// Pango's own paragraphs, to compare lines with.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { CPANGOLAYOUT_WORD, CPANGOLAYOUT_CHARACTER, CPANGOLAYOUT_WORD_THEN_CHARACTER } cpangolayout_wrapping;

// Writes the bytes at which lines of a paragraph begin that is `width` wide, up to `capacity` of them, and returns their number. It is set
// in a family of the files, with no other font.
size_t cpangolayout_line_starts(const char *const *files, size_t file_count, const char *family, double size, const char *text,
                                double width, cpangolayout_wrapping wrapping, uint32_t *starts, size_t capacity);
