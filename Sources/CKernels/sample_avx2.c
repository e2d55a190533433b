// Bilinear sampling with AVX2, eight pixels at a time.

#include "pixel.h"
#include "tables.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

// The left or upper one of the two pixels that are mixed, and the weight of the other one, for eight coordinates with 32 fraction
// bits.
struct neighbours {
  __m256i first, weight;
};

// `low` has the lanes 0, 1, 4 and 5 of the eight, `high` the others. There is a pixel at 0…last + 1.
AVX2 static inline struct neighbours neighbours(__m256i low, __m256i high, __m256i last) {
  __m256 lows = _mm256_castsi256_ps(low), highs = _mm256_castsi256_ps(high);
  __m256i whole = _mm256_castps_si256(_mm256_shuffle_ps(lows, highs, _MM_SHUFFLE(3, 1, 3, 1)));
  __m256i fraction = _mm256_castps_si256(_mm256_shuffle_ps(lows, highs, _MM_SHUFFLE(2, 0, 2, 0)));
  __m256i first = _mm256_min_epi32(_mm256_max_epi32(whole, _mm256_setzero_si256()), last);
  // Before the first pixel the other one has no weight, and from the last pixel on all of it.
  __m256i weight = _mm256_andnot_si256(_mm256_srai_epi32(whole, 31), _mm256_srli_epi32(fraction, 25));
  weight = _mm256_blendv_epi8(weight, _mm256_set1_epi32(128), _mm256_cmpgt_epi32(whole, last));
  return (struct neighbours){first, weight};
}

// Reads pixels with their right neighbours: two into each half of the result.
AVX2 static inline __m256i load_pairs(const uint32_t *base, int64_t a, int64_t b, int64_t c, int64_t d) {
  __m128d low = _mm_loadh_pd(_mm_load_sd((const double *)(base + a)), (const double *)(base + b));
  __m128d high = _mm_loadh_pd(_mm_load_sd((const double *)(base + c)), (const double *)(base + d));
  return _mm256_castpd_si256(_mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1));
}

// Mixes each of four pixels with its right neighbour: 16-bit lanes, from which 128·128 is taken off.
AVX2 static inline __m256i mix_columns(__m256i pairs, __m256i weights) {
  const __m256i beside = _mm256_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15,  //
                                          0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
  // The instruction multiplies unsigned bytes, the weights up to 128, by signed ones: those of pixels less 128.
  __m256i signed_bytes = _mm256_xor_si256(_mm256_shuffle_epi8(pairs, beside), _mm256_set1_epi8(-128));
  return _mm256_maddubs_epi16(weights, signed_bytes);
}

// Mixes the channels of two pixels with those of the row below.
AVX2 static inline __m256i mix_rows(__m256i channels, __m256i weights) {
  const __m256i rest = _mm256_set1_epi32(128 * 128 * 128 + 8192);
  return _mm256_srli_epi32(_mm256_add_epi32(_mm256_madd_epi16(channels, weights), rest), 14);
}

// The columns of an upright image that are mixed at a time, and the most pixels that lie between these: a step is at most two columns.
enum { MIXED_COLUMNS = 256, MIXED_PIXELS = (MIXED_COLUMNS - 2) / 2 / 8 * 8 };

// Mixes the columns of two pixels, from four channels of each that are 128 times as large.
AVX2 static inline __m256i mix_mixed(const uint16_t *low, const uint16_t *high, __m256i weights) {
  const __m256i beside = _mm256_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15,  //
                                          0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
  __m256i pairs = _mm256_loadu2_m128i((const __m128i *)high, (const __m128i *)low);
  __m256i sums = _mm256_madd_epi16(_mm256_shuffle_epi8(pairs, beside), weights);
  return _mm256_srli_epi32(_mm256_add_epi32(sums, _mm256_set1_epi32(8192)), 14);
}

