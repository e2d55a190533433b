// Particles with AVX2, eight pixels at a time.

#include "tables.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define VECTOR_BYTES 32
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#include "particle_finder.h"
#include "particle_painter.h"

static inline words pick(const uint32_t *pixels, words places) {
  const words first = load(pixels), second = load(pixels + LANES);
  const __m256 low = _mm256_permutevar8x32_ps((__m256)first, (__m256i)places);
  const __m256 high = _mm256_permutevar8x32_ps((__m256)second, (__m256i)places);
  return (words)_mm256_blendv_ps(low, high, (__m256)(places << 28));
}

static inline words load_shown(const uint32_t *pixels, words shown) {
  return (words)_mm256_maskload_epi32((const int *)pixels, (__m256i)shown);
}

static inline void store_shown(uint32_t *pixels, words shown, words value) {
  _mm256_maskstore_epi32((int *)pixels, (__m256i)shown, (__m256i)value);
}

void ckernels_particles_avx2(const struct ckernels_pixels *pixels, const struct ckernels_particle *particles, int64_t count,
                             uint32_t adds) {
  paint_particles(pixels, particles, count, adds);
}

int64_t ckernels_find_particles_avx2(const struct ckernels_emission *emission, struct ckernels_box box, int64_t *next,
                                     int64_t end, struct ckernels_particle *particles, int64_t capacity) {
  return find_particles(emission, box, next, end, particles, capacity);
}
#pragma clang attribute pop

#endif
