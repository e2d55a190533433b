// libjpeg with its errors as results. A long jump crosses frames of C alone: `should_stop` has returned before its answer is
// acted on.

#include "CImageFiles.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <stdio.h>

#include <jpeglib.h>

#include <jerror.h>

enum { most_scans = 500, most_markers = 1000, largest_profile = 4 << 20 };

struct cimagefiles_jpeg {
  struct jpeg_decompress_struct info;
  struct jpeg_error_mgr errors;
  struct jpeg_source_mgr source;
  struct jpeg_progress_mgr progress;
  jmp_buf failure;
  cimagefiles_result result;
  char reason[JMSG_LENGTH_MAX];
  const uint8_t *bytes;
  size_t size;
  uint8_t *profile;
  // The markers so far that no decoding needs.
  int markers;
  bool is_beginning;
  // True once rows of a file with several scans were begun.
  bool has_output;
  // The last whole scan of a beginning, behind which each colour has come.
  int last_scan;
  // True if the file ended before its end mark.
  bool has_ended;
  bool (*should_stop)(void *context);
  void *context;
};

static struct cimagefiles_jpeg *decoder_of(j_common_ptr info) { return info->client_data; }

__attribute__((noreturn)) static void fail(struct cimagefiles_jpeg *decoder, cimagefiles_result result, const char *reason) {
  decoder->result = result;
  if (reason) snprintf(decoder->reason, sizeof decoder->reason, "%s", reason);
  longjmp(decoder->failure, 1);
}

__attribute__((noreturn)) static void exit_on_error(j_common_ptr info) {
  struct cimagefiles_jpeg *decoder = decoder_of(info);
  int code = info->err->msg_code;
  info->err->format_message(info, decoder->reason);
  bool is_memory = code == JERR_OUT_OF_MEMORY || code == JERR_NO_BACKING_STORE;
  fail(decoder, is_memory ? cimagefiles_no_memory : cimagefiles_damaged, NULL);
}

// A negative level is a warning. Those that say that pixels are missing or wrong are errors here; libjpeg would make pixels up.
// Markers are counted, since libjpeg goes through all that it has kept at each further one.
static void handle_message(j_common_ptr info, int level) {
  if (info->err->msg_code == JTRC_MISC_MARKER) {
    struct cimagefiles_jpeg *decoder = decoder_of(info);
    if (++decoder->markers > most_markers) fail(decoder, cimagefiles_damaged, "more than 1,000 markers");
  }
  if (level >= 0) return;
  switch (info->err->msg_code) {
  case JWRN_HIT_MARKER:
  case JWRN_HUFF_BAD_CODE:
  case JWRN_MUST_RESYNC:
    exit_on_error(info);
  }
}

static void ignore_message(j_common_ptr info) {}

static void start_source(j_decompress_ptr info) {}

// The file is in memory, so there is never more of it. An end mark is given in its place: a file that lacks nothing else is whole.
static boolean fill_source(j_decompress_ptr info) {
  static const JOCTET end[2] = {0xFF, JPEG_EOI};
  if (decoder_of((j_common_ptr)info)->is_beginning) return FALSE;
  decoder_of((j_common_ptr)info)->has_ended = true;
  info->src->next_input_byte = end;
  info->src->bytes_in_buffer = sizeof end;
  return TRUE;
}

static void skip_source(j_decompress_ptr info, long count) {
  if (count <= 0) return;
  if ((size_t)count > info->src->bytes_in_buffer) {
    info->src->bytes_in_buffer = 0;
    fill_source(info);
    return;
  }
  info->src->next_input_byte += count;
  info->src->bytes_in_buffer -= (size_t)count;
}

static void end_source(j_decompress_ptr info) {}

static void check_progress(j_common_ptr common) {
  struct cimagefiles_jpeg *decoder = decoder_of(common);
  if (decoder->info.input_scan_number > most_scans) fail(decoder, cimagefiles_damaged, "more than 500 scans");
  if (decoder->should_stop(decoder->context)) fail(decoder, cimagefiles_stopped, NULL);
}

struct cimagefiles_jpeg *cimagefiles_jpeg_open(const uint8_t *bytes, size_t size, bool is_beginning) {
  struct cimagefiles_jpeg *decoder = calloc(1, sizeof *decoder);
  if (!decoder) return NULL;
  decoder->bytes = bytes;
  decoder->size = size;
  decoder->is_beginning = is_beginning;
  decoder->info.err = jpeg_std_error(&decoder->errors);
  decoder->errors.error_exit = exit_on_error;
  decoder->errors.emit_message = handle_message;
  decoder->errors.output_message = ignore_message;
  decoder->info.client_data = decoder;
  if (setjmp(decoder->failure)) {
    cimagefiles_jpeg_close(decoder);
    return NULL;
  }
  jpeg_create_decompress(&decoder->info);
  return decoder;
}

void cimagefiles_jpeg_close(struct cimagefiles_jpeg *decoder) {
  jpeg_destroy_decompress(&decoder->info);
  free(decoder->profile);
  free(decoder);
}

static void find_exif(struct cimagefiles_jpeg *decoder, cimagefiles_jpeg_header *header) {
  static const uint8_t name[6] = "Exif\0";
  for (jpeg_saved_marker_ptr marker = decoder->info.marker_list; marker; marker = marker->next) {
    if (marker->marker == JPEG_APP0 + 1 && marker->data_length > 6 && memcmp(marker->data, name, 6) == 0) {
      header->exif = marker->data + 6;
      header->exif_size = marker->data_length - 6;
      return;
    }
  }
}

