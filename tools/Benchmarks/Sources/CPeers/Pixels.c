// The peers of the row kernels: the least that a processor has to do for a composition, and pixman.

#include "CPeers.h"

#include <pixman.h>
#include <stddef.h>

__attribute__((always_inline)) static inline void combine(uint32_t *destination, const uint32_t *source, int64_t count) {
  for (int64_t i = 0; i < count; i++) destination[i] ^= source[i];
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void combine_avx2(uint32_t *destination, const uint32_t *source, int64_t count) {
  combine(destination, source, count);
}
#endif

void peer_combine(uint32_t *destination, const uint32_t *source, int64_t count) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return combine_avx2(destination, source, count);
#endif
  combine(destination, source, count);
}

static pixman_image_t *solid(uint32_t pixel) {
  // 257 spreads a byte over 16 bits.
  pixman_color_t color = {
      .red = (uint16_t)((pixel >> 16 & 255) * 257),
      .green = (uint16_t)((pixel >> 8 & 255) * 257),
      .blue = (uint16_t)((pixel & 255) * 257),
      .alpha = (uint16_t)((pixel >> 24) * 257),
  };
  return pixman_image_create_solid_fill(&color);
}

static pixman_image_t *image(const uint32_t *pixels, int width, int height) {
  return pixman_image_create_bits_no_clear(PIXMAN_a8r8g8b8, width, height, (uint32_t *)pixels, width * 4);
}

static void compose(pixman_op_t operation, uint32_t *destination, pixman_image_t *source, pixman_image_t *mask, int width,
                    int height) {
  pixman_image_t *target = image(destination, width, height);
  pixman_image_composite32(operation, source, mask, target, 0, 0, 0, 0, 0, 0, width, height);
  pixman_image_unref(target);
  pixman_image_unref(source);
  if (mask) pixman_image_unref(mask);
}

void peer_pixman_fill(uint32_t *destination, int width, int height, uint32_t color) {
  compose(PIXMAN_OP_SRC, destination, solid(color), NULL, width, height);
}

void peer_pixman_over(uint32_t *destination, const uint32_t *source, int width, int height, uint32_t opacity) {
  pixman_image_t *mask = opacity == 255 ? NULL : solid(opacity << 24);
  compose(PIXMAN_OP_OVER, destination, image(source, width, height), mask, width, height);
}

void peer_pixman_multiply(uint32_t *destination, const uint32_t *source, int width, int height) {
  compose(PIXMAN_OP_MULTIPLY, destination, image(source, width, height), NULL, width, height);
}
