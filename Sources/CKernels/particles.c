// The particles of an emitter at a time. Each number of a particle is drawn by hashing, so that any of them is found by itself.

#include <math.h>
#include <stdbool.h>

#include "CKernels.h"

#pragma STDC FP_CONTRACT OFF

// The finalizer of SplitMix64, and its step.
#define STEP 0x9E3779B97F4A7C15u

static inline uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// The numbers of a particle that are drawn.
enum draw { LIFETIME, VELOCITY, DIRECTION, SCALE, SPIN, COLOR, PLACE = COLOR + 4, SECOND_PLACE };

// A number from 0 up to 1.
static inline double drawn(uint64_t hash, int draw) {
  return (double)(mix(hash + (uint64_t)(draw + 1) * STEP) >> 11) * 0x1p-53;
}

static inline double spread(struct ckernels_spread spread, uint64_t hash, int draw) {
  return spread.range == 0 ? spread.mean : spread.mean + spread.range * (drawn(hash, draw) - 0.5);
}

#define TURN 6.283185307179586

struct direction {
  double x, y;
};

// The largest whole number that is not above a value within ±2⁶². (Without SSE 4.1 the library's is a call.)
static inline int64_t floored(double value) {
  int64_t whole = (int64_t)value;
  return (double)whole > value ? whole - 1 : whole;
}

// The cosine and the sine to nine digits, the same on every machine. Angles beyond 2³⁰ are taken as 0.
static inline struct direction direction(double angle) {
  if (!(fabs(angle) < 0x1p30)) return (struct direction){1, 0};
  int64_t number = floored(angle * 0.63661977236758134308 + 0.5);
  double quarters = (double)number;
  double r = (angle - quarters * 1.57079632673412561417) - quarters * 6.07710050650619224932e-11, z = r * r;
  double s = 2.75573137e-6 + z * -2.5050747e-8, c = -2.7557319e-7 + z * 2.0875723e-9;
  double sine = r + r * z * (-1.66666666666666e-1 + z * (8.333333332e-3 + z * (-1.98412698e-4 + z * s)));
  double cosine = 1 - 0.5 * z + z * z * (4.166666666666e-2 + z * (-1.38888888889e-3 + z * (2.480158728e-5 + z * c)));
  // No branches: the processor could not guess them.
  double x = number & 1 ? sine : cosine, y = number & 1 ? cosine : sine;
  return (struct direction){(number + 1) & 2 ? -x : x, number & 2 ? -y : y};
}

static struct direction birthplace(const struct ckernels_emission *e, uint64_t hash) {
  double first = drawn(hash, PLACE), x = 0, y = 0;
  switch (e->birthplace) {
  case CKERNELS_POINT: break;
  case CKERNELS_ENDS: x = first < 0.5 ? -0.5 : 0.5; break;
  case CKERNELS_LINE: x = first - 0.5; break;
  case CKERNELS_CORNERS:
    x = first < 0.5 ? -0.5 : 0.5;
    y = drawn(hash, SECOND_PLACE) < 0.5 ? -0.5 : 0.5;
    break;
  case CKERNELS_EDGES: {
    // Upper and lower edge by the first half of the way around, then the others.
    double place = first * (e->width + e->height), side = drawn(hash, SECOND_PLACE) < 0.5 ? -0.5 : 0.5;
    bool lies = place < e->width;
    x = lies ? place / e->width - 0.5 : side;
    y = lies ? side : e->height > 0 ? (place - e->width) / e->height - 0.5 : 0;
    break;
  }
  case CKERNELS_AREA:
    x = first - 0.5;
    y = drawn(hash, SECOND_PLACE) - 0.5;
    break;
  case CKERNELS_RING:
  case CKERNELS_DISC: {
    struct direction way = direction(TURN * first);
    double radius = e->birthplace == CKERNELS_RING ? e->width : e->width * sqrt(drawn(hash, SECOND_PLACE));
    return (struct direction){e->x + radius * way.x, e->y + radius * way.y};
  }
  }
  return (struct direction){e->x + e->width * x, e->y + e->height * y};
}

static inline double unit(double value) { return value > 0 ? value < 1 ? value : 1 : 0; }

static inline uint32_t byte(double part) { return (uint32_t)(int32_t)(part * 255 + 0.5); }

// The red, green, blue and alpha of a particle as factors of a pixel's channels; 0 where nothing is seen.
static uint32_t tint(const struct ckernels_emission *e, uint64_t hash, double age, double cover) {
  double color[4];
  for (int i = 0; i < 4; i++) color[i] = unit(spread(e->color[i], hash, COLOR + i) + e->color_speed[i] * age);
  double alpha = color[3] * e->opacity * cover;
  return byte(alpha) << 24 | byte(color[0] * alpha) << 16 | byte(color[1] * alpha) << 8 | byte(color[2] * alpha);
}

// The edge of a pixel that is not above a value, inside of a range.
static inline int32_t limited(double value, int32_t least, int32_t most) {
  return value > least ? value < most ? (int32_t)floored(value) : most : least;
}

static inline int64_t fixed(double value) { return floored(value * 65536 + 0.5); }

// Below so many pixels of the output for each of its own a picture is halved.
#define SMALLEST 0.70710678118654752

