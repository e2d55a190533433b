// The least client that animates: it paints a bar on shared memory in each frame callback, and commits at once. What framepace's window is
// measured against.
//
//   bare-client SECONDS [WIDTH HEIGHT]
//
// Prints for each commit a line with the nanoseconds of CLOCK_MONOTONIC at which it was handed over, and those at which the compositor says
// that it was seen; 0 where it says nothing.
#define _GNU_SOURCE
#include <CWaylandProtocols.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MOST_FRAMES = 1 << 14, BUFFERS = 3, BAR = 8 };

struct frame {
  int64_t committed, seen;
};

struct buffer {
  struct wl_buffer *object;
  uint32_t *pixels;
  bool is_held;
};

static struct wl_compositor *compositor;
static struct wl_shm *memory;
static struct xdg_wm_base *shell;
static struct wp_presentation *presentation;
static uint32_t stamp_clock = CLOCK_MONOTONIC;
static struct wl_surface *surface;
static struct buffer buffers[BUFFERS];
static int width = 320, height = 200;
static struct frame frames[MOST_FRAMES];
static int count;
static bool is_configured, is_due;

static int64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void released(void *data, struct wl_buffer *object) {
  (void)object;
  ((struct buffer *)data)->is_held = false;
}
static const struct wl_buffer_listener buffer_listener = {.release = released};

static void make_buffers(void) {
  int stride = width * 4, size = stride * height;
  for (int i = 0; i < BUFFERS; i++) {
    int file = memfd_create("bare-client", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, size) < 0) exit(2);
    buffers[i].pixels = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    struct wl_shm_pool *pool = wl_shm_create_pool(memory, file, size);
    buffers[i].object = wl_shm_pool_create_buffer(pool, 0, width, height, stride, WL_SHM_FORMAT_XRGB8888);
    wl_shm_pool_destroy(pool);
    close(file);
    wl_buffer_add_listener(buffers[i].object, &buffer_listener, &buffers[i]);
    memset(buffers[i].pixels, 0x30, size);
  }
}

static void sync_output(void *data, struct wp_presentation_feedback *feedback, struct wl_output *output) {
  (void)data, (void)feedback, (void)output;
}
static void presented(
    void *data, struct wp_presentation_feedback *feedback, uint32_t high, uint32_t low, uint32_t nanoseconds, uint32_t refresh,
    uint32_t sequence_high, uint32_t sequence_low, uint32_t flags) {
  (void)refresh, (void)sequence_high, (void)sequence_low, (void)flags;
  int64_t stamp = ((int64_t)high << 32 | low) * 1000000000 + nanoseconds;
  ((struct frame *)data)->seen = now(CLOCK_MONOTONIC) - (now(stamp_clock) - stamp);
  wp_presentation_feedback_destroy(feedback);
}
static void discarded(void *data, struct wp_presentation_feedback *feedback) {
  (void)data;
  wp_presentation_feedback_destroy(feedback);
}
static const struct wp_presentation_feedback_listener feedback_listener = {sync_output, presented, discarded};

static void may_draw(void *data, struct wl_callback *callback, uint32_t time) {
  (void)data, (void)time;
  wl_callback_destroy(callback);
  is_due = true;
}
static const struct wl_callback_listener frame_listener = {.done = may_draw};

static void draw(void) {
  struct buffer *buffer = NULL;
  for (int i = 0; i < BUFFERS && !buffer; i++)
    if (!buffers[i].is_held) buffer = &buffers[i];
  if (!buffer || count == MOST_FRAMES) return;
  is_due = false;
  int x = count * 3 % (width - BAR);
  for (int y = 0; y < height; y++)
    for (int i = 0; i < width; i++) buffer->pixels[y * width + i] = i >= x && i < x + BAR ? 0xFFFFFF : 0x303030;
  wl_surface_attach(surface, buffer->object, 0, 0);
  wl_surface_damage_buffer(surface, 0, 0, width, height);
  wl_callback_add_listener(wl_surface_frame(surface), &frame_listener, NULL);
  if (presentation)
    wp_presentation_feedback_add_listener(wp_presentation_feedback(presentation, surface), &feedback_listener, &frames[count]);
  buffer->is_held = true;
  wl_surface_commit(surface);
}

