// The kernels that do not compose by source-over, in the vectors of vector.h.
#pragma once

#include "blend_pixel.h"
#include "vector.h"

// As `blend_difference` of a pixel. Sums may wrap at 2¹⁶ on the way.
static inline halves blend_differences(enum ckernels_blend mode, halves s, halves b, halves as, halves ab, halves twice) {
  halves dark = mode == CKERNELS_OVERLAY ? (halves)(2 * b <= ab) : (halves)(2 * s <= as);
  switch (mode) {
    case CKERNELS_MULTIPLY: return s * ab + b * as - s * b;
    case CKERNELS_SCREEN: return s * b;
    case CKERNELS_OVERLAY:
    case CKERNELS_HARD_LIGHT:
      return s * ab + b * as - ((dark & (2 * s * b)) | (~dark & (as * ab - 2 * (as - s) * (ab - b))));
    case CKERNELS_DARKEN: return __builtin_elementwise_max(s * ab, b * as);
    case CKERNELS_LIGHTEN: return __builtin_elementwise_min(s * ab, b * as);
    case CKERNELS_DIFFERENCE: return twice * __builtin_elementwise_min(s * ab, b * as);
    case CKERNELS_EXCLUSION: return twice * s * b;
  }
}

static inline halves blend_channels(enum ckernels_blend mode, halves s, halves b, halves as, halves ab, halves twice) {
  s = __builtin_elementwise_min(s, as);
  b = __builtin_elementwise_min(b, ab);
  return divide_255(255 * (s + b) - blend_differences(mode, s, b, as, ab, twice));
}

static inline words blend_pixels(enum ckernels_blend mode, words destination, words source) {
  halves as = both_halves(source >> 24), ab = both_halves(destination >> 24);
  // The alpha is the upper one of the odd bytes.
  halves even = blend_channels(mode, even_bytes(source), even_bytes(destination), as, ab, (halves)repeat(0x00020002));
  halves odd = blend_channels(mode, odd_bytes(source), odd_bytes(destination), as, ab, (halves)repeat(0x00010002));
  // As in the skipped vectors, a clear source leaves what is there, also where a colour is above its alpha.
  words clear = (words)(source == 0);
  return (destination & clear) | (join_bytes(even, odd) & ~clear);
}

// Inlined with each mode, so that the loops do not choose one.
__attribute__((always_inline)) static inline void blend_row(uint32_t *destination, const uint32_t *source, int64_t count,
                                                            uint32_t opacity, enum ckernels_blend mode) {
  halves factors = both_halves(repeat(opacity));
  int64_t i = 0;
  for (; i + LANES <= count; i += LANES) {
    words pixels = load(source + i);
    if (is_zero(pixels)) continue;
    store(destination + i, blend_pixels(mode, load(destination + i), multiply_pixels(pixels, factors)));
  }
  for (; i < count; i++) destination[i] = blend_pixel(mode, destination[i], multiply_pixel(source[i], opacity));
}

static void blend(uint32_t *destination, const uint32_t *source, int64_t count, uint32_t opacity, enum ckernels_blend mode) {
  switch (mode) {
    case CKERNELS_MULTIPLY: return blend_row(destination, source, count, opacity, CKERNELS_MULTIPLY);
    case CKERNELS_SCREEN: return blend_row(destination, source, count, opacity, CKERNELS_SCREEN);
    case CKERNELS_OVERLAY: return blend_row(destination, source, count, opacity, CKERNELS_OVERLAY);
    case CKERNELS_HARD_LIGHT: return blend_row(destination, source, count, opacity, CKERNELS_HARD_LIGHT);
    case CKERNELS_DARKEN: return blend_row(destination, source, count, opacity, CKERNELS_DARKEN);
    case CKERNELS_LIGHTEN: return blend_row(destination, source, count, opacity, CKERNELS_LIGHTEN);
    case CKERNELS_DIFFERENCE: return blend_row(destination, source, count, opacity, CKERNELS_DIFFERENCE);
    case CKERNELS_EXCLUSION: return blend_row(destination, source, count, opacity, CKERNELS_EXCLUSION);
  }
}

static void mask(uint32_t *destination, const uint32_t *mask, int64_t count, uint32_t opacity) {
  halves opacities = both_halves(repeat(opacity));
  int64_t i = 0;
  for (; i + LANES <= count; i += LANES) {
    halves factors = divide_255(both_halves(load(mask + i) >> 24) * opacities);
    store(destination + i, multiply_pixels(load(destination + i), factors));
  }
  for (; i < count; i++) destination[i] = multiply_pixel(destination[i], multiply_255(mask[i] >> 24, opacity));
}

static void mix(uint32_t *destination, const uint32_t *source, int64_t count, uint32_t share) {
  halves shares = both_halves(repeat(share)), rests = 255 - shares;
  int64_t i = 0;
  for (; i + LANES <= count; i += LANES) {
    words old = load(destination + i), new = load(source + i);
    halves even = even_bytes(old) * rests + even_bytes(new) * shares;
    halves odd = odd_bytes(old) * rests + odd_bytes(new) * shares;
    store(destination + i, join_bytes(divide_255(even), divide_255(odd)));
  }
  for (; i < count; i++) destination[i] = mix_pixel(destination[i], source[i], share);
}

// The part of a table that these kernels fill.
#define BLEND_KERNELS .blend = blend, .mask = mask, .mix = mix
