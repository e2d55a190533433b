// The peers: C programs that do the same directly with system calls.
#pragma once

#include "PeerLoop.h"
#include "Pictures.h"
#include "Scenes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Waits for `ticks` absolute deadlines, `interval` nanoseconds apart, on a timerfd in an epoll set. Writes the lateness of
/// each wake-up in nanoseconds. Returns 0 or an error number.
int peer_tick_loop(int64_t interval, int ticks, int64_t *lateness);

/// Makes another thread call a function and waits for it, `count` times, with a queue, an eventfd and a semaphore. `time` is
/// the duration in nanoseconds. Returns 0 or an error number.
int peer_call_thread(int count, int64_t *time);

/// Sends a message of 64 bytes to another thread and waits for its return, `count` times. Both threads wait with epoll on a
/// socket that keeps messages apart. `time` is the duration in nanoseconds. Returns 0 or an error number.
int peer_message_thread(int count, int64_t *time);

/// Draws lines of glyphs with Cairo into pixels that stay where they are. Returns NULL if the font cannot be read.
struct peer_text *peer_text_make(const char *path, double size, uint8_t *pixels, int width, int height, int bytes_per_row);
/// Fills all pixels with an opaque colour.
void peer_text_fill(struct peer_text *text, double red, double green, double blue);
/// Draws a white line of at most 256 glyphs from the left end of its baseline on.
void peer_text_line(struct peer_text *text, const uint32_t *glyphs, const double *columns, int count, double x, double y);
void peer_text_free(struct peer_text *text);

/// Sets pages of text with Pango, in a family that is in a font file. Returns NULL if the file cannot be read.
struct peer_page *peer_page_make(const char *path, const char *family, double size);
/// Shapes a text and breaks it into lines of a width; gives their number.
int peer_page_set(struct peer_page *page, const char *text, double width);
void peer_page_free(struct peer_page *page);

/// Paints a gradient of three colours over all pixels with Cairo: from one corner to the opposite one, or from the middle to the
/// left and right edges.
void peer_gradient(uint8_t *pixels, int width, int height, int bytes_per_row, bool is_radial);

/// Sprites of `side` × `side` pixels on a ground of one colour, 0xFFRRGGBB. Bitmaps have no padding.
struct peer_particles {
  uint32_t *pixels;
  int width, height;
  uint32_t color;
  const uint32_t *sprite;
  int side;
  /// The left and upper edge and the alpha of each.
  const double *places;
  int count;
};

/// Paint sprites: pixman on the whole pixels that are next above and to the left, Cairo at the places themselves.
void peer_pixman_particles(const struct peer_particles *particles);
void peer_cairo_particles(const struct peer_particles *particles);

/// Fills `count` words with `value`.
void peer_fill(uint32_t *words, uint64_t count, uint32_t value);

/// Reads two rows and writes one: each destination becomes the exclusive or of both.
void peer_combine(uint32_t *destination, const uint32_t *source, int64_t count);

/// pixman's compositions of bitmaps without padding, of pixels with alpha multiplied in. `opacity` is 0 to 255.
void peer_pixman_fill(uint32_t *destination, int width, int height, uint32_t color);
void peer_pixman_over(uint32_t *destination, const uint32_t *source, int width, int height, uint32_t opacity);
void peer_pixman_multiply(uint32_t *destination, const uint32_t *source, int width, int height);

/// Fill a polygon white, which Cairo draws over what is there, and FreeType where it is darker.
void peer_cairo_fill(uint8_t *pixels, int width, int height, int bytes_per_row, const double *points, int count);
void peer_freetype_fill(uint8_t *pixels, int width, int height, int bytes_per_row, const double *points, int count);

/// The time on CLOCK_MONOTONIC in nanoseconds.
int64_t peer_now(void);

/// The calling thread's processor time in nanoseconds.
int64_t peer_thread_time(void);

/// The processor time of all threads of this process, in nanoseconds.
int64_t peer_process_time(void);

/// The number of times that the calling thread has gone to sleep.
int64_t peer_thread_sleeps(void);

/// The bytes of the heap that are in use, with those that the allocator adds to each block.
int64_t peer_heap_bytes(void);

/// Encodes a picture (bytes B, G, R, A) as PNG by libpng, in memory; `level` is zlib's, or -1 for the default. Alpha is written
/// as it is, or left out if `is_rgb`. Returns the number of bytes.
size_t peer_png(const uint8_t *pixels, int64_t bytes_per_row, int32_t width, int32_t height, int32_t level, bool is_rgb);

/// Writes a picture (bytes B, G, R, X) as JPEG of quality 90. Returns the number of bytes; 0 if it could not be written.
size_t peer_write_jpeg(const char *path, const uint8_t *pixels, int64_t bytes_per_row, int32_t width, int32_t height);

/// Decodes a JPEG at `eighths` of 8 of its size. Returns the number of bytes of its pixels; 0 without the file.
size_t peer_read_jpeg(const char *path, int32_t eighths);