// Makes the particle at an age. Returns false if it does not touch `box`.
static bool make(const struct ckernels_emission *e, uint64_t hash, double age, double unit_length, struct ckernels_box box,
                 struct ckernels_particle *particle) {
  double scale = spread(e->scale, hash, SCALE) + e->scale_speed * age;
  if (!(scale > 0)) return false;
  double speed = spread(e->velocity, hash, VELOCITY);
  struct direction place = birthplace(e, hash), way = direction(spread(e->direction, hash, DIRECTION));
  double own_x = place.x + age * (speed * e->in_plane * way.x + 0.5 * e->acceleration_x * age);
  double own_y = place.y + age * (speed * e->in_plane * way.y + 0.5 * e->acceleration_y * age);
  double x = e->a * own_x + e->c * own_y + e->tx, y = e->b * own_x + e->d * own_y + e->ty;
  // Most particles lie elsewhere: a rough look first.
  const struct ckernels_sprite *sprite = e->sprites;
  double half = 0.5 * scale * (sprite->width * sprite->pixel_width + sprite->height * sprite->pixel_height);
  double factors = fabs(e->a) + fabs(e->b) + fabs(e->c) + fabs(e->d);
  // A halved picture has a border of at most its own size, and one that keeps its size is not much larger than a pixel.
  double reach = 2 * half * factors + 3 * factors / unit_length + 2;
  if (!(x + reach > box.min_x && x - reach < box.max_x && y + reach > box.min_y && y - reach < box.max_y)) return false;
  if (!(fabs(x) < 0x1p24 && fabs(y) < 0x1p24)) return false;
  // The longer side of a pixel decides: where a picture is one pixel wide, its halves are that too.
  for (int64_t i = 1; i < e->sprite_count && fmax(sprite->pixel_width, sprite->pixel_height) * scale * unit_length < SMALLEST; i++) {
    sprite++;
  }
  // Along an axis in which the particle is smaller than a pixel it keeps that size, and becomes fainter.
  double growth_x = fmax(SMALLEST / (sprite->pixel_width * scale * unit_length), 1);
  double growth_y = fmax(SMALLEST / (sprite->pixel_height * scale * unit_length), 1);
  double cover = 1 / (growth_x * growth_y);
  particle->tint = tint(e, hash, age, cover);
  if (particle->tint == 0) return false;
  struct direction turn = direction(spread(e->spin, hash, SPIN) * age);
  double across = scale * sprite->pixel_width * growth_x, down = scale * sprite->pixel_height * growth_y;
  // The sprite's pixels to those of the output.
  double a = (e->a * turn.x + e->c * turn.y) * across, b = (e->b * turn.x + e->d * turn.y) * across;
  double c = (e->c * turn.x - e->a * turn.y) * down, d = (e->d * turn.x - e->b * turn.y) * down;
  double factor = 1 / (a * d - b * c);
  double ux = d * factor, uy = -c * factor, vx = -b * factor, vy = a * factor;
  // Seen from the edge.
  if (!(fabs(ux) < 0x1p16 && fabs(uy) < 0x1p16 && fabs(vx) < 0x1p16 && fabs(vy) < 0x1p16)) return false;
  double half_width = 0.5 * sprite->width + 0.5, half_height = 0.5 * sprite->height + 0.5;
  double reach_x = fabs(a) * half_width + fabs(c) * half_height, reach_y = fabs(b) * half_width + fabs(d) * half_height;
  particle->box.min_x = limited(x - reach_x, box.min_x, box.max_x);
  particle->box.max_x = limited(x + reach_x + 1, box.min_x, box.max_x);
  particle->box.min_y = limited(y - reach_y, box.min_y, box.max_y);
  particle->box.max_y = limited(y + reach_y + 1, box.min_y, box.max_y);
  if (particle->box.min_x >= particle->box.max_x || particle->box.min_y >= particle->box.max_y) return false;
  // Counted from the pixel in which the middle lies, wherever the box ends.
  particle->x0 = (int32_t)floored(x);
  particle->y0 = (int32_t)floored(y);
  double dx = particle->x0 + 0.5 - x, dy = particle->y0 + 0.5 - y;
  particle->u = fixed(ux * dx + uy * dy + half_width);
  particle->v = fixed(vx * dx + vy * dy + half_height);
  particle->ux = fixed(ux);
  particle->uy = fixed(uy);
  particle->vx = fixed(vx);
  particle->vy = fixed(vy);
  particle->sprite = sprite;
  switch (e->order) {
  case CKERNELS_BY_NUMBER: particle->rank = 0; break;
  case CKERNELS_OLDEST_FIRST: particle->rank = -age; break;
  case CKERNELS_OLDEST_LAST: particle->rank = age; break;
  case CKERNELS_BY_DEPTH: particle->rank = age * (speed * e->upwards + 0.5 * e->acceleration_z * age); break;
  }
  return true;
}

int64_t ckernels_find_particles(const struct ckernels_emission *e, struct ckernels_box box, int64_t *next, int64_t end,
                                struct ckernels_particle *particles, int64_t capacity) {
  double unit_length = sqrt(fabs(e->a * e->d - e->b * e->c));
  int64_t count = 0, i = *next;
  if (e->sprite_count > 0) {
    for (; i < end && count < capacity; i++) {
      double birth = (double)i / e->rate, age = e->time - birth;
      if (birth >= e->end || !(age >= 0)) continue;
      uint64_t hash = mix(e->seed ^ mix((uint64_t)i + STEP));
      if (age >= spread(e->lifetime, hash, LIFETIME)) continue;
      if (make(e, hash, age, unit_length, box, &particles[count])) count++;
    }
  }
  *next = i;
  return count;
}
