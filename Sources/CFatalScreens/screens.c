// Signal handlers: async-signal-safe calls only.
#define _GNU_SOURCE
#include "CFatalScreens.h"

#include <drm.h>
#include <drm_mode.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(sizeof(struct drm_mode_modeinfo) == CSCREENS_MODE_BYTES, "the kernel's mode has another size");

enum { FREE, WRITTEN, USED, RESTORED };

static struct {
  _Atomic int state;
  pid_t process;
  // How many were remembered before it.
  uint64_t order;
  struct cscreens_screen screen;
} slots[CSCREENS_SCREENS];

// MARK: Bringing back

static int request(int descriptor, unsigned long number, void *argument) {
  int result;
  do result = ioctl(descriptor, number, argument);
  while (result < 0 && (errno == EINTR || errno == EAGAIN));
  return result;
}

static void switch_off(const struct cscreens_screen *screen) {
  struct drm_mode_crtc off = {.crtc_id = screen->crtc};
  request(screen->descriptor, DRM_IOCTL_MODE_SETCRTC, &off);
}

static void restore_settings(const struct cscreens_screen *screen, uint32_t start, uint32_t count) {
  static const uint32_t one[CSCREENS_SETTINGS] = {[0 ... CSCREENS_SETTINGS - 1] = 1};
  struct drm_mode_atomic settings = {
      .flags = DRM_MODE_ATOMIC_ALLOW_MODESET,
      // An entry for each setting: an object may have several.
      .count_objs = count,
      .objs_ptr = (uint64_t)(uintptr_t)(screen->objects + start),
      .count_props_ptr = (uint64_t)(uintptr_t)one,
      .props_ptr = (uint64_t)(uintptr_t)(screen->properties + start),
      .prop_values_ptr = (uint64_t)(uintptr_t)(screen->values + start),
  };
  request(screen->descriptor, DRM_IOCTL_MODE_ATOMIC, &settings);
}

static void hide_cursor(const struct cscreens_screen *screen) {
  struct drm_mode_cursor none = {.flags = DRM_MODE_CURSOR_BO, .crtc_id = screen->crtc};
  request(screen->descriptor, DRM_IOCTL_MODE_CURSOR, &none);
}

static void restore_picture(const struct cscreens_screen *screen) {
  if (screen->framebuffer == 0) {
    switch_off(screen);
    return;
  }
  struct drm_mode_crtc picture = {
      .set_connectors_ptr = (uint64_t)(uintptr_t)screen->connectors,
      .count_connectors = screen->connector_count,
      .crtc_id = screen->crtc,
      .fb_id = screen->framebuffer,
      .x = screen->x,
      .y = screen->y,
      .mode_valid = 1,
  };
  memcpy(&picture.mode, screen->mode, sizeof picture.mode);
  if (request(screen->descriptor, DRM_IOCTL_MODE_SETCRTC, &picture) < 0) {
    // The picture's owner may have freed it. Off is then the nearest to what there was.
    if (errno == ENOENT) switch_off(screen);
  }
}

static void restore(const struct cscreens_screen *screen) {
  restore_picture(screen);
  if (screen->hides_cursor) hide_cursor(screen);
  // Each object by itself: one that its owner has freed keeps nothing else away.
  for (uint32_t start = 0, end; start < screen->setting_count; start = end) {
    end = start + 1;
    while (end < screen->setting_count && screen->objects[end] == screen->objects[start]) end++;
    restore_settings(screen, start, end - start);
  }
}

int cscreens_next(void) {
  int next = -1;
  for (int number = 0; number < CSCREENS_SCREENS; number++) {
    // The screens of a process are not those of its children, which have copies of all this.
    if (atomic_load(&slots[number].state) != USED || slots[number].process != getpid()) continue;
    if (next < 0 || slots[number].order > slots[next].order) next = number;
  }
  return next;
}

static void restore_all(void) {
  for (int number; (number = cscreens_next()) >= 0;) {
    int expected = USED;
    if (atomic_compare_exchange_strong(&slots[number].state, &expected, RESTORED)) restore(&slots[number].screen);
  }
}

// MARK: Signals

// Those that end a process by its own fault.
static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
// Those that end it unless it wants something else.
static const int requests[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGXCPU, SIGXFSZ};

static struct sigaction previous[NSIG];
// For a thread that has used up its stack.
static _Alignas(16) char alternate_stack[64 * 1024];

static void handle(int signal, siginfo_t *info, void *context) {
  int error = errno;
  restore_all();
  // The signal goes on to whoever had it before.
  struct sigaction *next = &previous[signal];
  if (next->sa_flags & SA_SIGINFO) {
    next->sa_sigaction(signal, info, context);
  } else if (next->sa_handler == SIG_DFL) {
    // At this handler's return, before anything else is executed.
    sigaction(signal, next, NULL);
    syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), signal);
  } else if (next->sa_handler != SIG_IGN) {
    next->sa_handler(signal);
  }
  errno = error;
}

static void install(int signal, bool is_fault) {
  if (sigaction(signal, NULL, &previous[signal]) != 0) return;
  // Who handles or ignores such a signal goes on, and needs its screens.
  bool is_handled = (previous[signal].sa_flags & SA_SIGINFO) || previous[signal].sa_handler != SIG_DFL;
  if (is_handled && !is_fault) return;
  struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigfillset(&action.sa_mask);
  sigaction(signal, &action, NULL);
}

// For good: without screens the handlers only pass signals on, and who came later has kept them as theirs.
static void install_all(void) {
  static bool is_installed;
  if (is_installed) return;
  is_installed = true;
  stack_t stack = {.ss_sp = alternate_stack, .ss_size = sizeof alternate_stack}, old;
  if (sigaltstack(NULL, &old) == 0 && (old.ss_flags & SS_DISABLE)) sigaltstack(&stack, NULL);
  for (size_t index = 0; index < sizeof faults / sizeof *faults; index++) install(faults[index], true);
  for (size_t index = 0; index < sizeof requests / sizeof *requests; index++) install(requests[index], false);
}

// MARK: Remembering

int cscreens_remember(const struct cscreens_screen *screen) {
  static uint64_t count;
  install_all();
  for (int number = 0; number < CSCREENS_SCREENS; number++) {
    int expected = FREE;
    if (!atomic_compare_exchange_strong(&slots[number].state, &expected, WRITTEN)) continue;
    slots[number].process = getpid();
    slots[number].order = count++;
    slots[number].screen = *screen;
    atomic_store(&slots[number].state, USED);
    return number;
  }
  return -1;
}

void cscreens_hide_cursor(int number) {
  if (number >= 0 && number < CSCREENS_SCREENS) slots[number].screen.hides_cursor = true;
}

void cscreens_forget(int number) {
  if (number < 0 || number >= CSCREENS_SCREENS) return;
  int expected = USED;
  // One that is being brought back stays as it is: the process is dying.
  atomic_compare_exchange_strong(&slots[number].state, &expected, FREE);
}
