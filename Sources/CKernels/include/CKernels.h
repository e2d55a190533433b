// Row kernels of the compositor. Pixels are one little-endian word 0xAARRGGBB with alpha multiplied in (bytes B, G, R, A).
//
// Each result is a pure function of the pixel: of its old value, its source and its absolute coordinate. It never depends on
// the beginning of a row or on the number of pixels that are computed at once. The vector kernels give the same bytes as the
// portable ones.
//
// There is one multiplication: x·a/255 rounded to the nearest integer, (x·a + 127) / 255. There is one composition:
// source-over, d = s + d·(255 − s.alpha)/255, with an addition that saturates at 255. (Only pixels with a colour above their
// alpha reach that.)
#pragma once

#include <stdint.h>

#if __has_feature(assume_nonnull)
#pragma clang assume_nonnull begin
#endif

// A source image under an affine map. Coordinates are fixed point with 32 fraction bits. For the centre of the output's
// pixel (x, y), the image's column is u + x·ux + y·uy, where 0 is the centre of the first column, and its row is v + x·vx +
// y·vy. An overflow wraps in the same way for every pixel.
struct ckernels_sampler {
  const uint8_t *base;
  int64_t bytes_per_row;
  int32_t width;
  int32_t height;
  int64_t u, ux, uy;
  int64_t v, vx, vy;
};

// A rounded rectangle under an affine map. For the centre (X, Y) of a pixel, u = ua·X + ub·Y + uc is its distance in pixels
// from the rectangle's vertical middle line, measured across that line; v is the same for the horizontal middle line. |(ua,
// ub)| = |(va, vb)| = 1.
struct ckernels_shape {
  double ua, ub, uc;
  double va, vb, vc;
  // Half the width and half the height in pixels, measured across the edges.
  double half_u, half_v;
  // The radius of the corners in the rectangle's own units, and the number of these units in a pixel along u and along v.
  double radius, unit_u, unit_v;
  // The cosine of the angle between the two directions, ua·va + ub·vb; 0 unless the map shears.
  double cosine;
  // 1 / ua and 1 / va; 0 if the divisor is too small to matter within an output.
  double inverse_ua, inverse_va;
  // The corners that are square in spite of the radius: bit 0 where u and v are below 0, bit 1 where only v is, bit 2 where
  // only u is, bit 3 where neither is.
  uint32_t square;
  // The edges that are not antialiased: bit 0 where u is lowest, bit 1 where it is highest, bits 2 and 3 the same for v. Such an edge
  // leaves a pixel whose middle lies inside of it alone, and takes all others.
  uint32_t sharp;
};

// The part of one row that a shape covers: nothing outside of `touched` and all of `covered`, which lies inside it. Both
// ranges are half open.
struct ckernels_spans {
  int32_t touched_start, covered_start, covered_end, touched_end;
};

// The course of a gradient's place t over the pixels: how it comes from the numbers u and v of a pixel.
enum ckernels_gradient_kind {
  // t = u.
  CKERNELS_AXIAL,
  // t = √(u² + v²).
  CKERNELS_RADIAL,
  // t = the angle of (u, v) from the direction of u towards that of v, in turns from 0 to 1.
  CKERNELS_CONIC,
};

// From `location` on, up to the next stop's, the straight colour at t is first + slope·(t − location), in the order blue, green,
// red, alpha. Colours are from 0 to 255, alpha is from 0 to 1.
struct ckernels_gradient_stop {
  float location;
  float first[4];
  float slope[4];
};

// A gradient under an affine map. For the pixel (x0 + i, y0 + j), u = u0 + ux·i + uy·j, and v the same; i within ±2²³. Of the stops,
// which rise, the first has the location −1, and the last, which has no colour, one above 2: t counts as the nearest number
// from −1 to 2, and one that is none as −1. The first colour and the last one have no slope.
struct ckernels_gradient {
  enum ckernels_gradient_kind kind;
  int32_t x0, y0;
  double u0, ux, uy;
  double v0, vx, vy;
  const struct ckernels_gradient_stop *stops;
};

// The blend modes of the W3C's Compositing and Blending that kernels exist for.
enum ckernels_blend {
  CKERNELS_MULTIPLY,
  CKERNELS_SCREEN,
  CKERNELS_OVERLAY,
  CKERNELS_HARD_LIGHT,
  CKERNELS_DARKEN,
  CKERNELS_LIGHTEN,
  CKERNELS_DIFFERENCE,
  CKERNELS_EXCLUSION,
};

