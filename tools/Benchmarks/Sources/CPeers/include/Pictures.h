// Operations on pictures, painted by libraries that users would take instead.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// The things to paint over pixels that are opaque, or become it.
enum peer_operation {
  /// The colour of the ground.
  PEER_FILL,
  /// The source over the pixels that are there.
  PEER_OVER,
  PEER_OVER_HALF,
  /// On the ground: the source, turned by 0.35 about the middle.
  PEER_ROTATED,
  /// On the ground: the source, 1.5 times as large.
  PEER_SCALED,
  /// A gradient of three colours, from corner to corner or from the middle on.
  PEER_AXIAL,
  PEER_RADIAL,
  /// On the ground: white rectangles of 120 × 80 with corners of 14, whose top left corners are the points.
  PEER_RECTS,
  /// On the ground: the polygon of the points, filled white or stroked with a line of 2 that has bevelled joins.
  PEER_PATH,
  PEER_STROKE,
};

struct peer_canvas {
  /// Without padding, alpha multiplied in.
  uint32_t *pixels;
  int width, height;
  const uint32_t *source;
  const double *points;
  int count;
};

/// 0xFFRRGGBB, the colour of the ground.
static const uint32_t peer_ground = 0xFF203040;

/// False where the library has no such operation.
bool peer_cairo_paint(const struct peer_canvas *canvas, enum peer_operation operation);
bool peer_pixman_paint(const struct peer_canvas *canvas, enum peer_operation operation);

const char *peer_cairo_version(void);
const char *peer_pixman_version(void);
