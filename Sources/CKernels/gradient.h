// The kernel of gradients in vectors, with the arithmetic of gradient_pixel.h.
#pragma once

#include "gradient_pixel.h"
#include "vector.h"

typedef float floats __attribute__((vector_size(VECTOR_BYTES)));
typedef int32_t ints __attribute__((vector_size(VECTOR_BYTES)));

static inline floats load_floats(const float *values) {
  floats result;
  __builtin_memcpy(&result, values, sizeof result);
  return result;
}

static inline floats choose(ints condition, floats yes, floats no) {
  return (floats)((condition & (ints)yes) | (~condition & (ints)no));
}

static inline floats absolute(floats values) { return (floats)((words)values & 0x7FFFFFFF); }

static inline floats turns(floats u, floats v) {
  floats zero = {}, width = absolute(u), height = absolute(v);
  ints is_steep = (ints)(height > width);
  floats longer = choose(is_steep, height, width), shorter = choose(is_steep, width, height);
  floats z = choose((ints)(longer > zero), shorter / longer, zero), z2 = z * z;
  floats angle = z2 * TURN_6 + TURN_5;
  angle = z2 * angle + TURN_4;
  angle = z2 * angle + TURN_3;
  angle = z2 * angle + TURN_2;
  angle = z2 * angle + TURN_1;
  angle = z * (z2 * angle + TURN_0);
  angle = choose(is_steep, 0.25f - angle, angle);
  angle = choose((ints)(u < zero), 0.5f - angle, angle);
  return choose((ints)(v < zero), 1 - angle, angle);
}

// The places, without the limits −1 and 2.
static inline floats gradient_places(enum ckernels_gradient_kind kind, floats column, const struct gradient_row *row) {
  floats u = row->u + row->ux * column, v = row->v + row->vx * column;
  return kind == CKERNELS_AXIAL ? u : kind == CKERNELS_RADIAL ? __builtin_elementwise_sqrt(u * u + v * v) : turns(u, v);
}

static inline words gradient_channels(const struct ckernels_gradient_stop *stop, int channel, floats distance, floats alpha,
                                      floats most, floats dither) {
  floats value = (stop->first[channel] + stop->slope[channel] * distance) * alpha;
  return (words) __builtin_convertvector(choose((ints)(value < most), value, most) + dither, ints);
}

static inline words gradient_pixels(const struct ckernels_gradient_stop *stop, floats t, floats dither) {
  floats distance = t - stop->location;
  floats alpha = stop->first[3] + stop->slope[3] * distance, most = alpha * 255;
  words result = (words) __builtin_convertvector(most + dither, ints) << 24;
  for (int channel = 0; channel < 3; channel++) {
    result |= gradient_channels(stop, channel, distance, alpha, most, dither) << 8 * channel;
  }
  return result;
}

// The same where alpha is 1: every product with it is the other factor, and no value lies above it.
static inline words opaque_gradient_pixels(const struct ckernels_gradient_stop *stop, floats t, floats dither) {
  floats distance = t - stop->location;
  words result = repeat(0xFF000000);
  for (int channel = 0; channel < 3; channel++) {
    floats value = stop->first[channel] + stop->slope[channel] * distance;
    result |= (words) __builtin_convertvector(value + dither, ints) << 8 * channel;
  }
  return result;
}

// Returns the end of the vectors from pixel `i` on that lie between a stop and the next one, as that pixel does. Along an axis places
// only rise or only fall, also when they are rounded: if the last pixel lies there, all do.
static int64_t axial_end(const struct ckernels_gradient_stop *stop, int64_t i, int64_t count, int64_t left,
                         const struct gradient_row *row) {
  int64_t known = 0, most = (count - i) / LANES, tried = most;
  while (known < most) {
    float t = gradient_place(CKERNELS_AXIAL, (float)(left + i + tried * LANES - 1), row);
    if (stop->location <= t && t < stop[1].location) {
      known = tried;
    } else {
      most = tried - 1;
    }
    tried = (known + most + 1) / 2;
  }
  return i + known * LANES;
}

