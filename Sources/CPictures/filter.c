// The filter step of PNG: bytes of pixels, and their differences to the pixel on the left or to the row above.

#include "CPictures.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// R, G, B of opaque pixels, several at a time; returns how many were converted.
#if defined(__x86_64__)
__attribute__((target("ssse3"))) static int64_t pack_rgb(uint8_t *bytes, const uint32_t *pixels, int64_t count) {
  const __m128i order = _mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1);
  int64_t x = 0;
  // Each store writes 16 bytes, of which 4 belong to the pixels that follow.
  for (; x + 6 <= count; x += 4) {
    __m128i four = _mm_loadu_si128((const __m128i *)(pixels + x));
    _mm_storeu_si128((__m128i *)(bytes + x * 3), _mm_shuffle_epi8(four, order));
  }
  return x;
}
#elif defined(__aarch64__)
static int64_t pack_rgb(uint8_t *bytes, const uint32_t *pixels, int64_t count) {
  int64_t x = 0;
  for (; x + 16 <= count; x += 16) {
    uint8x16x4_t bgra = vld4q_u8((const uint8_t *)(pixels + x));
    uint8x16x3_t rgb = {{bgra.val[2], bgra.val[1], bgra.val[0]}};
    vst3q_u8(bytes + x * 3, rgb);
  }
  return x;
}
#else
static int64_t pack_rgb(uint8_t *bytes, const uint32_t *pixels, int64_t count) { return 0; }
#endif

#if defined(__x86_64__)
#define CPU_HAS(name) __builtin_cpu_supports(name)
#else
#define CPU_HAS(name) true
#endif

static uint32_t divided(uint32_t component, uint32_t alpha) {
  uint32_t value = (component * 255 + alpha / 2) / alpha;
  return value < 255 ? value : 255;
}

void cpictures_png_row(uint8_t *bytes, const uint32_t *pixels, int64_t count, int32_t channels) {
  if (channels == 3) {
    for (int64_t x = CPU_HAS("ssse3") ? pack_rgb(bytes, pixels, count) : 0; x < count; x++) {
      bytes[x * 3] = pixels[x] >> 16;
      bytes[x * 3 + 1] = pixels[x] >> 8;
      bytes[x * 3 + 2] = pixels[x];
    }
    return;
  }
  for (int64_t x = 0; x < count; x++) {
    uint32_t pixel = pixels[x], alpha = pixel >> 24;
    uint32_t red = pixel >> 16 & 0xFF, green = pixel >> 8 & 0xFF, blue = pixel & 0xFF;
    if (alpha == 0) {
      red = green = blue = 0;
    } else if (alpha < 255) {
      red = divided(red, alpha);
      green = divided(green, alpha);
      blue = divided(blue, alpha);
    }
    bytes[x * 4] = red;
    bytes[x * 4 + 1] = green;
    bytes[x * 4 + 2] = blue;
    bytes[x * 4 + 3] = alpha;
  }
}

// Writes the differences and returns their cost: bytes that differ at all count most, as equal ones nearly vanish; then how
// far apart they are. The compiler makes vectors of the loop, with the instructions of the function that it is part of.
__attribute__((always_inline)) static inline uint64_t subtract_bytes(uint8_t *differences, const uint8_t *row,
                                                                     const uint8_t *reference, int64_t count) {
  uint64_t cost = 0;
  for (int64_t start = 0; start < count; start += 4096) {
    int64_t end = start + 4096 < count ? start + 4096 : count;
    // 4,096 times 136 fits.
    uint32_t part = 0;
    for (int64_t i = start; i < end; i++) {
      uint8_t difference = row[i] - reference[i];
      uint8_t opposite = -difference;
      uint8_t distance = difference < opposite ? difference : opposite;
      differences[i] = difference;
      part += (uint8_t)(distance + (distance ? 8 : 0));
    }
    cost += part;
  }
  return cost;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static uint64_t subtract_avx2(uint8_t *differences, const uint8_t *row,
                                                              const uint8_t *reference, int64_t count) {
  return subtract_bytes(differences, row, reference, count);
}
#endif

static uint64_t subtract(uint8_t *differences, const uint8_t *row, const uint8_t *reference, int64_t count) {
#if defined(__x86_64__)
  if (CPU_HAS("avx2")) return subtract_avx2(differences, row, reference, count);
#endif
  return subtract_bytes(differences, row, reference, count);
}

void cpictures_png_filter(uint8_t *filtered, const uint8_t *row, const uint8_t *above, int64_t count, int32_t channels,
                          uint8_t *scratch) {
  int64_t first = channels < count ? channels : count;
  uint64_t up = subtract(scratch, row, above, count);
  for (int64_t i = 0; i < first; i++) filtered[1 + i] = row[i];
  uint64_t sub = subtract(filtered + 1 + first, row + first, row, count - first);
  if (sub < up) {
    filtered[0] = 1;
  } else {
    filtered[0] = 2;
    __builtin_memcpy(filtered + 1, scratch, (size_t)count);
  }
}
