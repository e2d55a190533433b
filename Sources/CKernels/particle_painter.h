// Paints particles, eight pixels at a time, by vectors of 32 bytes. The file that includes this defines the functions for which AVX-512
// has instructions of its own.
#pragma once

#include "particle_rows.h"
#include "vector.h"

// Pixels of a sprite and their right neighbours.
struct pair {
  words left, right;
};

// Those of the first sixteen pixels that lie at places from 0 to 15.
static inline words pick(const uint32_t *pixels, words places);
// Reads and writes the pixels that are shown: those whose lanes are all ones. The others are neither read nor written.
static inline words load_shown(const uint32_t *pixels, words shown);
static inline void store_shown(uint32_t *pixels, words shown, words value);

// The pixels at places in a sprite.
static inline struct pair gather(const uint32_t *pixels, words places) {
  // The order in which a shuffle within both halves leaves all pixels in theirs.
  const __m256i order = _mm256_permute4x64_epi64((__m256i)places, _MM_SHUFFLE(3, 1, 2, 0));
  const long long *pairs = (const long long *)pixels;
  __m256 low = (__m256)_mm256_i32gather_epi64(pairs, _mm256_castsi256_si128(order), 4);
  __m256 high = (__m256)_mm256_i32gather_epi64(pairs, _mm256_extracti128_si256(order, 1), 4);
  return (struct pair){(words)_mm256_shuffle_ps(low, high, _MM_SHUFFLE(2, 0, 2, 0)),
                       (words)_mm256_shuffle_ps(low, high, _MM_SHUFFLE(3, 1, 3, 1))};
}

// The alphas of pixels, each twice.
static inline halves alphas(words pixels) {
  const bytes places = {3, 0x80, 3, 0x80, 7, 0x80, 7, 0x80, 11, 0x80, 11, 0x80, 15, 0x80, 15, 0x80,
                        3, 0x80, 3, 0x80, 7, 0x80, 7, 0x80, 11, 0x80, 11, 0x80, 15, 0x80, 15, 0x80};
  return (halves)_mm256_shuffle_epi8((__m256i)pixels, (__m256i)places);
}

// A particle's numbers in all lanes.
struct particle_lanes {
  words width, u_steps, v_steps;
  // The factors of blue and red, and of green and alpha.
  halves even_tint, odd_tint;
};

// Parts of 2¹⁶.
static inline halves part_of_halves(halves values, halves part) {
  typedef uint32_t wide_halves __attribute__((vector_size(2 * VECTOR_BYTES)));
  return __builtin_convertvector((__builtin_convertvector(values, wide_halves) * __builtin_convertvector(part, wide_halves)) >> 16, halves);
}

// As divide_255.
static inline halves quotient_255(halves product) { return part_of_halves(product + 128, (halves){} + 257); }

// Two columns of a sprite's row, mixed: channels times 256.
struct mixed {
  halves even, odd;
};

static inline struct mixed mix_columns(struct pair pair, halves weight) {
  return (struct mixed){even_bytes(pair.left) * (256 - weight) + even_bytes(pair.right) * weight,
                        odd_bytes(pair.left) * (256 - weight) + odd_bytes(pair.right) * weight};
}

static inline halves mix_rows(halves top, halves bottom, halves below) {
  return (top - part_of_halves(top, below) + part_of_halves(bottom, below) + 128) >> 8;
}

// Mixes two rows and gives them the tint. The weight of the lower one is in parts of 2¹⁶.
static inline words tinted(const struct particle_lanes *lanes, struct mixed top, struct mixed bottom, halves below) {
  return join_bytes(quotient_255(mix_rows(top.even, bottom.even, below) * lanes->even_tint),
                    quotient_255(mix_rows(top.odd, bottom.odd, below) * lanes->odd_tint));
}

static inline void compose(uint32_t *row, words shown, words source, bool adds) {
  words destination = load_shown(row, shown), below = destination;
  if (!adds) {
    halves rest = 255 - alphas(source);
    below = join_bytes(quotient_255(even_bytes(destination) * rest), quotient_255(odd_bytes(destination) * rest));
  }
  store_shown(row, shown, (words)__builtin_elementwise_add_sat((bytes)source, (bytes)below));
}

// Paints eight columns of any particle.
static inline __attribute__((always_inline)) void paint_turned(uint32_t *row, int64_t bytes_per_row, struct ckernels_box box,
                                                               const struct ckernels_particle *particle,
                                                               const struct particle_lanes *lanes, uint32_t u, uint32_t v,
                                                               words inside, bool adds) {
  const struct ckernels_sprite *sprite = particle->sprite;
  const words height = repeat((uint32_t)(sprite->height + 1) << 16), stride = repeat((uint32_t)sprite->stride);
  for (int32_t y = box.min_y; y < box.max_y; y++) {
    const words us = u + lanes->u_steps, vs = v + lanes->v_steps;
    const words shown = (words)(us < lanes->width) & (words)(vs < height) & inside;
    if (!is_zero(shown)) {
      const words top = ((vs >> 16) * stride + (us >> 16)) & shown, bottom = top + stride;
      const halves right = both_halves(us >> 8 & 255), below = both_halves(vs & 0xFF00);
      const struct mixed upper = mix_columns(gather(sprite->pixels, top), right);
      const struct mixed lower = mix_columns(gather(sprite->pixels, bottom), right);
      compose(row, shown, tinted(lanes, upper, lower, below), adds);
    }
    u += (uint32_t)particle->uy;
    v += (uint32_t)particle->vy;
    row = (uint32_t *)((uint8_t *)row + bytes_per_row);
  }
}

