// Fills polygons: from edges to strips of coverage, four rows high.
//
// As font rasterisers do it, each edge adds to the cells that it crosses what it changes in the coverage of their pixels and of
// all pixels to their right. A sum from left to right is the coverage then. Cells between which there is no edge are passed
// over: they have the coverage of the last one.

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "pixel.h"
#include "tables.h"

// The compiler must not fuse products and sums, or a pixel would depend on its choice.
#pragma STDC FP_CONTRACT OFF

enum {
  // The units of a pixel, and of a strip.
  PIXEL_BITS = 10,
  PIXEL = 1 << PIXEL_BITS,
  STRIP_BITS = PIXEL_BITS + 2,
  // Columns are told apart in blocks of this many: as many as the widest vectors that paint them.
  BLOCK = 16,
};

#define FARTHEST 0x1p20
#define NONE 0xFFFFFFFFu

// A point in pixels.
struct place {
  double x, y;
};

// An edge in units, from its upper end on. `turn` is 1 if it was drawn downwards, −1 otherwise.
struct edge {
  int32_t x, y, end_y, turn;
  // The way along x for a unit along y, and the reverse without its sign.
  double slope, steepness;
  // The next edge of the strip.
  uint32_t next;
};

// Everything that is needed while polygons are filled.
struct filler {
  const struct ckernels_table *table;
  struct ckernels_strips *strips;
  uint32_t even_odd;
  // The box in units, and its blocks of columns.
  int32_t left, top, bottom;
  int64_t width;
  int64_t columns;
  struct edge *edges;
  uint32_t edge_count, edge_room;
  // The first edge of each strip, of those that begin in it or go on from the strip before.
  uint32_t *first;
  // The cells of a strip, and a bit for each block of them that an edge has touched.
  uint32_t *cells;
  uint64_t *touched;
  // The sums of the cells left of the box.
  uint32_t sums[4];
  uint32_t run_count, run_room;
  int64_t coverage_count, coverage_room;
};

// The nearest whole number; for values within ±2⁵¹, whatever the processor has instructions for.
static inline int64_t nearest(double value) {
  double shifted = value + 0x1.8p52;
  int64_t bits;
  memcpy(&bits, &shifted, sizeof bits);
  return bits - 0x4338000000000000;
}

static inline double limited(double value, double limit) { return value < -limit ? -limit : value > limit ? limit : value; }

// MARK: Edges

static bool add_edge(struct filler *f, struct place a, struct place b) {
  int32_t ax = (int32_t)nearest(a.x * PIXEL), ay = (int32_t)nearest(a.y * PIXEL);
  int32_t bx = (int32_t)nearest(b.x * PIXEL), by = (int32_t)nearest(b.y * PIXEL);
  struct edge edge = {ax, ay, by, 1, 0, 0, NONE};
  if (ay > by) edge = (struct edge){bx, by, ay, -1, 0, 0, NONE};
  // Nothing right of the box is asked for.
  if (ay == by || edge.end_y <= f->top || edge.y >= f->bottom) return true;
  if ((int64_t)(ax < bx ? ax : bx) - f->left >= f->width) return true;
  if (f->edge_count == f->edge_room) {
    uint32_t room = f->edge_room * 2;
    struct edge *edges = realloc(f->edges, room * sizeof *edges);
    if (!edges) return false;
    f->edges = edges;
    f->edge_room = room;
  }
  double dx = (double)bx - ax, dy = (double)by - ay;
  edge.slope = dx / dy;
  edge.steepness = dx != 0 ? fabs(dy / dx) : 0;
  uint32_t strip = edge.y <= f->top ? 0 : (uint32_t)((int64_t)edge.y - f->top) >> STRIP_BITS;
  edge.next = f->first[strip];
  f->first[strip] = f->edge_count;
  f->edges[f->edge_count++] = edge;
  return true;
}

static struct place between(struct place a, struct place b, double time) {
  return (struct place){a.x + (b.x - a.x) * time, a.y + (b.y - a.y) * time};
}

// The time at which a line crosses a border, from 0 to 1.
static double crossing(double a, double b, double border) {
  double time = a != b ? (border - a) / (b - a) : 0;
  return time > 0 ? time < 1 ? time : 1 : 0;
}

