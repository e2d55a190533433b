// The memory in which polygons become strips.
#pragma once

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "pixel.h"

enum {
  // The units of a pixel, and of a strip.
  PIXEL_BITS = 10,
  PIXEL = 1 << PIXEL_BITS,
  STRIP_BITS = PIXEL_BITS + 2,
  // Columns are told apart in blocks of this many: no fewer than a vector paints, but few, as an upright edge takes a block.
  BLOCK = 8,
  // An edge turns by at most ±1 around a pixel: so many stay below 2³¹.
  CROWD = 1023,
  // A filler with more memory than these bytes gives it back.
  MOST_KEPT = 1 << 22,
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

// The arrays of a filler.
enum { EDGES, FIRST, CELLS, TOUCHED, STARTS, RUNS, COVERAGE, WIDE, ROOMS };

// An array that grows. What was never used of it is 0.
struct room {
  void *base;
  size_t bytes;
};

// Everything that is needed while polygons are filled. The arrays are used again for the next ones.
struct ckernels_filler {
  const struct ckernels_table *table;
  uint32_t even_odd;
  // The box in units, and its blocks of columns and its strips.
  int32_t left, top, bottom;
  int64_t width;
  int64_t columns;
  int32_t strip_count;
  struct edge *edges;
  uint32_t edge_count;
  // The first edge of each strip, of those that begin in it or go on from the strip before.
  uint32_t *first;
  // The cells of a strip, and a bit for each block of them that an edge has touched. All are 0 between strips.
  uint32_t *cells;
  uint64_t *touched;
  // The sums of the cells left of the box.
  uint32_t sums[4];
  // The result: the first run of each strip, the runs and their coverage.
  uint32_t *starts;
  struct ckernels_run *runs;
  uint8_t *coverage;
  uint32_t run_count;
  int64_t coverage_count;
  // Further cells and sums of a strip with very many edges: 32 bits hold less than 1,024 turns.
  int64_t *wide;
  int64_t wide_sums[4];
  bool is_crowded;
  struct room rooms[ROOMS];
};

// Makes an array at least so large.
static bool grow(struct room *room, size_t bytes) {
  if (room->bytes >= bytes) return true;
  size_t larger = room->bytes > bytes / 2 ? 2 * room->bytes : bytes;
  void *base = realloc(room->base, larger);
  if (!base) return false;
  memset((char *)base + room->bytes, 0, larger - room->bytes);
  *room = (struct room){base, larger};
  return true;
}
