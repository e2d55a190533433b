// Fills random polygons with the strips of every table. The coverage of each pixel must be the same whatever box is asked for, and
// lie within 2/255 of FreeType's. Where it does not, it must lie nearer to the area in double precision. Prints `ok CHECK`.
// usage: kernel-polygons [SEED [POLYGONS]]

#include <ft2build.h>
#include FT_OUTLINE_H
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CKernels.h"
#include "random.h"

enum { SIDE = 64, MOST_POINTS = 12, MOST_TABLES = 4, TOLERANCE = 2 };

struct polygon {
  // In 1/64 of a pixel, as FreeType's.
  FT_Vector points[MOST_POINTS];
  double places[2 * MOST_POINTS];
  long count;
  bool even_odd;
};

typedef uint8_t picture[SIDE][SIDE];

static void fail(const struct polygon *polygon, const char *what, int x, int y, int value, int expected) {
  printf("FAILED %s: pixel (%d, %d) has %d, not %d, in the %s polygon", what, x, y, value, expected,
         polygon->even_odd ? "even-odd" : "non-zero");
  for (long i = 0; i < polygon->count; i++) printf(" %.17g,%.17g", polygon->places[2 * i], polygon->places[2 * i + 1]);
  printf("\n");
  exit(1);
}

static struct polygon random_polygon(struct random *random) {
  struct polygon polygon = {.count = 2 + random_below(random, MOST_POINTS - 1), .even_odd = random_below(random, 2)};
  int32_t reach = random_below(random, 4) ? SIDE * 64 : 3 * SIDE * 64;
  for (long i = 0; i < polygon.count; i++) {
    FT_Vector *point = &polygon.points[i];
    point->x = (int32_t)random_below(random, (uint32_t)reach) - (reach - SIDE * 64) / 2;
    point->y = (int32_t)random_below(random, (uint32_t)reach) - (reach - SIDE * 64) / 2;
    // Edges along the grid and along the last one.
    if (random_below(random, 4) == 0) point->x &= -64;
    if (random_below(random, 4) == 0) point->y &= -64;
    if (i > 0 && random_below(random, 6) == 0) point->x = point[-1].x;
    if (i > 0 && random_below(random, 6) == 0) point->y = point[-1].y;
    polygon.places[2 * i] = (double)point->x / 64;
    polygon.places[2 * i + 1] = (double)point->y / 64;
  }
  return polygon;
}

static struct ckernels_filler *filler;

// The pixels of the box that the strips cover; 0 for the others.
static void paint_places(const struct ckernels_table *table, const double *places, long count, bool even_odd,
                         struct ckernels_box box, picture result) {
  struct ckernels_strips *strips = ckernels_fill_strips(filler, table, places, &count, 1, box, even_odd);
  if (!strips) {
    printf("FAILED no memory\n");
    exit(1);
  }
  memset(result, 0, sizeof(picture));
  for (int32_t strip = 0; strip < strips->count; strip++) {
    for (uint32_t i = strips->starts[strip]; i < strips->starts[strip + 1]; i++) {
      struct ckernels_run run = strips->runs[i];
      for (int32_t row = 0; row < 4; row++) {
        int32_t y = strips->top + 4 * strip + row;
        for (int32_t x = run.start; x < run.end; x++) {
          if (x < box.min_x || y < box.min_y || x >= box.max_x || y >= box.max_y) continue;
          int64_t place = (int64_t)row * (run.end - run.start) + x - run.start;
          result[y][x] = run.coverage == CKERNELS_SOLID ? 255 : strips->coverage[run.coverage + place];
        }
      }
    }
  }
  ckernels_free_strips(strips);
}

static void paint(const struct ckernels_table *table, const struct polygon *polygon, struct ckernels_box box,
                  picture result) {
  paint_places(table, polygon->places, polygon->count, polygon->even_odd, box, result);
}

static void paint_with_freetype(FT_Library library, const struct polygon *polygon, picture result) {
  struct polygon copy = *polygon;
  unsigned char tags[MOST_POINTS];
  memset(tags, FT_CURVE_TAG_ON, sizeof tags);
  FT_Outline outline = {.n_contours = 1, .points = copy.points};
  __typeof__(*outline.contours) end = (__typeof__(end))(copy.count - 1);
  outline.n_points = (__typeof__(outline.n_points))copy.count;
  outline.contours = &end;
  outline.tags = (void *)tags;
  outline.flags = polygon->even_odd ? FT_OUTLINE_EVEN_ODD_FILL : 0;
  // FreeType's rows go upwards: with a positive pitch the first is the highest.
  for (long i = 0; i < copy.count; i++) copy.points[i].y = SIDE * 64 - copy.points[i].y;
  FT_Bitmap bitmap = {.rows = SIDE, .width = SIDE, .pitch = SIDE, .buffer = result[0], .num_grays = 256,
                      .pixel_mode = FT_PIXEL_MODE_GRAY};
  memset(result, 0, sizeof(picture));
  if (FT_Outline_Get_Bitmap(library, &outline, &bitmap) != 0) {
    printf("FAILED FreeType does not fill\n");
    exit(1);
  }
}

