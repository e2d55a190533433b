// Antialiasing: the coverage of a pixel by a rounded rectangle.
//
// Both kernels do the same operations in the same order on IEEE doubles, so they give the same bits.

#include <math.h>

#include "pixel.h"
#include "tables.h"

// The compiler must not fuse products and sums, or a pixel would depend on its choice.
#pragma STDC FP_CONTRACT OFF

// The length of the overlap of [distance − ½, distance + ½] and [−half, half].
static inline double overlap(double distance, double half) {
  double right = distance + 0.5 < half ? distance + 0.5 : half;
  double left = distance - 0.5 > -half ? distance - 0.5 : -half;
  return right > left ? right - left : 0;
}

// A sharp edge asks for a place so far from the middle of a pixel. Many edges go through middles, and one that both neighbours take
// for outside, by rounding, would be a hole.
static const double sharp_x = 0.00123, sharp_y = 0.00071;

// The same where an edge may be sharp: `middle` is the distance of that place.
static inline double sharp_overlap(double distance, double middle, double half, uint32_t sharp) {
  if ((sharp & 1 && middle < -half) || (sharp & 2 && middle >= half)) return 0;
  double right = sharp & 2 || distance + 0.5 < half ? distance + 0.5 : half;
  double left = sharp & 1 || distance - 0.5 > -half ? distance - 0.5 : -half;
  return right > left ? right - left : 0;
}

// The part of a pixel inside the arc of a corner. (qx, qy) is its distance from the arc's centre in the rectangle's units.
static inline double corner(double u, double v, double qx, double qy, const struct ckernels_shape *s) {
  double gx = qx * s->unit_u, gy = qy * s->unit_v;
  double mixed = 2 * gx * gy * s->cosine;
  double gradient = gx * gx + gy * gy + ((u < 0) != (v < 0) ? -mixed : mixed);
  if (!(gradient > 0)) return 1;
  double length = sqrt(qx * qx + qy * qy);
  double inside = 0.5 - (length - s->radius) * length / sqrt(gradient);
  return inside < 0 ? 0 : inside > 1 ? 1 : inside;
}

static inline uint8_t coverage_pixel(double column, double u_row, double v_row, const struct ckernels_shape *s) {
  double u = s->ua * column + u_row, v = s->va * column + v_row;
  double covered;
  if (s->sharp) {
    double middle_u = u + (s->ua * sharp_x + s->ub * sharp_y), middle_v = v + (s->va * sharp_x + s->vb * sharp_y);
    covered = sharp_overlap(u, middle_u, s->half_u, s->sharp) * sharp_overlap(v, middle_v, s->half_v, s->sharp >> 2);
  } else {
    covered = overlap(fabs(u), s->half_u) * overlap(fabs(v), s->half_v);
  }
  double qx = (fabs(u) - s->half_u) * s->unit_u + s->radius;
  double qy = (fabs(v) - s->half_v) * s->unit_v + s->radius;
  if (s->radius > 0 && qx > 0 && qy > 0 && !(s->square >> ((u >= 0) + 2 * (v >= 0)) & 1)) {
    double arc = corner(u, v, qx, qy, s);
    if (arc < covered) covered = arc;
  }
  return (uint8_t)(int32_t)(covered * 255 + 0.5);
}

void ckernels_coverage_portable(uint8_t *coverage, int64_t count, int32_t x, int32_t y, const struct ckernels_shape *s) {
  double row = (double)y + 0.5;
  double u_row = s->ub * row + s->uc, v_row = s->vb * row + s->vc;
  for (int64_t i = 0; i < count; i++) coverage[i] = coverage_pixel((double)(x + i) + 0.5, u_row, v_row, s);
}

#if defined(__x86_64__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

AVX2 static inline __m256d overlap_lanes(__m256d distance, __m256d half, __m256d minus_half) {
  const __m256d step = _mm256_set1_pd(0.5);
  __m256d right = _mm256_min_pd(_mm256_add_pd(distance, step), half);
  __m256d left = _mm256_max_pd(_mm256_sub_pd(distance, step), minus_half);
  return _mm256_and_pd(_mm256_cmp_pd(right, left, _CMP_GT_OQ), _mm256_sub_pd(right, left));
}

AVX2 static inline __m256d corner_lanes(__m256d u, __m256d v, __m256d qx, __m256d qy, const struct ckernels_shape *s) {
  const __m256d zero = _mm256_setzero_pd(), one = _mm256_set1_pd(1), sign = _mm256_set1_pd(-0.0);
  __m256d gx = _mm256_mul_pd(qx, _mm256_set1_pd(s->unit_u)), gy = _mm256_mul_pd(qy, _mm256_set1_pd(s->unit_v));
  __m256d mixed = _mm256_mul_pd(_mm256_mul_pd(_mm256_mul_pd(_mm256_set1_pd(2), gx), gy), _mm256_set1_pd(s->cosine));
  __m256d differ = _mm256_xor_pd(_mm256_cmp_pd(u, zero, _CMP_LT_OQ), _mm256_cmp_pd(v, zero, _CMP_LT_OQ));
  mixed = _mm256_xor_pd(mixed, _mm256_and_pd(differ, sign));
  __m256d gradient = _mm256_add_pd(_mm256_add_pd(_mm256_mul_pd(gx, gx), _mm256_mul_pd(gy, gy)), mixed);
  __m256d length = _mm256_sqrt_pd(_mm256_add_pd(_mm256_mul_pd(qx, qx), _mm256_mul_pd(qy, qy)));
  __m256d outside = _mm256_div_pd(_mm256_mul_pd(_mm256_sub_pd(length, _mm256_set1_pd(s->radius)), length),
                                  _mm256_sqrt_pd(gradient));
  __m256d inside = _mm256_sub_pd(_mm256_set1_pd(0.5), outside);
  inside = _mm256_min_pd(_mm256_max_pd(inside, zero), one);
  return _mm256_blendv_pd(one, inside, _mm256_cmp_pd(gradient, zero, _CMP_GT_OQ));
}

