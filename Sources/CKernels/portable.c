// The kernels in plain C. They run where no faster ones do, and tests compare the vector kernels with them.

#include "blend_pixel.h"
#include "gradient_pixel.h"
#include "particle_rows.h"
#include "pixel.h"
#include "tables.h"

static void fill(uint32_t *destination, int64_t count, uint32_t color) {
  for (int64_t i = 0; i < count; i++) destination[i] = color;
}

static void over_color(uint32_t *destination, int64_t count, uint32_t color) {
  for (int64_t i = 0; i < count; i++) destination[i] = over_pixel(destination[i], color);
}

static void over_color_coverage(uint32_t *destination, int64_t count, uint32_t color, const uint8_t *coverage) {
  for (int64_t i = 0; i < count; i++) {
    if (coverage[i]) destination[i] = over_pixel(destination[i], multiply_pixel(color, coverage[i]));
  }
}

#include "strip_runs.h"

static void over(uint32_t *destination, const uint32_t *source, int64_t count) {
  for (int64_t i = 0; i < count; i++) destination[i] = over_pixel(destination[i], source[i]);
}

static void over_opacity(uint32_t *destination, const uint32_t *source, int64_t count, uint32_t opacity) {
  for (int64_t i = 0; i < count; i++) destination[i] = over_pixel(destination[i], multiply_pixel(source[i], opacity));
}

static void over_coverage(uint32_t *destination, const uint32_t *source, int64_t count, const uint8_t *coverage,
                          uint32_t opacity) {
  for (int64_t i = 0; i < count; i++) {
    uint32_t mask = multiply_255(coverage[i], opacity);
    destination[i] = over_pixel(destination[i], multiply_pixel(source[i], mask));
  }
}

static void blend(uint32_t *destination, const uint32_t *source, int64_t count, uint32_t opacity, enum ckernels_blend mode) {
  for (int64_t i = 0; i < count; i++) {
    destination[i] = blend_pixel(mode, destination[i], multiply_pixel(source[i], opacity));
  }
}

static void mask(uint32_t *destination, const uint32_t *mask, int64_t count, uint32_t opacity) {
  for (int64_t i = 0; i < count; i++) {
    destination[i] = multiply_pixel(destination[i], multiply_255(mask[i] >> 24, opacity));
  }
}

static void mix(uint32_t *destination, const uint32_t *source, int64_t count, uint32_t share) {
  for (int64_t i = 0; i < count; i++) destination[i] = mix_pixel(destination[i], source[i], share);
}

static void blur_row(uint16_t *result, const uint8_t *source, int64_t count, const uint32_t *weights, int64_t taps) {
  for (int64_t i = 0; i < count; i++) result[i] = blur_row_pixel(source + i, weights, taps);
}

static void blur_columns(uint8_t *result, const uint16_t *source, int64_t stride, int64_t count, const uint32_t *weights,
                         int64_t taps) {
  for (int64_t i = 0; i < count; i++) result[i] = blur_column_pixel(source + i, stride, weights, taps);
}

static void strip_coverage(uint8_t *coverage, int64_t stride, uint32_t *cells, int64_t columns, uint32_t *sums,
                           uint32_t even_odd) {
  for (int64_t i = 0; i < columns; i++) {
    for (int row = 0; row < 4; row++) {
      sums[row] += cells[4 * i + row];
      cells[4 * i + row] = 0;
      coverage[row * stride + i] = strip_pixel(sums[row], even_odd);
    }
  }
}

static void gradient(uint32_t *destination, int64_t count, int32_t x, int32_t y, const struct ckernels_gradient *g) {
  struct gradient_row row = gradient_row(y, g);
  const struct ckernels_gradient_stop *stop = g->stops;
  for (int64_t i = 0; i < count; i++) {
    float t = gradient_place(g->kind, (float)((int64_t)x + i - g->x0), &row);
    stop = gradient_stop(stop, t);
    destination[i] = gradient_pixel(stop, t, row.dither[(x + i) & 7]);
  }
}

void ckernels_sample_portable(uint32_t *destination, int64_t count, int32_t x, int32_t y,
                              const struct ckernels_sampler *sampler) {
  for (int64_t i = 0; i < count; i++) destination[i] = sample_pixel(x + (int32_t)i, y, sampler);
}

void ckernels_particles_portable(const struct ckernels_pixels *pixels, const struct ckernels_particle *particles, int64_t count,
                                 uint32_t adds) {
  for (int64_t i = 0; i < count; i++) {
    if (i + PARTICLES_AHEAD < count) prefetch_particle(pixels, &particles[i + PARTICLES_AHEAD]);
    if (adds) {
      particle_rows(pixels, &particles[i], add_saturated);
    } else {
      particle_rows(pixels, &particles[i], over_pixel);
    }
  }
}

static const struct ckernels_table table = {
    .name = "portable",
    .fill = fill,
    .over_color = over_color,
    .over_color_coverage = over_color_coverage,
    .over = over,
    .over_opacity = over_opacity,
    .over_coverage = over_coverage,
    .keep_uncovered = ckernels_keep_uncovered,
    .over_color_strip = over_color_strip,
    .blend = blend,
    .mask = mask,
    .mix = mix,
    .blur_row = blur_row,
    .blur_columns = blur_columns,
    .strip_coverage = strip_coverage,
    .gradient = gradient,
    .sample = ckernels_sample_portable,
    .find_particles = ckernels_find_particles_portable,
    .particles = ckernels_particles_portable,
    .coverage = ckernels_coverage_portable,
};

const struct ckernels_table *ckernels_portable(void) { return &table; }
