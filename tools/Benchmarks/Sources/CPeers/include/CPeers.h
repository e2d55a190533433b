// The peers: what a C program would do for the same result, with nothing in between.
#pragma once

#include "PeerLoop.h"

#include <stdint.h>

/// Waits for `ticks` absolute deadlines, `interval` nanoseconds apart, on a timerfd in an epoll set, and writes how late each
/// wake-up was, in nanoseconds. Returns 0, or an error number.
int peer_tick_loop(int64_t interval, int ticks, int64_t *lateness);

/// Has another thread call a function, and waits until it has, `count` times: with a queue, an eventfd and a semaphore. `time`
/// is how long that took, in nanoseconds. Returns 0, or an error number.
int peer_call_thread(int count, int64_t *time);

/// Sends another thread a message of 64 bytes, and waits until it comes back, `count` times: both threads wait with epoll on
/// a socket that keeps messages apart. `time` is how long that took, in nanoseconds. Returns 0, or an error number.
int peer_message_thread(int count, int64_t *time);

/// Fills `count` words with `value`.
void peer_fill(uint32_t *words, uint64_t count, uint32_t value);

/// The time on CLOCK_MONOTONIC in nanoseconds.
int64_t peer_now(void);

/// The calling thread's processor time in nanoseconds.
int64_t peer_thread_time(void);

/// How often the calling thread has gone to sleep.
int64_t peer_thread_sleeps(void);
