// Paints the runs of a strip with the row kernels of the file that includes this: a call for each row of each run would take as
// long as its few pixels.
#pragma once

#include "CKernels.h"

static void over_color_strip(uint32_t *destination, int64_t bytes_per_row, uint32_t color, const struct ckernels_run *runs,
                             int64_t count, const uint8_t *coverage, const struct ckernels_box *part) {
  for (int32_t row = part->min_y; row < part->max_y; row++) {
    for (int64_t i = 0; i < count && runs[i].start < part->max_x; i++) {
      struct ckernels_run run = runs[i];
      int32_t start = run.start > part->min_x ? run.start : part->min_x, end = run.end < part->max_x ? run.end : part->max_x;
      if (start >= end) continue;
      uint8_t *place = (uint8_t *)(destination + (start - part->min_x)) + (row - part->min_y) * bytes_per_row;
      uint32_t *pixels = (uint32_t *)(void *)place;
      if (run.coverage != CKERNELS_SOLID) {
        const uint8_t *bytes = coverage + run.coverage + (int64_t)row * (run.end - run.start) + (start - run.start);
        // The edges of the next strip are near.
        for (int32_t x = 0; x < end - start + 15; x += 16) ckernels_prefetch_below(pixels + x, bytes_per_row);
        over_color_coverage(pixels, end - start, color, bytes);
      } else if (color >> 24 == 255) {
        fill(pixels, end - start, color);
      } else {
        over_color(pixels, end - start, color);
      }
    }
  }
}
