// JPEG by libjpeg-turbo, as a program reads it that knows no other library. An error ends the process.

#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

#include "CPeers.h"

size_t peer_write_jpeg(const char *path, const uint8_t *pixels, int64_t bytes_per_row, int32_t width, int32_t height) {
  FILE *file = fopen(path, "wb");
  if (!file) return 0;
  struct jpeg_error_mgr errors;
  struct jpeg_compress_struct jpeg = {.err = jpeg_std_error(&errors)};
  jpeg_create_compress(&jpeg);
  jpeg_stdio_dest(&jpeg, file);
  jpeg.image_width = (JDIMENSION)width;
  jpeg.image_height = (JDIMENSION)height;
  jpeg.input_components = 4;
  jpeg.in_color_space = JCS_EXT_BGRX;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, 90, TRUE);
  jpeg_start_compress(&jpeg, TRUE);
  for (int32_t y = 0; y < height; y++) {
    JSAMPROW row = (JSAMPROW)pixels + y * bytes_per_row;
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  size_t size = (size_t)ftell(file);
  return fclose(file) == 0 ? size : 0;
}

size_t peer_read_jpeg(const char *path, int32_t eighths) {
  FILE *file = fopen(path, "rb");
  if (!file) return 0;
  struct jpeg_error_mgr errors;
  struct jpeg_decompress_struct jpeg = {.err = jpeg_std_error(&errors)};
  jpeg_create_decompress(&jpeg);
  jpeg_stdio_src(&jpeg, file);
  jpeg_read_header(&jpeg, TRUE);
  jpeg.scale_num = (unsigned)eighths;
  jpeg.scale_denom = 8;
  jpeg.out_color_space = JCS_EXT_BGRX;
  jpeg_start_decompress(&jpeg);
  size_t stride = (size_t)jpeg.output_width * 4, size = stride * jpeg.output_height;
  // As a bitmap does: a heap that has room for only one of the two would spare that one half of its time, the page faults.
  void *memory = NULL;
  if (posix_memalign(&memory, 64, size) != 0) abort();
  uint8_t *pixels = memory;
  while (jpeg.output_scanline < jpeg.output_height) {
    JSAMPROW row = pixels + jpeg.output_scanline * stride;
    jpeg_read_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_decompress(&jpeg);
  jpeg_destroy_decompress(&jpeg);
  fclose(file);
  free(pixels);
  return size;
}