// Adds a line of which a part is too far away. Above and below that part is left out; at the sides it moves to the border.
static bool add_far_line(struct filler *f, struct place a, struct place b) {
  struct place start = a, end = b;
  if (fabs(a.y) > FARTHEST) start = between(a, b, crossing(a.y, b.y, a.y > 0 ? FARTHEST : -FARTHEST));
  if (fabs(b.y) > FARTHEST) end = between(a, b, crossing(a.y, b.y, b.y > 0 ? FARTHEST : -FARTHEST));
  double first = crossing(start.x, end.x, -FARTHEST), second = crossing(start.x, end.x, FARTHEST);
  struct place places[4] = {start, between(start, end, fmin(first, second)), between(start, end, fmax(first, second)), end};
  for (int i = 0; i < 4; i++) {
    places[i].x = limited(places[i].x, FARTHEST);
    places[i].y = limited(places[i].y, FARTHEST);
  }
  return add_edge(f, places[0], places[1]) && add_edge(f, places[1], places[2]) && add_edge(f, places[2], places[3]);
}

static bool add_line(struct filler *f, struct place a, struct place b) {
  bool is_near = fabs(a.x) <= FARTHEST && fabs(a.y) <= FARTHEST && fabs(b.x) <= FARTHEST && fabs(b.y) <= FARTHEST;
  return is_near ? add_edge(f, a, b) : add_far_line(f, a, b);
}

// The next finite point from `index` on, with no number larger than those that can be computed with; `end` if there is none.
static long next_place(const double *points, long index, long end, struct place *place) {
  for (; index < end; index++) {
    double x = points[2 * index], y = points[2 * index + 1];
    if (!isfinite(x) || !isfinite(y)) continue;
    *place = (struct place){limited(x, 1e9), limited(y, 1e9)};
    break;
  }
  return index;
}

static bool add_polygon(struct filler *f, const double *points, long start, long end) {
  struct place first, last, next;
  long index = next_place(points, start, end, &first);
  if (index == end) return true;
  last = first;
  while ((index = next_place(points, index + 1, end, &next)) < end) {
    if (!add_line(f, last, next)) return false;
    last = next;
  }
  return add_line(f, last, first);
}

// MARK: Cells

static inline int64_t x_at(const struct edge *edge, int32_t y) {
  return edge->x + nearest(((double)y - edge->y) * edge->slope);
}

static void touch(struct filler *f, int64_t from, int64_t to) {
  int64_t block = from / BLOCK, end = to / BLOCK;
  for (; block <= end; block++) f->touched[block >> 6] |= 1ull << (block & 63);
}

// Adds the part of an edge in one row: a line from the column `left` to the column `right`, in units from the box's left side,
// that goes through `height` units of the row. A product with the height is an area in the cell, twice.
static void add_row(struct filler *f, int row, int64_t left, int64_t right, int32_t height, const struct edge *edge) {
  uint32_t turn = (uint32_t)edge->turn;
  if (right <= 0) {
    f->sums[row] += turn * (uint32_t)height * (2 * PIXEL);
    return;
  }
  int64_t column = left >> PIXEL_BITS, last = right >> PIXEL_BITS;
  int32_t done = 0;
  int32_t from = (int32_t)(left & (PIXEL - 1));
  if (column < 0) {
    int64_t reached = nearest((double)-left * edge->steepness);
    done = reached > height ? height : (int32_t)reached;
    f->sums[row] += turn * (uint32_t)done * (2 * PIXEL);
    column = from = 0;
  }
  uint32_t *cell = f->cells + 4 * column + row;
  for (; column < last && column < f->columns; column++) {
    int64_t reached = nearest((double)(((column + 1) << PIXEL_BITS) - left) * edge->steepness);
    int32_t until = reached > height ? height : (int32_t)reached;
    uint32_t part = turn * (uint32_t)(until - done), sides = (uint32_t)from + PIXEL;
    cell[0] += part * (2 * PIXEL - sides);
    cell[4] += part * sides;
    done = until;
    from = 0;
    cell += 4;
  }
  if (column >= f->columns) return;
  uint32_t part = turn * (uint32_t)(height - done), sides = (uint32_t)from + (uint32_t)(right & (PIXEL - 1));
  cell[0] += part * (2 * PIXEL - sides);
  cell[4] += part * sides;
}

