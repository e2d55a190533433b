// The kernels with AVX2, eight pixels at a time.

#include "tables.h"

#if defined(__x86_64__)

#define VECTOR_BYTES 32
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#include "blend.h"
#include "blur.h"
#include "gradient.h"
#include "source_over.h"
#include "strips.h"

void ckernels_strip_coverage_avx2(uint8_t *coverage, int64_t stride, uint32_t *cells, int64_t columns, uint32_t *sums,
                                  uint32_t even_odd) {
  strip_coverage(coverage, stride, cells, columns, sums, even_odd);
}
#pragma clang attribute pop

static const struct ckernels_table table = {
    .name = "AVX2",
    SOURCE_OVER_KERNELS,
    BLEND_KERNELS,
    BLUR_KERNELS,
    GRADIENT_KERNELS,
    .strip_coverage = ckernels_strip_coverage_avx2,
    .sample = ckernels_sample_avx2,
    .find_particles = ckernels_find_particles_avx2,
    .particles = ckernels_particles_avx2,
    .coverage = ckernels_coverage_avx2,
};

const struct ckernels_table *ckernels_avx2(void) { return __builtin_cpu_supports("avx2") ? &table : 0; }

#else

const struct ckernels_table *ckernels_avx2(void) { return 0; }

#endif
