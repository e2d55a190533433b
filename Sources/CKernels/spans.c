// Finds the pixels of a row that need antialiasing.

#include <math.h>

#include "CKernels.h"

// As in coverage.c: the same on every processor.
#pragma STDC FP_CONTRACT OFF

// A range of columns as real numbers, in terms of pixel centres.
struct interval {
  double low, high;
};

// The columns where |u| ≤ half_u and |v| ≤ half_v, on the row where these are u_row + ua·X and v_row + va·X.
static inline struct interval inside(double u_row, double v_row, double half_u, double half_v,
                                     const struct ckernels_shape *s) {
  const struct interval none = {1, 0};
  struct interval result = {-INFINITY, INFINITY};
  if (half_u < 0 || half_v < 0) return none;
  if (s->inverse_ua != 0) {
    double center = -u_row * s->inverse_ua, reach = half_u * fabs(s->inverse_ua);
    result.low = center - reach;
    result.high = center + reach;
  } else if (fabs(u_row) > half_u) {
    return none;
  }
  if (s->inverse_va != 0) {
    double center = -v_row * s->inverse_va, reach = half_v * fabs(s->inverse_va);
    if (center - reach > result.low) result.low = center - reach;
    if (center + reach < result.high) result.high = center + reach;
  } else if (fabs(v_row) > half_v) {
    return none;
  }
  return result;
}

// The first pixel whose centre is at `column` or to its right, within from…to.
static inline int32_t pixel(double column, int32_t from, int32_t to) {
  double position = column - 0.5;
  if (!(position > from)) return from;
  if (position >= to) return to;
  int32_t whole = (int32_t)position;
  // Truncation rounds up below zero.
  while (whole > position) whole--;
  return whole < position ? whole + 1 : whole;
}

struct ckernels_spans ckernels_row_spans(int32_t y, int32_t from, int32_t to, const struct ckernels_shape *s) {
  // This distance from an edge is larger than any rounding error.
  const double near = 0.01;
  struct ckernels_spans spans = {from, from, from, from};
  double row = (double)y + 0.5;
  double u_row = s->ub * row + s->uc, v_row = s->vb * row + s->vc;
  double outer = s->half_u + 0.5 + near;
  struct interval covered = inside(u_row, v_row, s->half_u - 0.5 - near, s->half_v - 0.5 - near, s);
  if (s->radius > 0) {
    double radius_u = s->radius / s->unit_u, radius_v = s->radius / s->unit_v;
    if (s->va == 0 && s->unit_u == s->unit_v) {
      // If the shape is upright and its corners are true circles, the arc on this row is known.
      double qy = fabs(v_row) - s->half_v + radius_v;
      if (qy > 0) {
        double inner_arc = (radius_u - 0.5 - near) * (radius_u - 0.5 - near) - qy * qy;
        double outer_arc = (radius_u + 0.5 + near) * (radius_u + 0.5 + near) - qy * qy;
        double reach = inner_arc > 0 && radius_u > 0.5 + near ? s->half_u - radius_u + sqrt(inner_arc) : -1;
        covered = inside(u_row, v_row, reach, s->half_v - 0.5 - near, s);
        if (outer_arc > 0 && !s->square && s->half_u - radius_u + sqrt(outer_arc) < outer) {
          outer = s->half_u - radius_u + sqrt(outer_arc);
        }
      }
    } else {
      // Three rectangles that the arcs do not reach: one as wide as the shape without the rows of the corners, one as high
      // without their columns, and one whose corners touch the arcs, a pixel smaller.
      struct interval candidates[3] = {
          inside(u_row, v_row, s->half_u - 0.5 - near, s->half_v - fmax(radius_v, 0.5 + near), s),
          inside(u_row, v_row, s->half_u - fmax(radius_u, 0.5 + near), s->half_v - 0.5 - near, s),
          inside(u_row, v_row, s->half_u - 0.2929 * radius_u - 1, s->half_v - 0.2929 * radius_v - 1, s),
      };
      covered = candidates[0];
      for (int i = 1; i < 3; i++) {
        if (candidates[i].high - candidates[i].low > covered.high - covered.low) covered = candidates[i];
      }
    }
  }
  struct interval touched = inside(u_row, v_row, outer, s->half_v + 0.5 + near, s);
  if (!(touched.low <= touched.high)) return spans;
  spans.touched_start = pixel(touched.low, from, to);
  spans.touched_end = pixel(touched.high + 1, spans.touched_start, to);
  spans.covered_start = spans.covered_end = spans.touched_end;
  if (covered.low <= covered.high) {
    int32_t start = pixel(covered.low, spans.touched_start, spans.touched_end);
    // The end is one past the last centre that is not to its right.
    int32_t end = pixel(covered.high, start, spans.touched_end);
    if ((double)end + 0.5 <= covered.high && end < spans.touched_end) end++;
    if (start < end) {
      spans.covered_start = start;
      spans.covered_end = end;
    }
  }
  return spans;
}
