// Runs every kernel of every table that this processor has on random rows between guard pages, and compares the tables byte
// for byte. Prints `ok KERNEL HASH` for each kernel: the hash of all its results, which is the same on every machine.
// usage: kernel-equality [SEED]

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"

enum { LONGEST = 200, MOST_TABLES = 4, MOST_TAPS = 10 };

// The arguments of a call. Each pointer is into a row of its own.
struct input {
  void *result;
  const uint32_t *source;
  const uint8_t *coverage;
  int64_t count;
  uint32_t color, opacity;
  int32_t x, y;
  struct ckernels_sampler sampler;
  struct ckernels_plane plane;
  struct ckernels_gradient gradient;
  struct ckernels_shape shape;
  struct ckernels_color_map color_map;
  // Values to blur: `taps` rows of `count`.
  const uint16_t *values;
  const uint32_t *weights;
  int64_t taps;
  bool at_end;
  // The cells of a strip for half as many columns as pixels, and what they hold before a call.
  uint32_t *cells;
  const uint32_t *plain_cells;
};

struct kernel {
  const char *name;
  // The bytes of one value of the result.
  size_t size;
  void (*call)(const struct ckernels_table *table, const struct input *in);
};

static void fill(const struct ckernels_table *table, const struct input *in) {
  table->fill(in->result, in->count, in->color);
}
static void over_color(const struct ckernels_table *table, const struct input *in) {
  table->over_color(in->result, in->count, in->color);
}
static void over_color_coverage(const struct ckernels_table *table, const struct input *in) {
  table->over_color_coverage(in->result, in->count, in->color, in->coverage);
}
// The first half of the row is the first row of the strip, or the second one, and the other half that below.
static void over_color_strip(const struct ckernels_table *table, const struct input *in) {
  int32_t width = (int32_t)(in->count / 2), left = in->x, part = width / 6;
  struct ckernels_run runs[] = {{left - 5, left - 2, 0},
                                {left - part, left + part, 0},
                                {left + 2 * part, left + 4 * part, CKERNELS_SOLID},
                                {left + 4 * part, left + 5 * part, (uint32_t)part},
                                {left + width, left + width + 9, 0}};
  struct ckernels_box rows = {left, (int32_t)(in->opacity & 1), left + width, 2};
  table->over_color_strip(in->result, 4 * width, in->color, runs, 5, in->coverage, &rows);
}
static void over(const struct ckernels_table *table, const struct input *in) {
  table->over(in->result, in->source, in->count);
}
static void over_opacity(const struct ckernels_table *table, const struct input *in) {
  table->over_opacity(in->result, in->source, in->count, in->opacity);
}
static void over_coverage(const struct ckernels_table *table, const struct input *in) {
  table->over_coverage(in->result, in->source, in->count, in->coverage, in->opacity);
}
static void mask(const struct ckernels_table *table, const struct input *in) {
  table->mask(in->result, in->source, in->count, in->opacity);
}
static void mix(const struct ckernels_table *table, const struct input *in) {
  table->mix(in->result, in->source, in->count, in->opacity);
}
#define BLEND(name, mode)                                                                \
  static void name(const struct ckernels_table *table, const struct input *in) {         \
    table->blend(in->result, in->source, in->count, in->opacity, CKERNELS_##mode); \
  }
BLEND(multiply, MULTIPLY)
BLEND(screen, SCREEN)
BLEND(overlay, OVERLAY)
BLEND(hard_light, HARD_LIGHT)
BLEND(darken, DARKEN)
BLEND(lighten, LIGHTEN)
BLEND(difference, DIFFERENCE)
BLEND(exclusion, EXCLUSION)
static void blur_row(const struct ckernels_table *table, const struct input *in) {
  const uint8_t *first = (const uint8_t *)in->values, *end = (const uint8_t *)(in->values + in->count * in->taps);
  table->blur_row(in->result, in->at_end ? end - (in->count + in->taps - 1) : first, in->count, in->weights, in->taps);
}
static void blur_columns(const struct ckernels_table *table, const struct input *in) {
  table->blur_columns(in->result, in->values, in->count, in->count, in->weights, in->taps);
}
static void sample(const struct ckernels_table *table, const struct input *in) {
  table->sample(in->result, in->count, in->x, in->y, &in->sampler);
}
static void gradient(const struct ckernels_table *table, const struct input *in) {
  table->gradient(in->result, in->count, in->x, in->y, &in->gradient);
}
static void sample_nearest(const struct ckernels_table *table, const struct input *in) {
  (void)table;
  ckernels_sample_nearest(in->result, in->count, in->x, in->y, &in->sampler);
}
static void sample_plane(const struct ckernels_table *table, const struct input *in) {
  (void)table;
  ckernels_sample_plane(in->result, in->count, in->x, in->y, &in->plane);
}
static void map_colors(const struct ckernels_table *table, const struct input *in) {
  (void)table;
  ckernels_map_colors(in->result, in->count, &in->color_map);
}
static void coverage(const struct ckernels_table *table, const struct input *in) {
  table->coverage(in->result, in->count, in->x, in->y, &in->shape);
}
// The particles of a fountain that meet some rows; their sprite has a clear border.
static void particles(const struct ckernels_table *table, const struct input *in) {
  enum { SIDE = 5, STRIDE = 16, MOST = CKERNELS_PARTICLE_BATCH };
  uint32_t pixels[(SIDE + 2) * STRIDE] = {0}, half[5 * STRIDE] = {0};
  for (int i = 0; i < SIDE * SIDE; i++) pixels[(i / SIDE + 1) * STRIDE + i % SIDE + 1] = in->color + (uint32_t)i;
  for (int i = 0; i < 9; i++) half[(i / 3 + 1) * STRIDE + i % 3 + 1] = in->color;
  const struct ckernels_sprite sprites[] = {{pixels, STRIDE, SIDE, SIDE, 1, 1}, {half, STRIDE, 3, 3, 5 / 3.0, 5 / 3.0}};
  // A quarter of them is not turned.
  const double turns = in->opacity & 2 ? 1 : 0, shears = in->opacity & 4 ? 1 : 0;
  const struct ckernels_emission emission = {
      .seed = in->color, .birthplace = (enum ckernels_birthplace)(in->opacity % 8), .x = in->x & 127, .y = 9, .width = 60,
      .height = 30, .time = 3, .end = 2.5, .rate = 20, .lifetime = {2, 1}, .velocity = {30, 20}, .scale = {1, 1},
      .spin = {turns, 4 * turns}, .direction = {0.5, 6}, .in_plane = 1, .acceleration_y = 9,
      .color = {{0.8, 0.4}, {0.5, 0.5}, {0.7, 0.3}, {0.8, 0.4}}, .color_speed = {0.1, 0, -0.1, -0.1}, .opacity = 1,
      .a = 1, .b = shears * (in->y & 15) / 16, .c = -0.3 * shears, .d = 0.8, .sprites = sprites, .sprite_count = 2};
  // All pixels are one row, or several.
  const int32_t rows = in->opacity & 8 ? 6 : 1, columns = (int32_t)in->count / rows;
  const struct ckernels_box box = {0, 0, columns, rows};
  const struct ckernels_pixels target = {in->result, 4 * columns, 0, 0};
  struct ckernels_particle found[MOST];
  for (int64_t next = 0; next < 60;) {
    int64_t count = table->find_particles(&emission, box, &next, 60, found, MOST);
    table->particles(&target, found, count, in->opacity & 1);
  }
}

// The result ends with the four rows. It begins with what is left of the cells and of the sums.
static void strip_coverage(const struct ckernels_table *table, const struct input *in) {
  int64_t columns = in->count / 8 * 4;
  if (columns == 0) return;
  uint8_t *bytes = (uint8_t *)in->result + 4 * (in->count - columns);
  uint32_t sums[4] = {in->color, in->opacity << 21, 0, 1u << 21}, rest = 0;
  memcpy(in->cells, in->plain_cells, (size_t)columns * 16);
  table->strip_coverage(bytes, columns, in->cells, columns, sums, in->opacity & 1);
  for (int64_t i = 0; i < 4 * columns; i++) rest |= in->cells[i];
  for (int row = 0; row < 4; row++) rest = rest * 31 + sums[row];
  memcpy(in->result, &rest, sizeof rest);
}
static void keep_uncovered(const struct ckernels_table *table, const struct input *in) {
  (void)table;
  table->keep_uncovered(in->result, in->source, in->count, in->coverage);
}
static void multiply_coverage(const struct ckernels_table *table, const struct input *in) {
  (void)table;
  ckernels_multiply_coverage(in->result, in->coverage, in->count);
}
static void row_spans(const struct ckernels_table *table, const struct input *in) {
  (void)table;
  struct ckernels_spans spans = ckernels_row_spans(in->y, in->x, in->x + (int32_t)in->count, &in->shape);
  memcpy(in->result, &spans, in->count * 4 < (int64_t)sizeof spans ? (size_t)in->count * 4 : sizeof spans);
}

static const struct kernel kernels[] = {
    {"fill", 4, fill},
    {"over_color", 4, over_color},
    {"over_color_coverage", 4, over_color_coverage},
    {"over_color_strip", 4, over_color_strip},
    {"over", 4, over},
    {"over_opacity", 4, over_opacity},
    {"over_coverage", 4, over_coverage},
    {"mask", 4, mask},
    {"mix", 4, mix},
    {"multiply", 4, multiply},
    {"screen", 4, screen},
    {"overlay", 4, overlay},
    {"hard_light", 4, hard_light},
    {"darken", 4, darken},
    {"lighten", 4, lighten},
    {"difference", 4, difference},
    {"exclusion", 4, exclusion},
    {"blur_row", 2, blur_row},
    {"blur_columns", 1, blur_columns},
    {"sample", 4, sample},
    {"sample_nearest", 4, sample_nearest},
    {"sample_plane", 4, sample_plane},
    {"map_colors", 4, map_colors},
    {"gradient", 4, gradient},
    {"coverage", 1, coverage},
    {"strip_coverage", 4, strip_coverage},
    {"particles", 4, particles},
    {"keep_uncovered", 4, keep_uncovered},
    {"multiply_coverage", 1, multiply_coverage},
    {"row_spans", 4, row_spans},
};

// Those of the table of linear blending, of which every machine has one.
static const struct kernel linear_kernels[] = {
    {"linear over_color", 4, over_color},
    {"linear over_color_coverage", 4, over_color_coverage},
    {"linear over_color_strip", 4, over_color_strip},
    {"linear over", 4, over},
    {"linear over_opacity", 4, over_opacity},
    {"linear over_coverage", 4, over_coverage},
    {"linear gradient", 4, gradient},
    {"linear particles", 4, particles},
};

// The call that is under way, for the report of a fault.
static char current[160];

static void on_fault(int signal) {
  const char text[] = "FAILED a byte beyond the row was read or written: ";
  if (write(1, text, sizeof text - 1) < 0 || write(1, current, strlen(current)) < 0) _exit(2);
  _exit(1 + (signal == 0));
}

struct rows {
  struct guarded_row result, source, coverage, image, values, weights, cells, plain_cells, stops;
  uint8_t *before, *expected;
};

// Few edges in a row, as in a shape: most cells are 0.
static void cells(struct random *random, const struct rows *rows, int lead, struct input *in) {
  size_t size = (size_t)in->count / 8 * 64;
  in->cells = guarded_place(&rows->cells, size, lead < 0 ? lead : 0);
  uint32_t *plain = guarded_place(&rows->plain_cells, size, lead < 0 ? lead : 0);
  uint32_t one_in = 1 + random_below(random, 20);
  for (size_t i = 0; i < size / 4; i++) {
    plain[i] = random_below(random, one_in) ? 0 : (uint32_t)random_next(random) >> random_below(random, 32);
    if (random_below(random, 2)) plain[i] = 0 - plain[i];
  }
  in->plain_cells = plain;
}

// As the compositor's, the weights have the sum 2¹⁶.
static void blur(struct random *random, const struct rows *rows, int lead, struct input *in) {
  in->taps = 1 + random_below(random, MOST_TAPS);
  in->at_end = lead < 0;
  uint16_t *values = guarded_place(&rows->values, (size_t)(in->count * in->taps) * 2, lead < 0 ? lead : 0);
  uint32_t *weights = guarded_place(&rows->weights, (size_t)in->taps * 4, lead < 0 ? lead : 0);
  for (int64_t i = 0; i < in->count * in->taps; i++) values[i] = (uint16_t)random_next(random);
  uint32_t rest = 65536;
  for (int64_t k = in->taps - 1; k > 0; k--) rest -= weights[k] = random_below(random, rest);
  weights[0] = rest;
  in->values = values, in->weights = weights;
}

static uint64_t hash_bytes(uint64_t hash, const uint8_t *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) hash = (hash ^ bytes[i]) * 0x100000001B3;
  return hash;
}