// The area left of a line inside a pixel, where the line goes on along the pixel's sides.
static double area_beside(double ax, double ay, double bx, double by) {
  // The shares of the line at which it enters and leaves the pixel's columns, from 0 to 1.
  double times[4] = {0, 1, 1, 1}, area = 0;
  if (ax != bx) {
    double first = -ax / (bx - ax), second = (1 - ax) / (bx - ax);
    times[1] = fmin(fmax(fmin(first, second), 0), 1);
    times[2] = fmin(fmax(fmax(first, second), 0), 1);
  }
  for (int i = 0; i < 3; i++) {
    double from = ax + (bx - ax) * times[i], to = ax + (bx - ax) * times[i + 1];
    double middle = (fmin(fmax(from, 0), 1) + fmin(fmax(to, 0), 1)) / 2;
    area += (1 - middle) * (by - ay) * (times[i + 1] - times[i]);
  }
  return area;
}

// The coverage of a pixel in double precision, in the steps of a byte.
static double exact(const struct polygon *polygon, int x, int y) {
  double sum = 0;
  for (long i = 0; i < polygon->count; i++) {
    const double *a = &polygon->places[2 * i], *b = &polygon->places[2 * ((i + 1) % polygon->count)];
    double low = fmax(fmin(a[1], b[1]), y), high = fmin(fmax(a[1], b[1]), y + 1);
    if (low >= high) continue;
    double slope = (b[0] - a[0]) / (b[1] - a[1]);
    double area = area_beside(a[0] + (low - a[1]) * slope - x, low, a[0] + (high - a[1]) * slope - x, high);
    sum += a[1] < b[1] ? area : -area;
  }
  double covered = fabs(sum);
  if (polygon->even_odd) {
    covered = fmod(covered, 2);
    if (covered > 1) covered = 2 - covered;
  }
  return fmin(covered, 1) * 256;
}

static int largest_difference;
static double largest_error;
static long crowded;

static void compare(FT_Library library, const struct ckernels_table *const *tables, struct random *random) {
  static picture whole, part, expected;
  struct polygon polygon = random_polygon(random);
  paint(tables[0], &polygon, (struct ckernels_box){0, 0, SIDE, SIDE}, whole);
  for (int i = 1; tables[i]; i++) {
    paint(tables[i], &polygon, (struct ckernels_box){0, 0, SIDE, SIDE}, part);
    for (int y = 0; y < SIDE; y++) {
      for (int x = 0; x < SIDE; x++) {
        if (part[y][x] != whole[y][x]) fail(&polygon, tables[i]->name, x, y, part[y][x], whole[y][x]);
      }
    }
  }
  struct ckernels_box box = {(int32_t)random_below(random, SIDE), (int32_t)random_below(random, SIDE), SIDE, SIDE};
  box.max_x = box.min_x + 1 + (int32_t)random_below(random, (uint32_t)(SIDE - box.min_x));
  box.max_y = box.min_y + 1 + (int32_t)random_below(random, (uint32_t)(SIDE - box.min_y));
  paint(ckernels_best(), &polygon, box, part);
  for (int y = box.min_y; y < box.max_y; y++) {
    for (int x = box.min_x; x < box.max_x; x++) {
      if (part[y][x] != whole[y][x]) fail(&polygon, "a part", x, y, part[y][x], whole[y][x]);
    }
  }
  paint_with_freetype(library, &polygon, expected);
  for (int y = 0; y < SIDE; y++) {
    for (int x = 0; x < SIDE; x++) {
      int difference = abs(whole[y][x] - expected[y][x]);
      // FreeType rounds where an edge enters a pixel to 1/256. Where many edges meet that adds up: there the area counts.
      if (difference > 1 || random_below(random, 64) == 0) {
        double error = fabs(whole[y][x] + 0.5 - exact(&polygon, x, y));
        if (error > largest_error) largest_error = error;
        if (error > TOLERANCE) fail(&polygon, "the exact area", x, y, whole[y][x], (int)exact(&polygon, x, y));
        if (difference > TOLERANCE && error + TOLERANCE < difference) {
          crowded++;
          continue;
        }
      }
      if (difference > largest_difference) largest_difference = difference;
      if (difference > TOLERANCE) fail(&polygon, "FreeType", x, y, whole[y][x], expected[y][x]);
    }
  }
}