// Some columns of a strip, which is four rows high.
struct ckernels_run {
  int32_t start, end;
  // The place of their coverage: four rows of end − start bytes. CKERNELS_SOLID if all of them are covered.
  uint32_t coverage;
};
#define CKERNELS_SOLID 0xFFFFFFFFu

// The columns and rows from..<to; at most 2²⁴ of each.
struct ckernels_box {
  int32_t min_x, min_y, max_x, max_y;
};

// The places in which the particles of an emitter are born.
enum ckernels_birthplace {
  CKERNELS_POINT,
  // The ends of a line from left to right, and any place of it.
  CKERNELS_ENDS,
  CKERNELS_LINE,
  // The corners of an upright rectangle, its edges, and any place in it.
  CKERNELS_CORNERS,
  CKERNELS_EDGES,
  CKERNELS_AREA,
  // A circle whose radius is the width, and any place in it.
  CKERNELS_RING,
  CKERNELS_DISC,
};

// The order in which particles are painted: by their numbers, by their age, and from the one that is farthest away.
enum ckernels_particle_order {
  CKERNELS_BY_NUMBER,
  CKERNELS_OLDEST_FIRST,
  CKERNELS_OLDEST_LAST,
  CKERNELS_BY_DEPTH,
};

// Values that are spread about `mean` evenly, half of `range` to each side.
struct ckernels_spread {
  double mean, range;
};

// A picture of particles, with a border of clear pixels that is one pixel wide. In memory each row has a multiple of 16 pixels.
struct ckernels_sprite {
  // The first pixel of the border.
  const uint32_t *pixels;
  // Pixels from one row to the next.
  int64_t stride;
  // The size without the border.
  int32_t width, height;
  // The size of a pixel in the emitter's units.
  double pixel_width, pixel_height;
};

// The particles of one cell of an emitter at a time. Particle i is born at i / rate seconds, and all about it is a function of seed, i
// and time: nothing is kept from one time to the next.
struct ckernels_emission {
  uint64_t seed;
  enum ckernels_birthplace birthplace;
  enum ckernels_particle_order order;
  // The middle of the birthplace and its size.
  double x, y, width, height;
  // The time in seconds, and the one at which births end.
  double time, end;
  double rate;
  struct ckernels_spread lifetime, velocity, scale, spin;
  // Radians from the direction of x to that of y.
  struct ckernels_spread direction;
  // The parts of the velocity that lie in the plane and towards the viewer.
  double in_plane, upwards;
  double acceleration_x, acceleration_y, acceleration_z;
  double scale_speed;
  // Red, green, blue, alpha, of which each changes by its speed in a second.
  struct ckernels_spread color[4];
  double color_speed[4];
  // Multiplied with alpha.
  double opacity;
  // From the emitter's units to pixels: x = a·x + c·y + tx, y = b·x + d·y + ty.
  double a, b, c, d, tx, ty;
  // The same picture, each halved once more than the one before.
  const struct ckernels_sprite *_Nullable sprites;
  int64_t sprite_count;
};

// A particle as it is painted. For the centre of the pixel (x, y) the column in the sprite, its border included, is u + (x − x0)·ux +
// (y − y0)·uy in parts of 2¹⁶, where 0 is the centre of the first one; its row is v + (x − x0)·vx + (y − y0)·vy.
struct ckernels_particle {
  // Particles are sorted by it where their numbers do not count: the lowest is painted first.
  double rank;
  const struct ckernels_sprite *_Nullable sprite;
  int32_t x0, y0;
  int64_t u, ux, uy, v, vx, vy;
  // The pixels that it may touch.
  struct ckernels_box box;
  // The factors of the sprite's channels, in the order of a pixel.
  uint32_t tint;
};

// As many particles are looked at together.
enum { CKERNELS_PARTICLE_BATCH = 64 };

// Pixels by absolute coordinates: `base` is the address of (x, y).
struct ckernels_pixels {
  uint32_t *base;
  int64_t bytes_per_row;
  int32_t x, y;
};

// Asks the memory for the pixel four rows below this one, so that it is there when that row is painted: those who paint short pieces of
// rows would wait for each. There need not be such a pixel.
static inline void ckernels_prefetch_below(const uint32_t *pixel, int64_t bytes_per_row) {
  __builtin_prefetch((const void *)((uintptr_t)pixel + 4 * (uintptr_t)bytes_per_row), 1);
}

