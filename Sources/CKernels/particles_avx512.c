// The finder of particles with AVX-512.

#include "tables.h"

#if defined(__x86_64__)

#define VECTOR_BYTES 64
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"))), apply_to = function)
#include "particle_finder.h"

int64_t ckernels_find_particles_avx512(const struct ckernels_emission *emission, struct ckernels_box box, int64_t *next,
                                       int64_t end, struct ckernels_particle *particles, int64_t capacity) {
  return find_particles(emission, box, next, end, particles, capacity);
}
#pragma clang attribute pop

#endif

