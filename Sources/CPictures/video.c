// Pixels as planes of brightness and colour, for raw video.

#include "CPictures.h"

// Fixed point with 16 fraction bits. The rows give Y from 16 to 235, Cb and Cr from 16 to 240.
struct weights {
  int32_t y[3], cb[3], cr[3];
};

// ITU-R BT.601: Kr = 0.299, Kb = 0.114.
static const struct weights bt601 = {{16829, 33039, 6416}, {-9714, -19070, 28784}, {28784, -24103, -4681}};
// ITU-R BT.709: Kr = 0.2126, Kb = 0.0722.
static const struct weights bt709 = {{11966, 40254, 4064}, {-6596, -22188, 28784}, {28784, -26145, -2639}};

static uint8_t weighted(const int32_t weights[3], int32_t red, int32_t green, int32_t blue, int32_t shift, int32_t base) {
  int32_t half = 1 << (15 + shift);
  return (uint8_t)((weights[0] * red + weights[1] * green + weights[2] * blue + half + (base << (16 + shift))) >>
                   (16 + shift));
}

static void brightness(uint8_t *y, const uint32_t *pixels, int64_t count, const struct weights *weights) {
  for (int64_t x = 0; x < count; x++) {
    uint32_t pixel = pixels[x];
    y[x] = weighted(weights->y, pixel >> 16 & 0xFF, pixel >> 8 & 0xFF, pixel & 0xFF, 0, 16);
  }
}

void cpictures_video_rows(uint8_t *y, uint8_t *y_below, uint8_t *cb, uint8_t *cr, const uint32_t *pixels,
                          const uint32_t *below, int64_t count, bool is_bt709) {
  const struct weights *weights = is_bt709 ? &bt709 : &bt601;
  brightness(y, pixels, count, weights);
  if (below != pixels) brightness(y_below, below, count, weights);
  for (int64_t x = 0; x < count; x += 2) {
    int64_t right = x + 1 < count ? x + 1 : x;
    uint32_t four[] = {pixels[x], pixels[right], below[x], below[right]};
    int32_t red = 0, green = 0, blue = 0;
    for (int i = 0; i < 4; i++) {
      red += four[i] >> 16 & 0xFF;
      green += four[i] >> 8 & 0xFF;
      blue += four[i] & 0xFF;
    }
    cb[x / 2] = weighted(weights->cb, red, green, blue, 2, 128);
    cr[x / 2] = weighted(weights->cr, red, green, blue, 2, 128);
  }
}