// One set of kernels. Counts are numbers of pixels, 0 or more. Rows need no alignment. Source and destination do not
// overlap.
struct ckernels_table {
  const char *name;
  // d = color.
  void (*fill)(uint32_t *destination, int64_t count, uint32_t color);
  // d = color over d.
  void (*over_color)(uint32_t *destination, int64_t count, uint32_t color);
  // d = color·coverage over d; one coverage byte a pixel.
  void (*over_color_coverage)(uint32_t *destination, int64_t count, uint32_t color, const uint8_t *coverage);
  // The same in some of the four rows of a strip, and where it is covered: `runs` are those of the strip, `part` has rows from 0 to 4.
  // `destination` is the pixel at the left upper corner of `part`.
  void (*over_color_strip)(uint32_t *destination, int64_t bytes_per_row, uint32_t color, const struct ckernels_run *runs,
                           int64_t count, const uint8_t *coverage, const struct ckernels_box *part);
  // d = source over d.
  void (*over)(uint32_t *destination, const uint32_t *source, int64_t count);
  // d = source·opacity over d; opacity 0…255.
  void (*over_opacity)(uint32_t *destination, const uint32_t *source, int64_t count, uint32_t opacity);
  // d = source·(coverage·opacity) over d.
  void (*over_coverage)(uint32_t *destination, const uint32_t *source, int64_t count, const uint8_t *coverage,
                        uint32_t opacity);
  // d = before·(1 − coverage) + d·coverage, rounded once: leaves what was painted since `before` where it is covered.
  void (*keep_uncovered)(uint32_t *destination, const uint32_t *before, int64_t count, const uint8_t *coverage);
  // d = source·opacity blended with d. A colour above its alpha counts as one that is equal to it.
  void (*blend)(uint32_t *destination, const uint32_t *source, int64_t count, uint32_t opacity, enum ckernels_blend mode);
  // d = d·(mask.alpha·opacity).
  void (*mask)(uint32_t *destination, const uint32_t *mask, int64_t count, uint32_t opacity);
  // d = d·(1 − share) + source·share, rounded once; share 0…255.
  void (*mix)(uint32_t *destination, const uint32_t *source, int64_t count, uint32_t share);
  // The two halves of a blur, with weights whose sum is 2¹⁶. Each result is a sum of `taps` values: of source[i]…source[i + taps
  // − 1], and of those `stride` apart.
  void (*blur_row)(uint16_t *result, const uint8_t *source, int64_t count, const uint32_t *weights, int64_t taps);
  void (*blur_columns)(uint8_t *result, const uint16_t *source, int64_t stride, int64_t count, const uint32_t *weights,
                       int64_t taps);
  // d = the image at the pixels (x, y), (x + 1, y), …: bilinear with 7 bits of weight for each axis. Edge pixels are
  // repeated outside.
  void (*sample)(uint32_t *destination, int64_t count, int32_t x, int32_t y, const struct ckernels_sampler *sampler);
  // Writes the particles with numbers from `*next` up to `end` that live and may touch `box`, until there is no room for
  // CKERNELS_PARTICLE_BATCH more; `*next` becomes the number after the last one that was looked at. Returns how many were written.
  int64_t (*find_particles)(const struct ckernels_emission *emission, struct ckernels_box box, int64_t *next, int64_t end,
                            struct ckernels_particle *particles, int64_t capacity);
  // d = sprite·tint over d, for each particle after the other; with `adds` the sum of both, at most 255. The sprite is sampled
  // bilinearly, with 8 bits of weight for each axis.
  void (*particles)(const struct ckernels_pixels *pixels, const struct ckernels_particle *particles, int64_t count,
                    uint32_t adds);
  // d = the gradient at the pixels (x, y), (x + 1, y), …, dithered: each byte is the value or the one next to it, by a Bayer matrix of
  // 8 × 8 pixels. A whole value is itself.
  void (*gradient)(uint32_t *destination, int64_t count, int32_t x, int32_t y, const struct ckernels_gradient *gradient);
  // Writes the coverage of the pixels (x, y), (x + 1, y), … by the shape, 0…255.
  //
  // Across an edge the coverage is the overlap of the shape with a box that is one pixel wide and turned with the edge. It
  // is exact for upright shapes, smooth for turned ones, and proportional for shapes thinner than a pixel. In a corner it is
  // at most ½ − distance from the arc, where the distance in local units is divided by the length of its gradient in pixels.
  // Where two shapes meet at sharp edges, each pixel is one's.
  void (*coverage)(uint8_t *coverage, int64_t count, int32_t x, int32_t y, const struct ckernels_shape *shape);
  // Writes the coverage of four rows of pixels, which are `stride` bytes apart, and clears the cells. A column has four cells,
  // one for each row: what the edges in it add to the sums of this column and of all that follow. `columns` is a multiple of
  // 4, `sums` are those of the four rows. A pixel between two edges around the whole of it has the sum ±2²¹.
  void (*strip_coverage)(uint8_t *coverage, int64_t stride, uint32_t *cells, int64_t columns, uint32_t *sums,
                         uint32_t even_odd);
};

