// Pictures painted by pixman, which composes images and gradients.

#include <math.h>
#include <pixman.h>
#include <stddef.h>

#include "Pictures.h"

const char *peer_pixman_version(void) { return pixman_version_string(); }

static pixman_image_t *solid(uint32_t alpha, uint32_t red, uint32_t green, uint32_t blue) {
  // 257 spreads a byte over 16 bits.
  pixman_color_t color = {(uint16_t)(red * 257), (uint16_t)(green * 257), (uint16_t)(blue * 257), (uint16_t)(alpha * 257)};
  return pixman_image_create_solid_fill(&color);
}

static pixman_image_t *ground(void) { return solid(255, peer_ground >> 16 & 255, peer_ground >> 8 & 255, peer_ground & 255); }

static pixman_image_t *bits(const uint32_t *pixels, const struct peer_canvas *canvas) {
  return pixman_image_create_bits_no_clear(PIXMAN_a8r8g8b8, canvas->width, canvas->height, (uint32_t *)pixels, canvas->width * 4);
}

static pixman_image_t *gradient(const struct peer_canvas *canvas, bool is_radial) {
  pixman_gradient_stop_t stops[] = {
      {0, {0x0CCD, 0x199A, 0x3333, 0xFFFF}},
      {pixman_double_to_fixed(0.4), {0x199A, 0x9999, 0xFFFF, 0xFFFF}},
      {pixman_fixed_1, {0xFFFF, 0xFFFF, 0xE666, 0xFFFF}},
  };
  pixman_fixed_t width = pixman_int_to_fixed(canvas->width), height = pixman_int_to_fixed(canvas->height);
  pixman_point_fixed_t from = {0, 0}, middle = {width / 2, height / 2}, to = {width, height};
  pixman_image_t *image = is_radial ? pixman_image_create_radial_gradient(&middle, &middle, 0, width / 2, stops, 3)
                                    : pixman_image_create_linear_gradient(&from, &to, stops, 3);
  pixman_image_set_repeat(image, PIXMAN_REPEAT_PAD);
  return image;
}

/// The source, by the map from the canvas to it.
static pixman_image_t *mapped(const struct peer_canvas *canvas, bool is_rotated) {
  struct pixman_f_transform map;
  pixman_f_transform_init_identity(&map);
  if (is_rotated) {
    pixman_f_transform_translate(&map, NULL, -canvas->width / 2.0, -canvas->height / 2.0);
    pixman_f_transform_rotate(&map, NULL, cos(0.35), -sin(0.35));
    pixman_f_transform_translate(&map, NULL, canvas->width / 2.0, canvas->height / 2.0);
  } else {
    pixman_f_transform_translate(&map, NULL, 100.3, 50.7);
    pixman_f_transform_scale(&map, NULL, 1 / 1.5, 1 / 1.5);
  }
  pixman_transform_t fixed;
  pixman_transform_from_pixman_f_transform(&fixed, &map);
  pixman_image_t *image = bits(canvas->source, canvas);
  pixman_image_set_transform(image, &fixed);
  pixman_image_set_filter(image, PIXMAN_FILTER_BILINEAR, NULL, 0);
  return image;
}

static void compose(const struct peer_canvas *canvas, pixman_op_t operation, pixman_image_t *source, pixman_image_t *mask) {
  pixman_image_t *target = bits(canvas->pixels, canvas);
  pixman_image_composite32(operation, source, mask, target, 0, 0, 0, 0, 0, 0, canvas->width, canvas->height);
  pixman_image_unref(target);
  pixman_image_unref(source);
  if (mask) pixman_image_unref(mask);
}

bool peer_pixman_paint(const struct peer_canvas *canvas, enum peer_operation operation) {
  switch (operation) {
    case PEER_FILL: compose(canvas, PIXMAN_OP_SRC, ground(), NULL); return true;
    case PEER_OVER: compose(canvas, PIXMAN_OP_OVER, bits(canvas->source, canvas), NULL); return true;
    case PEER_OVER_HALF: compose(canvas, PIXMAN_OP_OVER, bits(canvas->source, canvas), solid(128, 0, 0, 0)); return true;
    case PEER_ROTATED:
    case PEER_SCALED:
      compose(canvas, PIXMAN_OP_SRC, ground(), NULL);
      compose(canvas, PIXMAN_OP_OVER, mapped(canvas, operation == PEER_ROTATED), NULL);
      return true;
    case PEER_AXIAL:
    case PEER_RADIAL: compose(canvas, PIXMAN_OP_SRC, gradient(canvas, operation == PEER_RADIAL), NULL); return true;
    case PEER_RECTS:
    case PEER_PATH:
    case PEER_STROKE: return false;
  }
  return false;
}
