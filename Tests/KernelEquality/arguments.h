// Random arguments of the kernels: images, gradients, shapes and colour maps.
#pragma once

#include <math.h>

#include "CKernels.h"
#include "guarded.h"
#include "random.h"

enum { IMAGE_SIDE = 16, MOST_STOPS = 6 };

static int64_t fixed(struct random *random, double limit) {
  if (random_below(random, 20) == 0) return (int64_t)random_next(random);
  double value = random_between(random, -limit, limit);
  return random_below(random, 5) ? (int64_t)(value * 0x1p32) : (int64_t)value * ((int64_t)1 << 32);
}

static struct ckernels_sampler sampler(struct random *random, const struct guarded_row *row, int lead) {
  int32_t width = 1 + (int32_t)random_below(random, IMAGE_SIDE), height = 1 + (int32_t)random_below(random, IMAGE_SIDE);
  uint32_t *image = guarded_place(row, (size_t)(4 * width * height), lead);
  random_pixels(random, INTERFACE, image, width * height);
  struct ckernels_sampler result = {(const uint8_t *)image, 4 * width, width, height, 0, 0, 0, 0, 0, 0};
  result.u = fixed(random, 20), result.ux = fixed(random, 1), result.uy = fixed(random, 1);
  result.v = fixed(random, 20), result.vx = fixed(random, 1), result.vy = fixed(random, 1);
  return result;
}

// The same image in perspective, near the pixels that are asked for; sometimes with numbers that are huge.
static struct ckernels_plane plane(struct random *random, const struct ckernels_sampler *image) {
  double reach = random_below(random, 20) ? random_below(random, 2) ? 1 : 4 : 1e9;
  struct ckernels_plane result = {.base = image->base, .bytes_per_row = image->bytes_per_row};
  result.min_x = (int32_t)random_below(random, 20) - 10, result.max_x = result.min_x + image->width;
  result.min_y = (int32_t)random_below(random, 20) - 10, result.max_y = result.min_y + image->height;
  result.left = result.min_x - 1, result.right = result.max_x + 1;
  result.top = result.min_y - 1, result.bottom = result.max_y + 1;
  result.a = random_between(random, -reach, reach), result.b = random_between(random, -reach, reach);
  result.c = random_between(random, -reach, reach), result.d = random_between(random, -reach, reach);
  result.tx = random_between(random, -50, 50), result.ty = random_between(random, -50, 50);
  result.px = random_between(random, -0.01, 0.01), result.py = random_between(random, -0.01, 0.01);
  result.pw = random_between(random, 0, 2), result.nearest = 1e-4, result.farthest = 1e4;
  return result;
}

// A gradient of any kind, with stops near each other and at one place; sometimes with numbers that are huge, or none.
static struct ckernels_gradient gradient_of(struct random *random, const struct guarded_row *row, int lead) {
  int count = 1 + (int)random_below(random, MOST_STOPS);
  struct ckernels_gradient_stop *stops = guarded_place(row, (size_t)(count + 1) * sizeof *stops, lead);
  float location = 0;
  for (int i = 0; i <= count; i++) {
    location += random_below(random, 4) ? (float)random_between(random, 0, 1.0 / count) : 0;
    stops[i].location = i == 0 ? -1 : i == count ? 3 : location;
    for (int channel = 0; channel < 4; channel++) {
      float most = channel < 3 ? 255 : 1;
      stops[i].first[channel] = random_below(random, 3) ? (float)random_between(random, 0, most) : most;
      stops[i].slope[channel] = 0;
    }
  }
  for (int i = 0; i + 1 < count; i++) {
    float length = stops[i + 1].location - stops[i].location;
    for (int channel = 0; channel < 4 && i > 0 && length > 0; channel++) {
      stops[i].slope[channel] = (stops[i + 1].first[channel] - stops[i].first[channel]) / length;
    }
  }
  double reach = random_below(random, 10) ? 0.1 : random_below(random, 2) ? 1e30 : 0;
  struct ckernels_gradient result = {.kind = (enum ckernels_gradient_kind)random_below(random, 3), .stops = stops};
  result.x0 = (int32_t)random_below(random, 200) - 100, result.y0 = (int32_t)random_below(random, 200) - 100;
  result.u0 = random_between(random, -1, 2), result.v0 = random_between(random, -1, 2);
  result.ux = random_between(random, -reach, reach), result.uy = random_between(random, -reach, reach);
  result.vx = random_between(random, -reach, reach), result.vy = random_between(random, -reach, reach);
  if (random_below(random, 50) == 0) result.v0 = result.vx = result.vy = 0;
  if (random_below(random, 50) == 0) result.u0 = random_below(random, 2) ? NAN : INFINITY;
  return result;
}

// Upright half the time. The directions come from a rational point of the circle, so that no machine's sine matters.
static struct ckernels_shape shape(struct random *random) {
  double t = random_below(random, 2) ? random_between(random, -1, 1) : 0;
  double cosine = (1 - t * t) / (1 + t * t), sine = 2 * t / (1 + t * t);
  struct ckernels_shape result = {.ua = cosine, .ub = sine, .va = -sine, .vb = cosine};
  result.uc = random_between(random, -100, 100), result.vc = random_between(random, -100, 100);
  result.half_u = random_between(random, 0, 80), result.half_v = random_between(random, 0, 80);
  result.radius = random_below(random, 3) ? random_between(random, 0, 40) : 0;
  result.unit_u = random_between(random, 0.5, 2);
  result.unit_v = random_below(random, 2) ? result.unit_u : random_between(random, 0.5, 2);
  result.inverse_ua = fabs(cosine) > 1e-9 ? 1 / cosine : 0;
  result.inverse_va = fabs(sine) > 1e-9 ? -1 / sine : 0;
  result.square = random_below(random, 3) ? 0 : random_below(random, 16);
  result.sharp = random_below(random, 2) ? 0 : random_below(random, 16);
  return result;
}

// Most maps change colours a little; some have numbers that are as large as they may be.
static struct ckernels_color_map color_map(struct random *random) {
  struct ckernels_color_map result;
  double limit = random_below(random, 4) ? 1.5 : 1e6;
  for (int i = 0; i < 4; i++) {
    result.red[i] = (float)random_between(random, -limit, limit);
    result.green[i] = (float)random_between(random, -limit, limit);
    result.blue[i] = (float)random_between(random, -limit, limit);
    result.alpha[i] = (float)random_between(random, -limit, limit);
    result.constant[i] = (float)random_between(random, -limit, limit);
  }
  return result;
}
