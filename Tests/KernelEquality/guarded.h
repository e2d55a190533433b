// A row of memory between two pages that nobody may touch: a byte read or written beyond it ends the program.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct guarded_row {
  uint8_t *start;
  size_t size;
};

// Ends the program when there is no memory.
struct guarded_row guarded_row(void);

// Returns the place of `bytes` bytes in the row: directly behind the first guard page with `lead` bytes between, or directly
// before the last one if `lead` is negative.
static inline void *guarded_place(const struct guarded_row *row, size_t bytes, int lead) {
  return lead < 0 ? row->start + row->size - bytes : row->start + lead;
}
