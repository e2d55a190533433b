// Sprites painted one by one by pixman and Cairo.

#include <cairo.h>
#include <pixman.h>
#include <stddef.h>

#include "CPeers.h"

void peer_pixman_particles(const struct peer_particles *particles) {
  pixman_image_t *target = pixman_image_create_bits_no_clear(PIXMAN_a8r8g8b8, particles->width, particles->height, particles->pixels,
                                                             4 * particles->width);
  pixman_image_t *sprite = pixman_image_create_bits_no_clear(PIXMAN_a8r8g8b8, particles->side, particles->side,
                                                             (uint32_t *)particles->sprite, 4 * particles->side);
  peer_pixman_fill(particles->pixels, particles->width, particles->height, particles->color);
  for (int i = 0; i < particles->count; i++) {
    pixman_color_t alpha = {.alpha = (uint16_t)(particles->places[3 * i + 2] * 65535)};
    pixman_image_t *mask = pixman_image_create_solid_fill(&alpha);
    pixman_image_composite32(PIXMAN_OP_OVER, sprite, mask, target, 0, 0, 0, 0, (int)particles->places[3 * i],
                             (int)particles->places[3 * i + 1], particles->side, particles->side);
    pixman_image_unref(mask);
  }
  pixman_image_unref(sprite);
  pixman_image_unref(target);
}

void peer_cairo_particles(const struct peer_particles *particles) {
  cairo_surface_t *target = cairo_image_surface_create_for_data((unsigned char *)particles->pixels, CAIRO_FORMAT_ARGB32,
                                                                particles->width, particles->height, 4 * particles->width);
  cairo_surface_t *sprite = cairo_image_surface_create_for_data((unsigned char *)particles->sprite, CAIRO_FORMAT_ARGB32,
                                                                particles->side, particles->side, 4 * particles->side);
  cairo_t *context = cairo_create(target);
  uint32_t color = particles->color;
  cairo_set_source_rgb(context, (color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0, (color & 255) / 255.0);
  cairo_paint(context);
  for (int i = 0; i < particles->count; i++) {
    cairo_set_source_surface(context, sprite, particles->places[3 * i], particles->places[3 * i + 1]);
    cairo_paint_with_alpha(context, particles->places[3 * i + 2]);
  }
  cairo_destroy(context);
  cairo_surface_destroy(sprite);
  cairo_surface_destroy(target);
}
