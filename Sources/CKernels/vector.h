// The arithmetic of pixel.h in vectors of VECTOR_BYTES bytes, which the file that includes this defines. The vectors are the
// compiler's own: the same text becomes AVX2, AVX-512 and NEON.
//
// A 16-bit lane holds two bytes of a pixel. As in `multiply_pixel`, the even and the odd ones are multiplied apart, so that no
// byte moves to another lane.
#pragma once

#include <stdbool.h>

#include "pixel.h"

typedef uint8_t bytes __attribute__((vector_size(VECTOR_BYTES)));
typedef uint16_t halves __attribute__((vector_size(VECTOR_BYTES)));
typedef uint32_t words __attribute__((vector_size(VECTOR_BYTES)));
// A byte for each pixel of a vector.
typedef uint8_t coverage_bytes __attribute__((vector_size(VECTOR_BYTES / 4)));

enum {
  // The pixels in a vector.
  LANES = VECTOR_BYTES / 4,
  // The vectors in a group of sixteen pixels, which is looked at as a whole.
  GROUP_VECTORS = 16 / LANES,
};

static inline words load(const uint32_t *pixels) {
  words result;
  __builtin_memcpy(&result, pixels, sizeof result);
  return result;
}

static inline void store(uint32_t *pixels, words value) { __builtin_memcpy(pixels, &value, sizeof value); }

static inline words repeat(uint32_t pixel) { return (words){} + pixel; }

// Copies values from 0 to 255 in the lanes of pixels to both halves of these lanes.
static inline halves both_halves(words values) { return (halves)(values | values << 16); }

static inline halves load_coverage(const uint8_t *coverage) {
  coverage_bytes result;
  __builtin_memcpy(&result, coverage, sizeof result);
  return both_halves(__builtin_convertvector(result, words));
}

static inline bool is_zero(words value) { return __builtin_reduce_or(value) == 0; }

// Divides by 255 and rounds to the nearest; exact up to 255·255.
static inline halves divide_255(halves product) {
  halves t = product + 128;
  return (t + (t >> 8)) >> 8;
}

static inline halves even_bytes(words pixels) { return (halves)pixels & 0x00FF; }
static inline halves odd_bytes(words pixels) { return (halves)pixels >> 8; }
static inline words join_bytes(halves even, halves odd) { return (words)(even | odd << 8); }

static inline words multiply_pixels(words pixels, halves factors) {
  return join_bytes(divide_255(even_bytes(pixels) * factors), divide_255(odd_bytes(pixels) * factors));
}

static inline words over_pixels(words destination, words source) {
  words rest = multiply_pixels(destination, both_halves(255 - (source >> 24)));
  return (words)__builtin_elementwise_add_sat((bytes)source, (bytes)rest);
}
