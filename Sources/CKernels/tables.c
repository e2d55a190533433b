// The choice of a table.

#include <stdbool.h>

#include "tables.h"

const struct ckernels_table *ckernels_runnable(int32_t index) {
  const struct ckernels_table *all[] = {ckernels_portable(), ckernels_neon(), ckernels_avx2(), ckernels_avx512()};
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
    if (all[i] && index-- == 0) return all[i];
  }
  return 0;
}

// The first processors with AVX-512 run slower while they use it: on one of them, with VNNI, gradients took 0.7 times as long, but
// fills 1.2 times and frames of 2,000 turned layers 1.06 times. Those that came after them have VBMI too.
static bool avx512_pays(void) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512vbmi");
#else
  return false;
#endif
}

const struct ckernels_table *ckernels_best(void) {
  const struct ckernels_table *best = ckernels_portable(), *next;
  for (int32_t i = 1; (next = ckernels_runnable(i)); i++) {
    if (next != ckernels_avx512() || avx512_pays()) best = next;
  }
  return best;
}