static void ping(void *data, struct xdg_wm_base *base, uint32_t serial) {
  (void)data;
  xdg_wm_base_pong(base, serial);
}
static const struct xdg_wm_base_listener shell_listener = {ping};

static void configured(void *data, struct xdg_surface *object, uint32_t serial) {
  (void)data;
  xdg_surface_ack_configure(object, serial);
  if (!is_configured) is_configured = is_due = true;
}
static const struct xdg_surface_listener surface_listener = {configured};

static void size_proposed(void *data, struct xdg_toplevel *object, int32_t new_width, int32_t new_height, struct wl_array *states) {
  (void)data, (void)object, (void)states;
  // One that comes later is not followed: it only moves the picture in its frame.
  if (!is_configured && new_width > 0 && new_height > 0) (width = new_width, height = new_height);
}
static void closed(void *data, struct xdg_toplevel *object) {
  (void)data, (void)object;
  exit(1);
}
static void bounds(void *data, struct xdg_toplevel *object, int32_t w, int32_t h) { (void)data, (void)object, (void)w, (void)h; }
static void abilities(void *data, struct xdg_toplevel *object, struct wl_array *all) { (void)data, (void)object, (void)all; }
static const struct xdg_toplevel_listener toplevel_listener = {size_proposed, closed, bounds, abilities};

static void told_clock(void *data, struct wp_presentation *object, uint32_t number) {
  (void)data, (void)object;
  stamp_clock = number;
}
static const struct wp_presentation_listener presentation_listener = {told_clock};

static void announced(void *data, struct wl_registry *registry, uint32_t name, const char *interface, uint32_t version) {
  (void)data;
  if (!strcmp(interface, "wl_compositor") && version >= 4) compositor = wl_registry_bind(registry, name, &wl_compositor_interface, 4);
  if (!strcmp(interface, "wl_shm")) memory = wl_registry_bind(registry, name, &wl_shm_interface, 1);
  if (!strcmp(interface, "xdg_wm_base")) shell = wl_registry_bind(registry, name, &xdg_wm_base_interface, 1);
  if (!strcmp(interface, "wp_presentation")) presentation = wl_registry_bind(registry, name, &wp_presentation_interface, 1);
}
static void withdrawn(void *data, struct wl_registry *registry, uint32_t name) { (void)data, (void)registry, (void)name; }
static const struct wl_registry_listener registry_listener = {announced, withdrawn};

int main(int argc, char **argv) {
  int64_t end = now(CLOCK_MONOTONIC) + (int64_t)((argc > 1 ? atof(argv[1]) : 3) * 1e9);
  if (argc > 3) (width = atoi(argv[2]), height = atoi(argv[3]));
  struct wl_display *display = wl_display_connect(NULL);
  if (!display) return 2;
  wl_registry_add_listener(wl_display_get_registry(display), &registry_listener, NULL);
  wl_display_roundtrip(display);
  if (!compositor || !memory || !shell) return 2;
  xdg_wm_base_add_listener(shell, &shell_listener, NULL);
  if (presentation) wp_presentation_add_listener(presentation, &presentation_listener, NULL);
  surface = wl_compositor_create_surface(compositor);
  struct xdg_surface *shell_surface = xdg_wm_base_get_xdg_surface(shell, surface);
  xdg_surface_add_listener(shell_surface, &surface_listener, NULL);
  struct xdg_toplevel *toplevel = xdg_surface_get_toplevel(shell_surface);
  xdg_toplevel_add_listener(toplevel, &toplevel_listener, NULL);
  wl_surface_commit(surface);
  while (now(CLOCK_MONOTONIC) < end) {
    if (is_due && !buffers[0].object) make_buffers();
    if (is_due) {
      int before = count;
      draw();
      wl_display_flush(display);
      if (!is_due) frames[before].committed = now(CLOCK_MONOTONIC), count++;
    }
    while (wl_display_prepare_read(display) != 0) wl_display_dispatch_pending(display);
    wl_display_flush(display);
    struct pollfd entry = {.fd = wl_display_get_fd(display), .events = POLLIN};
    if (poll(&entry, 1, 100) > 0) wl_display_read_events(display);
    else wl_display_cancel_read(display);
    if (wl_display_dispatch_pending(display) < 0) return 1;
  }
  for (int i = 0; i < count; i++) printf("%lld %lld\n", (long long)frames[i].committed, (long long)frames[i].seen);
  return 0;
}
