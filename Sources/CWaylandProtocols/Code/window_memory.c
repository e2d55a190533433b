#define _GNU_SOURCE
#include "../include/WindowMemory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wayland-client-core.h>

int cwayland_memory_file(long size) {
  int descriptor = memfd_create("framepace-window", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return -1;
  if (ftruncate(descriptor, size) < 0) {
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
  }
  // A compositor that reads sealed memory need not fear that it becomes shorter. Without seals it looks after that itself.
  fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  return descriptor;
}

int cwayland_pipe(int ends[2]) {
  if (pipe2(ends, O_CLOEXEC) < 0) return -1;
  // The other end waits when it is written: the program that gets it may expect that.
  return fcntl(ends[0], F_SETFL, O_NONBLOCK);
}

long cwayland_write(int descriptor, const void *bytes, unsigned long count) {
  sigset_t broken, pending, before;
  sigemptyset(&broken);
  sigaddset(&broken, SIGPIPE);
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, &broken, &before);
  ssize_t taken = write(descriptor, bytes, count);
  long result = taken < 0 ? -errno : taken;
  if (taken < 0 && !sigismember(&pending, SIGPIPE)) sigtimedwait(&broken, NULL, &(struct timespec){0});
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return result;
}

static char last_message[256];

static void keep_message(const char *format, va_list arguments) { vsnprintf(last_message, sizeof last_message, format, arguments); }

void cwayland_keep_messages(void) { wl_log_set_handler_client(keep_message); }

const char *cwayland_last_message(void) { return last_message; }
