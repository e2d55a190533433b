// The pixels of a particle.
#pragma once

#include <stdbool.h>

#include "pixel.h"

// The channels of a pixel.
typedef uint16_t channels __attribute__((vector_size(8)));
typedef uint8_t channel_bytes __attribute__((vector_size(4)));

static inline channels load_channels(const uint32_t *pixel) {
  channel_bytes bytes;
  __builtin_memcpy(&bytes, pixel, sizeof bytes);
  return __builtin_convertvector(bytes, channels);
}

static inline uint32_t pixel_of_channels(channels value) {
  channel_bytes bytes = __builtin_convertvector(value, channel_bytes);
  uint32_t pixel;
  __builtin_memcpy(&pixel, &bytes, sizeof pixel);
  return pixel;
}

// Half of the smallest weight.
#define PARTICLE_ROUNDING 128

// Part of values: 256 are all of it.
static inline channels part_of(channels values, uint32_t part) {
  typedef uint32_t wide_channels __attribute__((vector_size(16)));
  return __builtin_convertvector((__builtin_convertvector(values, wide_channels) * part) >> 8, channels);
}

// A sprite at a place in it, times a tint. Columns are mixed exactly, and then rows.
static inline uint32_t particle_pixel(const struct ckernels_sprite *sprite, int64_t u, int64_t v, channels tint) {
  const uint32_t *top = sprite->pixels + (v >> 16) * sprite->stride + (u >> 16);
  const uint32_t *bottom = top + sprite->stride;
  const uint16_t right = (uint16_t)(u >> 8 & 255), below = (uint16_t)(v >> 8 & 255);
  channels upper = load_channels(top) * (uint16_t)(256 - right) + load_channels(top + 1) * right;
  channels lower = load_channels(bottom) * (uint16_t)(256 - right) + load_channels(bottom + 1) * right;
  channels sum = upper - part_of(upper, below) + part_of(lower, below);
  channels product = ((sum + 128) >> 8) * tint + 128;
  return pixel_of_channels((product + (product >> 8)) >> 8);
}

// Paints a particle; `compose` gives a pixel of destination and source.
static inline __attribute__((always_inline)) void particle_rows(const struct ckernels_pixels *pixels,
                                                                const struct ckernels_particle *particle,
                                                                uint32_t (*compose)(uint32_t, uint32_t)) {
  const struct ckernels_sprite *sprite = particle->sprite;
  const struct ckernels_box box = particle->box;
  const uint64_t width = (uint64_t)(sprite->width + 1) << 16, height = (uint64_t)(sprite->height + 1) << 16;
  const channels tint = load_channels(&particle->tint);
  for (int32_t y = box.min_y; y < box.max_y; y++) {
    uint32_t *row = (uint32_t *)((uint8_t *)pixels->base + (y - pixels->y) * pixels->bytes_per_row) - pixels->x;
    const int64_t dx = (int64_t)box.min_x - particle->x0, dy = (int64_t)y - particle->y0;
    int64_t u = particle->u + dx * particle->ux + dy * particle->uy + PARTICLE_ROUNDING;
    int64_t v = particle->v + dx * particle->vx + dy * particle->vy + PARTICLE_ROUNDING;
    for (int32_t x = box.min_x; x < box.max_x; x++, u += particle->ux, v += particle->vx) {
      if ((uint64_t)u >= width || (uint64_t)v >= height) continue;
      uint32_t source = particle_pixel(sprite, u, v, tint);
      if (source) row[x] = compose(row[x], source);
    }
  }
}

// Asks the memory for the pixels of a particle that is painted a few particles later: it lies anywhere, and each row would be waited
// for.
static inline void prefetch_particle(const struct ckernels_pixels *pixels, const struct ckernels_particle *particle) {
  const struct ckernels_box box = particle->box;
  const uint8_t *row = (const uint8_t *)(pixels->base + (box.min_x - pixels->x));
  row += (int64_t)(box.min_y - pixels->y) * pixels->bytes_per_row;
  for (int32_t y = box.min_y; y < box.max_y; y++, row += pixels->bytes_per_row) {
    __builtin_prefetch(row, 1);
    __builtin_prefetch(row + 4 * (box.max_x - box.min_x - 1), 1);
  }
}

enum { PARTICLES_AHEAD = 6 };
