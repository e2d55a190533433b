// Screens that are brought back when the process dies of a signal. Signal handlers may call very little, and allocate nothing:
// what they need is laid out here beforehand.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define CSCREENS_SCREENS 16
#define CSCREENS_CONNECTORS 16
#define CSCREENS_SETTINGS 64
// The size of the kernel's drm_mode_modeinfo.
#define CSCREENS_MODE_BYTES 68

// What a CRTC showed, as it is brought back.
struct cscreens_screen {
  // An open card. Whoever closes it forgets the screen before.
  int descriptor;
  uint32_t crtc;
  // 0 when there was no picture: the CRTC is switched off.
  uint32_t framebuffer;
  uint32_t x, y;
  uint8_t mode[CSCREENS_MODE_BYTES];
  uint32_t connector_count;
  uint32_t connectors[CSCREENS_CONNECTORS];
  // Whether a cursor that the older calls have shown is to go.
  bool hides_cursor;
  // Properties that are set afterwards, those of an object in one commit.
  uint32_t setting_count;
  uint32_t objects[CSCREENS_SETTINGS];
  uint32_t properties[CSCREENS_SETTINGS];
  uint64_t values[CSCREENS_SETTINGS];
};

// From now on the screen is brought back when the process dies of a signal, which it then does as it would have. Not for more
// than one thread at a time. Returns its number, or -1 when there is no room: CSCREENS_SCREENS of them are remembered.
int cscreens_remember(const struct cscreens_screen *_Nonnull screen);

// With the screen, a cursor that the older calls have shown is to go. -1 is nothing.
void cscreens_hide_cursor(int number);

// The screen is no longer ours to bring back. -1 is nothing.
void cscreens_forget(int number);

// The screen that is brought back next, the one remembered last: what a CRTC showed before everything is brought back last, and
// stays. -1 when there is none.
int cscreens_next(void);
