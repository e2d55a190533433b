// The peers: what a C program would do for the same result, with nothing in between.
#pragma once

#include <stdint.h>

/// Waits for `ticks` absolute deadlines, `interval` nanoseconds apart, on a timerfd in an epoll set, and writes how late each
/// wake-up was, in nanoseconds. Returns 0, or an error number.
int peer_tick_loop(int64_t interval, int ticks, int64_t *lateness);

/// Wakes an epoll set through an eventfd and waits for it: what a loop does for a signal. Returns 0, or an error number.
int peer_signal(void);

/// Fills `count` words with `value`.
void peer_fill(uint32_t *words, uint64_t count, uint32_t value);

/// The time on CLOCK_MONOTONIC in nanoseconds.
int64_t peer_now(void);
