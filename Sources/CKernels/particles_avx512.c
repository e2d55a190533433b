// Particles with AVX-512: eight are found at a time, and eight pixels are painted.

#include "tables.h"

#if defined(__x86_64__)

#include <immintrin.h>

#pragma clang attribute push(__attribute__((target("avx2,avx512f,avx512bw,avx512vl,avx512dq"))), apply_to = function)
#define VECTOR_BYTES 64
#include "particle_finder.h"
#undef VECTOR_BYTES
// Most rows of particles are short.
#define VECTOR_BYTES 32
#include "particle_painter.h"

static inline words pick(const uint32_t *pixels, words places) {
  const words first = load(pixels), second = load(pixels + LANES);
  return (words)_mm256_permutex2var_epi32((__m256i)first, (__m256i)places, (__m256i)second);
}

static inline uint32_t mask_of(words shown) { return _mm256_movepi32_mask((__m256i)shown); }

static inline words load_shown(const uint32_t *pixels, words shown) {
  return (words)_mm256_maskz_loadu_epi32((__mmask8)mask_of(shown), pixels);
}

static inline void store_shown(uint32_t *pixels, words shown, words value) {
  _mm256_mask_storeu_epi32(pixels, (__mmask8)mask_of(shown), (__m256i)value);
}

void ckernels_particles_avx512(const struct ckernels_pixels *pixels, const struct ckernels_particle *particles, int64_t count,
                               uint32_t adds) {
  paint_particles(pixels, particles, count, adds);
}

int64_t ckernels_find_particles_avx512(const struct ckernels_emission *emission, struct ckernels_box box, int64_t *next,
                                       int64_t end, struct ckernels_particle *particles, int64_t capacity) {
  return find_particles(emission, box, next, end, particles, capacity);
}
#pragma clang attribute pop

#endif

