// Random rows, the same on every machine.
#pragma once

#include <stdint.h>

struct random {
  uint64_t state;
};

static inline uint64_t random_next(struct random *random) {
  uint64_t z = random->state += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

static inline uint32_t random_below(struct random *random, uint32_t limit) {
  return (uint32_t)((random_next(random) >> 32) * limit >> 32);
}

static inline double random_between(struct random *random, double low, double high) {
  return low + (double)(random_next(random) >> 11) * 0x1p-53 * (high - low);
}

enum alphas { NOISE, INTERFACE, OPAQUE, CLEAR, BEYOND_ALPHA, ALPHAS };

// A pixel with alpha multiplied in; of BEYOND_ALPHA the colours may exceed the alpha.
static inline uint32_t random_pixel(struct random *random, enum alphas alphas) {
  uint32_t alpha = alphas == OPAQUE ? 255 : alphas == CLEAR ? 0 : random_below(random, 256);
  uint32_t most = (alphas == BEYOND_ALPHA ? 255 : alpha) + 1;
  uint32_t red = random_below(random, most), green = random_below(random, most), blue = random_below(random, most);
  return alpha << 24 | red << 16 | green << 8 | blue;
}

// INTERFACE is what a picture of a user interface has: runs of opaque and of clear pixels with a few others between them.
static inline void random_pixels(struct random *random, enum alphas alphas, uint32_t *pixels, int64_t count) {
  for (int64_t i = 0; i < count;) {
    enum alphas kind = alphas != INTERFACE ? alphas : (enum alphas[]){OPAQUE, CLEAR, NOISE}[random_below(random, 3)];
    int64_t run = kind == NOISE ? 3 : 40;
    for (int64_t end = i + 1 + random_below(random, (uint32_t)run); i < count && i < end; i++) {
      pixels[i] = random_pixel(random, kind);
    }
  }
}

static inline void random_coverage(struct random *random, enum alphas alphas, uint8_t *bytes, int64_t count) {
  for (int64_t i = 0; i < count;) {
    enum alphas kind = alphas != INTERFACE ? alphas : (enum alphas[]){OPAQUE, CLEAR, NOISE}[random_below(random, 3)];
    for (int64_t end = i + 1 + random_below(random, 40); i < count && i < end; i++) {
      bytes[i] = kind == OPAQUE ? 255 : kind == CLEAR ? 0 : (uint8_t)random_below(random, 256);
    }
  }
}
