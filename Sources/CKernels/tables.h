// The tables of kernels, and those kernels that several of them share.
#pragma once

#include "CKernels.h"

const struct ckernels_table *ckernels_portable(void);
// These return NULL where the processor does not have the instructions.
const struct ckernels_table *ckernels_avx2(void);
const struct ckernels_table *ckernels_avx512(void);
const struct ckernels_table *ckernels_neon(void);

void ckernels_sample_portable(uint32_t *destination, int64_t count, int32_t x, int32_t y,
                              const struct ckernels_sampler *sampler);
void ckernels_sample_avx2(uint32_t *destination, int64_t count, int32_t x, int32_t y,
                          const struct ckernels_sampler *sampler);
void ckernels_sample_neon(uint32_t *destination, int64_t count, int32_t x, int32_t y,
                          const struct ckernels_sampler *sampler);
void ckernels_keep_uncovered(uint32_t *destination, const uint32_t *before, int64_t count, const uint8_t *coverage);
void ckernels_particles_portable(const struct ckernels_pixels *pixels, const struct ckernels_particle *particles, int64_t count,
                                 uint32_t adds);
void ckernels_particles_avx2(const struct ckernels_pixels *pixels, const struct ckernels_particle *particles, int64_t count,
                             uint32_t adds);
void ckernels_particles_avx512(const struct ckernels_pixels *pixels, const struct ckernels_particle *particles, int64_t count,
                               uint32_t adds);
int64_t ckernels_find_particles_portable(const struct ckernels_emission *emission, struct ckernels_box box, int64_t *next,
                                         int64_t end, struct ckernels_particle *particles, int64_t capacity);
int64_t ckernels_find_particles_avx2(const struct ckernels_emission *emission, struct ckernels_box box, int64_t *next, int64_t end,
                                     struct ckernels_particle *particles, int64_t capacity);
int64_t ckernels_find_particles_avx512(const struct ckernels_emission *emission, struct ckernels_box box, int64_t *next, int64_t end,
                                       struct ckernels_particle *particles, int64_t capacity);
void ckernels_coverage_portable(uint8_t *coverage, int64_t count, int32_t x, int32_t y, const struct ckernels_shape *shape);
void ckernels_coverage_avx2(uint8_t *coverage, int64_t count, int32_t x, int32_t y, const struct ckernels_shape *shape);
void ckernels_strip_coverage_avx2(uint8_t *coverage, int64_t stride, uint32_t *cells, int64_t columns, uint32_t *sums,
                                  uint32_t even_odd);
