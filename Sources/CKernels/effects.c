// Kernels of the effects that few layers have. Each result is a function of the pixel alone, as everywhere.

#include "CKernels.h"

// The compiler must not fuse products and sums, or a pixel would depend on its choice.
#pragma STDC FP_CONTRACT OFF

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

typedef float channels __attribute__((vector_size(16)));

static inline channels column(const float *values) {
  channels result;
  __builtin_memcpy(&result, values, sizeof result);
  return result;
}

void ckernels_map_colors(uint32_t *pixels, int64_t count, const struct ckernels_color_map *map) {
  const channels red = column(map->red), green = column(map->green), blue = column(map->blue), alpha = column(map->alpha),
                 constant = column(map->constant);
  for (int64_t i = 0; i < count; i++) {
    uint32_t pixel = pixels[i];
    if (pixel >> 24 == 0) continue;
    float own = (float)(pixel >> 24);
    channels color = red * ((float)(pixel >> 16 & 255) / own) + green * ((float)(pixel >> 8 & 255) / own) +
                     blue * ((float)(pixel & 255) / own) + alpha * (own / 255) + constant;
    color = __builtin_elementwise_min(__builtin_elementwise_max(color, (channels){}), (channels){1, 1, 1, 1});
    float whole = color[3] * 255;
    color[3] = 1;
    color = color * whole + 0.5f;
    pixels[i] = (uint32_t)color[3] << 24 | (uint32_t)color[0] << 16 | (uint32_t)color[1] << 8 | (uint32_t)color[2];
  }
}
