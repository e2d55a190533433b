// The arithmetic of one pixel of a gradient. The vector kernels do the same operations in the same order on IEEE floats, so they give
// the same bits.
#pragma once

#include <math.h>

#include "CKernels.h"

// The compiler must not fuse products and sums, or a pixel would depend on its choice.
#pragma STDC FP_CONTRACT OFF

// The angle of a slope z from 0 to 1, in turns: atan(z) / 2π, as an odd polynomial that is nowhere off by more than 6·10⁻⁸.
#define TURN_0 0.15915432572364807f
#define TURN_1 -0.0530262365937233f
#define TURN_2 0.03152511268854141f
#define TURN_3 -0.021061496809124947f
#define TURN_4 0.01267246250063181f
#define TURN_5 -0.005348246078938246f
#define TURN_6 0.0010841205948963761f

#define DITHER(n) ((n) / 64.0f + 1 / 128.0f)
#define DITHER_ROW(a, b, c, d, e, f, g, h) \
  DITHER(a), DITHER(b), DITHER(c), DITHER(d), DITHER(e), DITHER(f), DITHER(g), DITHER(h)
#define DITHER_ROWS(...) {DITHER_ROW(__VA_ARGS__), DITHER_ROW(__VA_ARGS__), DITHER_ROW(__VA_ARGS__)}

// The numbers to add to a value before it is truncated: above 0 and below 1, so that rounding errors change no whole value. Each row
// stands three times, for vectors of sixteen pixels from any column on.
static const float dither_rows[8][24] = {
    DITHER_ROWS(0, 32, 8, 40, 2, 34, 10, 42),
    DITHER_ROWS(48, 16, 56, 24, 50, 18, 58, 26),
    DITHER_ROWS(12, 44, 4, 36, 14, 46, 6, 38),
    DITHER_ROWS(60, 28, 52, 20, 62, 30, 54, 22),
    DITHER_ROWS(3, 35, 11, 43, 1, 33, 9, 41),
    DITHER_ROWS(51, 19, 59, 27, 49, 17, 57, 25),
    DITHER_ROWS(15, 47, 7, 39, 13, 45, 5, 37),
    DITHER_ROWS(63, 31, 55, 23, 61, 29, 53, 21),
};

// The values that all pixels of a row share.
struct gradient_row {
  float u, ux, v, vx;
  const float *dither;
};

static inline struct gradient_row gradient_row(int32_t y, const struct ckernels_gradient *g) {
  double row = (double)((int64_t)y - g->y0);
  struct gradient_row result = {(float)(g->u0 + g->uy * row), (float)g->ux, (float)(g->v0 + g->vy * row), (float)g->vx, 0};
  result.dither = dither_rows[y & 7];
  return result;
}

static inline float turn(float u, float v) {
  float width = fabsf(u), height = fabsf(v);
  float longer = height > width ? height : width, shorter = height > width ? width : height;
  float z = longer > 0 ? shorter / longer : 0, z2 = z * z;
  float angle = z2 * TURN_6 + TURN_5;
  angle = z2 * angle + TURN_4;
  angle = z2 * angle + TURN_3;
  angle = z2 * angle + TURN_2;
  angle = z2 * angle + TURN_1;
  angle = z * (z2 * angle + TURN_0);
  angle = height > width ? 0.25f - angle : angle;
  angle = u < 0 ? 0.5f - angle : angle;
  return v < 0 ? 1 - angle : angle;
}

// The place of the pixel `column` pixels right of the gradient's own.
static inline float gradient_place(enum ckernels_gradient_kind kind, float column, const struct gradient_row *row) {
  float u = row->u + row->ux * column, v = row->v + row->vx * column;
  float t = kind == CKERNELS_AXIAL ? u : kind == CKERNELS_RADIAL ? sqrtf(u * u + v * v) : turn(u, v);
  t = t > -1 ? t : -1;
  return t < 2 ? t : 2;
}

// The stop from which the colour at a place comes, wherever the search begins.
static inline const struct ckernels_gradient_stop *gradient_stop(const struct ckernels_gradient_stop *stop, float t) {
  while (t < stop->location) stop--;
  while (t >= stop[1].location) stop++;
  return stop;
}

static inline uint32_t gradient_channel(const struct ckernels_gradient_stop *stop, int channel, float distance, float alpha,
                                        float most, float dither) {
  float value = (stop->first[channel] + stop->slope[channel] * distance) * alpha;
  return (uint32_t)(int32_t)((value < most ? value : most) + dither);
}

static inline uint32_t gradient_pixel(const struct ckernels_gradient_stop *stop, float t, float dither) {
  float distance = t - stop->location;
  float alpha = stop->first[3] + stop->slope[3] * distance, most = alpha * 255;
  uint32_t result = (uint32_t)(int32_t)(most + dither) << 24;
  for (int channel = 0; channel < 3; channel++) {
    result |= gradient_channel(stop, channel, distance, alpha, most, dither) << 8 * channel;
  }
  return result;
}
