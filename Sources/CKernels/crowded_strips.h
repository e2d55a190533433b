// Strips with so many edges that the 32 bits of their sums might overflow.
#pragma once

#include "strip_filler.h"

// Moves what the edges so far add to the wide cells and sums.
static bool widen(struct ckernels_filler *f) {
  if (!grow(&f->rooms[WIDE], (size_t)(f->columns + BLOCK) * 4 * sizeof *f->wide)) return false;
  f->wide = f->rooms[WIDE].base;
  for (int64_t word = 0; word <= f->columns / BLOCK >> 6; word++) {
    for (uint64_t bits = f->touched[word]; bits; bits &= bits - 1) {
      int64_t first = (word * 64 + __builtin_ctzll(bits)) * 4 * BLOCK;
      for (int64_t i = first; i < first + 4 * BLOCK; i++) f->wide[i] += (int32_t)f->cells[i];
      memset(f->cells + first, 0, 4 * BLOCK * sizeof *f->cells);
    }
  }
  for (int row = 0; row < 4; row++) f->wide_sums[row] += (int32_t)f->sums[row];
  memset(f->sums, 0, sizeof f->sums);
  f->is_crowded = true;
  return true;
}

// Sums that mean the same as the wide ones: a pixel is covered however many turns there are, or by what is beyond an even number.
static void narrow_sums(struct ckernels_filler *f) {
  for (int row = 0; row < 4; row++) {
    int64_t turns = f->wide_sums[row] < 0 ? -f->wide_sums[row] : f->wide_sums[row];
    f->sums[row] = (uint32_t)(f->even_odd ? turns & (4 * PIXEL * PIXEL - 1) : turns < 1 << 30 ? turns : 1 << 30);
  }
}

// As the kernel `strip_coverage`, from the wide cells.
static void wide_coverage(struct ckernels_filler *f, uint8_t *coverage, int64_t start, int64_t end) {
  for (int64_t column = start; column < end; column++) {
    for (int row = 0; row < 4; row++) f->wide_sums[row] += f->wide[4 * column + row];
    memset(f->wide + 4 * column, 0, 4 * sizeof *f->wide);
    narrow_sums(f);
    for (int row = 0; row < 4; row++) {
      coverage[row * (end - start) + column - start] = strip_pixel(f->sums[row], f->even_odd);
    }
  }
}
