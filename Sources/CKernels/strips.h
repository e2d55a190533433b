// The coverage of a strip, in the vectors of vector.h. Sums of integers are the same in any order.
#pragma once

#include "vector.h"

// A lane for each row of a strip, and the columns that a vector has of it.
typedef int32_t lanes __attribute__((vector_size(VECTOR_BYTES)));
enum { STRIP_COLUMNS = VECTOR_BYTES / 16 };

static inline words folded(lanes sums, uint32_t even_odd) {
  words covered = (words)__builtin_elementwise_abs(sums) >> STRIP_SHIFT;
  if (even_odd) {
    covered &= 511;
    covered = __builtin_elementwise_min(covered, 511 - covered);
  }
  return __builtin_elementwise_min(covered, (words){} + 255);
}

// The sums of the columns in a vector. `before` has the sum before it in each of its columns.
static inline lanes column_sums(lanes cells, lanes *before) {
#if VECTOR_BYTES == 32
  const lanes none = {};
  cells += __builtin_shufflevector(cells, none, 8, 8, 8, 8, 0, 1, 2, 3);
  cells += *before;
  *before = __builtin_shufflevector(cells, cells, 4, 5, 6, 7, 4, 5, 6, 7);
#else
  *before = cells += *before;
#endif
  return cells;
}

static void strip_coverage(uint8_t *coverage, int64_t stride, uint32_t *cells, int64_t columns, uint32_t *sums,
                           uint32_t even_odd) {
  lanes before;
  for (int v = 0; v < STRIP_COLUMNS; v++) __builtin_memcpy((char *)&before + 16 * v, sums, 16);
  for (int64_t i = 0; i < columns; i += 4) {
    // Each lane gathers the four bytes of its row.
    words bytes = {};
    for (int v = 0; v < 4; v += STRIP_COLUMNS) {
      uint32_t *place = cells + 4 * (i + v);
      bytes |= folded(column_sums((lanes)load(place), &before), even_odd) << 8 * v;
      store(place, (words){});
    }
    uint32_t rows[4] = {};
    for (int v = 0; v < STRIP_COLUMNS; v++) {
      for (int row = 0; row < 4; row++) rows[row] |= bytes[4 * v + row] << 8 * v;
    }
    for (int row = 0; row < 4; row++) __builtin_memcpy(coverage + row * stride + i, &rows[row], 4);
  }
  __builtin_memcpy(sums, &before, 16);
}

// The part of a table that this kernel fills.
#define STRIP_KERNELS .strip_coverage = strip_coverage