// Adds the part of an edge in the strip whose first row begins at `top`.
static void add_strip(struct filler *f, const struct edge *edge, int32_t top) {
  int32_t y = edge->y > top ? edge->y : top;
  int32_t bottom = top + (1 << STRIP_BITS), end = edge->end_y < bottom ? edge->end_y : bottom;
  int64_t x = x_at(edge, y) - f->left;
  int64_t low = x, high = x;
  for (int row = (y - top) >> PIXEL_BITS; y < end; row++) {
    int32_t row_end = top + (row + 1) * PIXEL;
    int32_t next_y = end < row_end ? end : row_end;
    int64_t next_x = x_at(edge, next_y) - f->left;
    int64_t left = x < next_x ? x : next_x, right = x < next_x ? next_x : x;
    if (left < f->width) add_row(f, row, left, right, next_y - y, edge);
    if (left < low) low = left;
    if (right > high) high = right;
    x = next_x;
    y = next_y;
  }
  if (high <= 0 || low >= f->width) return;
  int64_t from = low > 0 ? low >> PIXEL_BITS : 0, to = (high >> PIXEL_BITS) + 1;
  touch(f, from, to < f->columns ? to : f->columns);
}

// MARK: Runs

// Adds a run, with room for its coverage unless it is solid; NULL without memory.
static struct ckernels_run *add_run(struct filler *f, int64_t start, int64_t end, bool is_solid) {
  if (f->run_count == f->run_room) {
    uint32_t room = f->run_room ? f->run_room * 2 : 64;
    struct ckernels_run *runs = realloc(f->strips->runs, room * sizeof *runs);
    if (!runs) return NULL;
    f->strips->runs = runs;
    f->run_room = room;
  }
  int64_t bytes = is_solid ? 0 : 4 * (end - start);
  if (f->coverage_room - f->coverage_count < bytes) {
    int64_t room = 2 * (f->coverage_room + bytes) + 1024;
    if (room >= CKERNELS_SOLID) return NULL;
    uint8_t *coverage = realloc(f->strips->coverage, (size_t)room);
    if (!coverage) return NULL;
    f->strips->coverage = coverage;
    f->coverage_room = room;
  }
  struct ckernels_run *run = &f->strips->runs[f->run_count++];
  int32_t min_x = f->left >> PIXEL_BITS;
  *run = (struct ckernels_run){min_x + (int32_t)start, min_x + (int32_t)end,
                               is_solid ? CKERNELS_SOLID : (uint32_t)f->coverage_count};
  f->coverage_count += bytes;
  return run;
}

// Adds the columns between edges, all of which have the sums of the last one.
static bool add_gap(struct filler *f, int64_t start, int64_t end) {
  uint8_t coverage[4];
  for (int row = 0; row < 4; row++) coverage[row] = strip_pixel(f->sums[row], f->even_odd);
  uint32_t all;
  memcpy(&all, coverage, sizeof all);
  if (all == 0 || start >= end) return true;
  struct ckernels_run *run = add_run(f, start, end, all == 0xFFFFFFFF);
  if (!run) return false;
  if (run->coverage == CKERNELS_SOLID) return true;
  uint8_t *bytes = f->strips->coverage + run->coverage;
  for (int row = 0; row < 4; row++) memset(bytes + row * (end - start), coverage[row], (size_t)(end - start));
  return true;
}

static bool add_touched(struct filler *f, int64_t start, int64_t end) {
  struct ckernels_run *run = add_run(f, start, end, false);
  if (!run) return false;
  f->table->strip_coverage(f->strips->coverage + run->coverage, end - start, f->cells + 4 * start, end - start, f->sums,
                           f->even_odd);
  return true;
}

// Adds the runs of a strip, whose cells are complete, and clears them.
static bool add_runs(struct filler *f) {
  int64_t words = (f->columns / BLOCK >> 6) + 1;
  int64_t done = 0, start = -1;
  for (int64_t word = 0; word < words; word++) {
    uint64_t bits = f->touched[word];
    f->touched[word] = 0;
    // A run of blocks ends at the first one that is not touched.
    while (true) {
      int64_t first = word * 64 * BLOCK;
      if (start >= 0) {
        if (bits == UINT64_MAX) break;
        int64_t end = first + BLOCK * __builtin_ctzll(~bits);
        if (end > f->columns) end = f->columns;
        if (!add_touched(f, start, end)) return false;
        bits &= bits + 1;
        done = end;
        start = -1;
      }
      if (bits == 0) break;
      start = first + BLOCK * __builtin_ctzll(bits);
      if (start >= f->columns) {
        start = -1;
        break;
      }
      if (!add_gap(f, done, start)) return false;
      bits |= bits - 1;
    }
  }
  if (start >= 0) {
    if (!add_touched(f, start, f->columns)) return false;
    done = f->columns;
  }
  // The column behind the box has what the last edges left.
  memset(f->cells + 4 * f->columns, 0, 4 * BLOCK * sizeof *f->cells);
  return add_gap(f, done, f->columns);
}

