// The kernels with AVX-512, sixteen pixels at a time. The others are those of AVX2.

#include "tables.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define VECTOR_BYTES 64
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl"))), apply_to = function)
#include "vector.h"

// The first pixels of a vector: the others are neither read nor written.
#define HAS_PARTS
static inline words load_part(const uint32_t *pixels, int64_t count) {
  return (words)_mm512_maskz_loadu_epi32((__mmask16)((1u << count) - 1), pixels);
}
static inline void store_part(uint32_t *pixels, int64_t count, words value) {
  _mm512_mask_storeu_epi32(pixels, (__mmask16)((1u << count) - 1), (__m512i)value);
}
static inline words load_coverage_part(const uint8_t *coverage, int64_t count) {
  return (words)_mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8((__mmask16)((1u << count) - 1), coverage));
}

#include "blend.h"
#include "blur.h"
#include "gradient.h"
#include "source_over.h"
#pragma clang attribute pop

static const struct ckernels_table table = {
    .name = "AVX-512",
    SOURCE_OVER_KERNELS,
    BLEND_KERNELS,
    BLUR_KERNELS,
    GRADIENT_KERNELS,
    .strip_coverage = ckernels_strip_coverage_avx2,
    .sample = ckernels_sample_avx2,
    .find_particles = ckernels_find_particles_avx512,
    .particles = ckernels_particles_avx512,
    .coverage = ckernels_coverage_avx2,
};

const struct ckernels_table *ckernels_avx512(void) {
  const int supported = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512vl") && ckernels_avx2();
  return supported ? &table : 0;
}

#else

const struct ckernels_table *ckernels_avx512(void) { return 0; }

#endif
