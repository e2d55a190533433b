// Particles with AVX2, eight pixels at a time.

#include "particle_rows.h"
#include "tables.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define VECTOR_BYTES 32
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#include "particle_finder.h"
#include "vector.h"

// A particle's numbers in all lanes.
struct particle_lanes {
  const uint32_t *pixels;
  words stride, width, height, u_steps, v_steps;
  // The factors of blue and red, and of green and alpha.
  halves even_tint, odd_tint;
};

static inline words gather(const uint32_t *pixels, words index) {
  return (words)_mm256_i32gather_epi32((const int *)pixels, (__m256i)index, 4);
}

// Sprite times tint at eight places; clear in lanes that are not `shown`.
static inline words particle_pixels(const struct particle_lanes *lanes, words u, words v, words shown) {
  words top = ((v >> 16) * lanes->stride + (u >> 16)) & shown, bottom = top + lanes->stride;
  words right = u >> 8 & 255, below = v >> 8 & 255, both = (right * below + 128) >> 8;
  words p00 = gather(lanes->pixels, top), p01 = gather(lanes->pixels, top + 1);
  words p10 = gather(lanes->pixels, bottom), p11 = gather(lanes->pixels, bottom + 1);
  halves w00 = both_halves(256 - right - below + both), w01 = both_halves(right - both), w10 = both_halves(below - both),
         w11 = both_halves(both);
  halves even = even_bytes(p00) * w00 + even_bytes(p01) * w01 + even_bytes(p10) * w10 + even_bytes(p11) * w11;
  halves odd = odd_bytes(p00) * w00 + odd_bytes(p01) * w01 + odd_bytes(p10) * w10 + odd_bytes(p11) * w11;
  even = divide_255(((even + 128) >> 8) * lanes->even_tint);
  odd = divide_255(((odd + 128) >> 8) * lanes->odd_tint);
  return join_bytes(even, odd) & shown;
}

static inline words compose(words destination, words source, uint32_t adds) {
  return adds ? (words)__builtin_elementwise_add_sat((bytes)destination, (bytes)source) : over_pixels(destination, source);
}

static void paint(const struct ckernels_pixels *pixels, const struct ckernels_particle *particle, uint32_t adds) {
  const struct ckernels_sprite *sprite = particle->sprite;
  const struct ckernels_box box = particle->box;
  const words lane = {0, 1, 2, 3, 4, 5, 6, 7};
  const uint32_t tint = particle->tint;
  const struct particle_lanes lanes = {
      .pixels = sprite->pixels,
      .stride = repeat((uint32_t)sprite->stride),
      .width = repeat((uint32_t)(sprite->width + 1) << 16),
      .height = repeat((uint32_t)(sprite->height + 1) << 16),
      .u_steps = lane * (uint32_t)particle->ux,
      .v_steps = lane * (uint32_t)particle->vx,
      .even_tint = (halves)repeat(tint & 0x00FF00FF),
      .odd_tint = (halves)repeat(tint >> 8 & 0x00FF00FF),
  };
  const int32_t columns = box.max_x - box.min_x;
  const uint32_t dx = (uint32_t)(box.min_x - particle->x0);
  uint32_t *row = (uint32_t *)((uint8_t *)pixels->base + (box.min_y - pixels->y) * pixels->bytes_per_row) +
                  (box.min_x - pixels->x);
  for (int32_t y = box.min_y; y < box.max_y; y++, row = (uint32_t *)((uint8_t *)row + pixels->bytes_per_row)) {
    const uint32_t dy = (uint32_t)(y - particle->y0);
    const uint32_t first_u = (uint32_t)particle->u + dx * (uint32_t)particle->ux + dy * (uint32_t)particle->uy + PARTICLE_ROUNDING;
    const uint32_t first_v = (uint32_t)particle->v + dx * (uint32_t)particle->vx + dy * (uint32_t)particle->vy + PARTICLE_ROUNDING;
    for (int32_t done = 0; done < columns; done += LANES) {
      // The last eight of a row may be some that were painted before: those are left out.
      const int32_t start = columns >= LANES && done + LANES > columns ? columns - LANES : done;
      words u = first_u + (uint32_t)start * (uint32_t)particle->ux + lanes.u_steps;
      words v = first_v + (uint32_t)start * (uint32_t)particle->vx + lanes.v_steps;
      words shown = (words)(u < lanes.width) & (words)(v < lanes.height) & (words)(lane >= (uint32_t)(done - start));
      if (columns < LANES) shown &= (words)(lane < (uint32_t)columns);
      if (is_zero(shown)) continue;
      const words source = particle_pixels(&lanes, u, v, shown);
      if (columns < LANES) {
        words destination = (words)_mm256_maskload_epi32((const int *)row, (__m256i)shown);
        _mm256_maskstore_epi32((int *)row, (__m256i)shown, (__m256i)compose(destination, source, adds));
      } else {
        store(row + start, compose(load(row + start), source, adds));
      }
    }
  }
}

// True if all places of the particle in its box are numbers of 32 bits.
static inline bool is_narrow(const struct ckernels_particle *particle) {
  const struct ckernels_box box = particle->box;
  const struct ckernels_sprite *sprite = particle->sprite;
  int64_t left = (int64_t)box.min_x - particle->x0, right = (int64_t)box.max_x - particle->x0;
  int64_t top = (int64_t)box.min_y - particle->y0, bottom = (int64_t)box.max_y - particle->y0;
  int64_t dx = (left < 0 ? -left : left) + (right < 0 ? -right : right) + LANES;
  int64_t dy = (top < 0 ? -top : top) + (bottom < 0 ? -bottom : bottom);
  const int64_t limit = (int64_t)1 << 31;
  int64_t u = dx * (particle->ux < 0 ? -particle->ux : particle->ux) + dy * (particle->uy < 0 ? -particle->uy : particle->uy);
  int64_t v = dx * (particle->vx < 0 ? -particle->vx : particle->vx) + dy * (particle->vy < 0 ? -particle->vy : particle->vy);
  // Below zero they are above all numbers in the sprite.
  int64_t reach = (int64_t)(sprite->width + sprite->height + 2) << 16;
  return u + reach < limit && v + reach < limit && sprite->stride * (sprite->height + 2) < limit / 4;
}

void ckernels_particles_avx2(const struct ckernels_pixels *pixels, const struct ckernels_particle *particles, int64_t count,
                             uint32_t adds) {
  for (int64_t i = 0; i < count; i++) {
    if (i + PARTICLES_AHEAD < count) prefetch_particle(pixels, &particles[i + PARTICLES_AHEAD]);
    if (is_narrow(&particles[i])) {
      paint(pixels, &particles[i], adds);
    } else {
      ckernels_particles_portable(pixels, &particles[i], 1, adds);
    }
  }
}

int64_t ckernels_find_particles_avx2(const struct ckernels_emission *emission, struct ckernels_box box, int64_t *next,
                                     int64_t end, struct ckernels_particle *particles, int64_t capacity) {
  return find_particles(emission, box, next, end, particles, capacity);
}
#pragma clang attribute pop

#endif