// Returns the sets that this processor runs, from the portable one, with index 0, to the one with the widest vectors; NULL beyond that.
const struct ckernels_table *_Nullable ckernels_runnable(int32_t index);
// Returns the set that is fastest on this processor.
const struct ckernels_table *ckernels_best(void);
// Returns the fastest set with source-over and gradients in linear light: the colours of source and destination are mixed as light,
// by the transfer curve of sRGB. Alpha is the same as without, and so is each pixel where the source is clear or hides all, or the
// destination is clear. These kernels are in plain C.
const struct ckernels_table *ckernels_linear(void);

// Returns the pixels from..<to of row y that need work. `touched` may include pixels without coverage, and `covered` may
// leave out fully covered ones, but never the reverse.
struct ckernels_spans ckernels_row_spans(int32_t y, int32_t from, int32_t to, const struct ckernels_shape *shape);

// d = the image's pixel nearest to each of the pixels (x, y), (x + 1, y), …. Edge pixels are repeated outside.
void ckernels_sample_nearest(uint32_t *destination, int64_t count, int32_t x, int32_t y,
                             const struct ckernels_sampler *sampler);

// A linear map of straight colours, whose channels are from 0 to 1, each in the order red, green, blue, alpha: each channel adds
// its column to the result, and so does `constant`. All numbers are within ±10⁶.
struct ckernels_color_map {
  float red[4], green[4], blue[4], alpha[4], constant[4];
};

// Maps the colours of all pixels that have some alpha. Results are cut to 0…1.
void ckernels_map_colors(uint32_t *pixels, int64_t count, const struct ckernels_color_map *map);

// A picture in perspective. At the point (x, y) of the output, with w = px·x + py·y + pw, its place (a·x + c·y + tx, b·x + d·y + ty) / w
// is seen, where w is from `nearest` to `farthest`.
struct ckernels_plane {
  const uint8_t *base;
  int64_t bytes_per_row;
  // The columns and rows of the pixels from `base` on. All others are clear.
  int32_t min_x, min_y, max_x, max_y;
  // The part of the picture in which pixels may not be clear.
  double left, top, right, bottom;
  double a, b, px, c, d, py, tx, ty, pw;
  double nearest, farthest;
};

// d = the picture at the pixels (x, y), (x + 1, y), … of the output: bilinear with 8 bits of weight for each axis. Where it is seen smaller,
// several places in each pixel are averaged, eight by eight at most.
void ckernels_sample_plane(uint32_t *destination, int64_t count, int32_t x, int32_t y, const struct ckernels_plane *plane);

// The pixels inside of outlines: strips from row `top` down, `count` of them. The runs of strip i are those from starts[i] up to
// starts[i + 1], from left to right; nothing is covered beside them.
struct ckernels_strips {
  int32_t top, count;
  uint32_t *starts;
  struct ckernels_run *runs;
  // Strips that look alike may share it.
  uint8_t *coverage;
  // The bytes of all.
  int64_t size;
};

// The memory that filling needs: it grows, and is used again for the next shape. Of one thread at a time. NULL without memory.
struct ckernels_filler;
struct ckernels_filler *_Nullable ckernels_make_filler(void);
void ckernels_free_filler(struct ckernels_filler *filler);

// Fills closed polygons. Each is a run of `points`, in pixels, up to the index in `ends`, and its last point is joined to its first.
// Points that are no finite numbers are left out; what is farther than 2²⁰ pixels from (0, 0) is cut off.
//
// Points are rounded to 1/1024 of a pixel. The coverage is the exact area of each polygon in the pixel, up to one rounding to
// 1/1024 for each edge in it; areas that overlap are added up, and the sum is limited by the rule. So each pixel depends on the
// points alone, not on the box. Returns NULL without memory. To be freed by ckernels_free_strips.
struct ckernels_strips *_Nullable ckernels_fill_strips(struct ckernels_filler *filler, const struct ckernels_table *table,
                                                       const double *_Nullable points, const long *_Nullable ends, long count,
                                                       struct ckernels_box box, uint32_t even_odd);
void ckernels_free_strips(struct ckernels_strips *strips);

// Multiplies coverage by coverage.
void ckernels_multiply_coverage(uint8_t *coverage, const uint8_t *other, int64_t count);

#if __has_feature(assume_nonnull)
#pragma clang assume_nonnull end
#endif
