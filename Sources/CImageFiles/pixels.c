// Conversions of rows of pixels, and the reduction of a picture to a smaller size.

#include "CImageFiles.h"

#include <stdlib.h>
#include <string.h>

// The product of two bytes divided by 255, rounded to the nearest: (x + 128) · 257 / 65,536 is that for each of them.
static inline uint32_t share(uint32_t value, uint32_t of) { return ((value * of + 128) * 257) >> 16; }

void cimagefiles_premultiply(uint32_t *pixels, size_t count) {
  for (size_t x = 0; x < count; x++) {
    uint32_t pixel = pixels[x], alpha = pixel >> 24;
    pixels[x] = alpha << 24 | share(pixel >> 16 & 0xFF, alpha) << 16 | share(pixel >> 8 & 0xFF, alpha) << 8 |
                share(pixel & 0xFF, alpha);
  }
}

void cimagefiles_draw_over(uint32_t *pixels, const uint32_t *drawn, size_t count) {
  for (size_t x = 0; x < count; x++) {
    uint32_t over = drawn[x], under = pixels[x], alpha = over >> 24;
    if (alpha == 255 || under >> 24 == 0) pixels[x] = over;
    if (alpha == 0 || alpha == 255 || under >> 24 == 0) continue;
    // The shares of both, times 255 · 255.
    uint32_t upper = alpha * 255, lower = (255 - alpha) * (under >> 24), whole = upper + lower;
    uint32_t result = (whole + 127) / 255 << 24;
    for (int shift = 0; shift < 24; shift += 8) {
      uint32_t sum = (over >> shift & 0xFF) * upper + (under >> shift & 0xFF) * lower;
      result |= (sum + whole / 2) / whole << shift;
    }
    pixels[x] = result;
  }
}

void cimagefiles_swap_red_and_blue(uint32_t *pixels, size_t count) {
  for (size_t x = 0; x < count; x++) {
    uint32_t pixel = pixels[x];
    pixels[x] = (pixel & 0xFF00FF00) | (pixel & 0xFF) << 16 | (pixel >> 16 & 0xFF);
  }
}

void cimagefiles_plain_cmyk(uint32_t *pixels, size_t count) {
  for (size_t x = 0; x < count; x++) {
    uint32_t pixel = pixels[x], black = pixel >> 24;
    pixels[x] = 0xFF000000 | share(pixel & 0xFF, black) << 16 | share(pixel >> 8 & 0xFF, black) << 8 |
                share(pixel >> 16 & 0xFF, black);
  }
}

void cimagefiles_invert(uint32_t *pixels, size_t count) {
  for (size_t x = 0; x < count; x++) pixels[x] = ~pixels[x];
}

void cimagefiles_make_opaque(uint32_t *pixels, size_t count) {
  for (size_t x = 0; x < count; x++) pixels[x] |= 0xFF000000;
}

typedef uint32_t four __attribute__((vector_size(16)));
typedef uint64_t four_long __attribute__((vector_size(32)));
typedef uint8_t four_bytes __attribute__((vector_size(4)));

struct cimagefiles_reduction {
  uint32_t width, height, result_width, result_height;
  // A pixel of the picture is `result_height` units high, and one of the result `height`. So many units of the current row of
  // the result are yet to come.
  uint32_t missing;
  // The means of the last row taken, times the width.
  four *line;
  // The sums of these over the units of the current row of the result.
  four_long *sums;
};

struct cimagefiles_reduction *cimagefiles_reduction_open(uint32_t width, uint32_t height, uint32_t result_width,
                                                         uint32_t result_height) {
  struct cimagefiles_reduction *reduction = calloc(1, sizeof *reduction);
  if (!reduction) return NULL;
  *reduction = (struct cimagefiles_reduction){width, height, result_width, result_height, height, NULL, NULL};
  reduction->line = aligned_alloc(sizeof(four_long), ((size_t)result_width * sizeof(four) + 31) & ~(size_t)31);
  reduction->sums = aligned_alloc(sizeof(four_long), result_width * sizeof(four_long));
  if (!reduction->line || !reduction->sums) {
    cimagefiles_reduction_close(reduction);
    return NULL;
  }
  memset(reduction->sums, 0, result_width * sizeof(four_long));
  return reduction;
}

void cimagefiles_reduction_close(struct cimagefiles_reduction *reduction) {
  free(reduction->line);
  free(reduction->sums);
  free(reduction);
}

static inline four parts(uint32_t pixel) {
  four_bytes bytes;
  memcpy(&bytes, &pixel, sizeof bytes);
  return __builtin_convertvector(bytes, four);
}

// The same across: a pixel of the picture is `result_width` units wide, one of the result `width`.
static void reduce_line(const struct cimagefiles_reduction *reduction, const uint32_t *row) {
  uint32_t unit = reduction->result_width, whole = reduction->width, missing = whole;
  four sum = {0};
  four *result = reduction->line;
  for (uint32_t x = 0; x < whole; x++) {
    four pixel = parts(row[x]);
    if (missing > unit) {
      sum += pixel * unit;
      missing -= unit;
    } else {
      *result++ = sum + pixel * missing;
      sum = pixel * (unit - missing);
      missing += whole - unit;
    }
  }
}

bool cimagefiles_reduction_add(struct cimagefiles_reduction *reduction, const uint32_t *row, uint32_t *result) {
  reduce_line(reduction, row);
  uint32_t unit = reduction->result_height, count = reduction->result_width;
  const four *line = reduction->line;
  four_long *sums = reduction->sums;
  if (reduction->missing > unit) {
    for (uint32_t x = 0; x < count; x++) sums[x] += __builtin_convertvector(line[x], four_long) * unit;
    reduction->missing -= unit;
    return false;
  }
  uint64_t area = (uint64_t)reduction->width * reduction->height;
  uint32_t last = reduction->missing, rest = unit - last;
  for (uint32_t x = 0; x < count; x++) {
    four_long whole = sums[x] + __builtin_convertvector(line[x], four_long) * last;
    uint32_t pixel = 0;
    // The sums are below 2^40 and the quotients are rounded once, so that they are whole numbers where they should be.
    for (int i = 0; i < 4; i++) pixel |= (uint32_t)((double)(whole[i] + area / 2) / (double)area) << (8 * i);
    result[x] = pixel;
    sums[x] = __builtin_convertvector(line[x], four_long) * rest;
  }
  reduction->missing += reduction->height - unit;
  return true;
}