// Paints the vectors from pixel `i` to `end` as long as they lie between a stop and the next one; of those along an axis it is known.
// Returns the end of what is painted.
__attribute__((always_inline)) static inline int64_t gradient_run(uint32_t *destination, int64_t i, int64_t end, int64_t left,
                                                                  int32_t x, struct gradient_row row,
                                                                  struct ckernels_gradient_stop stop, float next,
                                                                  enum ckernels_gradient_kind kind, bool is_opaque) {
  floats columns, dither = load_floats(row.dither + ((x + i) & 7));
  for (int lane = 0; lane < LANES; lane++) columns[lane] = (float)(left + i + lane);
  for (; i + LANES <= end; i += LANES, columns += LANES) {
    floats t = gradient_places(kind, columns, &row);
    if (kind != CKERNELS_AXIAL) {
      ints is_between = (ints)(stop.location <= t) & (ints)(t < next);
      if (!__builtin_reduce_and(is_between)) break;
    }
    if (LANES < 8) dither = load_floats(row.dither + ((x + i) & 7));
    store(destination + i, is_opaque ? opaque_gradient_pixels(&stop, t, dither) : gradient_pixels(&stop, t, dither));
  }
  return i;
}

// Paints a vector with pixels on both sides of one stop; false if it has none, or more stops.
__attribute__((always_inline)) static inline bool gradient_edge(uint32_t *destination, int64_t column, int64_t x,
                                                                const struct gradient_row *row,
                                                                const struct ckernels_gradient_stop **stop,
                                                                enum ckernels_gradient_kind kind) {
  floats columns;
  for (int lane = 0; lane < LANES; lane++) columns[lane] = (float)(column + lane);
  float first = gradient_place(kind, (float)column, row), last = gradient_place(kind, (float)(column + LANES - 1), row);
  const struct ckernels_gradient_stop *lower = *stop = gradient_stop(*stop, first < last ? first : last);
  floats t = gradient_places(kind, columns, row), dither = load_floats(row->dither + (x & 7));
  if (lower[1].location > 2) return false;
  if (!__builtin_reduce_and((ints)(lower->location <= t) & (ints)(t < lower[2].location))) return false;
  words is_lower = (words)(t < lower[1].location);
  store(destination, (gradient_pixels(lower, t, dither) & is_lower) | (gradient_pixels(lower + 1, t, dither) & ~is_lower));
  return true;
}

// Inlined with each kind, so that the loops do not choose one.
__attribute__((always_inline)) static inline void gradient_kind(uint32_t *destination, int64_t count, int32_t x, int32_t y,
                                                                const struct ckernels_gradient *g,
                                                                enum ckernels_gradient_kind kind) {
  const struct gradient_row row = gradient_row(y, g);
  const struct ckernels_gradient_stop *stop = g->stops;
  int64_t left = (int64_t)x - g->x0, i = 0;
  while (i < count) {
    stop = gradient_stop(stop, gradient_place(kind, (float)(left + i), &row));
    int64_t end = count;
    struct gradient_row places = row;
    if (kind == CKERNELS_AXIAL) {
      end = axial_end(stop, i, count, left, &row);
      // Beyond the stops all places have one colour, and may be numbers too large to compute with.
      if (stop == g->stops || stop[1].location > 2) places.u = stop->location, places.ux = 0;
    }
    const bool is_opaque = stop->first[3] == 1 && stop->slope[3] == 0;
    // Behind the last stop the colour stays as it is, however far that is.
    const float next = stop[1].location > 2 ? __builtin_inff() : stop[1].location;
    i = is_opaque ? gradient_run(destination, i, end, left, x, places, *stop, next, kind, true)
                  : gradient_run(destination, i, end, left, x, places, *stop, next, kind, false);
    if (i + LANES <= count && gradient_edge(destination + i, left + i, x + i, &row, &stop, kind)) {
      i += LANES;
      continue;
    }
    // The rest, or a vector in which several stops begin.
    for (end = i + LANES < count ? i + LANES : count; i < end; i++) {
      float t = gradient_place(kind, (float)(left + i), &row);
      stop = gradient_stop(stop, t);
      destination[i] = gradient_pixel(stop, t, row.dither[(x + i) & 7]);
    }
  }
}

static void gradient(uint32_t *destination, int64_t count, int32_t x, int32_t y, const struct ckernels_gradient *g) {
  switch (g->kind) {
    case CKERNELS_AXIAL: return gradient_kind(destination, count, x, y, g, CKERNELS_AXIAL);
    case CKERNELS_RADIAL: return gradient_kind(destination, count, x, y, g, CKERNELS_RADIAL);
    case CKERNELS_CONIC: return gradient_kind(destination, count, x, y, g, CKERNELS_CONIC);
  }
}

#define GRADIENT_KERNELS .gradient = gradient