static cimagefiles_colors colors_of(const struct jpeg_decompress_struct *info) {
  switch (info->jpeg_color_space) {
  case JCS_GRAYSCALE: return cimagefiles_grey;
  case JCS_CMYK:
  case JCS_YCCK: return info->saw_Adobe_marker ? cimagefiles_inverted_cmyk : cimagefiles_cmyk;
  default: return cimagefiles_rgb;
  }
}

cimagefiles_result cimagefiles_jpeg_read_header(struct cimagefiles_jpeg *decoder, cimagefiles_jpeg_header *header) {
  struct jpeg_decompress_struct *info = &decoder->info;
  if (setjmp(decoder->failure)) return decoder->result;
  decoder->source.next_input_byte = decoder->bytes;
  decoder->source.bytes_in_buffer = decoder->size;
  decoder->source.init_source = start_source;
  decoder->source.fill_input_buffer = fill_source;
  decoder->source.skip_input_data = skip_source;
  decoder->source.resync_to_restart = jpeg_resync_to_restart;
  decoder->source.term_source = end_source;
  info->src = &decoder->source;
  jpeg_save_markers(info, JPEG_APP0 + 1, 0xFFFF);
  jpeg_save_markers(info, JPEG_APP0 + 2, 0xFFFF);
  if (jpeg_read_header(info, TRUE) != JPEG_HEADER_OK) fail(decoder, cimagefiles_damaged, "the file ends too early");
  // libjpeg would make pixels up, without a warning, where such a file was cut.
  if (info->arith_code) fail(decoder, cimagefiles_damaged, "arithmetic coding is not read");
  *header = (cimagefiles_jpeg_header){
      .width = info->image_width,
      .height = info->image_height,
      .colors = colors_of(info),
      .is_progressive = info->progressive_mode,
  };
  find_exif(decoder, header);
  unsigned int size = 0;
  if (jpeg_read_icc_profile(info, &decoder->profile, &size) && size <= largest_profile) {
    header->profile = decoder->profile;
    header->profile_size = size;
  }
  return cimagefiles_ok;
}

cimagefiles_result cimagefiles_jpeg_start(struct cimagefiles_jpeg *decoder, int eighths, long memory,
                                          bool (*should_stop)(void *context), void *context, uint32_t *width,
                                          uint32_t *height) {
  struct jpeg_decompress_struct *info = &decoder->info;
  decoder->should_stop = should_stop;
  decoder->context = context;
  if (setjmp(decoder->failure)) return decoder->result;
  info->scale_num = (unsigned int)eighths;
  info->scale_denom = 8;
  bool has_inks = info->jpeg_color_space == JCS_CMYK || info->jpeg_color_space == JCS_YCCK;
  info->out_color_space = has_inks ? JCS_CMYK : JCS_EXT_BGRA;
  info->mem->max_memory_to_use = memory;
  decoder->progress.progress_monitor = check_progress;
  info->progress = &decoder->progress;
  // Otherwise libjpeg reads all scans here.
  info->buffered_image = jpeg_has_multiple_scans(info);
  // It would make up what scans have not brought, in two to four times the time of a picture without.
  info->do_block_smoothing = FALSE;
  jpeg_start_decompress(info);
  *width = info->output_width;
  *height = info->output_height;
  return cimagefiles_ok;
}

// True if the scans so far have said something of each colour.
static bool has_all_colors(const struct jpeg_decompress_struct *info) {
  if (!info->coef_bits) return false;
  for (int component = 0; component < info->num_components; component++) {
    if (info->coef_bits[component][0] < 0) return false;
  }
  return true;
}

cimagefiles_result cimagefiles_jpeg_read_scans(struct cimagefiles_jpeg *decoder, size_t from, size_t to, size_t *position,
                                               bool *is_whole) {
  struct jpeg_decompress_struct *info = &decoder->info;
  *position = decoder->size;
  *is_whole = true;
  if (!info->buffered_image) return cimagefiles_ok;
  if (setjmp(decoder->failure)) return decoder->result;
  if (decoder->has_output) jpeg_finish_output(info);
  decoder->has_output = true;
  for (;;) {
    int step = jpeg_consume_input(info);
    check_progress((j_common_ptr)info);
    // With several scans, the end mark alone says that none is missing.
    if (decoder->has_ended) fail(decoder, cimagefiles_damaged, "the file ends too early");
    if (step == JPEG_REACHED_EOI) break;
    if (step == JPEG_SUSPENDED) {
      if (decoder->last_scan == 0) fail(decoder, cimagefiles_damaged, "no scan of it is whole");
      *is_whole = false;
      jpeg_start_output(info, decoder->last_scan);
      return cimagefiles_ok;
    }
    if (step != JPEG_SCAN_COMPLETED || !has_all_colors(info)) continue;
    decoder->last_scan = info->input_scan_number;
    size_t end = decoder->size - decoder->source.bytes_in_buffer;
    if (end < from || end >= to) continue;
    *position = end;
    *is_whole = false;
    break;
  }
  jpeg_start_output(info, info->input_scan_number);
  return cimagefiles_ok;
}

cimagefiles_result cimagefiles_jpeg_read_row(struct cimagefiles_jpeg *decoder, uint32_t *row) {
  if (setjmp(decoder->failure)) return decoder->result;
  JSAMPROW rows[1] = {(JSAMPROW)row};
  // The source never suspends in the scans that are shown, so that there is always a row.
  if (jpeg_read_scanlines(&decoder->info, rows, 1) != 1) fail(decoder, cimagefiles_damaged, "there are no more rows");
  return cimagefiles_ok;
}

const char *cimagefiles_jpeg_reason(const struct cimagefiles_jpeg *decoder) { return decoder->reason; }
