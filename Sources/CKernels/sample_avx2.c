// Bilinear sampling with AVX2, four pixels at a time.

#include "pixel.h"
#include "tables.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

// Clamps four coordinates.
AVX2 static inline __m256i clamp_lanes(__m256i value, __m256i limit) {
  value = _mm256_andnot_si256(_mm256_cmpgt_epi64(_mm256_setzero_si256(), value), value);
  return _mm256_blendv_epi8(value, limit, _mm256_cmpgt_epi64(value, limit));
}

// Interpolates the bytes of two pixels as 16-bit lanes, in the order in which `_mm256_unpacklo_epi8` returns the pixels 0
// and 2 of four.
AVX2 static inline __m256i interpolate_pair(__m256i p00, __m256i p01, __m256i p10, __m256i p11, __m256i right,
                                            __m256i below) {
  const __m256i whole = _mm256_set1_epi16(128);
  __m256i left = _mm256_sub_epi16(whole, right);
  __m256i upper = _mm256_add_epi16(_mm256_mullo_epi16(p00, left), _mm256_mullo_epi16(p01, right));
  __m256i lower = _mm256_add_epi16(_mm256_mullo_epi16(p10, left), _mm256_mullo_epi16(p11, right));
  // The largest value is 255·128, which fits into a signed word.
  __m256i above = _mm256_sub_epi16(whole, below);
  const __m256i half = _mm256_set1_epi32(8192);
  __m256i first = _mm256_madd_epi16(_mm256_unpacklo_epi16(upper, lower), _mm256_unpacklo_epi16(above, below));
  __m256i second = _mm256_madd_epi16(_mm256_unpackhi_epi16(upper, lower), _mm256_unpackhi_epi16(above, below));
  return _mm256_packus_epi32(_mm256_srli_epi32(_mm256_add_epi32(first, half), 14),
                             _mm256_srli_epi32(_mm256_add_epi32(second, half), 14));
}

AVX2 void ckernels_sample_avx2(uint32_t *destination, int64_t count, int32_t x, int32_t y,
                               const struct ckernels_sampler *s) {
  int64_t i = 0;
  // Pixels are read in pairs, so there must be two.
  if (s->width < 2 || s->height < 2) goto rest;
  uint64_t wide_x = (uint64_t)(int64_t)x, wide_y = (uint64_t)(int64_t)y;
  uint64_t ux = (uint64_t)s->ux, vx = (uint64_t)s->vx;
  uint64_t u0 = (uint64_t)s->u + wide_x * ux + wide_y * (uint64_t)s->uy + SAMPLE_ROUNDING;
  uint64_t v0 = (uint64_t)s->v + wide_x * vx + wide_y * (uint64_t)s->vy + SAMPLE_ROUNDING;
  // Adding integers is exact: stepping gives the same as multiplying, wherever it starts.
  __m256i u = _mm256_setr_epi64x((long long)u0, (long long)(u0 + ux), (long long)(u0 + 2 * ux), (long long)(u0 + 3 * ux));
  __m256i v = _mm256_setr_epi64x((long long)v0, (long long)(v0 + vx), (long long)(v0 + 2 * vx), (long long)(v0 + 3 * vx));
  const __m256i step_u = _mm256_set1_epi64x((long long)(4 * ux)), step_v = _mm256_set1_epi64x((long long)(4 * vx));
  const __m256i limit_u = _mm256_set1_epi64x((int64_t)(s->width - 1) << 32);
  const __m256i limit_v = _mm256_set1_epi64x((int64_t)(s->height - 1) << 32);
  const __m256i last_column = _mm256_set1_epi64x(s->width - 2), last_row = _mm256_set1_epi64x(s->height - 2);
  const __m256i row_bytes = _mm256_set1_epi64x(s->bytes_per_row);
  const __m256i weight_bits = _mm256_set1_epi64x(127), whole_weight = _mm256_set1_epi64x(128);
  const __m256i zero = _mm256_setzero_si256();
  // The weight, a 64-bit lane, is copied to the four 16-bit lanes of its pixel.
  const __m256i spread = _mm256_setr_epi8(0, -1, 0, -1, 0, -1, 0, -1, 8, -1, 8, -1, 8, -1, 8, -1,  //
                                          0, -1, 0, -1, 0, -1, 0, -1, 8, -1, 8, -1, 8, -1, 8, -1);
  for (; i + 4 <= count; i += 4) {
    __m256i clamped_u = clamp_lanes(u, limit_u), clamped_v = clamp_lanes(v, limit_v);
    __m256i right = _mm256_and_si256(_mm256_srli_epi64(clamped_u, 25), weight_bits);
    __m256i below = _mm256_and_si256(_mm256_srli_epi64(clamped_v, 25), weight_bits);
    __m256i column = _mm256_srli_epi64(clamped_u, 32), row = _mm256_srli_epi64(clamped_v, 32);
    // The last pixel has no neighbour. The pixel before it is read instead, with the whole weight on the neighbour.
    __m256i is_last = _mm256_cmpgt_epi64(column, last_column);
    column = _mm256_add_epi64(column, is_last);
    right = _mm256_add_epi64(right, _mm256_and_si256(is_last, whole_weight));
    is_last = _mm256_cmpgt_epi64(row, last_row);
    row = _mm256_add_epi64(row, is_last);
    below = _mm256_add_epi64(below, _mm256_and_si256(is_last, whole_weight));
    __m256i offset = _mm256_add_epi64(_mm256_mul_epu32(row, row_bytes), _mm256_slli_epi64(column, 2));
    __m256i top = _mm256_i64gather_epi64((const long long *)s->base, offset, 1);
    __m256i bottom = _mm256_i64gather_epi64((const long long *)s->base, _mm256_add_epi64(offset, row_bytes), 1);
    // Each 64-bit lane has a pixel in the low half and its neighbour in the high half. The low halves of both 128-bit lanes
    // come first.
    __m256i top_left = _mm256_shuffle_epi32(top, _MM_SHUFFLE(3, 1, 2, 0));
    __m256i bottom_left = _mm256_shuffle_epi32(bottom, _MM_SHUFFLE(3, 1, 2, 0));
    __m256i words = interpolate_pair(
        _mm256_unpacklo_epi8(top_left, zero), _mm256_unpackhi_epi8(top_left, zero), _mm256_unpacklo_epi8(bottom_left, zero),
        _mm256_unpackhi_epi8(bottom_left, zero), _mm256_shuffle_epi8(right, spread), _mm256_shuffle_epi8(below, spread));
    __m256i bytes = _mm256_packus_epi16(words, zero);
    _mm_storeu_si128((__m128i *)(destination + i),
                     _mm256_castsi256_si128(_mm256_permute4x64_epi64(bytes, _MM_SHUFFLE(3, 1, 2, 0))));
    u = _mm256_add_epi64(u, step_u);
    v = _mm256_add_epi64(v, step_v);
  }
rest:
  for (; i < count; i++) destination[i] = sample_pixel(x + (int32_t)i, y, s);
}

#endif
