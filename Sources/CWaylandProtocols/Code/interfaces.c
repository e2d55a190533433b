#include "../include/WaylandInterfaces.h"

#include <stddef.h>
#include <string.h>

#include "../include/Generated/commit-timing-v1-client.h"
#include "../include/Generated/cursor-shape-v1-client.h"
#include "../include/Generated/fifo-v1-client.h"
#include "../include/Generated/fractional-scale-v1-client.h"
#include "../include/Generated/idle-inhibit-unstable-v1-client.h"
#include "../include/Generated/pointer-gestures-unstable-v1-client.h"
#include "../include/Generated/presentation-time-client.h"
#include "../include/Generated/tablet-unstable-v2-client.h"
#include "../include/Generated/text-input-unstable-v3-client.h"
#include "../include/Generated/viewporter-client.h"
#include "../include/Generated/xdg-decoration-unstable-v1-client.h"
#include "../include/Generated/xdg-shell-client.h"

const struct wl_interface *cwayland_interface(const char *name) {
  static const struct wl_interface *const interfaces[] = {
      &wl_compositor_interface,
      &wl_data_device_manager_interface,
      &wl_output_interface,
      &wl_seat_interface,
      &wl_shm_interface,
      &wl_subcompositor_interface,
      &wp_commit_timing_manager_v1_interface,
      &wp_cursor_shape_manager_v1_interface,
      &wp_fifo_manager_v1_interface,
      &wp_fractional_scale_manager_v1_interface,
      &wp_presentation_interface,
      &wp_viewporter_interface,
      &xdg_wm_base_interface,
      &zwp_idle_inhibit_manager_v1_interface,
      &zwp_pointer_gestures_v1_interface,
      &zwp_tablet_manager_v2_interface,
      &zwp_text_input_manager_v3_interface,
      &zxdg_decoration_manager_v1_interface,
  };
  for (size_t index = 0; index < sizeof interfaces / sizeof *interfaces; index++) {
    if (strcmp(interfaces[index]->name, name) == 0) return interfaces[index];
  }
  return NULL;
}
