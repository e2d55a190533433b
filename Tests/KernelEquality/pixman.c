// Compares the kernels of every table with pixman, which composes as X servers and Cairo do. Both round x·a/255 to the
// nearest integer, so the bytes must be equal. Multiply alone differs by a unit: pixman rounds each of its three products, these
// kernels their sum. Prints `ok OPERATION` for each operation.
// usage: kernel-pixman [SEED]

#include <pixman.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CKernels.h"
#include "random.h"

enum { LONGEST = 200, MOST_TABLES = 4, ROUNDS = 40 };

struct row {
  uint32_t before[LONGEST], source[LONGEST], result[LONGEST];
  uint8_t coverage[LONGEST + 3];
  int count;
  uint32_t color, opacity;
};

struct operation {
  const char *name;
  void (*ours)(const struct ckernels_table *table, struct row *row);
  void (*pixman)(struct row *row);
  // The largest difference of a channel.
  uint32_t tolerance;
};

static pixman_image_t *pixels(uint32_t *row, int count) {
  return pixman_image_create_bits_no_clear(PIXMAN_a8r8g8b8, count, 1, row, LONGEST * 4);
}

// A picture of one colour. 257 spreads a byte over the 16 bits that pixman wants.
static pixman_image_t *solid(uint32_t pixel) {
  uint32_t bytes[4] = {pixel >> 24, pixel >> 16 & 255, pixel >> 8 & 255, pixel & 255};
  pixman_color_t color = {(uint16_t)(bytes[1] * 257), (uint16_t)(bytes[2] * 257), (uint16_t)(bytes[3] * 257),
                          (uint16_t)(bytes[0] * 257)};
  return pixman_image_create_solid_fill(&color);
}

static pixman_image_t *coverage(struct row *row) {
  return pixman_image_create_bits_no_clear(PIXMAN_a8, row->count, 1, (uint32_t *)(void *)row->coverage, LONGEST + 3 & ~3);
}

static void compose(pixman_op_t operator, struct row *row, pixman_image_t *source, pixman_image_t *mask) {
  pixman_image_t *destination = pixels(row->result, row->count);
  pixman_image_composite32(operator, source, mask, destination, 0, 0, 0, 0, 0, 0, row->count, 1);
  pixman_image_unref(destination);
  pixman_image_unref(source);
  if (mask) pixman_image_unref(mask);
}

static void fill(const struct ckernels_table *table, struct row *row) { table->fill(row->result, row->count, row->color); }
static void pixman_fill_row(struct row *row) { compose(PIXMAN_OP_SRC, row, solid(row->color), NULL); }

static void over(const struct ckernels_table *table, struct row *row) { table->over(row->result, row->source, row->count); }
static void pixman_over(struct row *row) { compose(PIXMAN_OP_OVER, row, pixels(row->source, row->count), NULL); }

static void over_color(const struct ckernels_table *table, struct row *row) {
  table->over_color(row->result, row->count, row->color);
}
static void pixman_over_color(struct row *row) { compose(PIXMAN_OP_OVER, row, solid(row->color), NULL); }

static void over_color_coverage(const struct ckernels_table *table, struct row *row) {
  table->over_color_coverage(row->result, row->count, row->color, row->coverage);
}
static void pixman_over_color_coverage(struct row *row) {
  compose(PIXMAN_OP_OVER, row, solid(row->color), coverage(row));
}

static void over_opacity(const struct ckernels_table *table, struct row *row) {
  table->over_opacity(row->result, row->source, row->count, row->opacity);
}
static void pixman_over_opacity(struct row *row) {
  compose(PIXMAN_OP_OVER, row, pixels(row->source, row->count), solid(row->opacity << 24));
}

static void over_coverage(const struct ckernels_table *table, struct row *row) {
  table->over_coverage(row->result, row->source, row->count, row->coverage, 255);
}
static void pixman_over_coverage(struct row *row) {
  compose(PIXMAN_OP_OVER, row, pixels(row->source, row->count), coverage(row));
}

