// PNG by libpng, as a program writes it that knows no other library.

#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "CPeers.h"

struct memory {
  size_t count, room;
  uint8_t *bytes;
};

static void append(png_structp png, png_bytep bytes, size_t count) {
  struct memory *memory = png_get_io_ptr(png);
  if (memory->count + count > memory->room) {
    memory->room = (memory->count + count) * 2;
    memory->bytes = realloc(memory->bytes, memory->room);
    if (!memory->bytes) abort();
  }
  memcpy(memory->bytes + memory->count, bytes, count);
  memory->count += count;
}

static void flush(png_structp png) {}

size_t peer_png(const uint8_t *pixels, int64_t bytes_per_row, int32_t width, int32_t height, int32_t level, bool is_rgb) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info) abort();
  struct memory memory = {0};
  png_set_write_fn(png, &memory, append, flush);
  png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, is_rgb ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGB_ALPHA,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (level >= 0) png_set_compression_level(png, level);
  png_write_info(png, info);
  png_set_bgr(png);
  if (is_rgb) png_set_filler(png, 0, PNG_FILLER_AFTER);
  for (int32_t y = 0; y < height; y++) png_write_row(png, (png_bytep)pixels + y * bytes_per_row);
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  free(memory.bytes);
  return memory.count;
}
