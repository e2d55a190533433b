// The kernels that compose in linear light. Pixels stay what they are elsewhere: values of sRGB with alpha multiplied in.
//
// A colour is the mean of those of source and destination in linear light, each with its share: the weights have 65025 parts, so
// that coverage and opacity are not rounded to bytes. The mean of light becomes a value of sRGB again, and is multiplied by the
// alpha, which is that of the other tables. All is done in integers or in the four operations and the root of IEEE doubles: no
// processor's power function matters.

#include <math.h>
#include <pthread.h>

#include "gradient_pixel.h"
#include "particle_rows.h"
#include "pixel.h"
#include "tables.h"

#pragma STDC FP_CONTRACT OFF

#define WHOLE 65025u
#define WHITE 65535u

// The linear light of a value with this alpha multiplied in, by alpha and value.
static uint16_t lights[256][256];
// The value of sRGB for each linear light. One more stands at the end, for interpolation.
static uint16_t values[WHITE + 2];

// The transfer curve of sRGB, IEC 61966-2-1: the power 2.4.
static double light_of(double value) {
  if (value <= 0.04045) return value / 12.92;
  double base = (value + 0.055) / 1.055, square = base * base, root = 1;
  // The fifth root of the square, by Newton.
  for (int i = 0; i < 9; i++) root = (4 * root + square / (root * root * root * root)) / 5;
  return square * root;
}

static double value_of(double light) {
  if (light <= 0.0031308) return light * 12.92;
  double fourth = sqrt(sqrt(light)), root = 1;
  // The third root of the fourth.
  for (int i = 0; i < 7; i++) root = (2 * root + fourth / (root * root)) / 3;
  return 1.055 * (root * root * root * root * root) - 0.055;
}

// Mixes the colours of two pixels by these weights, whose sum is neither 0 nor above WHOLE.
static inline uint32_t mix_light(uint32_t destination, uint32_t source, uint32_t destination_weight, uint32_t source_weight,
                                 uint32_t alpha) {
  const uint16_t *source_lights = lights[source >> 24], *destination_lights = lights[destination >> 24];
  uint32_t whole = source_weight + destination_weight, result = alpha << 24;
  for (int shift = 0; shift < 24; shift += 8) {
    uint32_t sum = source_lights[source >> shift & 255] * source_weight +
                   destination_lights[destination >> shift & 255] * destination_weight;
    // The divisor of an opaque destination is a constant.
    uint32_t light = whole == WHOLE ? (sum + WHOLE / 2) / WHOLE : (sum + whole / 2) / whole;
    result |= (values[light] * alpha + WHITE / 2) / WHITE << shift;
  }
  return result;
}

// source·(coverage·opacity) over destination.
static inline uint32_t over_light(uint32_t destination, uint32_t source, uint32_t coverage, uint32_t opacity) {
  uint32_t own = source >> 24;
  // Most pixels are clear or opaque.
  if ((own & coverage & opacity) == 255) return source;
  uint32_t weight = (own * (coverage * opacity) + 127) / 255;
  if (weight == 0) return destination;
  uint32_t factor = multiply_255(coverage, opacity), rest = destination >> 24;
  if (rest == 0) return multiply_pixel(source, factor);
  uint32_t source_alpha = multiply_255(own, factor);
  return mix_light(destination, source, (rest * (WHOLE - weight) + 127) / 255, weight,
                   source_alpha + multiply_255(rest, 255 - source_alpha));
}

static void keep_uncovered(uint32_t *destination, const uint32_t *before, int64_t count, const uint8_t *coverage) {
  for (int64_t i = 0; i < count; i++) {
    uint32_t alpha = mix_pixel(before[i], destination[i], coverage[i]) >> 24;
    uint32_t weight = (destination[i] >> 24) * coverage[i], rest = (before[i] >> 24) * (255 - coverage[i]);
    destination[i] = alpha == 0 ? 0 : mix_light(before[i], destination[i], rest, weight, alpha);
  }
}

static void over_color(uint32_t *destination, int64_t count, uint32_t color) {
  for (int64_t i = 0; i < count; i++) destination[i] = over_light(destination[i], color, 255, 255);
}

static void over_color_coverage(uint32_t *destination, int64_t count, uint32_t color, const uint8_t *coverage) {
  for (int64_t i = 0; i < count; i++) destination[i] = over_light(destination[i], color, coverage[i], 255);
}

static void fill(uint32_t *destination, int64_t count, uint32_t color) {
  for (int64_t i = 0; i < count; i++) destination[i] = color;
}

