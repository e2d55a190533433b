// The blend modes that mix each colour by itself and need no division, after the W3C's Compositing and Blending Level 1, 5.8
// and 9.1: as·ab·B(cb, cs) + cs·as·(1 − ab) + cb·ab·(1 − as). With the colours s = cs·as and b = cb·ab as they are stored, and
// 255 for 1, all of it is a sum of products, 255·(s + b) − t, that is divided by 255 and rounded once. It is at most 255·255.
#pragma once

#include "pixel.h"

// Computes t for one channel of a source s over a backdrop b, where as and ab are their alphas. `twice` is 2 for a colour, and 1
// for the alpha itself, whose t is as·ab in every mode.
static inline uint32_t blend_difference(enum ckernels_blend mode, uint32_t s, uint32_t b, uint32_t as, uint32_t ab,
                                        uint32_t twice) {
  uint32_t hard_light = mode == CKERNELS_OVERLAY ? 2 * b <= ab : 2 * s <= as;
  uint32_t least = s * ab < b * as ? s * ab : b * as, most = s * ab + b * as - least;
  switch (mode) {
    case CKERNELS_MULTIPLY: return s * ab + b * as - s * b;
    case CKERNELS_SCREEN: return s * b;
    case CKERNELS_OVERLAY:
    case CKERNELS_HARD_LIGHT: return s * ab + b * as - (hard_light ? 2 * s * b : as * ab - 2 * (as - s) * (ab - b));
    case CKERNELS_DARKEN: return most;
    case CKERNELS_LIGHTEN: return least;
    case CKERNELS_DIFFERENCE: return twice * least;
    case CKERNELS_EXCLUSION: return twice * s * b;
  }
}

static inline uint32_t blend_pixel(enum ckernels_blend mode, uint32_t destination, uint32_t source) {
  if (source == 0) return destination;
  uint32_t as = source >> 24, ab = destination >> 24, result = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    uint32_t s = source >> shift & 255, b = destination >> shift & 255;
    // A colour above its alpha counts as one that is equal to it.
    s = s < as ? s : as;
    b = b < ab ? b : ab;
    uint32_t t = 255 * (s + b) - blend_difference(mode, s, b, as, ab, shift == 24 ? 1 : 2) + 128;
    result |= (t + (t >> 8)) >> 8 << shift;
  }
  return result;
}
