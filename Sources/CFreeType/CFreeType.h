#pragma once
#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_MULTIPLE_MASTERS_H
#include FT_OUTLINE_H
#include FT_TRUETYPE_TABLES_H

// Macros with casts, which Swift does not import.
static inline FT_Int32 cfreetype_load_font_units(void) { return FT_LOAD_NO_SCALE | FT_LOAD_NO_BITMAP; }
// Pictures of glyphs, and what is known of them without their pixels.
static inline FT_Int32 cfreetype_load_pictures(void) { return FT_LOAD_COLOR; }
static inline FT_Int32 cfreetype_load_picture_sizes(void) { return FT_LOAD_COLOR | FT_LOAD_BITMAP_METRICS_ONLY; }
// True for a font whose glyphs are pictures in colour.
static inline int cfreetype_has_pictures(FT_Face _Nonnull face) {
  return !FT_IS_SCALABLE(face) && FT_HAS_FIXED_SIZES(face) && FT_HAS_COLOR(face);
}
// The units of the design per em, which FreeType leaves at 0 for a font of pictures.
static inline int cfreetype_units_per_em(FT_Face _Nonnull face) {
  if (FT_IS_SCALABLE(face)) return face->units_per_EM;
  const TT_Header *header = (const TT_Header *)FT_Get_Sfnt_Table(face, FT_SFNT_HEAD);
  return header ? header->Units_Per_EM : 0;
}
static inline int cfreetype_is_scalable(FT_Face _Nonnull face) { return FT_IS_SCALABLE(face) ? 1 : 0; }
