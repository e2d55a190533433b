// Finds the particles of an emitter at a time, VECTOR_BYTES / 8 at once: the file that includes this defines VECTOR_BYTES. Each number of
// a particle is drawn by hashing, so that any of them is found by itself.
#pragma once

#include <stdbool.h>

#include "CKernels.h"

// The same bytes with all instructions.
#pragma STDC FP_CONTRACT OFF

typedef double reals __attribute__((vector_size(VECTOR_BYTES)));
typedef uint64_t longs __attribute__((vector_size(VECTOR_BYTES)));
typedef bool conditions __attribute__((ext_vector_type(VECTOR_BYTES / 8)));

enum { REALS = VECTOR_BYTES / 8 };

struct places {
  reals x, y;
};

static inline reals all(double value) { return (reals){} + value; }
static inline reals choose_reals(longs condition, reals yes, reals no) {
  return (reals)((condition & (longs)yes) | (~condition & (longs)no));
}
static inline reals least(reals one, reals other) { return choose_reals((longs)(one < other), one, other); }
static inline reals most(reals one, reals other) { return choose_reals((longs)(one > other), one, other); }
static inline reals magnitude(reals values) { return (reals)((longs)values & 0x7FFFFFFFFFFFFFFF); }

// One bit for each lane.
static inline uint32_t bits(longs condition) {
  conditions all = __builtin_convertvector(condition, conditions);
  uint8_t result = 0;
  __builtin_memcpy(&result, &all, sizeof all);
  return result;
}

static inline reals load_reals(const double *values) {
  reals result;
  __builtin_memcpy(&result, values, sizeof result);
  return result;
}

static inline longs load_longs(const uint64_t *values) {
  longs result;
  __builtin_memcpy(&result, values, sizeof result);
  return result;
}

// The sum with it has no bits for parts of one. All values here are within ±2⁵⁰.
#define WHOLE 0x1.8p52

// The largest whole numbers that are not above the values.
static inline reals floored(reals values) {
  reals nearest = (values + WHOLE) - WHOLE;
  return nearest - (reals)((longs)(nearest > values) & (longs)all(1));
}

// Whole numbers as such.
static inline longs counted(reals values) { return (longs)(values + WHOLE) - (longs)all(WHOLE); }

static inline longs fixed(reals values) { return counted(floored(values * 65536 + 0.5)); }

// The finalizer of SplitMix64, and its step.
#define STEP 0x9E3779B97F4A7C15u

