// The parts of a picture's encoding that go over every byte: the filter step of PNG, and the fast compressor where there is
// one. Pixels are little-endian words 0xAARRGGBB with alpha multiplied in (bytes B, G, R, A). All functions may be called
// from any thread.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if __has_feature(assume_nonnull)
#pragma clang assume_nonnull begin
#endif

// Converts a row of pixels to PNG's bytes: R, G, B if `channels` is 3, and R, G, B, A without multiplied alpha if it is 4.
// Components are divided by alpha and rounded to the nearest; one above alpha, which no colour has, becomes 255.
void cpictures_png_row(uint8_t *bytes, const uint32_t *pixels, int64_t count, int32_t channels);

// Filters a row of `count` bytes into `count` + 1 bytes: the number of the filter and the differences, modulo 256, to the
// pixel on the left (1) or to the row above (2), whichever promises to compress better. `scratch` has room for `count`
// bytes. None of them overlap.
void cpictures_png_filter(uint8_t *filtered, const uint8_t *row, const uint8_t *above, int64_t count, int32_t channels,
                          uint8_t *scratch);

// True if there is a fast compressor (ISA-L) on this architecture.
bool cpictures_has_fast_deflate(void);

// The memory that a fast compressor works in, in bytes.
size_t cpictures_fast_deflate_state_size(void);

// The room, in bytes, that `count` bytes need in any case.
size_t cpictures_deflate_room(uint32_t count);

// Makes a piece of a deflate stream, as `cpictures_fast_deflate` does, of the bytes as they are.
size_t cpictures_stored_deflate(uint8_t *compressed, const uint8_t *bytes, uint32_t count, bool is_last);

// Compresses a piece of a deflate stream by itself: it refers to no byte before it, and ends at the boundary of a byte, so
// that pieces follow one another. Only the last one ends the stream. `compressed` has `cpictures_deflate_room(count)` bytes.
// Returns how many of them were written. Bytes that would not become fewer are stored as they are. Call it only where there is
// a fast compressor.
size_t cpictures_fast_deflate(void *state, uint8_t *compressed, const uint8_t *bytes, uint32_t count, bool is_last);

// Converts two rows of pixels, on black, to one row of each colour plane and two of brightness (4:2:0): a colour is the mean
// of four pixels, at an edge of fewer. `below` is `pixels` itself in the last row of an odd height; `y_below` is left alone
// then. Values are in the limited range of ITU-R BT.709 or else of BT.601.
void cpictures_video_rows(uint8_t *y, uint8_t *y_below, uint8_t *cb, uint8_t *cr, const uint32_t *pixels,
                          const uint32_t *below, int64_t count, bool is_bt709);

#if __has_feature(assume_nonnull)
#pragma clang assume_nonnull end
#endif
