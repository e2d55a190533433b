// The choice of a table.

#include "tables.h"

const struct ckernels_table *ckernels_runnable(int32_t index) {
  const struct ckernels_table *all[] = {ckernels_portable(), ckernels_neon(), ckernels_avx2(), ckernels_avx512()};
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
    if (all[i] && index-- == 0) return all[i];
  }
  return 0;
}

const struct ckernels_table *ckernels_best(void) {
  const struct ckernels_table *best = ckernels_portable(), *next;
  for (int32_t i = 1; (next = ckernels_runnable(i)); i++) best = next;
  return best;
}