// Calls a kernel of each table with the same rows. Returns the hash with the results in it.
static uint64_t compare(const struct kernel *kernel, const struct ckernels_table *const *tables, struct rows *rows,
                        struct random *random, int64_t count, int lead, uint64_t hash) {
  struct input in = {.count = count};
  enum alphas alphas = (enum alphas)random_below(random, ALPHAS);
  // Source and coverage are elsewhere in their rows than the result, but for the ends of the rows.
  int source_lead = lead < 0 ? lead : 4 * (int)random_below(random, 16);
  int coverage_lead = lead < 0 ? lead : (int)random_below(random, 64);
  uint32_t *source = guarded_place(&rows->source, (size_t)count * 4, source_lead);
  uint8_t *bytes = guarded_place(&rows->coverage, (size_t)count, coverage_lead);
  in.result = guarded_place(&rows->result, (size_t)count * kernel->size, lead < 0 ? lead : lead * (int)kernel->size);
  memset(rows->result.start, 0x5A, rows->result.size);
  random_pixels(random, alphas, source, count);
  random_coverage(random, (enum alphas)random_below(random, BEYOND_ALPHA), bytes, count);
  if (kernel->size == 4) random_pixels(random, (enum alphas)random_below(random, ALPHAS), in.result, count);
  if (kernel->size == 1) random_coverage(random, NOISE, in.result, count);
  in.source = source, in.coverage = bytes;
  in.color = random_pixel(random, alphas);
  in.opacity = random_below(random, 256);
  in.x = (int32_t)random_below(random, 200) - 100, in.y = (int32_t)random_below(random, 200) - 100;
  in.sampler = sampler(random, &rows->image, lead < 0 ? lead : 0);
  in.plane = plane(random, &in.sampler);
  in.shape = shape(random);
  in.gradient = gradient_of(random, &rows->stops, lead < 0 ? lead : 0);
  in.color_map = color_map(random);
  blur(random, rows, lead, &in);
  cells(random, rows, lead, &in);
  memcpy(rows->before, rows->result.start, rows->result.size);
  for (int i = 0; tables[i]; i++) {
    snprintf(current, sizeof current, "%s of %s, %d pixels, %s\n", kernel->name, tables[i]->name, (int)count,
             lead < 0 ? "at the end of the row" : "at its start");
    memcpy(rows->result.start, rows->before, rows->result.size);
    kernel->call(tables[i], &in);
    if (i == 0) {
      memcpy(rows->expected, rows->result.start, rows->result.size);
      hash = hash_bytes(hash, in.result, (size_t)count * kernel->size);
    } else if (memcmp(rows->expected, rows->result.start, rows->result.size) != 0) {
      printf("FAILED other bytes than %s: %s", tables[0]->name, current);
      exit(1);
    }
  }
  return hash;
}