// Writes the pixels of a row, as many as are a multiple of eight, of an image that is not turned: its two rows are mixed once. Returns
// their number, which is 0 where another way is faster.
AVX2 static int64_t sample_upright(uint32_t *destination, int64_t count, uint64_t u, uint64_t v,
                                   const struct ckernels_sampler *s) {
  const int64_t ux = s->ux, last = s->width - 2;
  int64_t end;
  if (count < 8 || s->vx || ux > (int64_t)2 << 32 || ux < -((int64_t)2 << 32)) return 0;
  // Columns lie in order unless their places exceed 64 bits.
  if (__builtin_mul_overflow(count, ux, &end) || __builtin_add_overflow((int64_t)u, end, &end)) return 0;
  const int64_t row = clamp_coordinate((int64_t)v, (int64_t)(s->height - 1) << 32);
  const uint16_t below = (row >> 25) & 127;
  const uint8_t *upper = s->base + (row >> 32) * s->bytes_per_row, *lower = below ? upper + s->bytes_per_row : upper;

  __m256i u_low = _mm256_setr_epi64x((long long)u, (long long)u + ux, (long long)u + 4 * ux, (long long)u + 5 * ux);
  const __m256i step = _mm256_set1_epi64x(8 * ux), two_steps = _mm256_set1_epi64x(2 * ux);
  const __m256i last_column = _mm256_set1_epi32((int32_t)last);
  uint16_t mixed[4 * MIXED_COLUMNS];
  int64_t i = 0;
  while (i + 8 <= count) {
    const int64_t until = i + MIXED_PIXELS < count ? i + MIXED_PIXELS : count & ~(int64_t)7;
    const int64_t a = clamp_coordinate(((int64_t)u + i * ux) >> 32, last);
    const int64_t b = clamp_coordinate(((int64_t)u + (until - 1) * ux) >> 32, last);
    const int64_t first = a < b ? a : b, channels = 4 * ((a < b ? b : a) + 2 - first);
    for (int64_t k = 0; k < channels; k++) {
      mixed[k] = (uint16_t)(upper[4 * first + k] * (128 - below) + lower[4 * first + k] * below);
    }
    const __m256i first_column = _mm256_set1_epi32((int32_t)first);
    for (; i < until; i += 8) {
      struct neighbours column = neighbours(u_low, _mm256_add_epi64(u_low, two_steps), last_column);
      int32_t at[8] __attribute__((aligned(32)));
      _mm256_store_si256((__m256i *)at, _mm256_slli_epi32(_mm256_sub_epi32(column.first, first_column), 2));
      __m256i weights = _mm256_sub_epi32(_mm256_set1_epi32(128), column.weight);
      weights = _mm256_or_si256(weights, _mm256_slli_epi32(column.weight, 16));
      __m256i pixels_04 = mix_mixed(mixed + at[0], mixed + at[4], _mm256_shuffle_epi32(weights, 0x00));
      __m256i pixels_15 = mix_mixed(mixed + at[1], mixed + at[5], _mm256_shuffle_epi32(weights, 0x55));
      __m256i pixels_26 = mix_mixed(mixed + at[2], mixed + at[6], _mm256_shuffle_epi32(weights, 0xAA));
      __m256i pixels_37 = mix_mixed(mixed + at[3], mixed + at[7], _mm256_shuffle_epi32(weights, 0xFF));
      __m256i words = _mm256_packus_epi16(_mm256_packus_epi32(pixels_04, pixels_15), _mm256_packus_epi32(pixels_26, pixels_37));
      _mm256_storeu_si256((__m256i *)(destination + i), words);
      u_low = _mm256_add_epi64(u_low, step);
    }
  }
  return i;
}

