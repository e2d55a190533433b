#pragma once
#include <wayland-client.h>

/// The description of a global object of this name, for binding it; NULL for one that is not known here.
const struct wl_interface *cwayland_interface(const char *name);
