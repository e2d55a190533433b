// The peers: C programs that do the same directly with system calls.
#pragma once

#include "PeerLoop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Waits for `ticks` absolute deadlines, `interval` nanoseconds apart, on a timerfd in an epoll set. Writes the lateness of
/// each wake-up in nanoseconds. Returns 0 or an error number.
int peer_tick_loop(int64_t interval, int ticks, int64_t *lateness);

/// Makes another thread call a function and waits for it, `count` times, with a queue, an eventfd and a semaphore. `time` is
/// the duration in nanoseconds. Returns 0 or an error number.
int peer_call_thread(int count, int64_t *time);

/// Sends a message of 64 bytes to another thread and waits for its return, `count` times. Both threads wait with epoll on a
/// socket that keeps messages apart. `time` is the duration in nanoseconds. Returns 0 or an error number.
int peer_message_thread(int count, int64_t *time);

/// Fills `count` words with `value`.
void peer_fill(uint32_t *words, uint64_t count, uint32_t value);

/// The time on CLOCK_MONOTONIC in nanoseconds.
int64_t peer_now(void);

/// The calling thread's processor time in nanoseconds.
int64_t peer_thread_time(void);

/// The number of times that the calling thread has gone to sleep.
int64_t peer_thread_sleeps(void);

/// The bytes of the heap that are in use, with those that the allocator adds to each block.
int64_t peer_heap_bytes(void);

/// Encodes a picture (bytes B, G, R, A) as PNG by libpng, in memory; `level` is zlib's, or -1 for the default. Alpha is written
/// as it is, or left out if `is_rgb`. Returns the number of bytes.
size_t peer_png(const uint8_t *pixels, int64_t bytes_per_row, int32_t width, int32_t height, int32_t level, bool is_rgb);