static inline struct mixed mix_row(const uint32_t *line, words column, halves right) {
  return mix_columns((struct pair){pick(line, column), pick(line, column + 1)}, right);
}

// Paints eight columns of a particle that is not turned, whose sprite has at most 16 columns: all rows have the same.
static inline __attribute__((always_inline)) void paint_upright(uint32_t *row, int64_t bytes_per_row, struct ckernels_box box,
                                                                const struct ckernels_particle *particle,
                                                                const struct particle_lanes *lanes, uint32_t u, uint32_t v,
                                                                words inside, bool adds) {
  const struct ckernels_sprite *sprite = particle->sprite;
  const words us = u + lanes->u_steps, shown = (words)(us < lanes->width) & inside, column = us >> 16;
  const halves right = both_halves(us >> 8 & 255);
  if (is_zero(shown)) return;
  struct mixed top = {}, bottom = {};
  uint32_t known = ~1u;
  for (int32_t y = box.min_y; y < box.max_y; y++, v += (uint32_t)particle->vy) {
    if (v < (uint32_t)(sprite->height + 1) << 16) {
      const uint32_t line = v >> 16;
      if (line != known) {
        const uint32_t *pixels = sprite->pixels + line * sprite->stride;
        top = line == known + 1 ? bottom : mix_row(pixels, column, right);
        bottom = mix_row(pixels + sprite->stride, column, right);
        known = line;
      }
      compose(row, shown, tinted(lanes, top, bottom, (halves){} + (uint16_t)v & 0xFF00), adds);
    }
    row = (uint32_t *)((uint8_t *)row + bytes_per_row);
  }
}

static inline __attribute__((always_inline)) void paint(const struct ckernels_pixels *pixels,
                                                        const struct ckernels_particle *particle, bool adds) {
  const struct ckernels_sprite *sprite = particle->sprite;
  const struct ckernels_box box = particle->box;
  const words lane = {0, 1, 2, 3, 4, 5, 6, 7};
  const uint32_t tint = particle->tint;
  const struct particle_lanes lanes = {
      .width = repeat((uint32_t)(sprite->width + 1) << 16),
      .u_steps = lane * (uint32_t)particle->ux,
      .v_steps = lane * (uint32_t)particle->vx,
      .even_tint = (halves)repeat(tint & 0x00FF00FF),
      .odd_tint = (halves)repeat(tint >> 8 & 0x00FF00FF),
  };
  const uint32_t dx = (uint32_t)(box.min_x - particle->x0), dy = (uint32_t)(box.min_y - particle->y0);
  uint32_t u = (uint32_t)particle->u + dx * (uint32_t)particle->ux + dy * (uint32_t)particle->uy + PARTICLE_ROUNDING;
  uint32_t v = (uint32_t)particle->v + dx * (uint32_t)particle->vx + dy * (uint32_t)particle->vy + PARTICLE_ROUNDING;
  uint32_t *row = (uint32_t *)((uint8_t *)pixels->base + (box.min_y - pixels->y) * pixels->bytes_per_row) +
                  (box.min_x - pixels->x);
  const bool is_upright = particle->uy == 0 && particle->vx == 0 && sprite->width <= 14;
  for (int32_t left = box.max_x - box.min_x; left > 0; left -= LANES) {
    const words inside = (words)(lane < (uint32_t)left);
    if (is_upright) {
      paint_upright(row, pixels->bytes_per_row, box, particle, &lanes, u, v, inside, adds);
    } else {
      paint_turned(row, pixels->bytes_per_row, box, particle, &lanes, u, v, inside, adds);
    }
    u += LANES * (uint32_t)particle->ux;
    v += LANES * (uint32_t)particle->vx;
    row += LANES;
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

static void paint_particles(const struct ckernels_pixels *pixels, const struct ckernels_particle *particles, int64_t count,
                            uint32_t adds) {
  for (int64_t i = 0; i < count; i++) {
    if (i + PARTICLES_AHEAD < count) prefetch_particle(pixels, &particles[i + PARTICLES_AHEAD]);
    if (!is_narrow(&particles[i])) {
      ckernels_particles_portable(pixels, &particles[i], 1, adds);
    } else if (adds) {
      paint(pixels, &particles[i], true);
    } else {
      paint(pixels, &particles[i], false);
    }
  }
}
