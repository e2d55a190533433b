// The kernels of a blur, in the vectors of vector.h. Sums of integers are the same in any order.
#pragma once

#include "vector.h"

// A 16-bit value for each pixel of a vector.
typedef uint16_t sums __attribute__((vector_size(VECTOR_BYTES / 2)));

enum { BLUR_VECTORS = 4 };

// Makes `vectors` vectors of pixels, in one pass over the weights.
__attribute__((always_inline)) static inline void blur_row_vectors(uint16_t *result, const uint8_t *source,
                                                                   const uint32_t *weights, int64_t taps, const int vectors) {
  words sum[BLUR_VECTORS] = {};
  for (int64_t k = 0; k < taps; k++) {
    for (int v = 0; v < vectors; v++) {
      coverage_bytes values;
      __builtin_memcpy(&values, source + v * LANES + k, sizeof values);
      sum[v] += __builtin_convertvector(values, words) * weights[k];
    }
  }
  for (int v = 0; v < vectors; v++) {
    sums values = __builtin_convertvector(sum[v] >> 8, sums);
    __builtin_memcpy(result + v * LANES, &values, sizeof values);
  }
}

static void blur_row(uint16_t *result, const uint8_t *source, int64_t count, const uint32_t *weights, int64_t taps) {
  int64_t i = 0;
  for (; i + BLUR_VECTORS * LANES <= count; i += BLUR_VECTORS * LANES) {
    blur_row_vectors(result + i, source + i, weights, taps, BLUR_VECTORS);
  }
  for (; i + LANES <= count; i += LANES) blur_row_vectors(result + i, source + i, weights, taps, 1);
  // The last vector begins before the rest, and makes some pixels once more.
  if (i < count && count >= LANES) {
    return blur_row_vectors(result + count - LANES, source + count - LANES, weights, taps, 1);
  }
  for (; i < count; i++) result[i] = blur_row_pixel(source + i, weights, taps);
}

__attribute__((always_inline)) static inline void blur_column_vectors(uint8_t *result, const uint16_t *source, int64_t stride,
                                                                      const uint32_t *weights, int64_t taps,
                                                                      const int vectors) {
  words sum[BLUR_VECTORS] = {};
  for (int64_t k = 0; k < taps; k++) {
    for (int v = 0; v < vectors; v++) {
      sums values;
      __builtin_memcpy(&values, source + v * LANES + k * stride, sizeof values);
      sum[v] += __builtin_convertvector(values, words) * weights[k];
    }
  }
  for (int v = 0; v < vectors; v++) {
    coverage_bytes values = __builtin_convertvector((sum[v] + BLUR_ROUNDING) >> 24, coverage_bytes);
    __builtin_memcpy(result + v * LANES, &values, sizeof values);
  }
}

static void blur_columns(uint8_t *result, const uint16_t *source, int64_t stride, int64_t count, const uint32_t *weights,
                         int64_t taps) {
  int64_t i = 0;
  for (; i + BLUR_VECTORS * LANES <= count; i += BLUR_VECTORS * LANES) {
    blur_column_vectors(result + i, source + i, stride, weights, taps, BLUR_VECTORS);
  }
  for (; i + LANES <= count; i += LANES) blur_column_vectors(result + i, source + i, stride, weights, taps, 1);
  if (i < count && count >= LANES) {
    return blur_column_vectors(result + count - LANES, source + count - LANES, stride, weights, taps, 1);
  }
  for (; i < count; i++) result[i] = blur_column_pixel(source + i, stride, weights, taps);
}

// The part of a table that these kernels fill.
#define BLUR_KERNELS .blur_row = blur_row, .blur_columns = blur_columns