static bool fill_strips(struct filler *f) {
  for (int32_t strip = 0; strip < f->strips->count; strip++) {
    f->strips->starts[strip] = f->run_count;
    uint32_t index = f->first[strip];
    if (index == NONE) continue;
    int32_t top = (int32_t)(f->top + ((int64_t)strip << STRIP_BITS));
    memset(f->sums, 0, sizeof f->sums);
    while (index != NONE) {
      struct edge *edge = &f->edges[index];
      uint32_t next = edge->next;
      add_strip(f, edge, top);
      if (edge->end_y > top + (1 << STRIP_BITS) && strip + 1 < f->strips->count) {
        edge->next = f->first[strip + 1];
        f->first[strip + 1] = index;
      }
      index = next;
    }
    if (!add_runs(f)) return false;
  }
  f->strips->starts[f->strips->count] = f->run_count;
  return true;
}

// MARK: All

// Gives back the room that was not used.
static void shrink(struct filler *f) {
  struct ckernels_strips *strips = f->strips;
  struct ckernels_run *runs = f->run_count ? realloc(strips->runs, f->run_count * sizeof *runs) : NULL;
  if (runs) strips->runs = runs;
  uint8_t *coverage = f->coverage_count ? realloc(strips->coverage, (size_t)f->coverage_count) : NULL;
  if (coverage) strips->coverage = coverage;
  strips->size = (int64_t)(sizeof *strips + ((size_t)strips->count + 1) * sizeof *strips->starts +
                           f->run_count * sizeof *runs + (size_t)f->coverage_count);
}

struct ckernels_strips *ckernels_fill_strips(const struct ckernels_table *table, const double *points, const long *ends,
                                             long count, struct ckernels_box box, uint32_t even_odd) {
  const int32_t farthest = (int32_t)FARTHEST;
  int32_t min_x = box.min_x > -farthest ? box.min_x : -farthest, max_x = box.max_x < farthest ? box.max_x : farthest;
  int32_t min_y = box.min_y > -farthest ? box.min_y & -4 : -farthest, max_y = box.max_y < farthest ? box.max_y : farthest;
  bool is_empty = min_x >= max_x || min_y >= max_y;
  if (is_empty) min_x = min_y = max_x = max_y = 0;
  struct filler f = {.table = table, .even_odd = even_odd, .edge_room = 256};
  int32_t strip_count = (max_y - min_y + 3) / 4;
  f.columns = ((int64_t)max_x - min_x + BLOCK - 1) / BLOCK * BLOCK;
  f.left = min_x * PIXEL;
  f.top = min_y * PIXEL;
  f.bottom = (int32_t)(f.top + ((int64_t)strip_count << STRIP_BITS));
  f.width = f.columns << PIXEL_BITS;

  size_t words = (size_t)(f.columns / BLOCK >> 6) + 1;
  f.strips = calloc(1, sizeof *f.strips);
  f.edges = malloc(f.edge_room * sizeof *f.edges);
  f.first = malloc(((size_t)strip_count + 1) * sizeof *f.first);
  f.cells = calloc((size_t)(f.columns + BLOCK) * 4, sizeof *f.cells);
  f.touched = calloc(words, sizeof *f.touched);
  bool is_complete = f.strips && f.edges && f.first && f.cells && f.touched;
  if (is_complete) {
    f.strips->top = min_y;
    f.strips->count = strip_count;
    memset(f.first, 0xFF, ((size_t)strip_count + 1) * sizeof *f.first);
    f.strips->starts = malloc(((size_t)strip_count + 1) * sizeof *f.strips->starts);
    is_complete = f.strips->starts;
  }
  long start = 0;
  for (long i = 0; is_complete && !is_empty && i < count; i++) {
    is_complete = add_polygon(&f, points, start, ends[i]);
    start = ends[i];
  }
  is_complete = is_complete && fill_strips(&f);
  if (is_complete) shrink(&f);
  free(f.edges);
  free(f.first);
  free(f.cells);
  free(f.touched);
  if (is_complete) return f.strips;
  if (f.strips) ckernels_free_strips(f.strips);
  return NULL;
}

void ckernels_free_strips(struct ckernels_strips *strips) {
  free(strips->starts);
  free(strips->runs);
  free(strips->coverage);
  free(strips);
}