// Compares the tables on rows of all lengths, at the start of a row and at its end, and prints the hash.
static void check(const struct kernel *kernel, const struct ckernels_table *const *tables, struct rows *rows, uint64_t seed) {
  struct random random = {seed};
  uint64_t hash = 0xCBF29CE484222325;
  for (int64_t count = 0; count <= LONGEST; count++) {
    for (int lead = -4; lead < 16; lead++) hash = compare(kernel, tables, rows, &random, count, lead, hash);
  }
  printf("ok %s %016llx\n", kernel->name, (unsigned long long)hash);
}

int main(int argc, char **argv) {
  uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  const struct ckernels_table *tables[MOST_TABLES + 1] = {0};
  for (int i = 0; i < MOST_TABLES; i++) tables[i] = ckernels_runnable(i);
  printf("seed %llu\n", (unsigned long long)seed);
  fprintf(stderr, "tables:");
  for (int i = 0; tables[i]; i++) fprintf(stderr, " %s", tables[i]->name);
  fprintf(stderr, "\n");
  fflush(NULL);
#if defined(__aarch64__)
  if (!tables[1]) {
    printf("FAILED there is no table with NEON\n");
    return 1;
  }
#endif
  signal(SIGSEGV, on_fault);
  signal(SIGBUS, on_fault);
  struct rows rows = {guarded_row(), guarded_row(), guarded_row(), guarded_row(), guarded_row(), guarded_row(),
                      guarded_row(), guarded_row(), guarded_row(), NULL,          NULL};
  rows.before = malloc(rows.result.size);
  rows.expected = malloc(rows.result.size);
  if (!rows.before || !rows.expected) return 1;
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) check(&kernels[k], tables, &rows, seed);
  const struct ckernels_table *linear[] = {ckernels_linear(), NULL};
  for (size_t k = 0; k < sizeof linear_kernels / sizeof *linear_kernels; k++) check(&linear_kernels[k], linear, &rows, seed);
  return 0;
}