AVX2 void ckernels_sample_avx2(uint32_t *destination, int64_t count, int32_t x, int32_t y,
                               const struct ckernels_sampler *s) {
  int64_t i = 0, stride = s->bytes_per_row / 4;
  // Pixels are read in pairs, so there must be two, and places are counted in 32 bits.
  if (s->width < 2 || s->height < 2 || s->bytes_per_row % 4 || stride > INT32_MAX / s->height) goto rest;
  uint64_t wide_x = (uint64_t)(int64_t)x, wide_y = (uint64_t)(int64_t)y;
  uint64_t ux = (uint64_t)s->ux, vx = (uint64_t)s->vx;
  uint64_t u0 = (uint64_t)s->u + wide_x * ux + wide_y * (uint64_t)s->uy + SAMPLE_ROUNDING;
  uint64_t v0 = (uint64_t)s->v + wide_x * vx + wide_y * (uint64_t)s->vy + SAMPLE_ROUNDING;
  i = sample_upright(destination, count, u0, v0, s);
  u0 += (uint64_t)i * ux, v0 += (uint64_t)i * vx;
  // Adding integers is exact: stepping gives the same as multiplying, wherever it starts.
  __m256i u_low = _mm256_setr_epi64x((long long)u0, (long long)(u0 + ux), (long long)(u0 + 4 * ux), (long long)(u0 + 5 * ux));
  __m256i v_low = _mm256_setr_epi64x((long long)v0, (long long)(v0 + vx), (long long)(v0 + 4 * vx), (long long)(v0 + 5 * vx));
  __m256i u_high = _mm256_add_epi64(u_low, _mm256_set1_epi64x((long long)(2 * ux)));
  __m256i v_high = _mm256_add_epi64(v_low, _mm256_set1_epi64x((long long)(2 * vx)));
  const __m256i step_u = _mm256_set1_epi64x((long long)(8 * ux)), step_v = _mm256_set1_epi64x((long long)(8 * vx));
  const __m256i last_column = _mm256_set1_epi32(s->width - 2), last_row = _mm256_set1_epi32(s->height - 2);
  const __m256i strides = _mm256_set1_epi32((int32_t)stride);
  // The weights of a pixel and of its neighbour, bytes for four channels of the pixels 0 and 1, and of 2 and 3, of each half.
  const __m256i front = _mm256_setr_epi8(0, 1, 0, 1, 0, 1, 0, 1, 4, 5, 4, 5, 4, 5, 4, 5,  //
                                         0, 1, 0, 1, 0, 1, 0, 1, 4, 5, 4, 5, 4, 5, 4, 5);
  const __m256i back = _mm256_add_epi8(front, _mm256_set1_epi8(8));
  const uint32_t *base = (const uint32_t *)s->base;
  for (; i + 8 <= count; i += 8) {
    struct neighbours column = neighbours(u_low, u_high, last_column), row = neighbours(v_low, v_high, last_row);
    int32_t at[8] __attribute__((aligned(32)));
    _mm256_store_si256((__m256i *)at, _mm256_add_epi32(_mm256_mullo_epi32(row.first, strides), column.first));
    // 128 − weight, and the weight above it.
    const __m256i whole = _mm256_set1_epi32(128);
    __m256i across = _mm256_or_si256(_mm256_sub_epi32(whole, column.weight), _mm256_slli_epi32(column.weight, 8));
    __m256i down = _mm256_or_si256(_mm256_sub_epi32(whole, row.weight), _mm256_slli_epi32(row.weight, 16));
    __m256i front_weights = _mm256_shuffle_epi8(across, front), back_weights = _mm256_shuffle_epi8(across, back);
    __m256i upper = mix_columns(load_pairs(base, at[0], at[1], at[4], at[5]), front_weights);
    __m256i lower = mix_columns(load_pairs(base + stride, at[0], at[1], at[4], at[5]), front_weights);
    __m256i pixels_04 = mix_rows(_mm256_unpacklo_epi16(upper, lower), _mm256_shuffle_epi32(down, 0x00));
    __m256i pixels_15 = mix_rows(_mm256_unpackhi_epi16(upper, lower), _mm256_shuffle_epi32(down, 0x55));
    upper = mix_columns(load_pairs(base, at[2], at[3], at[6], at[7]), back_weights);
    lower = mix_columns(load_pairs(base + stride, at[2], at[3], at[6], at[7]), back_weights);
    __m256i pixels_26 = mix_rows(_mm256_unpacklo_epi16(upper, lower), _mm256_shuffle_epi32(down, 0xAA));
    __m256i pixels_37 = mix_rows(_mm256_unpackhi_epi16(upper, lower), _mm256_shuffle_epi32(down, 0xFF));
    __m256i words = _mm256_packus_epi16(_mm256_packus_epi32(pixels_04, pixels_15), _mm256_packus_epi32(pixels_26, pixels_37));
    _mm256_storeu_si256((__m256i *)(destination + i), words);
    u_low = _mm256_add_epi64(u_low, step_u), u_high = _mm256_add_epi64(u_high, step_u);
    v_low = _mm256_add_epi64(v_low, step_v), v_high = _mm256_add_epi64(v_high, step_v);
  }
rest:
  for (; i < count; i++) destination[i] = sample_pixel(x + (int32_t)i, y, s);
}

#endif
