// The fast compressor: ISA-L, which Debian has for amd64.

#include "CPictures.h"

// The bytes as they are, in blocks of deflate's kind 0.
size_t cpictures_stored_deflate(uint8_t *compressed, const uint8_t *bytes, uint32_t count, bool is_last) {
  uint8_t *next = compressed;
  do {
    uint32_t length = count < 65535 ? count : 65535;
    *next++ = is_last && length == count;
    *next++ = (uint8_t)length;
    *next++ = (uint8_t)(length >> 8);
    *next++ = (uint8_t)~length;
    *next++ = (uint8_t)(~length >> 8);
    __builtin_memcpy(next, bytes, length);
    next += length;
    bytes += length;
    count -= length;
  } while (count > 0);
  return (size_t)(next - compressed);
}

size_t cpictures_deflate_room(uint32_t count) { return (size_t)count + 5 * ((size_t)count / 65535 + 1) + 32; }

#if defined(__x86_64__)

#include <isa-l/igzip_lib.h>

struct state {
  struct isal_zstream stream;
  uint8_t tables[ISAL_DEF_LVL1_DEFAULT];
};

// How many bytes begin a stream as a block of their own. The fast path of ISA-L (2.30 to 2.31, igzip_icf_body_h1_gr_bt.asm,
// at `write_first_byte`) enters the third byte of a stream at a hash of a register that it never loaded, which holds the
// address of the stream: the compressed bytes would depend on where the state lies. The path for 16 bytes or fewer has no
// such fault, and the fast one goes on from there. It costs seven bytes.
enum { first_block = 4, always_slow = 16 };

static bool deflate(struct isal_zstream *stream, uint32_t count, int flush, bool is_last) {
  stream->avail_in = count;
  stream->flush = flush;
  stream->end_of_stream = is_last;
  return isal_deflate(stream) == COMP_OK && stream->avail_in == 0 && stream->avail_out > 0;
}

bool cpictures_has_fast_deflate(void) { return true; }

size_t cpictures_fast_deflate_state_size(void) { return sizeof(struct state); }

size_t cpictures_fast_deflate(void *state, uint8_t *compressed, const uint8_t *bytes, uint32_t count, bool is_last) {
  struct isal_zstream *stream = &((struct state *)state)->stream;
  uint32_t room = (uint32_t)cpictures_deflate_room(count);
  isal_deflate_init(stream);
  stream->level = 1;
  stream->level_buf = ((struct state *)state)->tables;
  stream->level_buf_size = ISAL_DEF_LVL1_DEFAULT;
  stream->next_in = (uint8_t *)bytes;
  stream->next_out = compressed;
  stream->avail_out = room;
  uint32_t first = count > always_slow ? first_block : 0;
  // Noise would take more room than it has now.
  bool is_complete =
      (first == 0 || deflate(stream, first, SYNC_FLUSH, false)) && deflate(stream, count - first, FULL_FLUSH, is_last);
  return is_complete ? room - stream->avail_out : cpictures_stored_deflate(compressed, bytes, count, is_last);
}

#else

bool cpictures_has_fast_deflate(void) { return false; }

size_t cpictures_fast_deflate_state_size(void) { return 0; }

size_t cpictures_fast_deflate(void *state, uint8_t *compressed, const uint8_t *bytes, uint32_t count, bool is_last) {
  return 0;
}

#endif
