#pragma once
#include <wayland-server-core.h>

/// The description of one of the protocols' interfaces, by its name; NULL for one that is not among those of `interfaces.c`. Swift
/// cannot take the address of such a constant, and libwayland keeps it.
const struct wl_interface *wayland_testing_interface(const char *name);

/// The function that is told of the end of a resource or of a client, with what it was given.
typedef void (*wayland_testing_end)(void *data);

/// Calls `end` with `data` once, when the resource is destroyed.
void wayland_testing_on_resource_end(struct wl_resource *resource, wayland_testing_end end, void *data);

/// Calls `end` with `data` once, when the client is gone.
void wayland_testing_on_client_end(struct wl_client *client, wayland_testing_end end, void *data);

/// Makes a file in memory with the bytes. Returns its descriptor, or -1.
int wayland_testing_file(const char *bytes, size_t count);

/// Makes a pipe whose first end is read without waiting. Returns -1 if there is none.
int wayland_testing_pipe(int ends[2]);

/// Writes without the signal that a pipe without a reader sends. Returns the number of bytes that were taken, or the negative error number.
long wayland_testing_write(int descriptor, const void *bytes, size_t count);

/// Has `note` called with what libwayland's server side would print: errors that it found in a client's messages.
void wayland_testing_set_log(void (*note)(const char *text));