// Polygons that no application means: none may crash, hang or need more memory than their box.
static void fill_hostile(struct random *random) {
  enum { POINTS = 300 };
  static double places[2 * POINTS];
  const double numbers[] = {NAN, INFINITY, -INFINITY, 1e9, -1e9, 1e308, -1e308, 0x1p20, -0x1p20, 1e-308, 0, 31.5};
  for (int i = 0; i < 2 * POINTS; i++) {
    bool is_odd = random_below(random, 2);
    places[i] = is_odd ? numbers[random_below(random, sizeof numbers / sizeof *numbers)] : random_between(random, -100, 200);
  }
  long ends[2] = {random_below(random, POINTS), POINTS};
  struct ckernels_box boxes[] = {{0, 0, SIDE, SIDE}, {-3, -7, 0, 0}, {5, 5, 5, 5}, {1 << 20, 0, 1 << 21, 9},
                                 {-(1 << 20) - 9, -(1 << 20) - 9, -(1 << 20) + 50, -(1 << 20) + 50}};
  for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
    struct ckernels_strips *strips = ckernels_fill_strips(filler, ckernels_best(), places, ends, 2, boxes[i], i & 1);
    if (!strips) continue;
    int64_t pixels = (int64_t)(boxes[i].max_x - boxes[i].min_x + 4) * (boxes[i].max_y - boxes[i].min_y + 8);
    if (strips->size > 1024 + 20 * pixels) {
      printf("FAILED %ld bytes for %ld pixels\n", (long)strips->size, (long)pixels);
      exit(1);
    }
    ckernels_free_strips(strips);
  }
}

// Goes around the same square again and again, always to the same side: the sums of its pixels must not come back to 0.
static void fill_turns(const struct ckernels_table *const *tables) {
  enum { MOST_TURNS = 5000 };
  static double places[8 * MOST_TURNS];
  static const double corners[8] = {10, 10.5, 50, 10.5, 50, 40, 10, 40};
  static const long counts[] = {1, 2, 255, 256, 511, 512, 1023, 1024, 2046, 2047, 2048, 2049, 4095, 4096, MOST_TURNS};
  static picture result;
  for (int i = 0; i < MOST_TURNS; i++) memcpy(places + 8 * i, corners, sizeof corners);
  for (size_t i = 0; i < 2 * sizeof counts / sizeof *counts; i++) {
    long turns = counts[i / 2];
    bool even_odd = i & 1;
    for (int table = 0; tables[table]; table++) {
      // The second box has the left edge outside.
      for (int32_t left = 0; left < 21; left += 20) {
        paint_places(tables[table], places, 4 * turns, even_odd, (struct ckernels_box){left, 0, SIDE, SIDE}, result);
        int inside = even_odd && turns % 2 == 0 ? 0 : 255;
        // Half of a pixel for each turn.
        int edge = even_odd ? (turns % 4 == 0 ? 0 : turns % 2 == 0 ? 255 : 128 - (turns % 4 == 3)) : turns == 1 ? 128 : 255;
        if (result[20][30] != inside || result[10][30] != edge || result[20][55] != 0) {
          printf("FAILED %ld turns of the %s table: %d inside, %d at the edge, %d outside\n", turns, tables[table]->name,
                 result[20][30], result[10][30], result[20][55]);
          exit(1);
        }
      }
    }
  }
  printf("ok many turns around a pixel\n");
}

int main(int argc, char **argv) {
  struct random random = {argc > 1 ? strtoull(argv[1], NULL, 10) : 1};
  long count = argc > 2 ? strtol(argv[2], NULL, 10) : 5000;
  const struct ckernels_table *tables[MOST_TABLES + 1] = {0};
  for (int i = 0; i < MOST_TABLES; i++) tables[i] = ckernels_runnable(i);
  filler = ckernels_make_filler();
  FT_Library library;
  if (!filler || FT_Init_FreeType(&library) != 0) return 1;
  for (long i = 0; i < count; i++) compare(library, tables, &random);
  printf("ok %ld polygons, at most %.2f/256 from the area and %d/255 from FreeType's but for %ld pixels\n", count,
         largest_error, largest_difference, crowded);
  fill_turns(tables);
  for (long i = 0; i < count / 20; i++) fill_hostile(&random);
  printf("ok hostile polygons\n");
  ckernels_free_filler(filler);
  FT_Done_FreeType(library);
  return 0;
}
