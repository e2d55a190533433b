// The parts of reading picture files that Swift cannot do or that go over every pixel: libjpeg, whose errors are long jumps, and
// the reduction of a picture to a smaller size. Pixels are little-endian words 0xAARRGGBB. One thread at a time may use an
// object.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if __has_feature(assume_nonnull)
#pragma clang assume_nonnull begin
#endif

// Reading of JPEG

struct cimagefiles_jpeg;

typedef enum {
  cimagefiles_ok,
  // The file is damaged or of a kind that libjpeg does not read; `cimagefiles_jpeg_reason` says why.
  cimagefiles_damaged,
  // More memory than allowed is needed, or there is none.
  cimagefiles_no_memory,
  // The caller's check has ended it.
  cimagefiles_stopped,
} cimagefiles_result;

typedef enum {
  cimagefiles_grey,
  cimagefiles_rgb,
  // Four inks, 255 for full ink.
  cimagefiles_cmyk,
  // The same with 0 for full ink, as Adobe's programs write it.
  cimagefiles_inverted_cmyk,
} cimagefiles_colors;

typedef struct {
  uint32_t width, height;
  cimagefiles_colors colors;
  bool is_progressive;
  // The bytes behind "Exif\0\0", of 0 if there are none. They live as long as the decoder.
  const uint8_t *_Nullable exif;
  size_t exif_size;
  // The embedded profile, likewise.
  const uint8_t *_Nullable profile;
  size_t profile_size;
} cimagefiles_jpeg_header;

// Makes a decoder of a file in memory, or of bytes that one begins with, which must stay there. Null if there is no memory.
struct cimagefiles_jpeg *_Nullable cimagefiles_jpeg_open(const uint8_t *bytes, size_t size, bool is_beginning);

void cimagefiles_jpeg_close(struct cimagefiles_jpeg *decoder);

// Reads what stands before the pixels.
cimagefiles_result cimagefiles_jpeg_read_header(struct cimagefiles_jpeg *decoder, cimagefiles_jpeg_header *header);

// Begins to decode at `eighths` of 8 of the size, rounded up, which `width` and `height` then say. `should_stop` is called
// before each row, and at each row of blocks of a file with several scans. `memory` is the limit, in bytes, of what such a file needs
// for its coefficients.
cimagefiles_result cimagefiles_jpeg_start(struct cimagefiles_jpeg *decoder, int eighths, long memory,
                                          bool (*should_stop)(void *_Nullable context), void *_Nullable context,
                                          uint32_t *width, uint32_t *height);

// Goes on to the rows of the next picture that is made of the file. That is the whole one, for which all scans are read, at most 500;
// or before it one of a progressive file's scans so far, if one of them has ended in `from..<to` of the file's bytes and each colour
// has come. `position` is that end, and `is_whole` says which it is. Call it again when such a picture is read, or not wanted.
// What a file begins with gives a picture of all that it has, if in a whole scan each colour has come.
cimagefiles_result cimagefiles_jpeg_read_scans(struct cimagefiles_jpeg *decoder, size_t from, size_t to, size_t *position,
                                               bool *is_whole);

// Reads the next row: words of red, green and blue with alpha 255, or the bytes C, M, Y, K.
cimagefiles_result cimagefiles_jpeg_read_row(struct cimagefiles_jpeg *decoder, uint32_t *row);

// The reason of the last failure, in libjpeg's words. It lives as long as the decoder.
const char *cimagefiles_jpeg_reason(const struct cimagefiles_jpeg *decoder);

// Programs

// A process that makes a picture.
struct cimagefiles_program {
  int pid;
  // Becomes readable when the process has ended.
  int descriptor;
};

// An empty file in memory, or -1 with `errno`.
int cimagefiles_memory_file(void);

// Starts the program that the first of the arguments names, which end with a null, and that is looked for as a shell does. It reads `input`,
// and writes to `output` and `messages`. It ends by a signal when it takes more processor time than `seconds` or writes more than
// `bytes`, and gets no memory beyond `memory` bytes of addresses. Returns 0, or an error's number.
int cimagefiles_program_start(struct cimagefiles_program *program, const char *_Nullable const *_Nonnull arguments, int input,
                              int output, int messages, size_t memory, size_t bytes, size_t seconds);

// True when it has ended; waits for that.
bool cimagefiles_program_wait(struct cimagefiles_program *program, int milliseconds);

// Ends the program if it runs, and frees what it has. Returns its exit status, or 256 and the number of the signal that ended it.
int cimagefiles_program_end(struct cimagefiles_program *program);

// Pixels

// Multiplies alpha into each pixel, rounding to the nearest.
void cimagefiles_premultiply(uint32_t *pixels, size_t count);

// Draws pixels of R, G, B, A, alpha not multiplied in, over others of that kind, rounding to the nearest.
void cimagefiles_draw_over(uint32_t *pixels, const uint32_t *drawn, size_t count);

// Turns R, G, B, A into B, G, R, A.
void cimagefiles_swap_red_and_blue(uint32_t *pixels, size_t count);

// Turns C, M, Y, K, with 255 for no ink, into red, green and blue by (C·K, M·K, Y·K) with alpha 255.
void cimagefiles_plain_cmyk(uint32_t *pixels, size_t count);

// Turns every bit round: inks with 0 for full ink into inks with 255, and back.
void cimagefiles_invert(uint32_t *pixels, size_t count);

// Sets every alpha to 255.
void cimagefiles_make_opaque(uint32_t *pixels, size_t count);

// A reduction of a picture: each pixel of the result is the mean of the pixels that its square covers, those at its edges by the
// parts that are covered, rounded to the nearest. Sides are from 1 to 65,535, and those of the result at most as long.
struct cimagefiles_reduction;

// Null if there is no memory.
struct cimagefiles_reduction *_Nullable cimagefiles_reduction_open(uint32_t width, uint32_t height, uint32_t result_width,
                                                                   uint32_t result_height);

void cimagefiles_reduction_close(struct cimagefiles_reduction *reduction);

// Takes the next row of the picture, of which there are `height`. True if that completes a row of the result, which is written.
bool cimagefiles_reduction_add(struct cimagefiles_reduction *reduction, const uint32_t *row, uint32_t *result);

#if __has_feature(assume_nonnull)
#pragma clang assume_nonnull end
#endif
