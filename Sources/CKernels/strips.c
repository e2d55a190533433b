// Fills polygons: from edges to strips of coverage, four rows high.
//
// As font rasterisers do it, each edge adds to the cells that it crosses what it changes in the coverage of their pixels and of
// all pixels to their right. A sum from left to right is the coverage then. Cells between which there is no edge are passed
// over: they have the coverage of the last one.

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "crowded_strips.h"
#include "strip_filler.h"
#include "tables.h"

// The compiler must not fuse products and sums, or a pixel would depend on its choice.
#pragma STDC FP_CONTRACT OFF

// The nearest whole number; for values within ±2⁵¹, whatever the processor has instructions for.
static inline int64_t nearest(double value) {
  double shifted = value + 0x1.8p52;
  int64_t bits;
  memcpy(&bits, &shifted, sizeof bits);
  return bits - 0x4338000000000000;
}

static inline double limited(double value, double limit) { return value < -limit ? -limit : value > limit ? limit : value; }

// MARK: Edges

static bool add_edge(struct ckernels_filler *f, struct place a, struct place b) {
  int32_t ax = (int32_t)nearest(a.x * PIXEL), ay = (int32_t)nearest(a.y * PIXEL);
  int32_t bx = (int32_t)nearest(b.x * PIXEL), by = (int32_t)nearest(b.y * PIXEL);
  struct edge edge = {ax, ay, by, 1, 0, 0, NONE};
  if (ay > by) edge = (struct edge){bx, by, ay, -1, 0, 0, NONE};
  // Nothing right of the box is asked for.
  if (ay == by || edge.end_y <= f->top || edge.y >= f->bottom) return true;
  if ((int64_t)(ax < bx ? ax : bx) - f->left >= f->width) return true;
  if (!grow(&f->rooms[EDGES], (f->edge_count + 1) * sizeof edge)) return false;
  f->edges = f->rooms[EDGES].base;
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
static bool add_far_line(struct ckernels_filler *f, struct place a, struct place b) {
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

static bool add_line(struct ckernels_filler *f, struct place a, struct place b) {
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

static bool add_polygon(struct ckernels_filler *f, const double *points, long start, long end) {
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

static void touch(struct ckernels_filler *f, int64_t from, int64_t to) {
  int64_t block = from / BLOCK, end = to / BLOCK;
  for (; block <= end; block++) f->touched[block >> 6] |= 1ull << (block & 63);
}

// Adds the part of an edge in one row: a line from the column `left` to the column `right`, in units from the box's left side,
// that goes through `height` units of the row. A product with the height is an area in the cell, twice.
static void add_row(struct ckernels_filler *f, int row, int64_t left, int64_t right, int32_t height, const struct edge *edge) {
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
static void add_strip(struct ckernels_filler *f, const struct edge *edge, int32_t top) {
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
static struct ckernels_run *add_run(struct ckernels_filler *f, int64_t start, int64_t end, bool is_solid) {
  int64_t bytes = is_solid ? 0 : 4 * (end - start);
  if (f->coverage_count + bytes >= CKERNELS_SOLID) return NULL;
  if (!grow(&f->rooms[RUNS], (f->run_count + 1) * sizeof *f->runs)) return NULL;
  if (!grow(&f->rooms[COVERAGE], (size_t)(f->coverage_count + bytes))) return NULL;
  f->runs = f->rooms[RUNS].base;
  f->coverage = f->rooms[COVERAGE].base;
  struct ckernels_run *run = &f->runs[f->run_count++];
  int32_t min_x = f->left >> PIXEL_BITS;
  *run = (struct ckernels_run){min_x + (int32_t)start, min_x + (int32_t)end,
                               is_solid ? CKERNELS_SOLID : (uint32_t)f->coverage_count};
  f->coverage_count += bytes;
  return run;
}

// Adds the columns between edges, all of which have the sums of the last one.
static bool add_gap(struct ckernels_filler *f, int64_t start, int64_t end) {
  if (start >= end || (f->sums[0] | f->sums[1] | f->sums[2] | f->sums[3]) == 0) return true;
  uint8_t coverage[4];
  for (int row = 0; row < 4; row++) coverage[row] = strip_pixel(f->sums[row], f->even_odd);
  uint32_t all;
  memcpy(&all, coverage, sizeof all);
  if (all == 0) return true;
  struct ckernels_run *run = add_run(f, start, end, all == 0xFFFFFFFF);
  if (!run) return false;
  if (run->coverage == CKERNELS_SOLID) return true;
  uint8_t *bytes = f->coverage + run->coverage;
  for (int row = 0; row < 4; row++) memset(bytes + row * (end - start), coverage[row], (size_t)(end - start));
  return true;
}

static bool add_touched(struct ckernels_filler *f, int64_t start, int64_t end) {
  struct ckernels_run *run = add_run(f, start, end, false);
  if (!run) return false;
  uint8_t *coverage = f->coverage + run->coverage;
  if (f->is_crowded) {
    wide_coverage(f, coverage, start, end);
  } else {
    f->table->strip_coverage(coverage, end - start, f->cells + 4 * start, end - start, f->sums, f->even_odd);
  }
  return true;
}

// Adds the runs of a strip, whose cells are complete, and clears them.
static bool add_runs(struct ckernels_filler *f) {
  if (f->is_crowded) {
    if (!widen(f)) return false;
    narrow_sums(f);
  }
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
  if (f->is_crowded) memset(f->wide + 4 * f->columns, 0, 4 * BLOCK * sizeof *f->wide);
  return add_gap(f, done, f->columns);
}

// True if the edges of a strip are those of the strip above, and all of them upright lines through both.
static bool repeats(const struct ckernels_filler *f, int32_t strip, uint32_t count_above) {
  int64_t top = f->top + ((int64_t)strip << STRIP_BITS);
  uint32_t count = 0;
  for (uint32_t index = f->first[strip]; index != NONE; index = f->edges[index].next, count++) {
    const struct edge *edge = &f->edges[index];
    if (edge->slope != 0 || edge->y > top - (1 << STRIP_BITS) || edge->end_y < top + (1 << STRIP_BITS)) return false;
  }
  return count == count_above;
}

// Adds the runs of the strip above once more, with the same coverage.
static bool repeat_runs(struct ckernels_filler *f, int32_t strip) {
  uint32_t start = f->starts[strip - 1], count = f->run_count - start;
  if (!grow(&f->rooms[RUNS], (f->run_count + count) * sizeof *f->runs)) return false;
  f->runs = f->rooms[RUNS].base;
  memcpy(f->runs + f->run_count, f->runs + start, count * sizeof *f->runs);
  f->run_count += count;
  return true;
}

static bool fill_strips(struct ckernels_filler *f) {
  uint32_t count_above = 0;
  for (int32_t strip = 0; strip < f->strip_count; strip++) {
    f->starts[strip] = f->run_count;
    int32_t top = (int32_t)(f->top + ((int64_t)strip << STRIP_BITS));
    bool is_repeated = strip > 0 && repeats(f, strip, count_above);
    memset(f->sums, 0, sizeof f->sums);
    memset(f->wide_sums, 0, sizeof f->wide_sums);
    f->is_crowded = false;
    uint32_t count = 0;
    for (uint32_t index = f->first[strip], next; index != NONE; index = next, count++) {
      struct edge *edge = &f->edges[index];
      next = edge->next;
      if (!is_repeated) {
        add_strip(f, edge, top);
        if (count % CROWD == CROWD - 1 && !widen(f)) return false;
      }
      if (edge->end_y > top + (1 << STRIP_BITS) && strip + 1 < f->strip_count) {
        edge->next = f->first[strip + 1];
        f->first[strip + 1] = index;
      }
    }
    count_above = count;
    if (count > 0 && !(is_repeated ? repeat_runs(f, strip) : add_runs(f))) return false;
  }
  f->starts[f->strip_count] = f->run_count;
  return true;
}

// MARK: All

// Makes room for a box, in which nothing is filled yet.
static bool begin(struct ckernels_filler *f, struct ckernels_box box) {
  const int32_t farthest = (int32_t)FARTHEST;
  int32_t min_x = box.min_x > -farthest ? box.min_x : -farthest, max_x = box.max_x < farthest ? box.max_x : farthest;
  int32_t min_y = box.min_y > -farthest ? box.min_y & -4 : -farthest, max_y = box.max_y < farthest ? box.max_y : farthest;
  if (min_x >= max_x || min_y >= max_y) min_x = min_y = max_x = max_y = 0;
  f->strip_count = (max_y - min_y + 3) / 4;
  f->columns = ((int64_t)max_x - min_x + BLOCK - 1) / BLOCK * BLOCK;
  f->left = min_x * PIXEL;
  f->top = min_y * PIXEL;
  f->bottom = (int32_t)(f->top + ((int64_t)f->strip_count << STRIP_BITS));
  f->width = f->columns << PIXEL_BITS;
  f->edge_count = f->run_count = 0;
  f->coverage_count = 0;
  size_t starts = (size_t)f->strip_count + 1;
  bool is_complete = grow(&f->rooms[FIRST], starts * sizeof *f->first) && grow(&f->rooms[STARTS], starts * sizeof *f->starts) &&
                     grow(&f->rooms[CELLS], (size_t)(f->columns + BLOCK) * 4 * sizeof *f->cells) &&
                     grow(&f->rooms[TOUCHED], ((size_t)(f->columns / BLOCK >> 6) + 1) * sizeof *f->touched);
  f->first = f->rooms[FIRST].base;
  f->starts = f->rooms[STARTS].base;
  f->cells = f->rooms[CELLS].base;
  f->touched = f->rooms[TOUCHED].base;
  if (is_complete) memset(f->first, 0xFF, starts * sizeof *f->first);
  return is_complete;
}

// The strips in a piece of memory of their own.
static struct ckernels_strips *result(const struct ckernels_filler *f) {
  size_t runs = f->run_count * sizeof *f->runs, starts = ((size_t)f->strip_count + 1) * sizeof *f->starts;
  size_t size = sizeof(struct ckernels_strips) + runs + starts + (size_t)f->coverage_count;
  struct ckernels_strips *strips = malloc(size);
  if (!strips) return NULL;
  char *place = (char *)(strips + 1);
  *strips = (struct ckernels_strips){.top = f->top / PIXEL, .count = f->strip_count, .size = (int64_t)size};
  strips->starts = memcpy(place, f->starts, starts);
  strips->runs = (struct ckernels_run *)(place + starts);
  strips->coverage = (uint8_t *)(place + starts + runs);
  if (runs) memcpy(strips->runs, f->runs, runs);
  if (f->coverage_count) memcpy(strips->coverage, f->coverage, (size_t)f->coverage_count);
  return strips;
}

static void release(struct ckernels_filler *f) {
  for (int i = 0; i < ROOMS; i++) {
    free(f->rooms[i].base);
    f->rooms[i] = (struct room){0};
  }
}

struct ckernels_filler *ckernels_make_filler(void) { return calloc(1, sizeof(struct ckernels_filler)); }

void ckernels_free_filler(struct ckernels_filler *filler) {
  release(filler);
  free(filler);
}

struct ckernels_strips *ckernels_fill_strips(struct ckernels_filler *f, const struct ckernels_table *table,
                                             const double *points, const long *ends, long count, struct ckernels_box box,
                                             uint32_t even_odd) {
  f->table = table;
  f->even_odd = even_odd;
  bool is_complete = begin(f, box);
  long start = 0;
  for (long i = 0; is_complete && f->strip_count > 0 && i < count; i++) {
    is_complete = add_polygon(f, points, start, ends[i]);
    start = ends[i];
  }
  is_complete = is_complete && fill_strips(f);
  struct ckernels_strips *strips = is_complete ? result(f) : NULL;
  size_t bytes = 0;
  for (int i = 0; i < ROOMS; i++) bytes += f->rooms[i].bytes;
  // After a failure something may be left in the cells.
  if (!strips || bytes > MOST_KEPT) release(f);
  return strips;
}

void ckernels_free_strips(struct ckernels_strips *strips) { free(strips); }
