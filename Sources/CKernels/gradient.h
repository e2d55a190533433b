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

static inline floats gradient_places(enum ckernels_gradient_kind kind, floats column, const struct gradient_row *row) {
  floats u = row->u + row->ux * column, v = row->v + row->vx * column;
  floats t = kind == CKERNELS_AXIAL ? u : kind == CKERNELS_RADIAL ? __builtin_elementwise_sqrt(u * u + v * v) : turns(u, v);
  floats least = (floats){} - 1, most = (floats){} + 2;
  t = choose((ints)(t > least), t, least);
  return choose((ints)(t < most), t, most);
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

// Inlined with each kind, so that the loops do not choose one.
__attribute__((always_inline)) static inline void gradient_kind(uint32_t *destination, int64_t count, int32_t x, int32_t y,
                                                                const struct ckernels_gradient *g,
                                                                enum ckernels_gradient_kind kind) {
  struct gradient_row row = gradient_row(y, g);
  const struct ckernels_gradient_stop *stop = g->stops;
  int64_t left = (int64_t)x - g->x0, i = 0;
  floats lanes;
  for (int lane = 0; lane < LANES; lane++) lanes[lane] = (float)lane;
  for (; i + LANES <= count; i += LANES) {
    floats t = gradient_places(kind, (float)(left + i) + lanes, &row);
    const float *dither = row.dither + ((x + i) & 7);
    stop = gradient_stop(stop, t[0]);
    // Most vectors lie between two stops.
    ints is_inside = (ints)(t >= stop->location) & (ints)(t < stop[1].location);
    if (__builtin_reduce_and(is_inside)) {
      store(destination + i, gradient_pixels(stop, t, load_floats(dither)));
      continue;
    }
    for (int lane = 0; lane < LANES; lane++) {
      stop = gradient_stop(stop, t[lane]);
      destination[i + lane] = gradient_pixel(stop, t[lane], dither[lane]);
    }
  }
  for (; i < count; i++) {
    float t = gradient_place(kind, (float)(left + i), &row);
    stop = gradient_stop(stop, t);
    destination[i] = gradient_pixel(stop, t, row.dither[(x + i) & 7]);
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
