#pragma once
#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_MULTIPLE_MASTERS_H
#include FT_OUTLINE_H

// Macros with casts, which Swift does not import.
static inline FT_Int32 cfreetype_load_font_units(void) { return FT_LOAD_NO_SCALE | FT_LOAD_NO_BITMAP; }
static inline int cfreetype_is_scalable(FT_Face _Nonnull face) { return FT_IS_SCALABLE(face) ? 1 : 0; }