#define BLEND(name, mode)                                                                                             \
  static void name(const struct ckernels_table *table, struct row *row) {                                             \
    table->blend(row->result, row->source, row->count, 255, CKERNELS_##mode);                                         \
  }                                                                                                                   \
  static void pixman_##name(struct row *row) { compose(PIXMAN_OP_##mode, row, pixels(row->source, row->count), NULL); }
BLEND(multiply, MULTIPLY)
BLEND(screen, SCREEN)
BLEND(overlay, OVERLAY)
BLEND(hard_light, HARD_LIGHT)
BLEND(darken, DARKEN)
BLEND(lighten, LIGHTEN)
BLEND(difference, DIFFERENCE)
BLEND(exclusion, EXCLUSION)

static bool is_near(uint32_t pixel, uint32_t other, uint32_t tolerance) {
  for (int shift = 0; shift < 32; shift += 8) {
    uint32_t a = pixel >> shift & 255, b = other >> shift & 255;
    if ((a > b ? a - b : b - a) > tolerance) return false;
  }
  return true;
}

static const struct operation operations[] = {
    {"fill", fill, pixman_fill_row, 0},
    {"over", over, pixman_over, 0},
    {"over_color", over_color, pixman_over_color, 0},
    {"over_color_coverage", over_color_coverage, pixman_over_color_coverage, 0},
    {"over_opacity", over_opacity, pixman_over_opacity, 0},
    {"over_coverage", over_coverage, pixman_over_coverage, 0},
    {"multiply", multiply, pixman_multiply, 1},
    {"screen", screen, pixman_screen, 0},
    {"overlay", overlay, pixman_overlay, 0},
    {"hard_light", hard_light, pixman_hard_light, 0},
    {"darken", darken, pixman_darken, 0},
    {"lighten", lighten, pixman_lighten, 0},
    {"difference", difference, pixman_difference, 0},
    {"exclusion", exclusion, pixman_exclusion, 0},
};

static void choose(struct row *row, int count, struct random *random) {
  enum alphas alphas = (enum alphas)random_below(random, BEYOND_ALPHA);
  row->count = count;
  random_pixels(random, (enum alphas)random_below(random, BEYOND_ALPHA), row->before, count);
  random_pixels(random, alphas, row->source, count);
  random_coverage(random, (enum alphas)random_below(random, BEYOND_ALPHA), row->coverage, count);
  row->color = random_pixel(random, alphas);
  row->opacity = random_below(random, 256);
}

static void compare(const struct operation *operation, const struct ckernels_table *table, struct row *row) {
  uint32_t expected[LONGEST];
  memcpy(row->result, row->before, sizeof row->result);
  operation->pixman(row);
  memcpy(expected, row->result, sizeof expected);
  memcpy(row->result, row->before, sizeof row->result);
  operation->ours(table, row);
  for (int i = 0; i < row->count; i++) {
    if (is_near(row->result[i], expected[i], operation->tolerance)) continue;
    printf("FAILED %s of %s: pixel %d of %d is %08x, of pixman %08x (source %08x, color %08x, coverage %02x, opacity %02x "
           "over %08x)\n", operation->name, table->name, i, row->count, row->result[i], expected[i], row->source[i],
           row->color, row->coverage[i], row->opacity, row->before[i]);
    exit(1);
  }
}

int main(int argc, char **argv) {
  struct random random = {argc > 1 ? strtoull(argv[1], NULL, 10) : 1};
  const struct ckernels_table *tables[MOST_TABLES + 1] = {0};
  for (int i = 0; i < MOST_TABLES; i++) tables[i] = ckernels_runnable(i);
  static struct row row;
  for (size_t k = 0; k < sizeof operations / sizeof *operations; k++) {
    for (int count = 1; count <= LONGEST; count++) {
      for (int round = 0; round < ROUNDS; round++) {
        choose(&row, count, &random);
        for (int i = 0; tables[i]; i++) compare(&operations[k], tables[i], &row);
      }
    }
    printf("ok %s\n", operations[k].name);
  }
  return 0;
}
