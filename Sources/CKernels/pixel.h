// The arithmetic of a single pixel. All kernels share it; the vector kernels use it for the rest at the end of a row.
#pragma once

#include "CKernels.h"

// Computes (x·a + 127) / 255 for x and a from 0 to 255. As 255 is odd, no quotient is halfway between two integers.
static inline uint32_t multiply_255(uint32_t x, uint32_t a) {
  uint32_t t = x * a + 128;
  return (t + (t >> 8)) >> 8;
}

// Multiplies all four bytes of a pixel by a / 255, two at a time.
static inline uint32_t multiply_pixel(uint32_t pixel, uint32_t a) {
  uint32_t even = (pixel & 0x00FF00FF) * a + 0x00800080;
  uint32_t odd = ((pixel >> 8) & 0x00FF00FF) * a + 0x00800080;
  even = ((even + ((even >> 8) & 0x00FF00FF)) >> 8) & 0x00FF00FF;
  odd = (odd + ((odd >> 8) & 0x00FF00FF)) & 0xFF00FF00;
  return even | odd;
}

static inline uint32_t add_saturated(uint32_t left, uint32_t right) {
  uint32_t even = (left & 0x00FF00FF) + (right & 0x00FF00FF);
  uint32_t odd = ((left >> 8) & 0x00FF00FF) + ((right >> 8) & 0x00FF00FF);
  // A carry into the ninth bit sets the byte below it to 0xFF.
  even |= 0x01000100 - ((even >> 8) & 0x00FF00FF);
  odd |= 0x01000100 - ((odd >> 8) & 0x00FF00FF);
  return (even & 0x00FF00FF) | ((odd & 0x00FF00FF) << 8);
}

static inline uint32_t over_pixel(uint32_t destination, uint32_t source) {
  return add_saturated(source, multiply_pixel(destination, 255 - (source >> 24)));
}

// Mixes the bytes of two pixels, two at a time: (old·(255 − share) + new·share) / 255, rounded once.
static inline uint32_t mix_pixel(uint32_t old, uint32_t new, uint32_t share) {
  uint32_t even = (old & 0x00FF00FF) * (255 - share) + (new & 0x00FF00FF) * share + 0x00800080;
  uint32_t odd = (old >> 8 & 0x00FF00FF) * (255 - share) + (new >> 8 & 0x00FF00FF) * share + 0x00800080;
  even = ((even + ((even >> 8) & 0x00FF00FF)) >> 8) & 0x00FF00FF;
  odd = (odd + ((odd >> 8) & 0x00FF00FF)) & 0xFF00FF00;
  return even | odd;
}

static inline int64_t clamp_coordinate(int64_t value, int64_t limit) {
  return value < 0 ? 0 : value > limit ? limit : value;
}

// Half of the smallest weight: adding it rounds weights instead of truncating them.
#define SAMPLE_ROUNDING ((uint64_t)1 << 24)

static inline uint32_t sample_pixel(int32_t x, int32_t y, const struct ckernels_sampler *s) {
  uint64_t wide_x = (uint64_t)(int64_t)x, wide_y = (uint64_t)(int64_t)y;
  int64_t u = (int64_t)((uint64_t)s->u + wide_x * (uint64_t)s->ux + wide_y * (uint64_t)s->uy + SAMPLE_ROUNDING);
  int64_t v = (int64_t)((uint64_t)s->v + wide_x * (uint64_t)s->vx + wide_y * (uint64_t)s->vy + SAMPLE_ROUNDING);
  u = clamp_coordinate(u, (int64_t)(s->width - 1) << 32);
  v = clamp_coordinate(v, (int64_t)(s->height - 1) << 32);
  int64_t column = u >> 32, row = v >> 32;
  uint32_t right = (uint32_t)(u >> 25) & 127, below = (uint32_t)(v >> 25) & 127;
  // At the last column and row the neighbour's weight is 0, so any pixel may stand in for it.
  const uint32_t *top = (const uint32_t *)(s->base + row * s->bytes_per_row) + column;
  const uint32_t *bottom = below ? (const uint32_t *)((const uint8_t *)top + s->bytes_per_row) : top;
  int64_t next = right ? 1 : 0;
  uint32_t p00 = top[0], p01 = top[next], p10 = bottom[0], p11 = bottom[next];
  uint32_t result = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    uint32_t upper = ((p00 >> shift) & 255) * (128 - right) + ((p01 >> shift) & 255) * right;
    uint32_t lower = ((p10 >> shift) & 255) * (128 - right) + ((p11 >> shift) & 255) * right;
    result |= ((upper * (128 - below) + lower * below + 8192) >> 14) << shift;
  }
  return result;
}

static inline uint16_t blur_row_pixel(const uint8_t *source, const uint32_t *weights, int64_t taps) {
  uint32_t sum = 0;
  for (int64_t k = 0; k < taps; k++) sum += weights[k] * source[k];
  return (uint16_t)(sum >> 8);
}

// Half of the smallest unit of the result.
#define BLUR_ROUNDING (1u << 23)

static inline uint8_t blur_column_pixel(const uint16_t *source, int64_t stride, const uint32_t *weights, int64_t taps) {
  uint32_t sum = BLUR_ROUNDING;
  for (int64_t k = 0; k < taps; k++) sum += weights[k] * source[k * stride];
  return (uint8_t)(sum >> 24);
}

// Sums of a strip's cells have this many bits more than their 256 steps of coverage.
#define STRIP_SHIFT 13

// The coverage of a pixel whose edges turn around it so often. Of whole turns the second takes the first back if the rule is
// even-odd.
static inline uint8_t strip_pixel(uint32_t sum, uint32_t even_odd) {
  uint32_t covered = (sum >> 31 ? 0 - sum : sum) >> STRIP_SHIFT;
  if (even_odd) {
    covered &= 511;
    if (covered > 255) covered = 511 - covered;
  }
  return (uint8_t)(covered > 255 ? 255 : covered);
}
