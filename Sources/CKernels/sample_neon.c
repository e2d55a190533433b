// Bilinear sampling with NEON: the four channels of a pixel and of its right neighbour at a time.

#include "pixel.h"
#include "tables.h"

#if defined(__aarch64__)

#include <arm_neon.h>

// The left or upper one of the two pixels that are mixed, and the weight of the other one, for a coordinate with 32 fraction bits.
// There is a pixel at 0…last + 1.
struct neighbours {
  int64_t first;
  uint32_t weight;
};

static inline struct neighbours neighbours(uint64_t place, int64_t last) {
  const int64_t whole = (int64_t)place >> 32;
  // Before the first pixel the other one has no weight, and from the last pixel on all of it.
  if (whole < 0) return (struct neighbours){0, 0};
  if (whole > last) return (struct neighbours){last, 128};
  return (struct neighbours){whole, (uint32_t)(place >> 25) & 127};
}

void ckernels_sample_neon(uint32_t *destination, int64_t count, int32_t x, int32_t y, const struct ckernels_sampler *s) {
  // Pixels are read in pairs, so there must be two.
  if (s->width < 2 || s->height < 2) {
    ckernels_sample_portable(destination, count, x, y, s);
    return;
  }
  const uint64_t wide_x = (uint64_t)(int64_t)x, wide_y = (uint64_t)(int64_t)y;
  uint64_t u = (uint64_t)s->u + wide_x * (uint64_t)s->ux + wide_y * (uint64_t)s->uy + SAMPLE_ROUNDING;
  uint64_t v = (uint64_t)s->v + wide_x * (uint64_t)s->vx + wide_y * (uint64_t)s->vy + SAMPLE_ROUNDING;
  for (int64_t i = 0; i < count; i++) {
    const struct neighbours column = neighbours(u, s->width - 2), row = neighbours(v, s->height - 2);
    const uint8_t *upper = s->base + row.first * s->bytes_per_row + 4 * column.first;
    uint16x8_t pair = vmull_u8(vld1_u8(upper), vdup_n_u8((uint8_t)(128 - row.weight)));
    pair = vmlal_u8(pair, vld1_u8(upper + s->bytes_per_row), vdup_n_u8((uint8_t)row.weight));
    uint32x4_t sums = vmull_n_u16(vget_low_u16(pair), (uint16_t)(128 - column.weight));
    sums = vmlal_n_u16(sums, vget_high_u16(pair), (uint16_t)column.weight);
    const uint16x4_t channels = vrshrn_n_u32(sums, 14);
    vst1_lane_u32(destination + i, vreinterpret_u32_u8(vmovn_u16(vcombine_u16(channels, channels))), 0);
    u += (uint64_t)s->ux, v += (uint64_t)s->vx;
  }
}

#endif