static inline longs mix(longs z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// The numbers of a particle that are drawn.
enum draw { LIFETIME, VELOCITY, DIRECTION, SCALE, SPIN, COLOR, PLACE = COLOR + 4, SECOND_PLACE };

// Numbers from 0 up to 1.
static inline reals drawn(longs hash, int draw) {
  return __builtin_convertvector(mix(hash + (uint64_t)(draw + 1) * STEP) >> 11, reals) * 0x1p-53;
}

static inline reals spread(struct ckernels_spread spread, longs hash, int draw) {
  return spread.range == 0 ? all(spread.mean) : spread.mean + spread.range * (drawn(hash, draw) - 0.5);
}

#define TURN 6.283185307179586

// The cosines and the sines to nine digits, the same on every machine. Angles beyond 2³⁰ are taken as 0.
static inline struct places direction(reals angle) {
  angle = choose_reals((longs)(magnitude(angle) < 0x1p30), angle, all(0));
  reals quarters = floored(angle * 0.63661977236758134308 + 0.5);
  longs number = counted(quarters);
  reals r = (angle - quarters * 1.57079632673412561417) - quarters * 6.07710050650619224932e-11, z = r * r;
  reals s = 2.75573137e-6 + z * -2.5050747e-8, c = -2.7557319e-7 + z * 2.0875723e-9;
  reals sine = r + r * z * (-1.66666666666666e-1 + z * (8.333333332e-3 + z * (-1.98412698e-4 + z * s)));
  reals cosine = 1 - 0.5 * z + z * z * (4.166666666666e-2 + z * (-1.38888888889e-3 + z * (2.480158728e-5 + z * c)));
  longs is_odd = 0 - (number & 1);
  reals x = choose_reals(is_odd, sine, cosine), y = choose_reals(is_odd, cosine, sine);
  // The second bit becomes the sign.
  return (struct places){(reals)((longs)x ^ ((number + 1) & 2) << 62), (reals)((longs)y ^ (number & 2) << 62)};
}

// −½ or ½.
static inline reals side(reals number) { return choose_reals((longs)(number < 0.5), all(-0.5), all(0.5)); }

static inline struct places birthplace(const struct ckernels_emission *e, longs hash) {
  reals first = all(0), x = all(0), y = all(0);
  if (e->birthplace != CKERNELS_POINT) first = drawn(hash, PLACE);
  switch (e->birthplace) {
  case CKERNELS_POINT: break;
  case CKERNELS_ENDS: x = side(first); break;
  case CKERNELS_LINE: x = first - 0.5; break;
  case CKERNELS_CORNERS:
    x = side(first);
    y = side(drawn(hash, SECOND_PLACE));
    break;
  case CKERNELS_EDGES: {
    // Upper and lower edge by the first half of the way around, then the others.
    reals place = first * (e->width + e->height), other = side(drawn(hash, SECOND_PLACE));
    longs lies = (longs)(place < e->width);
    x = choose_reals(lies, place / e->width - 0.5, other);
    y = choose_reals(lies, other, e->height > 0 ? (place - e->width) / e->height - 0.5 : all(0));
    break;
  }
  case CKERNELS_AREA:
    x = first - 0.5;
    y = drawn(hash, SECOND_PLACE) - 0.5;
    break;
  case CKERNELS_RING:
  case CKERNELS_DISC: {
    struct places way = direction(TURN * first);
    reals radius = all(e->width);
    if (e->birthplace == CKERNELS_DISC) radius *= __builtin_elementwise_sqrt(drawn(hash, SECOND_PLACE));
    return (struct places){e->x + radius * way.x, e->y + radius * way.y};
  }
  }
  return (struct places){e->x + e->width * x, e->y + e->height * y};
}

// Particles that may be seen: their middles in pixels.
struct candidates {
  uint64_t hash[CKERNELS_PARTICLE_BATCH];
  double age[CKERNELS_PARTICLE_BATCH], scale[CKERNELS_PARTICLE_BATCH], x[CKERNELS_PARTICLE_BATCH], y[CKERNELS_PARTICLE_BATCH];
  int64_t count;
};

// Finds those of the particles `first`..<`end`, at most a batch, that live and are near `box`.
static inline void find_places(const struct ckernels_emission *e, int64_t first, int64_t end, double unit_length,
                               struct ckernels_box box, struct candidates *found) {
  const struct ckernels_sprite *sprite = e->sprites;
  // A halved picture has a border of at most its own size, and one that keeps its size is not much larger than a pixel.
  const double factors = __builtin_fabs(e->a) + __builtin_fabs(e->b) + __builtin_fabs(e->c) + __builtin_fabs(e->d);
  const double reach_of_scale = (sprite->width * sprite->pixel_width + sprite->height * sprite->pixel_height) * factors;
  const double border = 3 * factors / unit_length + 2;
  longs number;
  for (int lane = 0; lane < REALS; lane++) number[lane] = (uint64_t)(first + lane);
  found->count = 0;
  for (int64_t i = first; i < end; i += REALS, number += REALS) {
    reals birth = __builtin_convertvector(number, reals) / e->rate, age = e->time - birth;
    longs hash = mix(e->seed ^ mix(number + STEP));
    longs seen = (longs)(birth < e->end) & (longs)(age >= 0) & (longs)(age < spread(e->lifetime, hash, LIFETIME)) &
                 (longs)(number < (uint64_t)end);
    reals scale = spread(e->scale, hash, SCALE) + e->scale_speed * age;
    reals speed = spread(e->velocity, hash, VELOCITY);
    struct places place = birthplace(e, hash), way = direction(spread(e->direction, hash, DIRECTION));
    reals own_x = place.x + age * (speed * e->in_plane * way.x + 0.5 * e->acceleration_x * age);
    reals own_y = place.y + age * (speed * e->in_plane * way.y + 0.5 * e->acceleration_y * age);
    reals x = e->a * own_x + e->c * own_y + e->tx, y = e->b * own_x + e->d * own_y + e->ty;
    reals reach = scale * reach_of_scale + border;
    seen &= (longs)(scale > 0) & (longs)(magnitude(x) < 0x1p24) & (longs)(magnitude(y) < 0x1p24) &
            (longs)(x + reach > box.min_x) & (longs)(x - reach < box.max_x) & (longs)(y + reach > box.min_y) &
            (longs)(y - reach < box.max_y);
    uint32_t left = bits(seen);
    for (int lane = 0; lane < REALS; lane++, left >>= 1) {
      const int64_t place = found->count;
      found->hash[place] = hash[lane];
      found->age[place] = age[lane];
      found->scale[place] = scale[lane];
      found->x[place] = x[lane];
      found->y[place] = y[lane];
      found->count += left & 1;
    }
  }
}

static inline reals unit(reals values) { return most(least(values, all(1)), all(0)); }

static inline longs byte(reals parts) { return counted(floored(parts * 255 + 0.5)); }

// The red, green, blue and alpha of particles as factors of a pixel's channels; 0 where nothing is seen.
static inline longs tint(const struct ckernels_emission *e, longs hash, reals age, reals cover) {
  reals color[4];
  for (int i = 0; i < 4; i++) color[i] = unit(spread(e->color[i], hash, COLOR + i) + e->color_speed[i] * age);
  reals alpha = color[3] * e->opacity * cover;
  return byte(alpha) << 24 | byte(color[0] * alpha) << 16 | byte(color[1] * alpha) << 8 | byte(color[2] * alpha);
}

// The edges of pixels that are not above values, inside of a range.
static inline longs limited(reals values, int32_t lowest, int32_t highest) {
  return counted(floored(most(least(values, all(highest)), all(lowest))));
}

// Below so many pixels of the output for each of its own a picture is halved.
#define SMALLEST 0.70710678118654752

// The level of the sprite that particles have, and the part of it that counts here.
struct levels {
  longs index;
  reals width, height, pixel_width, pixel_height;
};

static inline struct levels levels(const struct ckernels_emission *e, reals scale) {
  const struct ckernels_sprite *sprite = e->sprites;
  struct levels l = {(longs){}, all(sprite->width), all(sprite->height), all(sprite->pixel_width), all(sprite->pixel_height)};
  for (int64_t i = 1; i < e->sprite_count; i++) {
    // The longer side of a pixel decides: where a picture is one pixel wide, its halves are that too.
    longs is_small = (longs)(most(l.pixel_width, l.pixel_height) * scale < SMALLEST);
    if (__builtin_reduce_or(is_small) == 0) break;
    sprite++;
    l.index -= is_small;
    l.width = choose_reals(is_small, all(sprite->width), l.width);
    l.height = choose_reals(is_small, all(sprite->height), l.height);
    l.pixel_width = choose_reals(is_small, all(sprite->pixel_width), l.pixel_width);
    l.pixel_height = choose_reals(is_small, all(sprite->pixel_height), l.pixel_height);
  }
  return l;
}

static inline reals rank(const struct ckernels_emission *e, longs hash, reals age) {
  switch (e->order) {
  case CKERNELS_BY_NUMBER: break;
  case CKERNELS_OLDEST_FIRST: return -age;
  case CKERNELS_OLDEST_LAST: return age;
  case CKERNELS_BY_DEPTH: return age * (spread(e->velocity, hash, VELOCITY) * e->upwards + 0.5 * e->acceleration_z * age);
  }
  return all(0);
}

// Makes the particles from `first` on of those that were found. Returns how many touch `box`.
static inline int64_t make(const struct ckernels_emission *e, const struct candidates *found, int64_t first, double unit_length,
                           struct ckernels_box box, struct ckernels_particle *particles) {
  const longs hash = load_longs(found->hash + first);
  const reals age = load_reals(found->age + first), scale = load_reals(found->scale + first);
  const reals x = load_reals(found->x + first), y = load_reals(found->y + first);
  const struct levels level = levels(e, scale * unit_length);
  // Along an axis in which a particle is smaller than a pixel it keeps that size, and becomes fainter.
  reals across = scale * level.pixel_width, down = scale * level.pixel_height;
  reals growth_x = most(SMALLEST / (across * unit_length), all(1)), growth_y = most(SMALLEST / (down * unit_length), all(1));
  longs tints = tint(e, hash, age, 1 / (growth_x * growth_y));
  across *= growth_x;
  down *= growth_y;
  // The sprite's pixels to those of the output.
  struct places turn = {all(1), all(0)};
  if (e->spin.mean != 0 || e->spin.range != 0) turn = direction(spread(e->spin, hash, SPIN) * age);
  reals a = (e->a * turn.x + e->c * turn.y) * across, b = (e->b * turn.x + e->d * turn.y) * across;
  reals c = (e->c * turn.x - e->a * turn.y) * down, d = (e->d * turn.x - e->b * turn.y) * down;
  reals factor = 1 / (a * d - b * c);
  reals ux = d * factor, uy = -c * factor, vx = -b * factor, vy = a * factor;
  // Others are seen from the edge.
  longs seen = (longs)(magnitude(ux) < 0x1p16) & (longs)(magnitude(uy) < 0x1p16) & (longs)(magnitude(vx) < 0x1p16) &
               (longs)(magnitude(vy) < 0x1p16);
  reals half_width = 0.5 * level.width + 0.5, half_height = 0.5 * level.height + 0.5;
  reals reach_x = magnitude(a) * half_width + magnitude(c) * half_height;
  reals reach_y = magnitude(b) * half_width + magnitude(d) * half_height;
  longs min_x = limited(x - reach_x, box.min_x, box.max_x), max_x = limited(x + reach_x + 1, box.min_x, box.max_x);
  longs min_y = limited(y - reach_y, box.min_y, box.max_y), max_y = limited(y + reach_y + 1, box.min_y, box.max_y);
  seen &= (longs)(min_x != max_x) & (longs)(min_y != max_y) & (longs)(tints != 0);
  // Counted from the pixel in which the middle lies, wherever the box ends.
  reals x0 = floored(x), y0 = floored(y), dx = x0 + 0.5 - x, dy = y0 + 0.5 - y;
  longs u = fixed(ux * dx + uy * dy + half_width), v = fixed(vx * dx + vy * dy + half_height);
  longs fixed_ux = fixed(ux), fixed_uy = fixed(uy), fixed_vx = fixed(vx), fixed_vy = fixed(vy);
  longs column = counted(x0), row = counted(y0);
  reals ranks = rank(e, hash, age);
  int64_t count = 0;
  uint32_t left = bits(seen);
  const int lanes = found->count - first < REALS ? (int)(found->count - first) : REALS;
  for (int lane = 0; lane < lanes; lane++, left >>= 1) {
    particles[count] = (struct ckernels_particle){
        .rank = ranks[lane],
        .sprite = e->sprites + level.index[lane],
        .x0 = (int32_t)column[lane],
        .y0 = (int32_t)row[lane],
        .u = (int64_t)u[lane],
        .ux = (int64_t)fixed_ux[lane],
        .uy = (int64_t)fixed_uy[lane],
        .v = (int64_t)v[lane],
        .vx = (int64_t)fixed_vx[lane],
        .vy = (int64_t)fixed_vy[lane],
        .box = {(int32_t)min_x[lane], (int32_t)min_y[lane], (int32_t)max_x[lane], (int32_t)max_y[lane]},
        .tint = (uint32_t)tints[lane],
    };
    count += left & 1;
  }
  return count;
}

static inline int64_t find_particles(const struct ckernels_emission *e, struct ckernels_box box, int64_t *next, int64_t end,
                                     struct ckernels_particle *particles, int64_t capacity) {
  const double unit_length = __builtin_sqrt(__builtin_fabs(e->a * e->d - e->b * e->c));
  struct candidates found = {.count = 0};
  int64_t count = 0;
  if (e->sprite_count <= 0) *next = end;
  while (*next < end && count + CKERNELS_PARTICLE_BATCH <= capacity) {
    const int64_t batch_end = end - *next < CKERNELS_PARTICLE_BATCH ? end : *next + CKERNELS_PARTICLE_BATCH;
    find_places(e, *next, batch_end, unit_length, box, &found);
    for (int64_t i = 0; i < found.count; i += REALS) count += make(e, &found, i, unit_length, box, particles + count);
    *next = batch_end;
  }
  return count;
}
