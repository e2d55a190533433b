// Row kernels of the compositor. Pixels are one little-endian word 0xAARRGGBB with alpha multiplied in (bytes B, G, R, A).
//
// Everything below is a pure function of the pixel: of what it holds, of its source and of its absolute coordinate, never of
// where a row begins or of how many pixels are done at once. The vector kernels give the portable ones' bytes, bit for bit.
//
// There is one multiplication: x·a/255 rounded to the nearest integer, (x·a + 127) / 255. One composition: source-over,
// d = s + d·(255 − s.alpha)/255, with an addition that stops at 255 (which only pixels with a colour above their alpha reach).
#pragma once

#include <stdint.h>

#if __has_feature(assume_nonnull)
#pragma clang assume_nonnull begin
#endif

// A source image under an affine map. Coordinates are fixed point with 32 fraction bits: the image's column under the centre
// of the output's pixel (x, y) is u + x·ux + y·uy (0 is the centre of the first column), its row v + x·vx + y·vy. What
// overflows wraps, the same way for every pixel.
struct ckernels_sampler {
  const uint8_t *base;
  int64_t bytes_per_row;
  int32_t width;
  int32_t height;
  int64_t u, ux, uy;
  int64_t v, vx, vy;
};

// A rounded rectangle under an affine map. For the centre (X, Y) of a pixel, u = ua·X + ub·Y + uc is its distance in pixels
// from the rectangle's vertical middle line, across that line; v the same for the horizontal one. |(ua, ub)| = |(va, vb)| = 1.
struct ckernels_shape {
  double ua, ub, uc;
  double va, vb, vc;
  // Half the width and height in pixels, across the edges.
  double half_u, half_v;
  // The corner's radius in the rectangle's own units, and how many of those a pixel is long in u and in v.
  double radius, unit_u, unit_v;
  // ua·va + ub·vb: the cosine of the angle between the two directions, 0 unless the map shears.
  double cosine;
  // 1 / ua and 1 / va; 0 where the divisor is too small to matter within an output.
  double inverse_ua, inverse_va;
};

// What a shape covers of one row: nothing outside of `touched`, all of `covered`, which lies inside. Both are half open.
struct ckernels_spans {
  int32_t touched_start, covered_start, covered_end, touched_end;
};

// One set of kernels. Counts are pixels, 0 or more; rows need no alignment; source and destination do not overlap.
struct ckernels_table {
  const char *name;
  // d = color.
  void (*fill)(uint32_t *destination, int64_t count, uint32_t color);
  // d = color over d.
  void (*over_color)(uint32_t *destination, int64_t count, uint32_t color);
  // d = color·coverage over d; one coverage byte a pixel.
  void (*over_color_coverage)(uint32_t *destination, int64_t count, uint32_t color, const uint8_t *coverage);
  // d = source over d.
  void (*over)(uint32_t *destination, const uint32_t *source, int64_t count);
  // d = source·opacity over d; opacity 0…255.
  void (*over_opacity)(uint32_t *destination, const uint32_t *source, int64_t count, uint32_t opacity);
  // d = source·(coverage·opacity) over d.
  void (*over_coverage)(uint32_t *destination, const uint32_t *source, int64_t count, const uint8_t *coverage,
                        uint32_t opacity);
  // d = the image at the pixels (x, y), (x + 1, y), …: bilinear with 7 bits of weight an axis, edge pixels repeated outside.
  void (*sample)(uint32_t *destination, int64_t count, int32_t x, int32_t y, const struct ckernels_sampler *sampler);
  // How much of the pixels (x, y), (x + 1, y), … the shape covers, 0…255.
  //
  // Across an edge it is the overlap of the shape with a box one pixel wide that is turned with the edge: exact for upright
  // shapes, smooth for turned ones, and in proportion for those thinner than a pixel. In a corner it is at most ½ − distance
  // from the arc, the distance in local units divided by the length of its gradient in pixels.
  void (*coverage)(uint8_t *coverage, int64_t count, int32_t x, int32_t y, const struct ckernels_shape *shape);
};

const struct ckernels_table *ckernels_portable(void);
// Null where the processor has no AVX2.
const struct ckernels_table *_Nullable ckernels_avx2(void);
// The fastest set that this processor runs.
const struct ckernels_table *ckernels_best(void);

// Where the pixels from..<to of row y are worth a look: `touched` may hold some that are not covered at all and `covered`
// may leave some out that are covered wholly, but neither errs to the other side.
struct ckernels_spans ckernels_row_spans(int32_t y, int32_t from, int32_t to, const struct ckernels_shape *shape);

// Multiplies coverage by coverage.
void ckernels_multiply_coverage(uint8_t *coverage, const uint8_t *other, int64_t count);

#if __has_feature(assume_nonnull)
#pragma clang assume_nonnull end
#endif
