// The kernels of source-over, in the vectors of vector.h. A rest that fills no vector is done by the pixel, with the same
// formula.
#pragma once

#include "vector.h"

static void fill(uint32_t *destination, int64_t count, uint32_t color) {
  words colors = repeat(color);
  int64_t i = 0;
  for (; i + 4 * LANES <= count; i += 4 * LANES) {
    for (int k = 0; k < 4; k++) store(destination + i + k * LANES, colors);
  }
  for (; i + LANES <= count; i += LANES) store(destination + i, colors);
#ifdef HAS_PARTS
  if (i < count) store_part(destination + i, count - i, colors);
#else
  for (; i < count; i++) destination[i] = color;
#endif
}

static void over_color(uint32_t *destination, int64_t count, uint32_t color) {
  words colors = repeat(color);
  int64_t i = 0;
  for (; i + LANES <= count; i += LANES) store(destination + i, over_pixels(load(destination + i), colors));
  for (; i < count; i++) destination[i] = over_pixel(destination[i], color);
}

static void over_color_coverage(uint32_t *destination, int64_t count, uint32_t color, const uint8_t *coverage) {
  words colors = repeat(color);
  int64_t i = 0;
  for (; i + LANES <= count; i += LANES) {
    halves factors = load_coverage(coverage + i);
    if (is_zero((words)factors)) continue;
    store(destination + i, over_pixels(load(destination + i), multiply_pixels(colors, factors)));
  }
#ifdef HAS_PARTS
  if (i < count) {
    halves factors = both_halves(load_coverage_part(coverage + i, count - i));
    words pixels = over_pixels(load_part(destination + i, count - i), multiply_pixels(colors, factors));
    store_part(destination + i, count - i, pixels);
  }
#else
  for (; i < count; i++) {
    if (coverage[i]) destination[i] = over_pixel(destination[i], multiply_pixel(color, coverage[i]));
  }
#endif
}

#include "strip_runs.h"

static void over(uint32_t *destination, const uint32_t *source, int64_t count) {
  int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    words pixels[GROUP_VECTORS], any = repeat(0), all = repeat(0xFFFFFFFF);
    for (int k = 0; k < GROUP_VECTORS; k++) {
      pixels[k] = load(source + i + k * LANES);
      any |= pixels[k];
      all &= pixels[k];
    }
    if (__builtin_reduce_and(all | 0x00FFFFFF) == 0xFFFFFFFF) {
      for (int k = 0; k < GROUP_VECTORS; k++) store(destination + i + k * LANES, pixels[k]);
    } else if (!is_zero(any)) {
      for (int k = 0; k < GROUP_VECTORS; k++) {
        uint32_t *place = destination + i + k * LANES;
        store(place, over_pixels(load(place), pixels[k]));
      }
    }
  }
  for (; i < count; i++) destination[i] = over_pixel(destination[i], source[i]);
}

static void over_opacity(uint32_t *destination, const uint32_t *source, int64_t count, uint32_t opacity) {
  halves factors = both_halves(repeat(opacity));
  int64_t i = 0;
  for (; i + LANES <= count; i += LANES) {
    words pixels = load(source + i);
    if (is_zero(pixels)) continue;
    store(destination + i, over_pixels(load(destination + i), multiply_pixels(pixels, factors)));
  }
  for (; i < count; i++) destination[i] = over_pixel(destination[i], multiply_pixel(source[i], opacity));
}

static void over_coverage(uint32_t *destination, const uint32_t *source, int64_t count, const uint8_t *coverage,
                          uint32_t opacity) {
  halves opacities = both_halves(repeat(opacity));
  int64_t i = 0;
  for (; i + LANES <= count; i += LANES) {
    halves factors = load_coverage(coverage + i);
    if (is_zero((words)factors)) continue;
    words pixels = multiply_pixels(load(source + i), divide_255(factors * opacities));
    store(destination + i, over_pixels(load(destination + i), pixels));
  }
  for (; i < count; i++) {
    uint32_t factor = multiply_255(coverage[i], opacity);
    destination[i] = over_pixel(destination[i], multiply_pixel(source[i], factor));
  }
}

// The part of a table that these kernels fill.
#define SOURCE_OVER_KERNELS                                                                              \
  .fill = fill, .over_color = over_color, .over_color_coverage = over_color_coverage, .over = over, \
  .over_opacity = over_opacity, .over_coverage = over_coverage, .over_color_strip = over_color_strip, \
  .keep_uncovered = ckernels_keep_uncovered
