#define _GNU_SOURCE
#include "CWaylandTesting.h"
#include "WindowMemory.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// The protocols' code is generated elsewhere; libwayland-server has the first of these itself.
#define INTERFACES(each)                                                                                               \
  each(wl_compositor) each(wl_output) each(wl_seat) each(wl_shm) each(xdg_wm_base) each(wp_presentation)               \
      each(wp_viewporter) each(wp_fractional_scale_manager_v1) each(wp_fifo_manager_v1)                                \
          each(wp_commit_timing_manager_v1) each(zxdg_decoration_manager_v1) each(wp_cursor_shape_manager_v1)          \
              each(zwp_idle_inhibit_manager_v1) each(wl_data_device_manager) each(wl_data_offer) each(wl_subcompositor) \
                  each(zwp_text_input_manager_v3) each(zwp_tablet_manager_v2) each(zwp_pointer_gestures_v1)

#define DECLARE(name) extern const struct wl_interface name##_interface;
INTERFACES(DECLARE)

const struct wl_interface *wayland_testing_interface(const char *name) {
#define COMPARE(interface)                                                                                             \
  if (strcmp(name, #interface) == 0) return &interface##_interface;
  INTERFACES(COMPARE)
  return NULL;
}

struct listener {
  struct wl_listener base;
  wayland_testing_end end;
  void *data;
};

static void notify(struct wl_listener *base, void *unused) {
  (void)unused;
  // The first member of a listener.
  struct listener *listener = (struct listener *)base;
  wl_list_remove(&base->link);
  wayland_testing_end end = listener->end;
  void *data = listener->data;
  free(listener);
  end(data);
}

static struct wl_listener *new_listener(wayland_testing_end end, void *data) {
  struct listener *listener = malloc(sizeof *listener);
  if (listener == NULL) abort();
  listener->base.notify = notify;
  listener->end = end;
  listener->data = data;
  return &listener->base;
}

void wayland_testing_on_resource_end(struct wl_resource *resource, wayland_testing_end end, void *data) {
  wl_resource_add_destroy_listener(resource, new_listener(end, data));
}

void wayland_testing_on_client_end(struct wl_client *client, wayland_testing_end end, void *data) {
  wl_client_add_destroy_listener(client, new_listener(end, data));
}

int wayland_testing_file(const char *bytes, size_t count) {
  int file = memfd_create("framepace", MFD_CLOEXEC);
  if (file >= 0 && write(file, bytes, count) != (ssize_t)count) {
    close(file);
    return -1;
  }
  return file;
}

int wayland_testing_pipe(int ends[2]) { return cwayland_pipe(ends); }

long wayland_testing_write(int descriptor, const void *bytes, size_t count) {
  return cwayland_write(descriptor, bytes, count);
}

static void (*log_note)(const char *text);

static void log_message(const char *format, va_list arguments) {
  char text[512];
  vsnprintf(text, sizeof text, format, arguments);
  log_note(text);
}

void wayland_testing_set_log(void (*note)(const char *text)) {
  log_note = note;
  wl_log_set_handler_server(log_message);
}
