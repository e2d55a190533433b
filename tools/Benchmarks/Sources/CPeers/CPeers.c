#define _GNU_SOURCE
#include "CPeers.h"

#include <errno.h>
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

int64_t peer_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t peer_thread_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t peer_process_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t peer_thread_sleeps(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

int64_t peer_heap_bytes(void) {
  struct mallinfo2 heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

int peer_tick_loop(int64_t interval, int ticks, int64_t *lateness) {
  int result = 0;
  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  int set = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN};
  if (timer < 0 || set < 0 || epoll_ctl(set, EPOLL_CTL_ADD, timer, &event) != 0) {
    result = errno;
    goto end;
  }
  int64_t start = peer_now();
  for (int tick = 0; tick < ticks; tick++) {
    int64_t deadline = start + interval * (tick + 1);
    struct itimerspec when = {.it_value = {.tv_sec = deadline / 1000000000, .tv_nsec = deadline % 1000000000}};
    if (timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL) != 0) {
      result = errno;
      goto end;
    }
    while (epoll_wait(set, &event, 1, -1) < 1) {
      if (errno != EINTR) {
        result = errno;
        goto end;
      }
    }
    lateness[tick] = peer_now() - deadline;
    uint64_t expirations;
    if (read(timer, &expirations, sizeof expirations) < 0 && errno != EAGAIN) {
      result = errno;
      goto end;
    }
  }
end:
  if (set >= 0) close(set);
  if (timer >= 0) close(timer);
  return result;
}

// The C library's own memset for words, which is written for the machine at hand.
void peer_fill(uint32_t *words, uint64_t count, uint32_t value) {
  _Static_assert(sizeof(wchar_t) == sizeof(uint32_t), "wmemset fills words");
  wmemset((wchar_t *)words, (wchar_t)value, count);
}
