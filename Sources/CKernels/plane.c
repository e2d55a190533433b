// Sampling of a picture in perspective.

#include <math.h>
#include <stdbool.h>

#include "CKernels.h"

// The compiler must not fuse products and sums, or a pixel would depend on its choice.
#pragma STDC FP_CONTRACT OFF

// The places along each side of a pixel that are averaged at most.
#define MOST_PLACES 8.0

// The sums of a pixel's channels, each in half a word.
struct channels {
  uint64_t blue_red, green_alpha;
};

static inline double length(double x, double y) { return sqrt(x * x + y * y); }

// Finds the place in the picture that is seen at a point of the output; false where none is, or one too far away.
static inline bool place(const struct ckernels_plane *p, double x, double y, double *u, double *v) {
  double w = p->px * x + p->py * y + p->pw;
  if (!(w >= p->nearest && w <= p->farthest)) return false;
  *u = (p->a * x + p->c * y + p->tx) / w;
  *v = (p->b * x + p->d * y + p->ty) / w;
  return fabs(*u) < 0x1p29 && fabs(*v) < 0x1p29;
}

static inline void add_pixel(struct channels *sum, const struct ckernels_plane *p, int64_t x, int64_t y, uint32_t weight) {
  if (x < p->min_x || x >= p->max_x || y < p->min_y || y >= p->max_y) return;
  uint32_t pixel = ((const uint32_t *)(p->base + (y - p->min_y) * p->bytes_per_row))[x - p->min_x];
  sum->blue_red += ((uint64_t)(pixel & 0x00FF0000) << 16 | (pixel & 255)) * weight;
  sum->green_alpha += ((uint64_t)(pixel & 0xFF000000) << 8 | (pixel >> 8 & 255)) * weight;
}

// Adds the mixture of the four pixels around a place, 2¹⁶ times.
static inline void add_place(struct channels *sum, const struct ckernels_plane *p, double u, double v) {
  double left = floor(u - 0.5), top = floor(v - 0.5);
  uint32_t right = (uint32_t)((u - 0.5 - left) * 256), below = (uint32_t)((v - 0.5 - top) * 256);
  int64_t x = (int64_t)left, y = (int64_t)top;
  add_pixel(sum, p, x, y, (256 - right) * (256 - below));
  add_pixel(sum, p, x + 1, y, right * (256 - below));
  add_pixel(sum, p, x, y + 1, (256 - right) * below);
  add_pixel(sum, p, x + 1, y + 1, right * below);
}

static inline uint32_t plane_pixel(const struct ckernels_plane *p, double x, double y) {
  double u, v;
  if (!place(p, x, y, &u, &v)) return 0;
  double w = p->px * x + p->py * y + p->pw;
  double across = length(p->a - u * p->px, p->b - v * p->px) / w;
  double down = length(p->c - u * p->py, p->d - v * p->py) / w;
  double reach = down > across ? down : across, margin = reach * 2 + 2;
  // Nothing of the picture is near.
  if (!(u > p->left - margin && u < p->right + margin && v > p->top - margin && v < p->bottom + margin)) return 0;
  struct channels sum = {0, 0};
  double count = ceil(reach - 0.25);
  if (!(count > 1)) {
    add_place(&sum, p, u, v);
    const uint64_t half = 0x0000800000008000, bytes = 0x000000FF000000FF;
    uint64_t blue_red = (sum.blue_red + half) >> 16 & bytes, green_alpha = (sum.green_alpha + half) >> 16 & bytes;
    blue_red |= green_alpha << 8;
    return (uint32_t)(blue_red | blue_red >> 16);
  }
  count = count < MOST_PLACES ? count : MOST_PLACES;
  for (int row = 0; row < (int)count; row++) {
    for (int column = 0; column < (int)count; column++) {
      double dx = (column + 0.5) / count - 0.5, dy = (row + 0.5) / count - 0.5;
      if (place(p, x + dx, y + dy, &u, &v)) add_place(&sum, p, u, v);
    }
  }
  uint32_t weight = (uint32_t)(count * count) << 16, half = weight >> 1;
  uint32_t blue = ((uint32_t)sum.blue_red + half) / weight, red = ((uint32_t)(sum.blue_red >> 32) + half) / weight;
  uint32_t green = ((uint32_t)sum.green_alpha + half) / weight, alpha = ((uint32_t)(sum.green_alpha >> 32) + half) / weight;
  return alpha << 24 | red << 16 | green << 8 | blue;
}

void ckernels_sample_plane(uint32_t *destination, int64_t count, int32_t x, int32_t y, const struct ckernels_plane *plane) {
  for (int64_t i = 0; i < count; i++) destination[i] = plane_pixel(plane, (double)(x + i) + 0.5, (double)y + 0.5);
}
