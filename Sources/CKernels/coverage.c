// Antialiasing: how much of a pixel a rounded rectangle covers.

#include <math.h>

#include "pixel.h"

// A pixel must not depend on which products the compiler joins with which sums.
#pragma STDC FP_CONTRACT OFF

// The length that [distance − ½, distance + ½] and [−half, half] have in common.
static inline double overlap(double distance, double half) {
  double right = distance + 0.5 < half ? distance + 0.5 : half;
  double left = distance - 0.5 > -half ? distance - 0.5 : -half;
  return right > left ? right - left : 0;
}

static inline double corner(double u, double v, double qx, double qy, const struct ckernels_shape *s) {
  double squared = qx * qx + qy * qy;
  double gx = qx * s->unit_u, gy = qy * s->unit_v;
  double mixed = 2 * gx * gy * s->cosine;
  double gradient = gx * gx + gy * gy + ((u < 0) != (v < 0) ? -mixed : mixed);
  if (!(gradient > 0)) return 1;
  double length = sqrt(squared);
  double inside = 0.5 - (length - s->radius) * length / sqrt(gradient);
  return inside < 0 ? 0 : inside > 1 ? 1 : inside;
}

void ckernels_coverage(uint8_t *coverage, int64_t count, int32_t x, int32_t y, const struct ckernels_shape *s) {
  double row = (double)y + 0.5;
  double u_row = s->ub * row + s->uc, v_row = s->vb * row + s->vc;
  for (int64_t i = 0; i < count; i++) {
    double column = (double)(x + i) + 0.5;
    double u = s->ua * column + u_row, v = s->va * column + v_row;
    double covered = overlap(fabs(u), s->half_u) * overlap(fabs(v), s->half_v);
    if (s->radius > 0 && covered > 0) {
      double qx = (fabs(u) - s->half_u) * s->unit_u + s->radius;
      double qy = (fabs(v) - s->half_v) * s->unit_v + s->radius;
      if (qx > 0 && qy > 0) {
        double arc = corner(u, v, qx, qy, s);
        if (arc < covered) covered = arc;
      }
    }
    coverage[i] = (uint8_t)(covered * 255 + 0.5);
  }
}

void ckernels_multiply_coverage(uint8_t *coverage, const uint8_t *other, int64_t count) {
  for (int64_t i = 0; i < count; i++) coverage[i] = (uint8_t)multiply_255(coverage[i], other[i]);
}
