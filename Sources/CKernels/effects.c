// Kernels of the effects that few layers have. Each result is a function of the pixel alone, as everywhere.

#include "CKernels.h"

static inline int64_t within(int64_t value, int64_t limit) { return value < 0 ? 0 : value >= limit ? limit - 1 : value; }

void ckernels_sample_nearest(uint32_t *destination, int64_t count, int32_t x, int32_t y,
                             const struct ckernels_sampler *s) {
  const uint64_t half = 1ull << 31;
  for (int64_t i = 0; i < count; i++) {
    uint64_t column = (uint64_t)(x + i), row = (uint64_t)(int64_t)y;
    int64_t u = (int64_t)((uint64_t)s->u + column * (uint64_t)s->ux + row * (uint64_t)s->uy + half) >> 32;
    int64_t v = (int64_t)((uint64_t)s->v + column * (uint64_t)s->vx + row * (uint64_t)s->vy + half) >> 32;
    const uint8_t *line = s->base + within(v, s->height) * s->bytes_per_row;
    destination[i] = ((const uint32_t *)line)[within(u, s->width)];
  }
}