#include "strip_runs.h"

static void over(uint32_t *destination, const uint32_t *source, int64_t count) {
  for (int64_t i = 0; i < count; i++) destination[i] = over_light(destination[i], source[i], 255, 255);
}

static void over_opacity(uint32_t *destination, const uint32_t *source, int64_t count, uint32_t opacity) {
  for (int64_t i = 0; i < count; i++) destination[i] = over_light(destination[i], source[i], 255, opacity);
}

static void over_coverage(uint32_t *destination, const uint32_t *source, int64_t count, const uint8_t *coverage,
                          uint32_t opacity) {
  for (int64_t i = 0; i < count; i++) destination[i] = over_light(destination[i], source[i], coverage[i], opacity);
}

static inline uint32_t over_light_of(uint32_t destination, uint32_t source) {
  return over_light(destination, source, 255, 255);
}

// A sum is of values, not of light: a glow looks the same in both.
static void particles(const struct ckernels_pixels *pixels, const struct ckernels_particle *particles, int64_t count,
                      uint32_t adds) {
  if (adds) {
    ckernels_particles_portable(pixels, particles, count, adds);
    return;
  }
  for (int64_t i = 0; i < count; i++) particle_rows(pixels, &particles[i], over_light_of);
}

// The light of a gradient's colours between a stop and the next, in parts of WHITE.
struct stop_lights {
  float first[3], slope[3];
};

static struct stop_lights stop_lights(const struct ckernels_gradient_stop *stop) {
  struct stop_lights result;
  float length = stop[1].location - stop->location;
  for (int channel = 0; channel < 3; channel++) {
    double first = light_of(stop->first[channel] / 255.0);
    double last = light_of((stop->first[channel] + stop->slope[channel] * length) / 255.0);
    result.first[channel] = (float)(first * WHITE);
    result.slope[channel] = stop->slope[channel] == 0 ? 0 : (float)((last - first) * WHITE / length);
  }
  return result;
}

static inline float interpolated_value(float light) {
  light = light > 0 ? light : 0;
  light = light < WHITE ? light : WHITE;
  int32_t whole = (int32_t)light;
  float value = values[whole], next = values[whole + 1];
  return (value + (next - value) * (light - (float)whole)) / 257;
}

static void gradient(uint32_t *destination, int64_t count, int32_t x, int32_t y, const struct ckernels_gradient *g) {
  struct gradient_row row = gradient_row(y, g);
  const struct ckernels_gradient_stop *stop = g->stops, *known = 0;
  struct stop_lights colors = {0};
  for (int64_t i = 0; i < count; i++) {
    float t = gradient_place(g->kind, (float)((int64_t)x + i - g->x0), &row);
    stop = gradient_stop(stop, t);
    if (stop != known) {
      colors = stop_lights(stop);
      known = stop;
    }
    float distance = t - stop->location, dither = row.dither[(x + i) & 7];
    float alpha = stop->first[3] + stop->slope[3] * distance, most = alpha * 255;
    uint32_t result = (uint32_t)(int32_t)(most + dither) << 24;
    for (int channel = 0; channel < 3; channel++) {
      float value = interpolated_value(colors.first[channel] + colors.slope[channel] * distance) * alpha;
      result |= (uint32_t)(int32_t)((value < most ? value : most) + dither) << 8 * channel;
    }
    destination[i] = result;
  }
}

static struct ckernels_table table;
static pthread_once_t is_made = PTHREAD_ONCE_INIT;

static void make(void) {
  for (uint32_t alpha = 1; alpha < 256; alpha++) {
    for (uint32_t value = 0; value < 256; value++) {
      // A colour above its alpha counts as one that is equal to it.
      double light = value < alpha ? light_of((double)value / alpha) : 1;
      lights[alpha][value] = (uint16_t)(light * WHITE + 0.5);
    }
  }
  for (uint32_t light = 0; light <= WHITE; light++) {
    values[light] = (uint16_t)(value_of((double)light / WHITE) * WHITE + 0.5);
  }
  values[WHITE + 1] = WHITE;
  table = *ckernels_best();
  table.name = "linear";
  table.over_color = over_color;
  table.over_color_coverage = over_color_coverage;
  table.over_color_strip = over_color_strip;
  table.over = over;
  table.over_opacity = over_opacity;
  table.over_coverage = over_coverage;
  table.keep_uncovered = keep_uncovered;
  table.particles = particles;
  table.gradient = gradient;
}

const struct ckernels_table *ckernels_linear(void) {
  pthread_once(&is_made, make);
  return &table;
}
