// The parts of the kernel's interface that Swift's Glibc module lacks, and libdispatch's functions for run loops.
#pragma once

// _GNU_SOURCE must stay undefined: it changes structures that Swift's Glibc module also has, and both must agree.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

// `struct epoll_event` is packed and has a union, which Swift cannot set without a copy: these functions take plain words.
static inline int clinux_epoll_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t token) {
  struct epoll_event event = {.events = events, .data = {.u64 = token}};
  return epoll_ctl(epoll, operation, descriptor, &event);
}

static inline uint32_t clinux_epoll_event_events(const struct epoll_event *_Nonnull event) { return event->events; }
static inline uint64_t clinux_epoll_event_token(const struct epoll_event *_Nonnull event) { return event->data.u64; }

// The main thread has the process's number. (glibc hides `gettid` behind _GNU_SOURCE.)
static inline int clinux_is_main_thread(void) { return syscall(SYS_gettid) == getpid(); }

// Returns `errno` as a value, right after the call that set it.
static inline int clinux_errno(void) { return errno; }

// Accepts the next connection. It is closed on exec from the start, so that a child process started by another thread never
// inherits it. (glibc hides `accept4` behind _GNU_SOURCE.)
static inline int clinux_accept(int socket) { return (int)syscall(SYS_accept4, socket, NULL, NULL, SOCK_CLOEXEC); }

// Makes `copy` a number of the same open file as `descriptor`, closed on exec. (glibc hides `dup3` behind _GNU_SOURCE.)
static inline int clinux_dup3(int descriptor, int copy) { return (int)syscall(SYS_dup3, descriptor, copy, O_CLOEXEC); }

// How often the calling thread gave its processor up by itself, and for how many microseconds it had one when the kernel last looked.
// (glibc hides `RUSAGE_THREAD` behind _GNU_SOURCE; Swift sees no member of `struct timeval` without a module of its own.)
static inline long clinux_thread_account(int64_t *_Nonnull processor) {
  struct rusage usage;
  if (getrusage(1, &usage) != 0) return *processor = 0;
  *processor = (int64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
  return usage.ru_nvcsw;
}

// Sets the calling thread's name. The kernel keeps the first 15 bytes. (`prctl` takes a variable number of arguments.)
static inline void clinux_set_thread_name(const char *_Nonnull name) { prctl(PR_SET_NAME, name, 0, 0, 0); }
// Copies the calling thread's name, at most 15 bytes and a zero.
static inline void clinux_get_thread_name(char *_Nonnull name) { prctl(PR_GET_NAME, name, 0, 0, 0); }

// The main queue's wake-up descriptor (an eventfd) and the function that drains the queue, as CoreFoundation uses them.
// libdispatch exports them on Linux without a public header. Only the process's main thread may drain.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *_Nullable message);