// All bits of the lanes whose corner is square.
AVX2 static inline __m256d square_lanes(__m256d u, __m256d v, uint32_t square) {
  const __m256d zero = _mm256_setzero_pd();
  __m256d result = zero, right = _mm256_cmp_pd(u, zero, _CMP_GE_OQ), below = _mm256_cmp_pd(v, zero, _CMP_GE_OQ);
  __m256d left = _mm256_cmp_pd(u, zero, _CMP_NGE_UQ), above = _mm256_cmp_pd(v, zero, _CMP_NGE_UQ);
  if (square & 1) result = _mm256_or_pd(result, _mm256_and_pd(left, above));
  if (square & 2) result = _mm256_or_pd(result, _mm256_and_pd(right, above));
  if (square & 4) result = _mm256_or_pd(result, _mm256_and_pd(left, below));
  if (square & 8) result = _mm256_or_pd(result, _mm256_and_pd(right, below));
  return result;
}

AVX2 void ckernels_coverage_avx2(uint8_t *coverage, int64_t count, int32_t x, int32_t y, const struct ckernels_shape *s) {
  // Sharp edges are rare.
  if (s->sharp) {
    ckernels_coverage_portable(coverage, count, x, y, s);
    return;
  }
  double row = (double)y + 0.5;
  double u_row = s->ub * row + s->uc, v_row = s->vb * row + s->vc;
  const __m256d zero = _mm256_setzero_pd(), sign = _mm256_set1_pd(-0.0);
  const __m256d u_offset = _mm256_set1_pd(u_row), v_offset = _mm256_set1_pd(v_row);
  const __m256d ua = _mm256_set1_pd(s->ua), va = _mm256_set1_pd(s->va);
  const __m256d half_u = _mm256_set1_pd(s->half_u), half_v = _mm256_set1_pd(s->half_v);
  const __m256d minus_half_u = _mm256_set1_pd(-s->half_u), minus_half_v = _mm256_set1_pd(-s->half_v);
  const __m256d unit_u = _mm256_set1_pd(s->unit_u), unit_v = _mm256_set1_pd(s->unit_v);
  const __m256d radius = _mm256_set1_pd(s->radius);
  // The sum is a double as in the portable loop, so that both treat a column beyond 2³¹ alike.
  double first = (double)x + 0.5;
  __m256d column = _mm256_setr_pd(first, first + 1, first + 2, first + 3);
  for (int64_t i = 0; i < count; i += 4) {
    __m256d u = _mm256_add_pd(_mm256_mul_pd(ua, column), u_offset);
    __m256d v = _mm256_add_pd(_mm256_mul_pd(va, column), v_offset);
    __m256d along_u = _mm256_andnot_pd(sign, u), along_v = _mm256_andnot_pd(sign, v);
    __m256d covered =
        _mm256_mul_pd(overlap_lanes(along_u, half_u, minus_half_u), overlap_lanes(along_v, half_v, minus_half_v));
    __m256d qx = _mm256_add_pd(_mm256_mul_pd(_mm256_sub_pd(along_u, half_u), unit_u), radius);
    __m256d qy = _mm256_add_pd(_mm256_mul_pd(_mm256_sub_pd(along_v, half_v), unit_v), radius);
    __m256d in_corner = _mm256_and_pd(_mm256_cmp_pd(qx, zero, _CMP_GT_OQ), _mm256_cmp_pd(qy, zero, _CMP_GT_OQ));
    if (s->square) in_corner = _mm256_andnot_pd(square_lanes(u, v, s->square), in_corner);
    if (s->radius > 0 && _mm256_movemask_pd(in_corner)) {
      covered = _mm256_blendv_pd(covered, _mm256_min_pd(corner_lanes(u, v, qx, qy, s), covered), in_corner);
    }
    __m128i bytes =
        _mm256_cvttpd_epi32(_mm256_add_pd(_mm256_mul_pd(covered, _mm256_set1_pd(255)), _mm256_set1_pd(0.5)));
    bytes = _mm_packus_epi16(_mm_packus_epi32(bytes, bytes), bytes);
    int32_t four = _mm_cvtsi128_si32(bytes);
    if (count - i >= 4) {
      __builtin_memcpy(coverage + i, &four, 4);
    } else {
      for (int64_t j = i; j < count; j++, four >>= 8) coverage[j] = (uint8_t)four;
    }
    column = _mm256_add_pd(column, _mm256_set1_pd(4));
  }
}

#endif

void ckernels_keep_uncovered(uint32_t *destination, const uint32_t *before, int64_t count, const uint8_t *coverage) {
  for (int64_t i = 0; i < count; i++) destination[i] = mix_pixel(before[i], destination[i], coverage[i]);
}

void ckernels_multiply_coverage(uint8_t *coverage, const uint8_t *other, int64_t count) {
  for (int64_t i = 0; i < count; i++) coverage[i] = (uint8_t)multiply_255(coverage[i], other[i]);
}
